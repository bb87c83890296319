package load

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

func TestRingKeepsItsOrder(t *testing.T) {
	var r ring[int]
	r.reset(5)
	if len(r.slots) != 8 {
		t.Fatalf("a ring for 5 has %d slots, want 8", len(r.slots))
	}
	in, out := 0, 0
	for step := range 1000 {
		for range step % 8 {
			if r.length < 8 {
				r.push(in)
				in++
			}
		}
		for range step % 5 {
			if r.length > 0 {
				if got := r.pop(); got != out {
					t.Fatalf("step %d: popped %d, want %d", step, got, out)
				}
				out++
			}
		}
	}
}

func TestEveryScheduledRequestIsAccountedFor(t *testing.T) {
	silent := func(c net.Conn) { io.Copy(io.Discard, c) }
	slow := eachRecord(8, func(c net.Conn, b []byte) error {
		time.Sleep(10 * time.Millisecond)
		_, err := c.Write(b)
		return err
	})
	for _, tc := range []struct {
		name     string
		handle   func(net.Conn)
		loops    int
		conns    int
		depth    int
		win      Window
		due      int64
		unsent   bool
		dropped  bool
		failures bool
	}{
		{"all on time", echo, 1, 4, 1, Window{Duration: 200 * time.Millisecond, Schedule: Constant(1000)}, 200, false, false, false},
		{"two loops, deep", echo, 2, 5, 4, Window{Duration: 200 * time.Millisecond, Schedule: Constant(1000)}, 200, false, false, false},
		{"three loops, a count", echo, 3, 3, 1, Window{Count: 100, Schedule: Constant(1000)}, 100, false, false, false},
		{"a count that the time cuts short", echo, 1, 3, 1, Window{Count: 100, Duration: 50 * time.Millisecond, Schedule: Constant(1000)}, 50, false, false, false},
		{"a schedule that ends", echo, 2, 3, 1, Window{Duration: time.Minute, Schedule: Ramp(1000, 0, 200*time.Millisecond)}, 100, false, false, false},
		{"a server that is too slow", slow, 1, 1, 1, Window{Duration: 200 * time.Millisecond, Schedule: Constant(1000)}, 200, true, false, false},
		{"a queue that is too short", slow, 1, 1, 1, Window{Duration: 200 * time.Millisecond, Schedule: Constant(1000), QueueCap: 5}, 200, true, true, false},
		{"a queue of nearly nothing over two loops", slow, 2, 2, 1, Window{Duration: 200 * time.Millisecond, Schedule: Constant(1000), QueueCap: 1}, 200, false, true, false},
		{"a silent server", silent, 1, 2, 2, Window{Duration: 200 * time.Millisecond, Schedule: Constant(1000)}, 200, true, false, true},
		{"a server that closes at once", func(net.Conn) {}, 1, 2, 1, Window{Duration: 200 * time.Millisecond, Schedule: Constant(1000)}, 200, true, false, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			replyWithin := time.Duration(0)
			if tc.failures {
				replyWithin = 80 * time.Millisecond
			}
			r := run(t, engine(t, Options{Loops: tc.loops}),
				Config{Addr: listen(t, tc.handle), Connections: tc.conns, Depth: tc.depth, NewSession: tokens(8), ReplyWithin: replyWithin}, tc.win)
			// A busy machine may come too late for the last ones.
			if r.Due != tc.due || tc.unsent && r.Unsent == 0 || (r.Dropped > 0) != tc.dropped || (r.Failed() > 0) != tc.failures {
				t.Errorf("due %d, sent %d, unsent %d, dropped %d, errors %v", r.Due, r.Sent, r.Unsent, r.Dropped, r.Errors())
			}
			var lost int64
			for _, n := range r.Lost {
				lost += n
			}
			lost -= r.Lost[Timeout] // these are recorded with their age
			if want := r.Due - r.Dropped - lost; r.Latency.Count() != want {
				t.Errorf("%d latencies, want one for each of %d requests", r.Latency.Count(), want)
			}
			if r.Lag.Count() != r.Sent {
				t.Errorf("%d lags for %d requests sent", r.Lag.Count(), r.Sent)
			}
		})
	}
}

