package load

import (
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// Known truths: servers whose behaviour is known exactly, and what the engine must say of them. Lower
// bounds are exact, since no noise of the machine makes a reply come earlier than it was sent: they hold
// in every attempt. Upper bounds have slack, and on a machine that is busy with other things they need
// hold in one attempt of a few only: noise makes latencies longer, never shorter. docs/METHOD.md lists them.
const (
	resolution = 0.998                  // a histogram is exact to 0.1 %, so is its complement
	slack      = 150 * time.Millisecond // by which a busy machine may be late
	attempts   = 6
)

// truth is one attempt to see known figures.
type truth struct {
	*testing.T
	tooHigh []string
}

// known makes attempts until one stays below every upper bound.
func known(t *testing.T, attempt func(t *truth)) {
	t.Helper()
	t.Parallel()
	var tries []string
	for range attempts {
		try := &truth{T: t}
		attempt(try)
		if len(try.tooHigh) == 0 || t.Failed() {
			return
		}
		tries = append(tries, strings.Join(try.tooHigh, "; "))
	}
	t.Errorf("too high in every attempt:\n%s", strings.Join(tries, "\n"))
}

func (t *truth) between(what string, got int64, low, high time.Duration) {
	t.Helper()
	if float64(got) < float64(low)*resolution {
		t.Errorf("%s: %v, must be at least %v", what, time.Duration(got), low)
	}
	if got > int64(high) {
		t.tooHigh = append(t.tooHigh, fmt.Sprintf("%s: %v, at most %v", what, time.Duration(got), high))
	}
}

// eachRecord calls answer for every record of size bytes on a connection.
func eachRecord(size int, answer func(c net.Conn, record []byte) error) func(net.Conn) {
	return func(c net.Conn) {
		b := make([]byte, size)
		for {
			if _, err := io.ReadFull(c, b); err != nil {
				return
			}
			if answer(c, b) != nil {
				return
			}
		}
	}
}

func TestFixedDelayIsSeenWhole(t *testing.T) { known(t, fixedDelayIsSeenWhole) }

func fixedDelayIsSeenWhole(t *truth) {
	const delay = 20 * time.Millisecond
	addr := listen(t.T, eachRecord(8, func(c net.Conn, b []byte) error {
		time.Sleep(delay)
		_, err := c.Write(b)
		return err
	}))
	for name, schedule := range map[string]Schedule{"closed": nil, "open": Constant(100)} {
		r := run(t.T, engine(t.T, Options{}), Config{Addr: addr, Connections: 8, Depth: 1, NewSession: tokens(8)},
			Window{Duration: 500 * time.Millisecond, Schedule: schedule})
		t.between(name+" loop, minimum", r.Latency.MinNs(), delay, delay+slack)
		t.between(name+" loop, median", r.Latency.QuantileNs(0.5), delay, delay+slack)
		t.between(name+" loop, mean", int64(r.Latency.MeanNs()), delay, delay+slack)
	}
}

// Every fourth reply takes 200 ms, the others 5 ms: a quarter of the latencies lies above 200 ms.
func TestMixedDelaysKeepTheirShares(t *testing.T) { known(t, mixedDelaysKeepTheirShares) }

func mixedDelaysKeepTheirShares(t *truth) {
	const short, long = 5 * time.Millisecond, 200 * time.Millisecond
	addr := listen(t.T, eachRecord(8, func(c net.Conn, b []byte) error {
		delay := short
		if binary.BigEndian.Uint64(b)%4 == 3 {
			delay = long
		}
		time.Sleep(delay)
		_, err := c.Write(b)
		return err
	}))
	r := run(t.T, engine(t.T, Options{}), Config{Addr: addr, Connections: 20, Depth: 1, NewSession: tokens(8)}, Window{Count: 400})
	t.between("p0", r.Latency.MinNs(), short, short+slack)
	t.between("p70", r.Latency.QuantileNs(0.70), short, short+slack)
	t.between("p80", r.Latency.QuantileNs(0.80), long, long+slack)
	t.between("p100", r.Latency.MaxNs(), long, long+2*slack)
}

// A server stands still for 100 ms of each second. At a constant rate a tenth of all requests meets it,
// and waits evenly 0 to 100 ms: so p95 is 50 ms and p99 is 90 ms. A closed loop would have seen one slow
// reply a second.
func TestStallsHitEveryRequestThatWasDue(t *testing.T) { known(t, stallsHitEveryRequestThatWasDue) }

func stallsHitEveryRequestThatWasDue(t *truth) {
	const period, stallFrom, stallTo = time.Second, 400 * time.Millisecond, 500 * time.Millisecond
	for _, conns := range []int{1, 32} {
		began := time.Now() // windows begin shortly after, and hold two whole stalls
		addr := listen(t.T, eachRecord(8, func(c net.Conn, b []byte) error {
			if phase := time.Since(began) % period; phase >= stallFrom && phase < stallTo {
				time.Sleep(stallTo - phase)
			}
			_, err := c.Write(b)
			return err
		}))
		r := run(t.T, engine(t.T, Options{}), Config{Addr: addr, Connections: conns, Depth: 1, NewSession: tokens(8)},
			Window{Duration: 2 * period, Schedule: Constant(1000)})
		if r.Due != 2000 || r.Latency.Count() != 2000 {
			t.Errorf("%d connections: %d due, %d latencies; want 2000", conns, r.Due, r.Latency.Count())
		}
		// One request may fall on each edge of a stall, which is 1 ms.
		t.between("p95", r.Latency.QuantileNs(0.95), 49*time.Millisecond, 50*time.Millisecond+slack)
		t.between("p99", r.Latency.QuantileNs(0.99), 89*time.Millisecond, 90*time.Millisecond+slack)
		t.between("maximum", r.Latency.MaxNs(), 99*time.Millisecond, 100*time.Millisecond+2*slack)
		// What coordinated omission looks like: on one connection only the request in flight meets the
		// stall, so the time from the send hides nearly all of it.
		if service, response := r.Service.QuantileNs(0.98), r.Latency.QuantileNs(0.98); conns == 1 && service > response/2 {
			t.Errorf("service time p98 is %v beside a response time of %v; one connection must hide stalls from it", ns(service), ns(response))
		}
	}
}

func ns(v int64) time.Duration { return time.Duration(v).Round(time.Microsecond) }

// Poisson arrivals at a server that takes exactly S for each, one after the other. The very same
// arrivals at a server made of arithmetic say what every response time must be at least.
func TestOneServerAtATimeQueuesAsMD1(t *testing.T) { known(t, oneServerAtATimeQueuesAsMD1) }

func oneServerAtATimeQueuesAsMD1(t *truth) {
	const service, rho = 10 * time.Millisecond, 0.6
	schedule := Poisson(rho/service.Seconds(), 11)
	responses := singleServer(schedule(), 60, service)
	slices.Sort(responses)
	var sum time.Duration
	for _, r := range responses {
		sum += r
	}
	mean, p90 := sum/60, responses[53]
	for _, conns := range []int{1, 60} { // waiting in the client's queue, and in the server's
		var mu sync.Mutex
		var free time.Time
		addr := listen(t.T, eachRecord(8, func(c net.Conn, b []byte) error {
			arrived := time.Now()
			mu.Lock()
			if free.Before(arrived) {
				free = arrived
			}
			free = free.Add(service)
			until := free
			mu.Unlock()
			time.Sleep(time.Until(until))
			_, err := c.Write(b)
			return err
		}))
		r := run(t.T, engine(t.T, Options{}), Config{Addr: addr, Connections: conns, Depth: 1, NewSession: tokens(8)},
			Window{Count: 60, Schedule: schedule})
		t.Logf("%d connections: mean %v (arithmetic %v), p90 %v (%v)", conns, ns(int64(r.Latency.MeanNs())), mean, ns(r.Latency.QuantileNs(0.9)), p90)
		t.between(fmt.Sprintf("%d connections, mean", conns), int64(r.Latency.MeanNs()), mean, mean+slack)
		t.between(fmt.Sprintf("%d connections, p90", conns), r.Latency.QuantileNs(0.9), p90, p90+slack)
	}
}

// A process that is stopped for a while answers nothing, loses nothing, and every request that was due
// meanwhile waits for the rest of the pause.
func TestServerStoppedBySignal(t *testing.T) { known(t, serverStoppedBySignal) }

func serverStoppedBySignal(t *truth) {
	const rate, pause = 500, 400 * time.Millisecond
	addr, server := echoProcess(t.T)
	var paused time.Duration
	done := make(chan struct{})
	time.AfterFunc(300*time.Millisecond, func() {
		defer close(done)
		server.Signal(syscall.SIGSTOP)
		from := time.Now()
		time.Sleep(pause)
		paused = time.Since(from)
		server.Signal(syscall.SIGCONT)
	})
	r := run(t.T, engine(t.T, Options{}), Config{Addr: addr, Connections: 4, Depth: 1, NewSession: tokens(8)},
		Window{Duration: 1500 * time.Millisecond, Schedule: Constant(rate)})
	<-done
	if r.Due != rate*3/2 || r.Verified != r.Sent || r.Failed() != 0 {
		t.Errorf("due %d, sent %d, verified %d, failed %v", r.Due, r.Sent, r.Verified, r.Errors())
	}
	if r.Unsent > 0 {
		t.tooHigh = append(t.tooHigh, fmt.Sprintf("%d requests came too late to be sent", r.Unsent))
	}
	// Requests that were due in the first half of the pause waited for at least the other half. Two of
	// them may fall on its edges, and a signal takes a moment.
	slow := int64(rate * (pause/2 - 20*time.Millisecond).Seconds())
	q := 1 - float64(slow)/float64(r.Due)
	t.between("requests of the first half", r.Latency.QuantileNs(q), pause/2, paused+slack)
	t.between("maximum", r.Latency.MaxNs(), pause-20*time.Millisecond, paused+slack)
}

// echoProcess runs this test binary as an echo server in a process of its own.
func echoProcess(t *testing.T) (netip.AddrPort, *os.Process) {
	t.Helper()
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), echoEnv+"=1")
	cmd.Stderr = os.Stderr
	in, inErr := cmd.StdinPipe() // the server ends with it, so it does not survive a test that is killed
	out, err := cmd.StdoutPipe()
	if err = errors.Join(err, inErr); err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		cmd.Process.Kill()
		cmd.Wait()
	})
	b := make([]byte, 64)
	n, err := out.Read(b)
	if err != nil {
		t.Fatal(err)
	}
	return netip.MustParseAddrPort(strings.TrimSpace(string(b[:n]))), cmd.Process
}

