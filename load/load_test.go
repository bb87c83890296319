package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/netip"
	"runtime"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

func TestCountLimitedRunsAnswerEveryRequest(t *testing.T) {
	addr := listen(t, echo)
	for _, tc := range []struct{ loops, conns, depth, size int }{
		{1, 1, 1, 8}, {1, 3, 2, 64}, {2, 5, 64, 1024}, {3, 2, 7, 100_000}, {1, 64, 16, 8},
	} {
		t.Run(fmt.Sprintf("%+v", tc), func(t *testing.T) {
			e := engine(t, Options{Loops: tc.loops})
			const count = 1000
			r := run(t, e, Config{Addr: addr, Connections: tc.conns, Depth: tc.depth, NewSession: tokens(tc.size)}, Window{Count: count})
			if r.Sent != count || r.Verified != count || r.Counted != count || r.Failed() != 0 {
				t.Fatalf("sent %d, verified %d, counted %d, failed %d", r.Sent, r.Verified, r.Counted, r.Failed())
			}
			if r.BytesSent != int64(count*tc.size) || r.BytesRead != r.BytesSent {
				t.Errorf("bytes sent %d, read %d", r.BytesSent, r.BytesRead)
			}
			if r.DurationNs <= 0 || r.Latency.MinNs() <= 0 {
				t.Errorf("duration %d ns, fastest %d ns", r.DurationNs, r.Latency.MinNs())
			}
		})
	}
}