// The wait for a free connection is the server's doing: it is part of the response time and no lag.
func TestWaitingForAConnectionIsNoLag(t *testing.T) { known(t, waitingForAConnectionIsNoLag) }

func waitingForAConnectionIsNoLag(t *truth) {
	const delay = 50 * time.Millisecond
	addr := listen(t.T, eachRecord(8, func(c net.Conn, b []byte) error {
		time.Sleep(delay)
		_, err := c.Write(b)
		return err
	}))
	r := run(t.T, engine(t.T, Options{}), Config{Addr: addr, Connections: 1, Depth: 1, NewSession: tokens(8)},
		Window{Count: 10, Schedule: Constant(1000)})
	// The tenth request is due after 9 ms and sent after nine delays.
	t.between("response time of the last", r.Latency.MaxNs(), 10*delay-9*time.Millisecond, 10*delay+2*slack)
	t.between("service time of the last", r.Service.QuantileNs(0.5), delay, delay+slack)
	t.between("median lag", r.Lag.QuantileNs(0.5), 0, delay/2)
	if r.QueueMax < 8 || r.QueueMax > 9 {
		t.Errorf("at most %d requests waited, want 9", r.QueueMax)
	}
}

func TestSkippedRequestsAreInNoHistogram(t *testing.T) {
	t.Parallel()
	r := run(t, engine(t, Options{}), Config{Addr: listen(t, echo), Connections: 2, Depth: 1, NewSession: tokens(8)},
		Window{Duration: 300 * time.Millisecond, Skip: 100 * time.Millisecond, Schedule: Constant(1000)})
	// A busy machine may come too late to send the last ones.
	if r.Due != 300 || r.Latency.Count() != 200 || r.Service.Count() != r.Lag.Count() || r.Lag.Count() > 200 || r.Lag.Count() > r.Sent {
		t.Errorf("due %d; %d latencies, %d service times, %d lags; want 300 and 200, or fewer that were sent",
			r.Due, r.Latency.Count(), r.Service.Count(), r.Lag.Count())
	}
	if r.DurationNs != int64(200*time.Millisecond) {
		t.Errorf("counted %v", ns(r.DurationNs))
	}
}

func TestInterruptedOpenLoopEndsInGoodOrder(t *testing.T) {
	t.Parallel()
	c, err := engine(t, Options{}).Open(t.Context(), Config{Addr: listen(t, echo), Connections: 2, Depth: 1, NewSession: tokens(8)})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	r, err := c.Run(ctx, Window{Duration: time.Hour, Schedule: Constant(100)})
	if err != nil {
		t.Fatal(err)
	}
	checkConserved(t, r)
	if r.DurationNs <= 0 || r.DurationNs > int64(20*time.Second) || r.Due < 1 || r.Due > 2000 {
		t.Errorf("counted %v, due %d", ns(r.DurationNs), r.Due)
	}
}

func TestClosedAndOpenWindowsTakeTurns(t *testing.T) {
	t.Parallel()
	c, err := engine(t, Options{Spin: 50 * time.Microsecond}).Open(t.Context(), Config{Addr: listen(t, echo), Connections: 3, Depth: 2, NewSession: tokens(8)})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for i := range 6 {
		win := Window{Count: 50}
		if i%2 == 1 {
			win.Schedule = Poisson(5000, uint64(i))
		}
		r, err := c.Run(t.Context(), win)
		if err != nil {
			t.Fatal(err)
		}
		checkConserved(t, r)
		if open := r.Lag != nil; r.Verified != 50 || open != (win.Schedule != nil) || open != (r.Due == 50) {
			t.Errorf("window %d: verified %d, due %d, lag %v", i, r.Verified, r.Due, r.Lag)
		}
	}
}

