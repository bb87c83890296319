package load

import (
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"dyno/hist"
	"dyno/load/internal/netpoll"
)

const (
	eventBatch   = 512
	receiveBytes = 256 << 10 // one read takes what a socket buffer usually holds
	sendBytes    = 256 << 10 // requests are batched up to this size
)

// worker is one loop's part of a client: its connections and the window in work. Everything that
// the window needs is allocated before it begins.
type worker struct {
	cfg    *Config
	spin   int64
	stop   *atomic.Bool
	poller *netpoll.Poller
	conns  []conn
	rx, tx []byte
	spare  [][]byte // buffers for what a socket did not take, kept for reuse
	base   time.Time

	now      int64 // time of the batch in work, ns since base
	openNs   int64 // the counted part
	endNs    int64
	bucketNs int64
	startNs  int64
	sweepNs  int64 // next look at timeouts and retries
	lastNs   int64 // arrival of the last verified reply
	idleNs   int64 // counted time spent waiting
	quota    int64 // requests that may still be sent
	owed     int64 // requests in flight over all connections
	sending  bool
	counting bool
	slot     int // bucket of the series that now falls into
	result   Result
}

// newWorker prepares n connections; they are numbered loop, loop+loops, … so that every connection
// of the client has a number of its own.
func newWorker(cfg *Config, n, loop, loops int, spin time.Duration, stop *atomic.Bool) (*worker, error) {
	poller, err := netpoll.New(eventBatch)
	if err != nil {
		return nil, err
	}
	w := &worker{
		cfg: cfg, spin: int64(spin), stop: stop, poller: poller,
		conns: make([]conn, n),
		rx:    make([]byte, receiveBytes),
		tx:    make([]byte, 0, sendBytes+64<<10),
		base:  time.Now(),
	}
	w.result.Latency = hist.New()
	ring := 1
	for ring < cfg.Depth {
		ring *= 2
	}
	times := make([]int64, n*ring)
	for i := range w.conns {
		c := &w.conns[i]
		c.fd, c.index = -1, int32(i)
		c.sentAt = times[i*ring : (i+1)*ring : (i+1)*ring]
		c.session = cfg.NewSession(loop + i*loops)
	}
	return w, nil
}

func (w *worker) clock() int64 { return int64(time.Since(w.base)) }

// connectAll opens every closed connection and waits until all are open. It returns the first
// failure.
func (w *worker) connectAll() error {
	w.now = w.clock()
	deadline := w.now + int64(w.cfg.ConnectWithin)
	opening := 0
	for i := range w.conns {
		c := &w.conns[i]
		if c.state != closed {
			continue
		}
		if err := w.dial(c); err != nil {
			return err
		}
		if c.state == connecting {
			opening++
		}
	}
	for opening > 0 {
		for _, ev := range w.poller.Wait(10 * time.Millisecond) {
			c := &w.conns[ev.Fd]
			if c.generation != ev.Pad || c.state != connecting {
				continue
			}
			if err := netpoll.ConnectError(int(c.fd)); err != nil {
				c.close()
				return err
			}
			c.state = open
			opening--
		}
		if w.now = w.clock(); w.now > deadline {
			return fmt.Errorf("no answer within %v", w.cfg.ConnectWithin)
		}
		if w.stop.Load() {
			return fmt.Errorf("interrupted")
		}
	}
	return nil
}

// run loads the connections for one window.
func (w *worker) run(win Window, quota int64) {
	w.begin(win, quota)
	for i := range w.conns {
		w.fill(&w.conns[i])
	}
	for !w.finished() {
		for _, ev := range w.wait() {
			w.handle(ev)
		}
		if w.now >= w.sweepNs {
			w.sweep()
		}
	}
	w.end(win)
}

