package load

import (
	"math"

	"dyno/hist"
)

// never is the due time of a request that does not exist.
const never = int64(math.MaxInt64)

// pacing is what a worker knows of an open loop. Of the schedule's requests it takes those whose index
// is its own modulo the number of loops.
type pacing struct {
	open     bool
	timeline Timeline
	index    int64   // of the next request
	limit    int64   // of indices
	dueNs    int64   // of the next request; never when there is none
	dueAt    []int64 // beside sentAt: when the owed requests were due
	queue    ring[int64]
	queueCap int
	free     ring[int32] // connections that can take a request, longest free first; some since closed
}

// ring is a first-in-first-out queue of fixed capacity, a power of two.
type ring[T any] struct {
	slots  []T
	first  int
	length int
}

func (r *ring[T]) reset(capacity int) {
	if size := powerOfTwo(capacity); len(r.slots) < size {
		r.slots = make([]T, size)
	}
	r.first, r.length = 0, 0
}

func (r *ring[T]) push(v T) {
	r.slots[(r.first+r.length)&(len(r.slots)-1)] = v
	r.length++
}

func (r *ring[T]) pop() T {
	v := r.slots[r.first]
	r.first = (r.first + 1) & (len(r.slots) - 1)
	r.length--
	return v
}

// preparePacing allocates what an open loop needs, before the clock starts.
func (w *worker) preparePacing(win Window) {
	w.open = win.Schedule != nil
	if !w.open {
		return
	}
	w.result.Service, w.result.Lag = hist.New(), hist.New()
	w.timeline = win.Schedule()
	w.queueCap = share(win.QueueCap, w.loops, w.loop)
	w.queue.reset(max(w.queueCap, 1))
	w.free.reset(len(w.conns))
	if w.dueAt == nil {
		w.dueAt = make([]int64, len(w.sentAt))
	}
	for i := range w.conns {
		w.conns[i].listed = false
	}
}

// startPacing finds the first request.
func (w *worker) startPacing(win Window) {
	if !w.open {
		return
	}
	w.limit = never
	if win.Count > 0 {
		w.limit = win.Count
	}
	w.index, w.dueNs = int64(w.loop-w.loops), w.startNs
	w.advance()
}

// advance moves on to the next request of the schedule.
func (w *worker) advance() {
	w.index += int64(w.loops)
	due, ok := w.timeline(w.index)
	if !ok || w.index >= w.limit {
		w.dueNs = never
		return
	}
	w.dueNs = max(w.dueNs, w.startNs+int64(due))
}

// keepPace sends what has fallen due while events are handled.
func (w *worker) keepPace() {
	if w.open && w.clock() >= w.dueNs {
		w.pump()
	}
}

// pumpMax is how many requests are sent before the loop looks for replies again.
const pumpMax = 16

// pump sends the requests that are due by now, or lets them wait where no connection is free. It ends
// the sending when the window or the schedule is over.
func (w *worker) pump() {
	nowNs := w.clock()
	for range pumpMax {
		if w.dueNs > nowNs || w.dueNs >= w.endNs {
			break
		}
		dueNs := w.dueNs
		w.advance()
		w.result.Due++
		if c := w.takeFree(); c != nil {
			nowNs = w.sendDue(c, dueNs)
		} else {
			w.enqueue(dueNs)
		}
	}
	w.io.flush()
	if nowNs >= w.endNs || w.stop.Load() || w.dueNs == never && w.queue.length == 0 {
		w.now = nowNs
		w.endSchedule(min(nowNs, w.endNs))
	}
}

func (w *worker) enqueue(dueNs int64) {
	if w.queue.length == w.queueCap {
		w.result.Dropped++
		return
	}
	w.queue.push(dueNs)
	w.result.QueueMax = max(w.result.QueueMax, int64(w.queue.length))
}

// endSchedule ends the sending. What was due before and is not sent never will be.
func (w *worker) endSchedule(endNs int64) {
	everythingSent := w.dueNs == never && w.queue.length == 0
	for ; w.dueNs < endNs; w.advance() {
		w.result.Due++
		w.enqueue(w.dueNs)
	}
	w.result.Unsent += int64(w.queue.length)
	for w.queue.length > 0 {
		w.recordAge(w.queue.pop(), endNs)
	}
	w.dueNs = never
	w.stopSending(everythingSent)
}

// recordAge records a request that gets no reply with its age, a lower bound of its response time.
func (w *worker) recordAge(dueNs, nowNs int64) {
	if dueNs >= w.openNs {
		w.result.Latency.Record(nowNs - dueNs)
	}
}

// usable reports whether a connection can take a request now.
func (w *worker) usable(c *conn) bool {
	return c.state == open && int(c.owed) < w.cfg.Depth && !w.io.blocked(c)
}

// takeFree takes the connection that has been free for longest; nil when there is none.
func (w *worker) takeFree() *conn {
	for w.free.length > 0 {
		c := &w.conns[w.free.pop()]
		c.listed = false
		if w.usable(c) {
			return c
		}
	}
	return nil
}

func (w *worker) list(c *conn, freeNs int64) {
	if !c.listed && w.usable(c) {
		c.listed, c.freeNs = true, freeNs
		w.free.push(c.index)
	}
}

// sendDue sends one request on a free connection and returns when.
func (w *worker) sendDue(c *conn, dueNs int64) (sentNs int64) {
	freeNs := c.freeNs
	w.tx = c.session.Request(w.tx[:0])
	sentNs = w.clock()
	w.owe(c, dueNs, max(dueNs, freeNs), sentNs)
	w.write(c, w.tx)
	w.list(c, freeNs)
	return sentNs
}

// fillDue sends what waits in the queue on a connection that has just become free, or lists it as free.
func (w *worker) fillDue(c *conn) {
	for w.sending && w.queue.length > 0 && w.usable(c) {
		room, n := min(w.cfg.Depth-int(c.owed), w.queue.length), 0
		tx := w.tx[:0]
		for n < room && len(tx) < sendBytes {
			tx = c.session.Request(tx)
			n++
		}
		w.tx = tx
		sentNs := w.clock()
		for range n {
			dueNs := w.queue.pop()
			w.owe(c, dueNs, max(dueNs, w.now), sentNs)
		}
		w.write(c, tx)
	}
	w.list(c, w.now)
}

// owe accounts for a request that is sent now and could have been sent at readyNs.
func (w *worker) owe(c *conn, dueNs, readyNs, sentNs int64) {
	w.dueAt[w.push(c, sentNs)] = dueNs
	w.owed++
	w.result.Sent++
	lagNs := sentNs - readyNs
	if lagNs > int64(LateAfter) {
		w.result.Late++
	}
	if dueNs >= w.openNs {
		w.result.Lag.Record(lagNs)
	}
}

// respond records the reply to the request in a slot, from when it was due.
func (w *worker) respond(slot int, serviceNs int64) {
	dueNs := w.dueAt[slot]
	responseNs := w.now - dueNs
	w.bucket.Latency.record(responseNs)
	if dueNs >= w.openNs {
		w.result.Latency.Record(responseNs)
		w.result.Service.Record(serviceNs)
	}
	if w.counting {
		w.result.Counted++
		w.lastNs = w.now
	}
}
