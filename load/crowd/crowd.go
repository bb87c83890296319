// Package crowd is the load engine's loop for peers that come and go: connections that are opened,
// used and closed one by one, and timers between, as virtual users need them. (Package load itself
// keeps a fixed set of connections busy, which is cheaper where that is what is asked.)
//
// A Loop belongs to one goroutine, usually the thread of one of the engine's loops. It knows bytes
// and time and no protocol, never blocks but to wait for the next event, and holds no buffer for a
// connection that has nothing to send.
package crowd

import (
	"container/heap"
	"time"

	"dyno/load/internal/netpoll"
	"dyno/load/internal/secure"
)

const (
	eventBatch   = 512
	receiveBytes = 256 << 10
	// readsPerTurn bounds what one connection may keep the loop from all others with.
	readsPerTurn = 8
	// waitMax is how long a loop sleeps at most, so that it notices when it is to stop.
	waitMax = 50 * time.Millisecond
)

// Loop waits for sockets and timers and calls those whom they belong to.
type Loop struct {
	poller *netpoll.Poller
	base   time.Time
	nowNs  int64
	idleNs int64
	timers timerHeap
	conns  []*Conn
	free   []int32 // unused slots of conns
	again  []*Conn // have more to read than one turn takes
	rx     []byte
	dials  int64
	secure secure.Handshakes[*Conn]

	BytesRead, BytesSent int64 // by the sockets
	// Spin is how long the loop polls before it sleeps: see load.Options.
	Spin time.Duration
}

// New returns a loop whose clock is at 0 when base is.
func New(base time.Time) (*Loop, error) {
	poller, err := netpoll.New(eventBatch)
	if err != nil {
		return nil, err
	}
	l := &Loop{poller: poller, base: base, rx: make([]byte, receiveBytes)}
	l.tick()
	return l, nil
}

// NowNs is the time of the batch of events in work, in ns since base.
func (l *Loop) NowNs() int64 { return l.nowNs }

// ClockNs reads the clock: later than NowNs by what was done in this batch.
func (l *Loop) ClockNs() int64 { return int64(time.Since(l.base)) }

// IdleNs is for how long the loop has waited for events.
func (l *Loop) IdleNs() int64 { return l.idleNs }

func (l *Loop) tick() { l.nowNs = l.ClockNs() }

// Run serves events until done says that it is over. It is asked after every batch, and at least
// every 50 ms.
func (l *Loop) Run(done func() bool) {
	for !done() {
		for _, ev := range l.wait() {
			l.handle(ev)
		}
		again := l.again
		l.again = nil
		for _, c := range again {
			if c.state == open {
				c.read(true)
			}
		}
		l.fire()
	}
}

func (l *Loop) wait() []netpoll.Event {
	events := l.poller.Poll()
	if len(events) == 0 && len(l.again) == 0 {
		from := l.ClockNs()
		until := from + int64(waitMax)
		if len(l.timers) > 0 {
			until = min(until, l.timers[0].dueNs)
		}
		if until > from {
			events = l.waitUntil(from, until)
			l.idleNs += l.ClockNs() - from
		}
	}
	l.tick()
	return events
}

// waitUntil spins for as long as it may, then sleeps.
func (l *Loop) waitUntil(from, until int64) []netpoll.Event {
	nowNs := from
	for spinUntil := min(until, from+int64(l.Spin)); nowNs < spinUntil; nowNs = l.ClockNs() {
		if events := l.poller.Poll(); len(events) > 0 {
			return events
		}
	}
	return l.poller.Sleep(time.Duration(until - nowNs))
}

// fire calls the timers that are due. Those that they set anew wait for the next turn, so that
// sockets are never starved.
func (l *Loop) fire() {
	nowNs := l.nowNs
	for len(l.timers) > 0 && l.timers[0].dueNs <= nowNs {
		t := heap.Pop(&l.timers).(*Timer)
		t.call()
	}
}

func (l *Loop) handle(ev netpoll.Event) {
	if ev.Fd == netpoll.WakeIndex {
		l.shaken()
		return
	}
	c := l.conns[ev.Fd]
	if c == nil || c.generation != ev.Pad {
		return // closed meanwhile
	}
	c.handle(ev.Events)
}

// Close closes every connection without telling its peer, and the loop.
func (l *Loop) Close() {
	l.secure.Stop()
	for _, c := range l.conns {
		if c != nil {
			c.Close()
		}
	}
	_ = l.poller.Close() // nothing depends on it any more
}
