package load

import (
	"fmt"
	"time"

	"dyno/hist"
)

// Window is one measured stretch of load. It ends when Duration is over or Count requests are
// answered, whichever comes first; one of the two must be set.
type Window struct {
	Duration time.Duration // 0: no limit in time
	Count    int64         // requests to send in all; 0: no limit in number
	// Skip is the head of the window that is not counted. With Count it is ignored.
	Skip time.Duration
	// Bucket is the width of the series' buckets; 0 means one second.
	Bucket time.Duration
}

// check refuses windows that could not end or could not be counted.
func (w Window) check() error {
	switch {
	case w.Duration < 0 || w.Count < 0 || w.Skip < 0 || w.Bucket < 0:
		return fmt.Errorf("window: negative limit (%+v)", w)
	case w.Duration == 0 && w.Count == 0:
		return fmt.Errorf("window: needs a duration or a count")
	case w.Duration > 0 && w.Skip >= w.Duration:
		return fmt.Errorf("window: skips %v of %v, nothing would be counted", w.Skip, w.Duration)
	case w.Duration > MaxDuration:
		return fmt.Errorf("window: %v is longer than %v", w.Duration, MaxDuration)
	}
	return nil
}

// MaxDuration bounds a window, and with it the memory of its series.
const MaxDuration = 24 * time.Hour

// Result is what happened in one window. The counted part begins after Skip and ends with the
// window; what was sent in it and answered later is drained: verified, but not counted.
//
// Nothing is lost: Sent = Verified + Wrong + the sum of Lost + InFlight.
type Result struct {
	DurationNs int64 // length of the counted part
	Counted    int64 // verified replies in the counted part
	// Latency is the service time, in ns from the send to the arrival, of the counted replies. A
	// request that timed out is in it with its age when it was given up, a lower bound: leaving
	// it out would flatter the server.
	Latency *hist.Histogram
	Series  []int64 // verified replies by bucket, from the start of the window

	Sent     int64 // requests sent in the whole window
	Verified int64 // replies verified in the whole window, drain included
	Wrong    int64 // replies that were not the ones owed
	InFlight int64 // requests still unanswered when the drain was given up
	Lost     [Kinds]int64
	Failures [Kinds]int64 // failed connections; several requests may be lost with one

	Reconnects int64 // connections opened anew in the window
	Renewed    int64 // connections that the peer had closed at rest, opened before the window
	BytesSent  int64
	BytesRead  int64
	BusyNs     int64  // counted time in which the loops were not waiting, summed over loops
	Loops      int    // event loops that took part
	FirstFault string // the first wrong or malformed reply, in words
}

// RatePerS returns the verified replies per second of the counted part.
func (r *Result) RatePerS() float64 {
	if r.DurationNs <= 0 {
		return 0
	}
	return float64(r.Counted) * 1e9 / float64(r.DurationNs)
}

// Failed returns how many requests got no right reply.
func (r *Result) Failed() int64 {
	n := r.Wrong + r.InFlight
	for _, lost := range r.Lost {
		n += lost
	}
	return n
}

// Errors returns every failure by name, wrong replies included; nil when there was none.
func (r *Result) Errors() map[string]int64 {
	var m map[string]int64
	add := func(name string, n int64) {
		if n == 0 {
			return
		}
		if m == nil {
			m = map[string]int64{}
		}
		m[name] += n
	}
	add("wrong", r.Wrong)
	for k := range Kinds {
		add(k.String(), max(r.Lost[k], r.Failures[k]))
	}
	add("in-flight", r.InFlight)
	return m
}

// merge adds what another loop did in the same window.
func (r *Result) merge(o *Result) {
	r.DurationNs = max(r.DurationNs, o.DurationNs)
	r.Counted += o.Counted
	r.Latency.Merge(o.Latency)
	for len(r.Series) < len(o.Series) {
		r.Series = append(r.Series, 0)
	}
	for i, n := range o.Series {
		r.Series[i] += n
	}
	r.Sent += o.Sent
	r.Verified += o.Verified
	r.Wrong += o.Wrong
	r.InFlight += o.InFlight
	for k := range Kinds {
		r.Lost[k] += o.Lost[k]
		r.Failures[k] += o.Failures[k]
	}
	r.Reconnects += o.Reconnects
	r.Renewed += o.Renewed
	r.BytesSent += o.BytesSent
	r.BytesRead += o.BytesRead
	r.BusyNs += o.BusyNs
	r.Loops += o.Loops
	if r.FirstFault == "" {
		r.FirstFault = o.FirstFault
	}
}
