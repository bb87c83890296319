package dyno

import (
	"maps"
	"slices"
	"time"

	"dyno/hist"
)

// TrialKey identifies a trial within a run. No key is ever measured twice.
type TrialKey struct {
	Block   int    `json:"block"` // from 0
	Cell    Cell   `json:"cell"`
	Subject string `json:"subject"`
}

// Trial is what one fresh process of a subject did in one cell of one block. It is stored whole
// and never changed.
type Trial struct {
	TrialKey
	StartedAt time.Time `json:"started_at"`
	// Void says why the trial does not count; empty when it does. A trial with any wrong reply,
	// error or crash is void.
	Void   string   `json:"void,omitempty"`
	Stderr []string `json:"stderr,omitempty"` // last lines of the subject's stderr when void

	Slices  []Slice         `json:"slices"`
	Latency *hist.Histogram `json:"-"` // service time in ns over all counted replies; of users: response time

	WarmUp WarmUp           `json:"warm_up"`
	Noise  Noise            `json:"noise,omitzero"`
	Server ServerCost       `json:"server"`
	Client ClientAccount    `json:"client"`
	Errors map[string]int64 `json:"errors,omitempty"` // failures by kind, over the whole trial

	// Work is what the subject did by its own clock, where its contract has it keep one (Work.Operations is
	// then what the slices count); else zero.
	Work Work `json:"work,omitzero"`

	// Capacity is what a search found in this process, in the cell of the suite's CapacityPlan; such a trial has
	// no slices. nil in all others.
	Capacity *Capacity `json:"capacity,omitempty"`

	// Visits is what virtual users did, where they are the load; else zero. FirstByte holds ns from the send of a
	// request to the first byte of its reply, Session ns from the arrival of a user who completed to its end.
	Visits    Visits          `json:"visits,omitzero"`
	FirstByte *hist.Histogram `json:"-"`
	Session   *hist.Histogram `json:"-"`
}

// Visits counts what virtual users did.
type Visits struct {
	Created   int64         `json:"created"`
	Completed int64         `json:"completed"`
	Failed    int64         `json:"failed"`
	Skipped   int64         `json:"skipped"` // did not arrive: as many as the script allows were there
	Requests  int64         `json:"requests"`
	BodyBytes int64         `json:"body_bytes"` // of replies
	Codes     map[int]int64 `json:"codes"`      // replies by HTTP status
	Promises  []Promise     `json:"promises,omitempty"`
}

// Promise is something that a script promises of each trial (config.ensure of Artillery).
type Promise struct {
	Said     string `json:"said"`     // e.g. "http.response_time.p95 < 250"
	Optional bool   `json:"optional"` // one that is broken fails nobody
	Kept     int64  `json:"kept"`     // trials
	Broken   int64  `json:"broken"`   // trials
}

// Plus adds up visits.
func (v Visits) Plus(o Visits) Visits {
	codes := maps.Clone(v.Codes)
	if codes == nil {
		codes = map[int]int64{}
	}
	for code, n := range o.Codes {
		codes[code] += n
	}
	return Visits{
		v.Created + o.Created, v.Completed + o.Completed, v.Failed + o.Failed, v.Skipped + o.Skipped,
		v.Requests + o.Requests, v.BodyBytes + o.BodyBytes, codes, promisesPlus(v.Promises, o.Promises),
	}
}

// promisesPlus adds up trials, in the order in which the promises were first made.
func promisesPlus(a, b []Promise) []Promise {
	sum := slices.Clone(a)
	for _, p := range b {
		i := slices.IndexFunc(sum, func(q Promise) bool { return q.Said == p.Said && q.Optional == p.Optional })
		if i < 0 {
			sum = append(sum, p)
			continue
		}
		sum[i].Kept += p.Kept
		sum[i].Broken += p.Broken
	}
	return sum
}

// Work is what a subject did by its own clock: where an operation takes nanoseconds, no reply over a socket
// can time it. That it was done is verified all the same.
type Work struct {
	Operations int64 `json:"operations"`
	DurationNs int64 `json:"duration_ns"`
	Bytes      int64 `json:"bytes"` // moved by the operations; 0 where that means nothing
	// AllocatedBytes and Allocations are -1 where the subject's runtime does not tell.
	AllocatedBytes int64 `json:"allocated_bytes"`
	Allocations    int64 `json:"allocations"`
}

// Plus adds up work. What is unknown in one is unknown in the sum.
func (w Work) Plus(o Work) Work {
	known := func(a, b int64) int64 {
		if a < 0 || b < 0 {
			return -1
		}
		return a + b
	}
	return Work{
		w.Operations + o.Operations, w.DurationNs + o.DurationNs, w.Bytes + o.Bytes,
		known(w.AllocatedBytes, o.AllocatedBytes), known(w.Allocations, o.Allocations),
	}
}

