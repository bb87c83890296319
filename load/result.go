package load

import (
	"fmt"
	"time"

	"dyno/hist"
)

// Result is what happened in one window. The counted part begins after Skip and ends with the
// window; what was sent in it and answered later is drained: verified, but not counted.
//
// Nothing is lost: Sent = Verified + Wrong + the sum of Lost + InFlight, and in an open loop
// Due = Sent + Unsent + Dropped.
type Result struct {
	DurationNs int64 // length of the counted part
	Counted    int64 // verified replies that came in the counted part
	// Latency, in a closed loop, is the service time of the counted replies: from the send to the
	// arrival. In an open loop it is the response time of the requests that were due in the counted
	// part: from the due time to the arrival, the drain included. A request that timed out is in it
	// with its age when it was given up, and so is one that was due and never sent: lower bounds, but
	// leaving them out would flatter the server.
	Latency  *hist.Histogram
	Series   []Bucket // from the start of the window
	BucketNs int64    // width of a bucket

	Sent     int64 // requests sent in the whole window
	Verified int64 // replies verified in the whole window, drain included
	Wrong    int64 // whole replies that were not the ones owed
	InFlight int64 // requests still unanswered when the drain was given up
	Lost     [Kinds]int64
	Failures [Kinds]int64 // failed connections; several requests may be lost with one

	Reconnects int64 // connections opened anew in the window
	Renewed    int64 // connections that the peer closed at rest, opened anew before the window or at its start
	BytesSent  int64 // by the sockets, so with TLS its records
	BytesRead  int64
	BusyNs     int64  // counted time in which the loops were not waiting, summed over loops
	Loops      int    // event loops that took part
	Poller     Poller // that they used
	FirstFault string // the first wrong or malformed reply, in words

	OpenLoop
	GCs       int64 // garbage collections of this process that ended in the window
	GCPauseNs int64 // in which they stopped all event loops
}

// OpenLoop is the account of the pacing. It is zero for a closed loop.
type OpenLoop struct {
	// Service is the time from the actual send to the arrival, of the requests in Latency that were
	// sent; nil in a closed loop.
	Service *hist.Histogram
	// Lag is by how much the instrument itself sent late: from the due time, or from when a connection
	// became free if none was, to the send. Requests that were due in the counted part; nil in a
	// closed loop.
	Lag *hist.Histogram

	Due      int64 // requests that fell due in the window
	Unsent   int64 // due, but no connection became free before the window ended
	Dropped  int64 // due when the queue was full
	Late     int64 // sent with a lag above LateAfter
	QueueMax int64 // most requests that waited for a free connection, summed over loops
}

// LateAfter is the lag above which a request counts as late.
const LateAfter = time.Millisecond

// LateShareMax is the share of the requests sent that may be late before the instrument has not kept its
// promise.
const LateShareMax = 0.001

// Bucket is one step of a window's series.
type Bucket struct {
	Verified  int64    // replies
	BytesRead int64    // by the sockets
	Latency   Spectrum // of these replies, counted or not
}

// RatePerS returns the verified replies per second of the counted part.
func (r *Result) RatePerS() float64 {
	if r.DurationNs <= 0 {
		return 0
	}
	return float64(r.Counted) * 1e9 / float64(r.DurationNs)
}

// BusyShare returns the share of the counted time in which the event loops did not wait (0 to 1).
func (r *Result) BusyShare() float64 {
	if r.DurationNs <= 0 || r.Loops == 0 {
		return 0
	}
	return float64(r.BusyNs) / float64(r.DurationNs) / float64(r.Loops)
}

// Failed returns how many of the requests sent got no right reply.
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

// What Warnings lets pass.
const (
	busyShareMax = 0.95             // above it the client may be what limits the rate
	gcPauseMax   = time.Millisecond // in all
)

// Warnings says in words, a line each, where the instrument or the load could not keep what the figures
// promise; nil when there is nothing to say.
func (r *Result) Warnings() []string {
	var lines []string
	warn := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	if share := r.BusyShare(); share > busyShareMax {
		warn("the client was busy for %.0f %% of the time: the rate is a lower bound; use more event loops, or give the client CPUs of its own", 100*share)
	}
	if r.Late > 0 && float64(r.Late) > LateShareMax*float64(r.Sent) {
		warn("the client sent %d of %d requests more than %v late (lag p99 %v): lower the rate, use more event loops, or give the client CPUs of its own",
			r.Late, r.Sent, LateAfter, time.Duration(r.Lag.QuantileNs(0.99)).Round(10*time.Microsecond))
	}
	if r.Unsent > 0 {
		warn("%d of %d requests were due but found no free connection before the end: latencies hold their age, a lower bound; lower the rate or open more connections",
			r.Unsent, r.Due)
	}
	if r.Dropped > 0 {
		warn("%d of %d requests were dropped because the queue was full (%d waited): latencies leave them out; lower the rate", r.Dropped, r.Due, r.QueueMax)
	}
	if r.Latency != nil && r.Latency.Clipped() > 0 {
		warn("latencies above %v are recorded as that: %d of %d", time.Duration(hist.HighestNs), r.Latency.Clipped(), r.Latency.Count())
	}
	if r.GCPauseNs > int64(gcPauseMax) {
		warn("the client's garbage collector stopped it for %v in all (pauses: %d): latencies may hold these", time.Duration(r.GCPauseNs).Round(10*time.Microsecond), r.GCs)
	}
	return lines
}

// merge adds what another loop did in the same window.
func (r *Result) merge(o *Result) {
	r.DurationNs = max(r.DurationNs, o.DurationNs)
	r.Counted += o.Counted
	r.Latency.Merge(o.Latency)
	for len(r.Series) < len(o.Series) {
		r.Series = append(r.Series, Bucket{})
	}
	for i := range o.Series {
		b, from := &r.Series[i], &o.Series[i]
		b.Verified += from.Verified
		b.BytesRead += from.BytesRead
		b.Latency.Add(&from.Latency)
	}
	r.BucketNs = o.BucketNs
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
	r.Poller = o.Poller
	if r.FirstFault == "" {
		r.FirstFault = o.FirstFault
	}
	r.OpenLoop.merge(&o.OpenLoop)
}

func (r *OpenLoop) merge(o *OpenLoop) {
	if o.Service == nil {
		return
	}
	if r.Service == nil {
		r.Service, r.Lag = hist.New(), hist.New()
	}
	r.Service.Merge(o.Service)
	r.Lag.Merge(o.Lag)
	r.Due += o.Due
	r.Unsent += o.Unsent
	r.Dropped += o.Dropped
	r.Late += o.Late
	r.QueueMax += o.QueueMax
}
