package dyno

import "time"

// Capacity is the highest rate of an open loop at which a server kept a promise: what `dyno capacity`
// found.
type Capacity struct {
	Protocol string        `json:"protocol"` // "http", "framed", or the contract of a subject
	Target   string        `json:"target"`   // as the user wrote it
	Promises []string      `json:"promises"` // all must hold, e.g. "p99<50ms"
	Options  LoadOptions   `json:"options"`  // of every probe; the rate is the probe's
	Settling time.Duration `json:"settling_ns"`
	// Fresh tells that every search had a server process of its own. Else all searches had the same
	// one, and the interval says nothing of what differs between processes.
	Fresh bool `json:"fresh_processes"`
	// PlayerPerS is the rate of one player where every connection is one, of which there are as many as the
	// rate asks for; 0 where the connections are Options.Connections.
	PlayerPerS float64   `json:"player_per_s,omitempty"`
	StartedAt  time.Time `json:"started_at"`
	EndedAt    time.Time `json:"ended_at"`
	// Partial says why the search ended before its time; empty when it did not.
	Partial string `json:"partial,omitempty"`

	Probes []CapacityProbe `json:"probes"` // in the order in which they were made
	// RatePerS is the capacity, with a 95 % interval over the searches. Its Value is 0 when no rate
	// kept the promise.
	RatePerS Estimate      `json:"rate_per_s"`
	Limit    CapacityLimit `json:"limit"`
	// Curve is latency against rate: the probes in order of their rates, those of nearly equal rates taken
	// together.
	Curve []CapacityPoint `json:"curve"`
	// KneePerS is the rate above which the p99 stays more than twice what it was under a light load; 0
	// where no probe went beyond it.
	KneePerS float64 `json:"knee_per_s"`
	// Confirmation is a longer probe at the lower end of the interval, or below it where that one broke
	// the promise; nil when nothing was confirmed.
	Confirmation *CapacityProbe `json:"confirmation,omitempty"`

	Instrument LoadInstrument `json:"instrument"` // its account of the confirmation or the last probe
}

// CapacityPlan says how a run searches for the capacity of its subjects: one search in a fresh process of each
// subject in each block, one at a time, in random order.
type CapacityPlan struct {
	Promises []string `json:"promises"` // all must hold, e.g. "p99<50ms"
	Workload Workload `json:"workload"`
	// Connections share the requests; 0 where every connection is a player, of which there are as many as the
	// rate asks for.
	Connections int `json:"connections,omitempty"`
	Depth       int `json:"depth"` // requests in flight on each connection at the most
	// PlayerPerS is the rate of one player where every connection is one, else 0.
	PlayerPerS  float64       `json:"player_per_s,omitempty"`
	Arrivals    Arrivals      `json:"arrivals"`
	Probe       time.Duration `json:"probe_ns"` // length of a probe
	Blocks      int           `json:"blocks"`
	MostPerS    float64       `json:"most_per_s"` // no higher rate is tried
	ReplyWithin time.Duration `json:"reply_within"`
}

// Cell is where the trials of the searches are kept. Its load has no depth: it is an open loop.
func (p CapacityPlan) Cell() Cell {
	return Cell{Workload: p.Workload, Load: Load{Connections: p.Connections}}
}

// What the length of a probe is made of, in lengths of the longest latency that is promised, and by how much it may
// be longer than asked for. A queue that may grow to that latency needs time for it: in a window of n such lengths a
// rate of 1/n more than the server can do still looks kept.
const (
	settlingLatencies = 6
	countedLatencies  = 60
	longerMost        = 10
)

// ProbeWindow is how long a probe whose outcome counts is counted, and the head before that, when probes of a length
// were asked for, needed is what other reasons ask for, and the longest latency that is promised is given.
func ProbeWindow(asked, needed, promised time.Duration) (head, counted time.Duration) {
	promised = min(promised, asked)
	head = min(max(asked/10, settlingLatencies*promised, 100*time.Millisecond), 3*time.Second)
	return head, max(asked, min(max(needed, countedLatencies*promised), longerMost*asked))
}

// Of a search with its approach, about how many probes are made.
const (
	coarseProbes = 12
	fullProbes   = 9
)

// SearchTime is about how long one search takes, the start of its process included, when the longest latency that is
// promised is given.
func (p CapacityPlan) SearchTime(promised time.Duration) time.Duration {
	head, counted := ProbeWindow(p.Probe, 0, promised)
	return 2*time.Second + coarseProbes*(head+p.Probe) + fullProbes*(head+counted)
}

// CapacityVerdict is what the searches of a run established.
type CapacityVerdict struct {
	Plan        CapacityPlan  `json:"plan"`
	Rows        []CapacityRow `json:"rows"`        // ranked subjects, in suite order
	Comparisons []Comparison  `json:"comparisons"` // of capacities, paired by block: a family of its own
}

// Compare finds the comparison of a with b, turned so that A is a.
func (v CapacityVerdict) Compare(a, b string) (Comparison, bool) { return find(v.Comparisons, a, b) }

// Row finds the row of a subject.
func (v CapacityVerdict) Row(subject string) (CapacityRow, bool) {
	for _, r := range v.Rows {
		if r.Subject == subject {
			return r, true
		}
	}
	return CapacityRow{}, false
}