const echoEnv = "DYNO_LOAD_TEST_ECHO"

func TestMain(m *testing.M) {
	if os.Getenv(echoEnv) == "" {
		flag.Set("test.parallel", "16") // nearly all of the parallel tests sleep nearly all of the time
		os.Exit(runOnPollers(m))
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(l.Addr())
	go func() {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	for {
		c, err := l.Accept()
		if err != nil {
			os.Exit(1)
		}
		go echo(c)
	}
}

// Little's law ties throughput and latency of a closed loop together: connections × depth = rate ×
// mean latency. A client that loses or double-counts either breaks it.
func TestLittlesLaw(t *testing.T) {
	t.Parallel()
	addr := listen(t, eachRecord(16, func(c net.Conn, b []byte) error {
		time.Sleep(time.Millisecond)
		_, err := c.Write(b)
		return err
	}))
	for _, tc := range []struct{ conns, depth int }{{1, 1}, {8, 4}, {32, 1}} {
		want := tc.conns * tc.depth
		r := run(t, engine(t, Options{}), Config{Addr: addr, Connections: tc.conns, Depth: tc.depth, NewSession: tokens(16)},
			Window{Count: int64(100 * want)})
		// Never more than that are in the system, and fewer only where the loop has not yet sent the next
		// one, and at the end.
		inSystem := r.RatePerS() * r.Latency.MeanNs() / 1e9
		if inSystem < 0.75*float64(want) || inSystem > 1.0001*float64(want) {
			t.Errorf("%+v: %.2f requests in the system", tc, inSystem)
		}
	}
}

func TestConservationAgainstTheServersOwnCount(t *testing.T) {
	for name, schedule := range map[string]Schedule{
		"closed": nil, "constant": Constant(5000), "Poisson": Poisson(20_000, 1), "ramp": Ramp(0, 30_000, 100*time.Millisecond),
	} {
		t.Run(name, func(t *testing.T) {
			var served atomic.Int64
			addr := listen(t, eachRecord(16, func(c net.Conn, b []byte) error {
				served.Add(1)
				_, err := c.Write(b)
				return err
			}))
			r := run(t, engine(t, Options{Loops: 2}), Config{Addr: addr, Connections: 7, Depth: 3, NewSession: tokens(16)},
				Window{Duration: 100 * time.Millisecond, Schedule: schedule})
			if r.Sent != served.Load() || r.Verified != r.Sent || r.Sent == 0 {
				t.Fatalf("sent %d, verified %d, the server saw %d", r.Sent, r.Verified, served.Load())
			}
		})
	}
}
