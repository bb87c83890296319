package load

import (
	"math"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"dyno/hist"
	"dyno/load/internal/secure"
)

// sendBytes is the size up to which requests are batched.
const sendBytes = 256 << 10

// worker is one loop's part of a client: its connections and the window in work. Everything that
// the window needs is allocated before it begins.
type worker struct {
	cfg    *Config
	spin   int64
	stop   *atomic.Bool
	poller Poller
	io     transport
	conns  []conn
	loop   int // this loop, of
	loops  int // the client's loops
	ring   int // length of a connection's ring of owed requests, a power of two
	sentAt []int64
	tx     []byte
	base   time.Time

	opening    int   // connections that are connecting
	connecting bool  // connectAll is at work
	dialErr    error // the first failure that it saw
	failure    error // the transport is broken: nothing will ever happen again

	now         int64 // time of the batch in work, ns since base
	openNs      int64 // the counted part
	endNs       int64
	startNs     int64
	sweepNs     int64 // next look at timeouts and retries
	lastNs      int64 // arrival of the last verified reply
	restSinceNs int64 // end of the window before; 0: there was none
	idleNs      int64 // counted time spent waiting
	cpuNs       int64 // CPU time of the thread in the counted part, where idleNs cannot be told
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

	pacing // open loop

	secure   secure.Handshakes[handshaker] // TLS
	secureTo secure.Target
}

// newWorker prepares n connections; they are numbered loop, loop+loops, … so that every connection
// of the client has a number of its own.
func newWorker(cfg *Config, poller Poller, n, loop, loops int, spin time.Duration, stop *atomic.Bool) (*worker, error) {
	w := &worker{
		cfg: cfg, spin: int64(spin), stop: stop, poller: poller, loop: loop, loops: loops,
		conns: make([]conn, n),
		tx:    make([]byte, 0, sendBytes+64<<10),
		base:  time.Now(),
		ring:  powerOfTwo(cfg.Depth),

		bucketEndNs: never, // there is no series before the first window
	}
	for i := range w.conns {
		w.conns[i].fd = -1
	}
	var err error
	if w.io, err = newTransport(poller, w); err != nil {
		return nil, err
	}
	w.result.Latency = hist.New()
	w.sentAt = make([]int64, n*w.ring)
	for i := range w.conns {
		c := &w.conns[i]
		c.index = int32(i)
		c.session = cfg.NewSession(loop + i*loops)
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
	w.io.flush()
	for !w.finished() {
		w.wait()
		w.io.deliver()
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
	w.result = Result{Latency: latency, Loops: 1, Poller: w.poller, BucketNs: int64(win.Bucket)}
	buckets := int(win.Duration/win.Bucket) + 2
	if win.Duration == 0 {
		buckets = 1024 // grows beyond if the count takes that long
	}
	if cap(series) < buckets {
		series = make([]Bucket, buckets)
	}
	w.result.Series = series[:0]
	w.quota, w.owed, w.idleNs, w.cpuNs = quota, 0, 0, 0
	w.counting = false
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
		if w.io.poll() {
			w.io.deliver()
		}
	}
	w.result.Failures[Reset] = 0
	rested := w.restSinceNs > 0 && w.clock()-w.restSinceNs >= int64(restMin)
	for i := range w.conns {
		c := &w.conns[i]
		c.failures, c.rested = 0, rested && c.state == open
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
	if counting := w.now >= w.openNs && w.now < w.endNs; counting != w.counting {
		w.count(counting)
	}
	if w.now >= w.bucketEndNs {
		w.nextBucket()
	}
}

// count begins or ends the counted part.
func (w *worker) count(counting bool) {
	w.counting = counting
	if w.sleepsAtOnce() {
		w.cpuNs = threadCPUNs() - w.cpuNs
	}
}

// sleepsAtOnce tells that one call submits requests, sleeps and takes replies in: a look before it would
// make two calls of one. Most of the thread's work is done inside of that call, so what is idle time
// follows from the thread's CPU clock.
func (w *worker) sleepsAtOnce() bool { return w.poller == IOUring && w.spin == 0 }

func threadCPUNs() int64 {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) // every kernel has this clock
	return t.Nano()
}

// breakDown ends the window: the transport is of no use any more.
func (w *worker) breakDown(err error) {
	w.failure, w.sending = err, false
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
	return w.owed == 0 || w.failure != nil || w.stop.Load() && w.now > w.endNs+drainStopped
}

// end closes the account, and every connection whose late replies would spoil the next window.
func (w *worker) end(win Window) {
	w.restSinceNs = w.clock()
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
	if w.counting {
		w.count(false)
	}
	if w.sleepsAtOnce() {
		w.result.BusyNs = min(w.cpuNs, w.result.DurationNs)
	}
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

// wait finds the next events and sets now. It looks at once, then spins for a bounded time, then sleeps.
// Time in which nothing was ready is idle time.
func (w *worker) wait() {
	if w.sleepsAtOnce() {
		w.spinOrSleep(w.clock())
	} else if !w.io.poll() {
		idleFrom := w.clock()
		w.spinOrSleep(idleFrom)
		if idle := min(w.clock(), w.endNs) - max(idleFrom, w.openNs); idle > 0 {
			w.idleNs += idle
		}
	}
	w.tick()
}

// dueSpin is how long a loop that may spin does so before a request falls due: a sleeping one wakes up
// some tens of microseconds late.
const dueSpin = int64(100 * time.Microsecond)

func (w *worker) spinOrSleep(fromNs int64) {
	untilNs, awakeNs := w.sweepNs, fromNs+w.spin
	if w.sending {
		untilNs = min(untilNs, w.endNs)
		if w.open && w.dueNs < untilNs {
			untilNs = w.dueNs
			if w.spin > 0 && awakeNs < untilNs-dueSpin {
				w.sleepThenSpin(awakeNs, untilNs)
				return
			}
			if w.spin > 0 {
				awakeNs = untilNs
			}
		}
	}
	if !w.spinUntil(min(awakeNs, untilNs)) {
		w.io.sleep(time.Duration(max(untilNs-w.clock(), 0)))
	}
}

// sleepThenSpin spins until awakeNs, sleeps, and spins again for the last stretch before dueNs.
func (w *worker) sleepThenSpin(awakeNs, dueNs int64) {
	if w.spinUntil(awakeNs) {
		return
	}
	if nowNs := w.clock(); nowNs < dueNs-dueSpin {
		if w.io.sleep(time.Duration(dueNs - dueSpin - nowNs)) {
			return
		}
	}
	w.spinUntil(dueNs)
}

// spinUntil polls without sleeping until there are events, which it reports, or until the given time.
func (w *worker) spinUntil(untilNs int64) bool {
	for w.clock() < untilNs {
		if w.io.poll() {
			return true
		}
	}
	return false
}