// CapacityRow is what the searches found of one subject.
type CapacityRow struct {
	Subject string `json:"subject"`
	Rank    int    `json:"rank,omitempty"` // 1 + how many have a higher capacity by verdict; 0 when not ranked
	// RatePerS is the capacity over the blocks; its N is 0 when a search found no rate that kept the promise.
	RatePerS   Estimate        `json:"rate_per_s"`
	LowerBound bool            `json:"lower_bound"`       // a search ended at the limit of dyno or of the plan
	Limits     []CapacityLimit `json:"limits"`            // of each search, by block
	Broken     int             `json:"searches_broken"`   // searches in which no rate kept the promise
	Witness    string          `json:"witness,omitempty"` // what a probe just above the capacity showed, e.g. "p99 was 61 ms"
	KneePerS   float64         `json:"knee_per_s"`        // of the curve; 0 where no probe went beyond it
	Curve      []CapacityPoint `json:"curve"`             // of all searches together
}

// CapacityResolution is the share above and below the rate that it looks for at which a search probes in the end.
const CapacityResolution = 0.02

// StrainMax bounds the strain of a promise: thirty times what it allows is as broken as can be.
const StrainMax = 30

// CapacityLimit says what kept the rate from being higher.
type CapacityLimit string

// The limits of a capacity.
const (
	LimitNone       CapacityLimit = ""           // not known
	LimitServerCPU  CapacityLimit = "server-cpu" // the server used up the CPUs that it may use
	LimitPromise    CapacityLimit = "promise"    // the promise was broken while the server had CPU left
	LimitInstrument CapacityLimit = "instrument" // dyno could go no further: the capacity is a lower bound
	LimitHighest    CapacityLimit = "highest"    // no rate that was to be tried broke the promise: a lower bound
)

// FirstBroken returns the lowest rate at or above the capacity that broke the promise; nil when none did.
func (c *Capacity) FirstBroken() *CapacityProbe {
	var first *CapacityProbe
	for i := range c.Probes {
		p := &c.Probes[i]
		if !p.Kept && p.RatePerS >= c.RatePerS.Value && (first == nil || p.RatePerS < first.RatePerS) {
			first = p
		}
	}
	return first
}

// LowerBound reports whether the capacity may be higher than its figure.
func (l CapacityLimit) LowerBound() bool { return l == LimitInstrument || l == LimitHighest }

// CapacityProbe is one window of open loop at one rate.
type CapacityProbe struct {
	// Search counts from 1; 0 is the approach, which finds where to search, and one more than there are searches
	// the confirmation.
	Search       int     `json:"search"`
	RatePerS     float64 `json:"rate_per_s"`
	AnsweredPerS float64 `json:"answered_per_s"`
	DurationNs   int64   `json:"duration_ns"`
	// Kept tells that every promise held; else Broken says which did not, and what was seen.
	Kept   bool   `json:"kept"`
	Broken string `json:"broken,omitempty"`
	// Strain is how much of what the promises allow was used, of the one that was strained most: 1 just at its
	// limit, e.g. when 1 % of the replies take 50 ms or longer and p99<50ms was promised. StrainMax stands for
	// all that is more.
	Strain float64 `json:"strain"`
	// Unable says why the instrument could not make this load as it was due; empty when it could.
	Unable string `json:"unable,omitempty"`
	// Noise says that the instrument was late although it had time: somebody else had the CPU. Such a
	// probe is repeated, whatever it found, a few times at most; Repeated marks those that do not count.
	Noise    string `json:"noise,omitempty"`
	Repeated bool   `json:"repeated,omitempty"`

	// Response times in ns, from when requests were due.
	P50Ns  int64 `json:"p50_ns"`
	P90Ns  int64 `json:"p90_ns"`
	P99Ns  int64 `json:"p99_ns"`
	P999Ns int64 `json:"p99_9_ns"`
	MaxNs  int64 `json:"max_ns"`
	// ServiceP99Ns counts from the send: what it lacks of P99Ns was spent waiting for a connection.
	ServiceP99Ns int64 `json:"service_p99_ns"`
	Due          int64 `json:"due"`
	Failed       int64 `json:"failed"`
	Unsent       int64 `json:"unsent"`

	ClientBusyShare float64 `json:"client_busy_share"`
	// ServerCPUShare is the server's CPU time over that of the CPUs that it may use, or that of its busiest
	// thread over one CPU, whichever is larger, 0 to 1; -1 where it is not known.
	ServerCPUShare float64 `json:"server_cpu_share"`
}

// CapacityPoint is one point of latency against rate: medians over its probes.
type CapacityPoint struct {
	RatePerS     float64 `json:"rate_per_s"`
	AnsweredPerS float64 `json:"answered_per_s"`

	P50Ns  float64 `json:"p50_ns"`
	P90Ns  float64 `json:"p90_ns"`
	P99Ns  float64 `json:"p99_ns"`
	P999Ns float64 `json:"p99_9_ns"`

	ServerCPUShare  float64 `json:"server_cpu_share"` // -1 where it is not known
	ClientBusyShare float64 `json:"client_busy_share"`

	Probes int `json:"probes"`
	Kept   int `json:"kept"` // of the probes
}