func TestProgressCanBeWatched(t *testing.T) {
	t.Parallel()
	c, err := engine(t, Options{Loops: 2}).Open(t.Context(), Config{Addr: listen(t, echo), Connections: 4, Depth: 1, NewSession: tokens(8)})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	results := make(chan *Result)
	go func() {
		r, err := c.Run(ctx, Window{Duration: time.Minute, Bucket: 20 * time.Millisecond, Schedule: Constant(2000)})
		if err != nil {
			t.Error(err)
		}
		results <- r
	}()
	var last Progress
	for began := time.Now(); last.Verified < 500 && time.Since(began) < 30*time.Second; {
		p := c.Progress()
		since := p.Since(last)
		if since.Verified < 0 || since.Sent < 0 || since.ElapsedNs < 0 || since.Latency.Count() != since.Verified {
			t.Fatalf("from %+v to %+v", last, p)
		}
		last = p
		time.Sleep(5 * time.Millisecond)
	}
	cancel()
	r := <-results
	if p := c.Progress(); p.Verified != r.Verified || p.Sent != r.Sent || p.Latency.QuantileNs(0.99) == 0 {
		t.Errorf("at the end: %+v, but %d sent and %d verified", p, r.Sent, r.Verified)
	}
	var verified, latencies, bytes int64
	for i := range r.Series {
		verified += r.Series[i].Verified
		latencies += r.Series[i].Latency.Count()
		bytes += r.Series[i].BytesRead
	}
	if verified != r.Verified || latencies != verified || bytes != r.BytesRead {
		t.Errorf("series holds %d replies, %d latencies, %d bytes; want %d, %d", verified, latencies, bytes, r.Verified, r.BytesRead)
	}
}

func TestWarningsNameWhatWasNotKept(t *testing.T) {
	addr := listen(t, eachRecord(8, func(c net.Conn, b []byte) error {
		time.Sleep(20 * time.Millisecond)
		_, err := c.Write(b)
		return err
	}))
	r := run(t, engine(t, Options{}), Config{Addr: addr, Connections: 1, Depth: 1, NewSession: tokens(8)},
		Window{Duration: 100 * time.Millisecond, Schedule: Constant(1000), QueueCap: 20})
	r.BusyNs, r.DurationNs = 99, 100
	r.Late = r.Sent
	r.GCPauseNs, r.GCs = int64(3*time.Millisecond), 2
	words := strings.Join(r.Warnings(), "\n")
	for _, want := range []string{"busy for 99 %", "more than 1ms late", "found no free connection", "were dropped", "garbage collector stopped it for 3ms in all (pauses: 2)"} {
		if !strings.Contains(words, want) {
			t.Errorf("no warning says %q:\n%s", want, words)
		}
	}
	if quiet := (&Result{Loops: 1, DurationNs: 100, BusyNs: 50}).Warnings(); quiet != nil {
		t.Errorf("warnings without reason: %v", quiet)
	}
}

func TestNoAllocationInTheOpenWindow(t *testing.T) {
	c, err := engine(t, Options{}).Open(t.Context(), Config{Addr: listen(t, echo), Connections: 8, Depth: 2, NewSession: tokens(64)})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, perS := range []float64{100, 10_000} {
		n := mallocs(func() {
			r, err := c.Run(t.Context(), Window{Duration: 200 * time.Millisecond, Schedule: Poisson(perS, 1)})
			if err != nil {
				t.Fatal(err)
			}
			checkConserved(t, r)
		})
		// A hundred times the requests, the same few allocations before and after the window.
		if n > 200 {
			t.Errorf("%d allocations at %v requests/s", n, perS)
		}
	}
}

func ExampleResult_Warnings() {
	r := Result{Loops: 1, DurationNs: 1e9, BusyNs: 0.99e9}
	for _, line := range r.Warnings() {
		fmt.Println(line)
	}
	// Output:
	// the client was busy for 99 % of the time: the rate is a lower bound; use more event loops, or give the client CPUs of its own
}
