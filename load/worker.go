package load

import (
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
	loop   int // this loop, of
	loops  int // the client's loops
	ring   int // length of a connection's ring of owed requests, a power of two
	sentAt []int64
	rx, tx []byte
	spare  [][]byte // buffers for what a socket did not take, kept for reuse
	again  []int32  // connections that have more to read than one turn takes
	base   time.Time

	now         int64 // time of the batch in work, ns since base
	openNs      int64 // the counted part
	endNs       int64
	startNs     int64
	sweepNs     int64 // next look at timeouts and retries
	lastNs      int64 // arrival of the last verified reply
	idleNs      int64 // counted time spent waiting
	quota       int64 // requests that may still be sent
	owed        int64 // requests in flight over all connections
	sending     bool
	counting    bool
	bucket      *Bucket // of the series, into which now falls
	bucketNs    int64
	bucketEndNs int64
	bucketFrom  Bucket   // totals when the bucket began
	pastLatency Spectrum // of the buckets before
	sweepAt     int      // connection at which the next sweep goes on
	hopeless    int      // connections found hopeless since the round of sweeps began
	result      Result
	notice      notice

	pacing            // open loop
	secure handshakes // TLS
	sealed []byte     // TLS records to send
}

// newWorker prepares n connections; they are numbered loop, loop+loops, … so that every connection
// of the client has a number of its own.
func newWorker(cfg *Config, n, loop, loops int, spin time.Duration, stop *atomic.Bool) (*worker, error) {
	poller, err := netpoll.New(eventBatch)
	if err != nil {
		return nil, err
	}
	w := &worker{
		cfg: cfg, spin: int64(spin), stop: stop, poller: poller, loop: loop, loops: loops,
		conns: make([]conn, n),
		rx:    make([]byte, receiveBytes),
		tx:    make([]byte, 0, sendBytes+64<<10),
		base:  time.Now(),
		ring:  powerOfTwo(cfg.Depth),
	}
	w.result.Latency = hist.New()
	w.sentAt = make([]int64, n*w.ring)
	for i := range w.conns {
		c := &w.conns[i]
		c.fd, c.index = -1, int32(i)
		c.session = cfg.NewSession(loop + i*loops)
	}
	if cfg.TLS != nil {
		if err := w.secure.start(w); err != nil {
			poller.Close()
			return nil, err
		}
	}
	return w, nil
}

// powerOfTwo returns the smallest power of two that is not below n.
func powerOfTwo(n int) int {
	p := 1
	for p < n {
		p *= 2
	}
	return p
}

func (w *worker) clock() int64 { return int64(time.Since(w.base)) }