// Slice is one short turn of load on one subject while the others rest.
type Slice struct {
	Round      int   `json:"round"`       // from 0; slices of one round are paired across subjects
	Position   int   `json:"position"`    // place in the round's random order, from 0
	DurationNs int64 `json:"duration_ns"` // length of the counted part
	Replies    int64 `json:"replies"`     // verified replies in the counted part

	// ServerCPUNs and ServerReplies cover the whole slice, its head and its drain included, so
	// that their ratio is the cost of a reply.
	ServerCPUNs   int64 `json:"server_cpu_ns"`
	ServerReplies int64 `json:"server_replies"`

	// BytesRead came from the server in the whole slice, heads of replies included.
	BytesRead int64 `json:"bytes_read"`

	ClientBusyNs int64 `json:"client_busy_ns"` // time in the counted part not spent waiting
	// RestCPUNs is CPU burnt meanwhile by the subjects that should have been resting.
	RestCPUNs   int64       `json:"rest_cpu_ns"`
	Disturbance Disturbance `json:"disturbance,omitzero"`
	Flag        string      `json:"flag,omitempty"` // why the slice is suspect; never set from the outcome

	// Latency holds the service times of the counted replies, coarsely; empty where nobody kept them.
	Latency hist.Bands `json:"-"`
}

// Disturbance is what others than dyno and its subjects did during a slice. Where client and servers have
// CPUs of their own, it is that of the side which had more of it.
type Disturbance struct {
	ForeignCPUNs  int64 `json:"foreign_cpu_ns"`  // on the CPUs in use, to about 10 ms
	StealNs       int64 `json:"steal_ns"`        // taken by the hypervisor, to about 10 ms
	MemoryStallNs int64 `json:"memory_stall_ns"` // in which some process of the machine waited for memory
}

// Noise says what a whole trial met, beside the disturbances of its slices.
type Noise struct {
	// LoopNs and LoopAfterNs are what a fixed piece of work took on the servers' CPU before the first
	// slice of the cell and after the last.
	LoopNs      int64 `json:"loop_ns"`
	LoopAfterNs int64 `json:"loop_after_ns"`
	// InvoluntarySwitches counts how often the subject's threads were taken off the CPU during the cell.
	InvoluntarySwitches int64 `json:"involuntary_switches"`
	ThrottleEvents      int64 `json:"throttle_events"` // of the CPUs in use, for heat, during the cell
}

// RatePerS returns the slice's verified replies per second.
func (s Slice) RatePerS() float64 {
	if s.DurationNs <= 0 {
		return 0
	}
	return float64(s.Replies) * 1e9 / float64(s.DurationNs)
}

// WarmUp records how a trial reached its steady state.
type WarmUp struct {
	DurationNs int64 `json:"duration_ns"`
	Replies    int64 `json:"replies"`
	Settled    bool  `json:"settled"` // false is a result: "no steady state"
	// RatesPerS are the rates of its windows, each WindowNs long, to five digits; none in trials of dyno before
	// schema 4.
	WindowNs  int64     `json:"window_ns,omitempty"`
	RatesPerS []float64 `json:"rates_per_s,omitempty"`
}

// Steadiness says whether a trial reached a steady state, and on which way.
type Steadiness string

// The kinds of steadiness. The first three have one level in all slices.
const (
	Flat          Steadiness = "flat"            // the warm-up had that level from its start
	WarmedUp      Steadiness = "warm-up"         // the warm-up began slower
	SlowedDown    Steadiness = "slowdown"        // the warm-up was faster at some time
	NoSteadyState Steadiness = "no steady state" // the warm-up never settled, or the slices have several levels
)

// ServerCost is what the server spent.
type ServerCost struct {
	StartUpNs    int64 `json:"start_up_ns"`    // from exec to the first accepted connection
	PeakRSSBytes int64 `json:"peak_rss_bytes"` // since the process started
	Threads      int   `json:"threads"`
}

// ClientAccount is the instrument's account of itself over the counted parts of a trial.
type ClientAccount struct {
	Sent       int64 `json:"sent"`     // requests sent, warm-up excluded
	Verified   int64 `json:"verified"` // replies verified, warm-up excluded
	GCPauses   int64 `json:"gc_pauses"`
	GCPauseNs  int64 `json:"gc_pause_ns"`
	Reconnects int64 `json:"reconnects"`
	// Poller is what it asked the kernel with: epoll or io_uring; empty where nobody knows.
	Poller string `json:"poller,omitempty"`
}

// RatePerS is the trial's figure: the Centre of its slices' rates, which neither one stolen slice nor
// one lucky one can move far. Flagged slices are left out unless most are flagged.
func (t Trial) RatePerS() float64 {
	var all, quiet []float64
	for _, s := range t.Slices {
		all = append(all, s.RatePerS())
		if s.Flag == "" {
			quiet = append(quiet, s.RatePerS())
		}
	}
	if 2*len(quiet) >= len(all) {
		return Centre(quiet)
	}
	return Centre(all)
}

// ServerCPUNsPerReply is what one verified reply cost the server, in ns of CPU.
func (t Trial) ServerCPUNsPerReply() float64 {
	var cpuNs, replies int64
	for _, s := range t.Slices {
		cpuNs += s.ServerCPUNs
		replies += s.ServerReplies
	}
	if replies == 0 {
		return 0
	}
	return float64(cpuNs) / float64(replies)
}

// ClientBusyShare is the share of counted time in which the client was not waiting, 0 to 1.
func (t Trial) ClientBusyShare() float64 {
	var busyNs, durationNs int64
	for _, s := range t.Slices {
		busyNs += s.ClientBusyNs
		durationNs += s.DurationNs
	}
	if durationNs == 0 {
		return 0
	}
	return float64(busyNs) / float64(durationNs)
}
