package dyno

import (
	"math"
	"slices"
	"time"

	"dyno/hist"
)

// LoadReport is what one ad-hoc load did to one server: what `dyno http` and `dyno tcp` found. It is
// one process on one occasion, so none of its figures has an interval: it is for watching a server,
// not for comparing two.
type LoadReport struct {
	Protocol  string      `json:"protocol"` // "http" or "framed"
	Target    string      `json:"target"`   // as the user wrote it, e.g. "http://127.0.0.1:8080/"
	Address   string      `json:"address"`  // what was connected to: "127.0.0.1:8080", or the path of a socket
	Options   LoadOptions `json:"options"`
	StartedAt time.Time   `json:"started_at"` // of the measured part; the warm-up lies before it
	EndedAt   time.Time   `json:"ended_at"`
	// DurationNs is the length of the counted part, without the drain of what was still owed.
	DurationNs int64 `json:"duration_ns"`
	// Partial says why the load ended before its time; empty when it did not.
	Partial string `json:"partial,omitempty"`

	Counts LoadCounts       `json:"counts"`
	Codes  map[int]int64    `json:"codes,omitempty"`  // HTTP replies by status, right ones and others
	Errors map[string]int64 `json:"errors,omitempty"` // failed requests by kind, and failed connections that lost none
	// FirstFault is the first wrong reply in words: what was expected, what came.
	FirstFault string       `json:"first_fault,omitempty"`
	Seconds    []LoadSecond `json:"seconds"` // one sample for each whole second, in order

	// Latency holds ns of every counted reply: in an open loop the response time, from when the
	// request was due; in a closed loop the service time, from when it was sent.
	Latency *hist.Histogram `json:"-"`
	// Service holds ns from the actual send in an open loop; nil in a closed one.
	Service *hist.Histogram `json:"-"`

	Instrument LoadInstrument `json:"instrument"`
}

// Arrivals says what makes the next request start.
type Arrivals string

// The kinds of arrivals.
const (
	ClosedLoop Arrivals = "closed"   // the reply to one before it
	Constant   Arrivals = "constant" // a clock with equal steps
	Poisson    Arrivals = "poisson"  // a clock with random steps, as independent users make them
)

// LoadOptions say what was sent, how hard, for how long.
type LoadOptions struct {
	Method    string       `json:"method,omitempty"`
	Headers   []LoadHeader `json:"headers,omitempty"` // those that the user added, in order
	Body      string       `json:"body,omitempty"`    // text of the request's body; empty where it is long
	BodyBytes int          `json:"body_bytes,omitempty"`
	// CorpusRequests is how many different requests were sent in random order; 0 where there was but one.
	CorpusRequests int   `json:"corpus_requests,omitempty"`
	PayloadBytes   []int `json:"payload_bytes,omitempty"` // framed: connections take the sizes in turn

	Load
	Arrivals    Arrivals      `json:"arrivals"`
	RatePerS    float64       `json:"rate_per_s,omitempty"`    // open loop: requests due per second, at the start
	RampToPerS  float64       `json:"ramp_to_per_s,omitempty"` // at the end; 0 where the rate does not change
	Duration    time.Duration `json:"duration_ns,omitempty"`   // limit in time; 0 where Requests limits
	Requests    int64         `json:"requests,omitempty"`      // limit in number; 0 where Duration limits
	WarmUp      time.Duration `json:"warm_up_ns,omitempty"`    // loaded before, and not counted
	ReplyWithin time.Duration `json:"reply_within_ns"`
	Seed        uint64        `json:"seed"`
	// ExpectStatus is the only status that is right; 0 where every 2xx is.
	ExpectStatus int `json:"expect_status,omitempty"`
	// ExpectBody tells that the body of every reply was compared with the expected one.
	ExpectBody bool `json:"expect_body,omitempty"`
}

// LoadHeader is one line of a request's head.
type LoadHeader struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// LoadCounts accounts for every request: due = Sent + Unsent + Dropped, and
// Sent = Verified + Wrong + Lost + InFlight.
type LoadCounts struct {
	Sent     int64 `json:"sent"`
	Verified int64 `json:"verified"`  // replies that are the ones owed, the drain included
	Counted  int64 `json:"counted"`   // verified replies within DurationNs: what the rate is made of
	Wrong    int64 `json:"wrong"`     // replies that are not the ones owed
	Lost     int64 `json:"lost"`      // requests that went down with their connection or timed out
	InFlight int64 `json:"in_flight"` // requests unanswered when the load was stopped
	Unsent   int64 `json:"unsent"`    // open loop: due, and still waiting for a connection at the end
	Dropped  int64 `json:"dropped"`   // open loop: due when the queue was full

	BytesRead int64 `json:"bytes_read"`
	BytesSent int64 `json:"bytes_sent"`
}

// LoadSecond is one second of a load.
type LoadSecond struct {
	Verified  int64 `json:"verified"`
	BytesRead int64 `json:"bytes_read"`
	P50Ns     int64 `json:"latency_p50_ns"`
	P99Ns     int64 `json:"latency_p99_ns"`
}

