package crowd

import (
	"bytes"
	"io"
	"math/rand/v2"
	"net"
	"net/netip"
	"slices"
	"testing"
	"time"

	"dyno/internal/loopback"
	"dyno/load"
)

func newLoop(t *testing.T) *Loop {
	t.Helper()
	l, err := New(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

// until runs the loop until done, or fails the test.
func until(t *testing.T, l *Loop, done func() bool) {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	l.Run(func() bool { return done() || time.Now().After(deadline) })
	if !done() {
		t.Fatal("it did not happen within 30 s")
	}
}

// Timers call in the order of their due times, whatever was set, set anew and stopped before.
func TestTimers(t *testing.T) {
	l := newLoop(t)
	r := rand.New(rand.NewPCG(1, 2))
	var called []int64
	due := map[*Timer]int64{}
	for range 500 {
		var timer *Timer
		timer = l.NewTimer(func() { called = append(called, timer.dueNs); delete(due, timer) })
		due[timer] = l.NowNs() + r.Int64N(int64(50*time.Millisecond))
		timer.Set(due[timer])
	}
	n := 0
	for timer := range due {
		switch n++; n % 3 {
		case 0:
			timer.Stop()
			timer.Stop()
			delete(due, timer)
		case 1:
			timer.Set(l.NowNs() + r.Int64N(int64(50*time.Millisecond)))
		}
	}
	want := len(due)
	until(t, l, func() bool { return len(due) == 0 })
	if len(called) != want || !slices.IsSorted(called) {
		t.Errorf("%d calls for %d timers, in order: %v", len(called), want, slices.IsSorted(called))
	}
}

// peer is a handler that records what happens.
type peer struct {
	opened bool
	got    []byte
	closed []load.Kind
	hello  []byte
}

func (p *peer) Opened(c *Conn) {
	p.opened = true
	c.Send(p.hello)
}

func (p *peer) Received(_ *Conn, in []byte) { p.got = append(p.got, in...) }

func (p *peer) Closed(_ *Conn, why load.Kind) { p.closed = append(p.closed, why) }

// What is larger than any socket buffer arrives whole and comes back whole, and the end is reported once.
func TestEcho(t *testing.T) {
	addr := loopback.Listen(t, func(c net.Conn) { _, _ = io.CopyN(c, c, 8<<20) })
	l := newLoop(t)
	p := &peer{hello: bytes.Repeat([]byte("0123456789abcdef"), 8<<20/16)}
	l.Dial(addr, p)
	until(t, l, func() bool { return len(p.closed) > 0 })
	if !bytes.Equal(p.got, p.hello) || p.closed[0] != load.EOF || len(p.closed) != 1 || l.BytesRead != 8<<20 || l.BytesSent != 8<<20 {
		t.Errorf("%d B back, closed %v, %d B read, %d B sent", len(p.got), p.closed, l.BytesRead, l.BytesSent)
	}
}

func TestFailures(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := listener.Addr().(*net.TCPAddr).AddrPort()
	listener.Close()
	reset := loopback.Listen(t, func(c net.Conn) {
		_, _ = c.Read(make([]byte, 1))
		_ = c.(*net.TCPConn).SetLinger(0)
	})
	for name, c := range map[string]struct {
		addr netip.AddrPort
		want load.Kind
	}{
		"refused":     {nobody, load.ConnectRefused},
		"reset":       {reset, load.Reset},
		"unreachable": {netip.MustParseAddrPort("[::ffff:0.0.0.0]:1"), load.ConnectRefused},
	} {
		l := newLoop(t)
		p := &peer{hello: []byte("hi")}
		l.Dial(c.addr, p)
		if len(p.closed) > 0 {
			t.Errorf("%s: reported within Dial", name)
		}
		until(t, l, func() bool { return len(p.closed) > 0 })
		if p.closed[0] != c.want {
			t.Errorf("%s: closed for %v; want %v", name, p.closed[0], c.want)
		}
	}
}

// Who closes hears no more, and the slot serves the next connection, whose events are its own.
func TestCloseIsSilent(t *testing.T) {
	addr := loopback.Listen(t, func(c net.Conn) { _, _ = io.Copy(c, c) })
	l := newLoop(t)
	for range 8 {
		p := &peer{hello: []byte("hello")}
		c := l.Dial(addr, p)
		until(t, l, func() bool { return len(p.got) > 0 })
		c.Close()
		c.Close()
		c.Send([]byte("lost"))
		l.Run(func() func() bool { n := 0; return func() bool { n++; return n > 2 } }())
		if string(p.got) != "hello" || len(p.closed) > 0 || c.Open() {
			t.Fatalf("got %q, closed %v", p.got, p.closed)
		}
	}
	if len(l.conns) != 1 {
		t.Errorf("%d slots for one connection at a time", len(l.conns))
	}
}