// run loads the connections for one window.
func (w *worker) run(win Window, quota int64) {
	w.begin(win, quota)
	for i := range w.conns {
		w.fill(&w.conns[i])
	}
	for !w.finished() {
		for _, ev := range w.wait() {
			w.handle(ev)
			if w.open && w.clock() >= w.dueNs {
				w.pump()
			}
		}
		w.readAgain()
		if w.open && w.sending {
			w.pump()
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
	w.result = Result{Latency: latency, Loops: 1, BucketNs: int64(win.Bucket)}
	buckets := int(win.Duration/win.Bucket) + 2
	if win.Duration == 0 {
		buckets = 1024 // grows beyond if the count takes that long
	}
	if cap(series) < buckets {
		series = make([]Bucket, buckets)
	}
	w.result.Series = series[:0]
	w.quota, w.owed, w.idleNs = quota, 0, 0
	w.startNs = w.clock()
	w.startSeries()
	w.preparePacing(win)

	w.renew()

	w.now = w.clock()
	w.startNs, w.lastNs = w.now, w.now
	w.openNs, w.endNs = w.now+int64(win.Skip), math.MaxInt64
	if win.Duration > 0 {
		w.endNs = w.now + int64(win.Duration)
	}
	w.sweepNs = w.now + w.sweepEvery()
	w.startSeries()
	w.startPacing(win)
	w.sending = true
	w.tick()
}

// renew reopens, before the clock starts, the connections that the server closed in its rest, which
// is its right. What fails now is left to the window, which counts it.
func (w *worker) renew() {
	w.sending = false
	for range 1 + len(w.conns)/eventBatch {
		for _, ev := range w.poller.Poll() {
			w.handle(ev)
		}
	}
	w.readAgain()
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
	if w.sending && !w.open && (w.now >= w.endNs || w.quota == 0 || w.stop.Load()) {
		w.stopSending(w.quota == 0)
	}
	w.counting = w.now >= w.openNs && w.now < w.endNs
	if w.now >= w.bucketEndNs {
		w.nextBucket()
	}
}

// stopSending begins the drain. When everything was sent, the last replies count too.
func (w *worker) stopSending(everythingSent bool) {
	w.sending = false
	w.endNs = min(w.endNs, max(w.now, w.openNs))
	if everythingSent && !w.stop.Load() {
		w.endNs = math.MaxInt64
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
			w.owed -= int64(c.owed)
			w.closeConn(c)
		}
	}
	end := w.endNs
	if end == math.MaxInt64 {
		end = w.lastNs
	}
	w.result.DurationNs = max(end-w.openNs, 0)
	w.result.BusyNs = max(w.result.DurationNs-w.idleNs, 0)
	w.closeBucket()
	if buckets := int((win.Duration + win.Bucket - 1) / win.Bucket); win.Count == 0 && len(w.result.Series) > buckets {
		w.result.Series = w.result.Series[:buckets]
	}
	w.publish()
}

// startSeries opens the first bucket at startNs.
func (w *worker) startSeries() {
	w.result.Series = append(w.result.Series[:0], Bucket{})
	w.bucket, w.bucketFrom, w.pastLatency = &w.result.Series[0], Bucket{}, Spectrum{}
	w.bucketNs = w.result.BucketNs
	w.bucketEndNs = w.startNs + w.bucketNs
}

// nextBucket closes buckets until now falls into the last.
func (w *worker) nextBucket() {
	for w.now >= w.bucketEndNs {
		w.closeBucket()
		w.pastLatency.Add(&w.bucket.Latency)
		w.result.Series = append(w.result.Series, Bucket{})
		w.bucket = &w.result.Series[len(w.result.Series)-1]
		w.bucketEndNs += w.bucketNs
	}
}

// closeBucket fills in what the totals gained in the bucket.
func (w *worker) closeBucket() {
	w.bucket.Verified = w.result.Verified - w.bucketFrom.Verified
	w.bucket.BytesRead = w.result.BytesRead - w.bucketFrom.BytesRead
	w.bucketFrom.Verified, w.bucketFrom.BytesRead = w.result.Verified, w.result.BytesRead
}

// wait returns the next batch of events and sets now. It polls at once, then spins for a bounded
// time, then sleeps. Time in which nothing was ready is idle time.
func (w *worker) wait() []netpoll.Event {
	events := w.poller.Poll()
	if len(events) > 0 || len(w.again) > 0 {
		w.tick()
		return events
	}
	idleFrom := w.clock()
	events = w.spinOrSleep(idleFrom)
	if idle := min(w.clock(), w.endNs) - max(idleFrom, w.openNs); idle > 0 {
		w.idleNs += idle
	}
	w.tick()
	return events
}

// dueSpin is how long a loop that may spin does so before a request falls due: a sleeping one wakes up
// some tens of microseconds late.
const dueSpin = int64(100 * time.Microsecond)

func (w *worker) spinOrSleep(from int64) []netpoll.Event {
	until, awake := w.sweepNs, from+w.spin
	if w.sending {
		until = min(until, w.endNs)
		if w.open && w.dueNs < until {
			until = w.dueNs
			if w.spin > 0 && awake < until-dueSpin {
				return w.sleepThenSpin(awake, until)
			}
			if w.spin > 0 {
				awake = until
			}
		}
	}
	if events := w.spinUntil(min(awake, until)); events != nil {
		return events
	}
	if now := w.clock(); now < until {
		return w.poller.Wait(time.Duration(until - now))
	}
	return nil
}

// sleepThenSpin spins until awake, sleeps, and spins again for the last stretch before due.
func (w *worker) sleepThenSpin(awake, due int64) []netpoll.Event {
	if events := w.spinUntil(awake); events != nil {
		return events
	}
	if now := w.clock(); now < due-dueSpin {
		if events := w.poller.Wait(time.Duration(due - dueSpin - now)); len(events) > 0 {
			return events
		}
	}
	return w.spinUntil(due)
}

// spinUntil polls without sleeping until there are events, or returns nil at the given time.
func (w *worker) spinUntil(untilNs int64) []netpoll.Event {
	for w.clock() < untilNs {
		if events := w.poller.Poll(); len(events) > 0 {
			return events
		}
	}
	return nil
}

func (w *worker) close() {
	w.secure.stop()
	for i := range w.conns {
		w.closeConn(&w.conns[i])
	}
	w.poller.Close()
}