// begin clears the account and starts the clock.
func (w *worker) begin(win Window, quota int64) {
	latency, series := w.result.Latency, w.result.Series
	latency.Reset()
	w.result = Result{Latency: latency, Loops: 1}
	buckets := int(win.Duration/win.Bucket) + 2
	if win.Duration == 0 {
		buckets = 1024 // grows beyond if the count takes that long
	}
	if cap(series) < buckets {
		series = make([]int64, buckets)
	}
	w.result.Series = series[:0]
	w.bucketNs = int64(win.Bucket)
	w.quota, w.owed, w.idleNs = quota, 0, 0
	w.startNs = w.clock()

	w.renew()

	w.now = w.clock()
	w.startNs, w.lastNs = w.now, w.now
	w.openNs, w.endNs = w.now, math.MaxInt64
	if win.Duration > 0 {
		w.endNs = w.now + int64(win.Duration)
	}
	if win.Count == 0 {
		w.openNs += int64(win.Skip)
	}
	w.sweepNs = w.now + w.sweepEvery()
	w.sending = true
	w.tick()
}

// renew reopens, before the clock starts, the connections that the server closed in its rest, which
// is its right. What fails now is left to the window, which counts it.
func (w *worker) renew() {
	w.sending = false
	for _, ev := range w.poller.Poll() {
		w.handle(ev)
	}
	w.result.Failures[Reset] = 0
	for i := range w.conns {
		c := &w.conns[i]
		c.failures = 0
		if c.state == closed {
			w.result.Renewed++
		}
	}
	if w.result.Renewed > 0 {
		_ = w.connectAll() // sweep dials those that are still closed, and counts how that ends
	}
}

// tick reads the clock and moves the window's state to it. All replies of a batch share its time:
// they had arrived when the batch was handed out.
func (w *worker) tick() {
	w.now = w.clock()
	if w.sending && (w.now >= w.endNs || w.quota == 0 || w.stop.Load()) {
		w.sending = false
		w.endNs = min(w.endNs, max(w.now, w.openNs))
		if w.quota == 0 && !w.stop.Load() {
			w.endNs = math.MaxInt64 // the last replies of a counted run count
		}
	}
	w.counting = w.now >= w.openNs && w.now <= w.endNs
	w.slot = int((w.now - w.startNs) / w.bucketNs)
	for w.slot >= len(w.result.Series) {
		w.result.Series = append(w.result.Series, 0)
	}
}

// drainStopped bounds the drain of a window that was told to stop early.
const drainStopped = int64(time.Second)

// finished reports whether the window is over and drained. The drain ends by itself: sweep gives
// up every request that is older than ReplyWithin. Who interrupts does not wait that long.
func (w *worker) finished() bool {
	if w.sending {
		return false
	}
	return w.owed == 0 || w.stop.Load() && w.now > w.endNs+drainStopped
}

// end closes the account, and every connection whose late replies would spoil the next window.
func (w *worker) end(win Window) {
	for i := range w.conns {
		if c := &w.conns[i]; c.owed > 0 {
			w.result.InFlight += int64(c.owed)
			w.giveBack(c)
			c.close()
		}
	}
	end := w.endNs
	if end == math.MaxInt64 {
		end = w.lastNs
	}
	w.result.DurationNs = max(end-w.openNs, 0)
	w.result.BusyNs = max(w.result.DurationNs-w.idleNs, 0)
	if buckets := int((win.Duration + win.Bucket - 1) / win.Bucket); win.Count == 0 && len(w.result.Series) > buckets {
		w.result.Series = w.result.Series[:buckets]
	}
}

// wait returns the next batch of events and sets now. It polls at once, then spins for a bounded
// time, then sleeps. Time in which nothing was ready is idle time.
func (w *worker) wait() []netpoll.Event {
	if events := w.poller.Poll(); len(events) > 0 {
		w.tick()
		return events
	}
	idleFrom := w.clock()
	events := w.spinOrSleep(idleFrom)
	if idle := min(w.clock(), w.endNs) - max(idleFrom, w.openNs); idle > 0 {
		w.idleNs += idle
	}
	w.tick()
	return events
}

func (w *worker) spinOrSleep(from int64) []netpoll.Event {
	until := w.sweepNs
	if w.sending {
		until = min(until, w.endNs)
	}
	for now := from; now < min(from+w.spin, until); now = w.clock() {
		if events := w.poller.Poll(); len(events) > 0 {
			return events
		}
	}
	if now := w.clock(); now < until {
		return w.poller.Wait(time.Duration(until - now))
	}
	return nil
}

func (w *worker) close() {
	for i := range w.conns {
		w.conns[i].close()
	}
	w.poller.Close()
}