// LoadInstrument is the instrument's account of itself.
type LoadInstrument struct {
	Dyno      string  `json:"dyno"`   // version
	Poller    string  `json:"poller"` // epoll or io_uring
	Loops     int     `json:"loops"`
	CPUs      []int   `json:"cpus,omitempty"` // where the loops are pinned; empty when they are not
	SpinNs    int64   `json:"spin_ns"`        // polls this long before it sleeps
	SpinWhy   string  `json:"spin_why"`       // why it spins, or why it does not, in words
	BusyShare float64 `json:"busy_share"`     // of the counted time, in which the loops were not waiting; 0 to 1

	GCPauses   int64 `json:"gc_pauses"`
	GCPauseNs  int64 `json:"gc_pause_ns"`
	Reconnects int64 `json:"reconnects"`

	// Lag holds ns by which the instrument itself sent later than was due; nil in a closed loop.
	Lag *hist.Histogram `json:"-"`
	// Late counts sends with a lag above 1 ms.
	Late int64 `json:"late"`
	// QueueMax is the most requests that waited for a free connection at a time.
	QueueMax int64 `json:"queue_max"`
	// Warnings say in plain words what weakens the figures.
	Warnings []string `json:"warnings,omitempty"`
}

// OpenLoop reports whether requests were due by a clock, whatever became of those before them.
func (r *LoadReport) OpenLoop() bool { return r.Options.Arrivals != ClosedLoop }

// RatePerS returns verified replies per second of the counted part.
func (r *LoadReport) RatePerS() float64 { return perS(r.Counts.Counted, r.DurationNs) }

// BytesReadPerS returns bytes read per second, heads included.
func (r *LoadReport) BytesReadPerS() float64 { return perS(r.Counts.BytesRead, r.DurationNs) }

func perS(n, durationNs int64) float64 {
	if durationNs <= 0 {
		return 0
	}
	return float64(n) * 1e9 / float64(durationNs)
}

// Due returns how many requests should have been sent.
func (r *LoadReport) Due() int64 { return r.Counts.Sent + r.Counts.Unsent + r.Counts.Dropped }

// Failed returns how many requests got no right reply, or were dropped. Those that were still waiting
// when an open loop ended have not failed: see Counts.Unsent.
func (r *LoadReport) Failed() int64 { return r.Counts.Sent - r.Counts.Verified + r.Counts.Dropped }

// Faults returns everything that went wrong: requests that failed, and connections that failed without
// losing one.
func (r *LoadReport) Faults() int64 {
	var n int64
	for _, count := range r.Errors {
		n += count
	}
	return n
}

// Class returns how many HTTP replies had a status of the class, e.g. 2 for 200 to 299.
func (r *LoadReport) Class(class int) int64 {
	var n int64
	for code, count := range r.Codes {
		if code/100 == class {
			n += count
		}
	}
	return n
}

// Replies returns how many HTTP replies came, whatever their status.
func (r *LoadReport) Replies() int64 {
	var n int64
	for _, count := range r.Codes {
		n += count
	}
	return n
}

// ClientBusyMax is the busy share above which the client may have been what limits a load.
const ClientBusyMax = 0.95

// ClientBound reports whether the client may have been the limit: the rate is then a lower bound.
func (r *LoadReport) ClientBound() bool { return r.Instrument.BusyShare >= ClientBusyMax }

// Samples sums up figures that were taken once a second.
type Samples struct {
	sorted []float64
}

// Rates returns the samples of verified replies per second.
func (r *LoadReport) Rates() Samples {
	return samples(r.Seconds, func(s LoadSecond) int64 { return s.Verified })
}

// BytesRates returns the samples of bytes read per second.
func (r *LoadReport) BytesRates() Samples {
	return samples(r.Seconds, func(s LoadSecond) int64 { return s.BytesRead })
}

func samples(seconds []LoadSecond, of func(LoadSecond) int64) Samples {
	all := make([]float64, len(seconds))
	for i, s := range seconds {
		all[i] = float64(of(s))
	}
	slices.Sort(all)
	return Samples{all}
}

// N returns how many samples there are.
func (s Samples) N() int { return len(s.sorted) }

// Quantile returns the smallest sample such that a share of at least q (0 to 1) is not larger; 0
// without samples.
func (s Samples) Quantile(q float64) float64 {
	if len(s.sorted) == 0 {
		return 0
	}
	rank := int(math.Ceil(q * float64(len(s.sorted))))
	return s.sorted[min(max(rank, 1), len(s.sorted))-1]
}

// Min returns the smallest sample, 0 without samples.
func (s Samples) Min() float64 { return s.Quantile(0) }

// Max returns the largest sample, 0 without samples.
func (s Samples) Max() float64 { return s.Quantile(1) }

// Mean returns the arithmetic mean, 0 without samples.
func (s Samples) Mean() float64 {
	if len(s.sorted) == 0 {
		return 0
	}
	var sum float64
	for _, x := range s.sorted {
		sum += x
	}
	return sum / float64(len(s.sorted))
}

// Stdev returns the standard deviation over the samples (population form).
func (s Samples) Stdev() float64 {
	if len(s.sorted) == 0 {
		return 0
	}
	mean, sum := s.Mean(), 0.0
	for _, x := range s.sorted {
		sum += (x - mean) * (x - mean)
	}
	return math.Sqrt(sum / float64(len(s.sorted)))
}