func TestTimeLimitedWindowsCountOnlyTheirMiddle(t *testing.T) {
	for _, spin := range []time.Duration{0, time.Millisecond} {
		e := engine(t, Options{Spin: spin})
		c, err := e.Open(t.Context(), Config{Addr: listen(t, echo), Connections: 4, Depth: 2, NewSession: tokens(32)})
		if err != nil {
			t.Fatal(err)
		}
		var counted int64
		for range 5 {
			r, err := c.Run(t.Context(), Window{Duration: 60 * time.Millisecond, Skip: 20 * time.Millisecond, Bucket: 10 * time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			checkConserved(t, r)
			if r.DurationNs != int64(40*time.Millisecond) {
				t.Errorf("counted %d ns, want 40 ms", r.DurationNs)
			}
			counted += r.Counted // a busy machine may sleep through one window, not through all
			if r.Counted > 0 && r.Counted >= r.Verified || r.Failed() != 0 || len(r.Series) != 6 {
				t.Errorf("counted %d, verified %d, failed %d, %d buckets", r.Counted, r.Verified, r.Failed(), len(r.Series))
			}
			if r.BusyNs < 0 || r.BusyNs > r.DurationNs {
				t.Errorf("busy %d of %d ns", r.BusyNs, r.DurationNs)
			}
		}
		if counted == 0 {
			t.Error("nothing was counted")
		}
		c.Close()
	}
}

func TestFailuresAreCountedByKind(t *testing.T) {
	record := func(c net.Conn) []byte {
		b := make([]byte, 16)
		io.ReadFull(c, b)
		return b
	}
	for _, tc := range []struct {
		name   string
		handle func(net.Conn)
		kind   Kind
		fault  bool
	}{
		{"closes instead of answering", func(c net.Conn) { record(c) }, EOF, false},
		{"resets instead of answering", func(c net.Conn) {
			record(c)
			c.(*net.TCPConn).SetLinger(0)
		}, Reset, false},
		{"never answers", func(c net.Conn) { io.Copy(io.Discard, c) }, Timeout, false},
		{"answers with other bytes", func(c net.Conn) {
			b := record(c)
			b[7] ^= 1
			c.Write(b)
			io.Copy(io.Discard, c)
		}, Malformed, true},
		{"says more than was asked", func(c net.Conn) {
			for {
				b := record(c)
				if _, err := c.Write(append(b, 7)); err != nil {
					return
				}
			}
		}, Unasked, false},
		{"stops in the middle of a reply", func(c net.Conn) { c.Write(record(c)[:5]) }, EOF, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			cfg := Config{Addr: listen(t, tc.handle), Connections: 2, Depth: 1, NewSession: tokens(16)}
			if tc.kind == Timeout {
				cfg.ReplyWithin = 60 * time.Millisecond
			}
			r := run(t, engine(t, Options{}), cfg, Window{Duration: 250 * time.Millisecond})
			if r.Failures[tc.kind] == 0 {
				t.Fatalf("no failure of kind %v: %v", tc.kind, r.Errors())
			}
			for k := range Kinds {
				if k != tc.kind && r.Failures[k] > 0 && !(tc.kind == Unasked && k == Malformed) {
					t.Errorf("%d failures of kind %v, want only %v", r.Failures[k], k, tc.kind)
				}
			}
			if r.Wrong > 0 || (r.FirstFault != "") != tc.fault {
				t.Errorf("wrong %d, fault %q", r.Wrong, r.FirstFault)
			}
			if r.Reconnects == 0 {
				t.Error("never reconnected")
			}
		})
	}
}

func TestTimedOutRequestsEnterTheHistogram(t *testing.T) {
	addr := listen(t, func(c net.Conn) { io.Copy(io.Discard, c) })
	const limit = 50 * time.Millisecond
	r := run(t, engine(t, Options{}), Config{Addr: addr, Connections: 1, Depth: 2, NewSession: tokens(8), ReplyWithin: limit},
		Window{Duration: 300 * time.Millisecond})
	if r.Latency.Count() == 0 || r.Latency.MinNs() < int64(limit) {
		t.Fatalf("%d latencies, the smallest %d ns; want ages above %v", r.Latency.Count(), r.Latency.MinNs(), limit)
	}
}

// A limit far below the distance of sweeps holds for every reply, whole or in pieces.
func TestNoReplyIsVerifiedThatCameTooLate(t *testing.T) {
	inPieces := eachRecord(8, func(c net.Conn, b []byte) error {
		if _, err := c.Write(b[:5]); err != nil {
			return err
		}
		_, err := c.Write(b[5:])
		return err
	})
	for name, win := range map[string]Window{
		"closed loop": {Duration: 50 * time.Millisecond},
		"open loop":   {Duration: 50 * time.Millisecond, Schedule: Constant(1000)},
		"a number":    {Count: 20},
	} {
		for piece, handle := range map[string]func(net.Conn){"whole": echo, "in pieces": inPieces} {
			r := run(t, engine(t, Options{}), Config{Addr: listen(t, handle), Connections: 2, Depth: 2, NewSession: tokens(8), ReplyWithin: 1}, win)
			if r.Verified+r.Wrong > 0 || r.Sent == 0 || r.Lost[Timeout] != r.Sent || len(r.Errors()) != 1 {
				t.Errorf("%s, %s: %d sent, %d verified, errors %v; want nothing but timeouts", name, piece, r.Sent, r.Verified, r.Errors())
			}
		}
	}
}

func TestConnectionsClosedAtRestAreRenewedSilently(t *testing.T) {
	conns := make(chan net.Conn, 100)
	addr := listen(t, func(c net.Conn) { conns <- c; echo(c) })
	e := engine(t, Options{})
	c, err := e.Open(t.Context(), Config{Addr: addr, Connections: 3, Depth: 1, NewSession: tokens(8)})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for range 2 {
		for range 3 {
			(<-conns).Close()
		}
		time.Sleep(20 * time.Millisecond) // the FINs travel
		r, err := c.Run(t.Context(), Window{Count: 30})
		if err != nil {
			t.Fatal(err)
		}
		if r.Renewed != 3 || r.Verified != 30 || r.Failed() != 0 || r.Errors() != nil {
			t.Fatalf("renewed %d, verified %d, errors %v", r.Renewed, r.Verified, r.Errors())
		}
	}
}

// givingUp is a server of tokens that gives connections up when their next request comes: the first so many, and
// of these the last only when the others have been answered so often.
type givingUp struct{ accepted, first, echoed, lastAfter atomic.Int64 }

func (g *givingUp) serve(c net.Conn) {
	page := make([]byte, 64)
	number := g.accepted.Add(1)
	for {
		n, err := c.Read(page)
		if err != nil {
			return
		}
		if number <= g.first.Load() {
			for number == g.first.Load() && g.echoed.Load() < g.lastAfter.Load() {
				time.Sleep(time.Millisecond)
			}
			_ = c.(*net.TCPConn).SetLinger(0)
			return
		}
		if _, err := c.Write(page[:n]); err != nil {
			return
		}
		g.echoed.Add(int64(n / 8))
	}
}

// A server that gives a connection up at the end of its rest closes it while the first requests of a window
// are on their way. They are sent again, and nothing has failed; what fails on the new connection has.
func TestConnectionsThatCloseAsTheyWakeAreRenewed(t *testing.T) {
	t.Parallel()
	var server givingUp
	e := engine(t, Options{})
	c, err := e.Open(t.Context(), Config{Addr: listen(t, server.serve), Connections: 3, Depth: 2, NewSession: tokens(8)})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	window := func(win Window) *Result {
		r, err := c.Run(t.Context(), win)
		if err != nil {
			t.Fatal(err)
		}
		checkConserved(t, r)
		return r
	}
	rest := func() { time.Sleep(restMin + 50*time.Millisecond) }
	window(Window{Count: 30})
	// The second time the last connection closes when all other requests have been sent and answered.
	for i, othersGet := range []int64{0, 28} {
		server.first.Store(int64(3 * (i + 1)))
		server.lastAfter.Store(server.echoed.Load() + othersGet)
		rest()
		if r := window(Window{Count: 30}); r.Renewed != 3 || r.Sent != 30 || r.Verified != 30 || r.Errors() != nil {
			t.Errorf("the last after %d: renewed %d, sent %d, verified %d, errors %v", othersGet, r.Renewed, r.Sent, r.Verified, r.Errors())
		}
	}
	server.first.Store(math.MaxInt64)
	rest()
	if r := window(Window{Count: 30}); r.Renewed != 3 || r.Verified != 0 || r.Lost[Reset] == 0 || r.Sent != r.Failed() {
		t.Errorf("renewed %d, sent %d, verified %d, failed %d, errors %v", r.Renewed, r.Sent, r.Verified, r.Failed(), r.Errors())
	}
}

// What a server closes at the end of its rest, and says so when the window is over, was not sent.
func TestConnectionsThatCloseAfterTheWindowHaveNotFailed(t *testing.T) {
	t.Parallel()
	var server givingUp
	e := engine(t, Options{})
	c, err := e.Open(t.Context(), Config{Addr: listen(t, server.serve), Connections: 2, Depth: 2, NewSession: tokens(8)})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Run(t.Context(), Window{Count: 20}); err != nil {
		t.Fatal(err)
	}
	server.first.Store(2)
	server.lastAfter.Store(math.MaxInt64)
	time.AfterFunc(restMin+50*time.Millisecond+time.Second, func() { server.lastAfter.Store(0) })
	time.Sleep(restMin + 50*time.Millisecond)
	r, err := c.Run(t.Context(), Window{Duration: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	checkConserved(t, r)
	if r.Failed() != 0 || r.Errors() != nil {
		t.Errorf("renewed %d, sent %d, verified %d, errors %v", r.Renewed, r.Sent, r.Verified, r.Errors())
	}
}

func TestServerThatGoesAway(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan net.Conn, 1)
	go func() {
		c, err := l.Accept()
		if err == nil {
			served <- c
		}
	}()
	e := engine(t, Options{})
	cfg := Config{Addr: netip.MustParseAddrPort(l.Addr().String()), Connections: 1, Depth: 1, NewSession: tokens(8)}
	c, err := e.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	accepted := <-served
	l.Close()
	accepted.Close()
	r, err := c.Run(t.Context(), Window{Count: 10})
	if err != nil {
		t.Fatal(err)
	}
	if r.Verified != 0 || r.Failures[ConnectRefused] < giveUpAfter-1 {
		t.Fatalf("the run ended with %v", r.Errors())
	}
	if _, err := e.Open(t.Context(), cfg); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Fatalf("open: got %v, want connection refused", err)
	}
}

func TestInterruptedWindowEndsInGoodOrder(t *testing.T) {
	for _, tc := range []struct {
		name   string
		handle func(net.Conn)
	}{
		{"answering", echo},
		{"hanging", func(c net.Conn) { io.Copy(io.Discard, c) }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, err := engine(t, Options{}).Open(t.Context(), Config{Addr: listen(t, tc.handle), Connections: 2, Depth: 2, NewSession: tokens(8)})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(30*time.Millisecond, cancel)
			r, err := c.Run(ctx, Window{Duration: time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			checkConserved(t, r)
			if r.DurationNs <= 0 || r.DurationNs > int64(10*time.Second) {
				t.Errorf("counted %d ns", r.DurationNs)
			}
		})
	}
}

func TestBadConfigsAreRefused(t *testing.T) {
	e := engine(t, Options{})
	good := Config{Addr: listen(t, echo), Connections: 1, Depth: 1, NewSession: tokens(8)}
	for name, change := range map[string]func(*Config){
		"no address":       func(c *Config) { c.Addr = netip.AddrPort{} },
		"no connections":   func(c *Config) { c.Connections = 0 },
		"negative":         func(c *Config) { c.Connections = -1 },
		"no depth":         func(c *Config) { c.Depth = 0 },
		"absurd depth":     func(c *Config) { c.Depth = MaxDepth + 1 },
		"no session":       func(c *Config) { c.NewSession = nil },
		"negative timeout": func(c *Config) { c.ReplyWithin = -1 },
	} {
		cfg := good
		change(&cfg)
		if _, err := e.Open(t.Context(), cfg); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	c, err := e.Open(t.Context(), good)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, win := range []Window{
		{}, {Duration: -1}, {Count: -1}, {Duration: time.Second, Skip: time.Second},
		{Duration: time.Second, Skip: -1}, {Duration: 2 * MaxDuration},
	} {
		if _, err := c.Run(t.Context(), win); err == nil {
			t.Errorf("window %+v: accepted", win)
		}
	}
}

func TestNoAllocationInTheWindow(t *testing.T) {
	addr := listen(t, echo)
	c, err := engine(t, Options{}).Open(t.Context(), Config{Addr: addr, Connections: 8, Depth: 4, NewSession: tokens(64)})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	w := c.workers[0]
	win := Window{Duration: 50 * time.Millisecond, Bucket: time.Second}
	var n uint64
	c.onLoops(t.Context(), func(int, *worker) { // a ring belongs to the thread of its loop
		window := func() { w.run(win, 1<<40) }
		window() // the first window sizes the buffers
		time.Sleep(10 * time.Millisecond)
		n = mallocs(window)
		for range 5 { // what earlier tests left behind may allocate still
			n = min(n, mallocs(window))
		}
	})
	if n > 0 {
		t.Fatalf("%d allocations in a window of %d replies", n, w.result.Verified)
	}
	if w.result.Verified < 100 {
		t.Fatalf("only %d replies: nothing was tested", w.result.Verified)
	}
}

// mallocs counts the allocations of this process while f runs. Servers of a test allocate while they
// accept, never while they echo, and other goroutines of the test binary are at rest: so every one is
// the engine's.
func mallocs(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.Mallocs - before.Mallocs
}
