package load

import "sync"

// Progress is how far a window has come: totals since its start, as old as the last look of its event
// loops (a quarter of a second at most). The difference of two is what happened between them.
type Progress struct {
	ElapsedNs int64 // since the window began
	Sent      int64
	Verified  int64
	Failed    int64 // wrong and lost
	InFlight  int64
	Waiting   int64 // due, without a free connection
	Dropped   int64
	BytesSent int64
	BytesRead int64
	Latency   Spectrum // of all replies so far; its counters may wrap, their differences are right
}

// Progress returns how far the window in work, or the last one, has come. It may be called from any
// goroutine while Run runs, and costs the event loops nothing.
func (c *Client) Progress() Progress {
	var sum Progress
	for _, w := range c.workers {
		p := w.notice.read()
		sum.ElapsedNs = max(sum.ElapsedNs, p.ElapsedNs)
		sum.Sent += p.Sent
		sum.Verified += p.Verified
		sum.Failed += p.Failed
		sum.InFlight += p.InFlight
		sum.Waiting += p.Waiting
		sum.Dropped += p.Dropped
		sum.BytesSent += p.BytesSent
		sum.BytesRead += p.BytesRead
		sum.Latency.Add(&p.Latency)
	}
	return sum
}

// Since returns what happened after an earlier look at the same window.
func (p Progress) Since(earlier Progress) Progress {
	p.ElapsedNs -= earlier.ElapsedNs
	p.Sent -= earlier.Sent
	p.Verified -= earlier.Verified
	p.Failed -= earlier.Failed
	p.Dropped -= earlier.Dropped
	p.BytesSent -= earlier.BytesSent
	p.BytesRead -= earlier.BytesRead
	p.Latency.Sub(&earlier.Latency)
	return p
}

// notice is where an event loop leaves its progress. The loop never waits: while somebody reads, it
// skips a turn.
type notice struct {
	mu       sync.Mutex
	progress Progress
}

func (n *notice) read() Progress {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.progress
}

// publish leaves the worker's progress for Client.Progress.
func (w *worker) publish() {
	if !w.notice.mu.TryLock() {
		return
	}
	defer w.notice.mu.Unlock()
	r := &w.result
	p := &w.notice.progress
	*p = Progress{
		ElapsedNs: w.now - w.startNs,
		Sent:      r.Sent, Verified: r.Verified, Failed: r.Failed(),
		InFlight: w.owed, Waiting: int64(w.queue.length), Dropped: r.Dropped,
		BytesSent: r.BytesSent, BytesRead: r.BytesRead,
		Latency: w.pastLatency,
	}
	p.Latency.Add(&w.bucket.Latency)
}
