package uring

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"dyno/load/internal/netpoll"
	"dyno/load/null"
)

// BenchmarkAgainstEpoll compares the least loop on a Ring with the least loop on netpoll: closed loop,
// 64-byte frames, replies counted but not looked at. Each iteration is one short slice of each loop, in
// alternating order, on connections that stay open; the null server is a process of its own on another
// CPU. What it reports is CPU time of the client's thread, kernel included, per round trip:
//
//	go test -run '^$' -bench AgainstEpoll -benchtime 40x ./load/internal/uring
//
// epoll-µs and uring-µs are medians of the slices, ratio is the median of the pairs' ratios (below 1: the
// ring is cheaper), low and high are its quartiles. With spin a thread is always busy, so there the
// figures are wall time per round trip. load's choice of a poller follows from these ratios.
func BenchmarkAgainstEpoll(b *testing.B) {
	for _, spin := range []time.Duration{0, 200 * time.Microsecond} {
		for _, depth := range []int{1, 16} {
			for _, connections := range []int{1, 4, 16, 64, 256} {
				name := fmt.Sprintf("spin=%v/depth=%d/connections=%d", spin > 0, depth, connections)
				b.Run(name, func(b *testing.B) { compare(b, spin, depth, connections) })
			}
		}
	}
}

const sliceDuration = 50 * time.Millisecond

func compare(b *testing.B, spin time.Duration, depth, connections int) {
	if err := Supported(); err != nil {
		b.Skip(err)
	}
	runtime.LockOSThread() // for good: the thread ends with the goroutine, and its CPU affinity with it
	server := startNullServer(b)
	epoll, ring := newEpollLoop(b, server, connections, depth), newRingLoop(b, server, connections, depth)
	var epollNs, ringNs, ratios []float64
	for i := range b.N + 1 {
		var e, r float64
		if i%2 == 0 {
			e = slice(b, epoll, spin)
		}
		r = slice(b, ring, spin)
		if i%2 == 1 {
			e = slice(b, epoll, spin)
		}
		if i > 0 { // the first pair warms up
			epollNs, ringNs, ratios = append(epollNs, e), append(ringNs, r), append(ratios, r/e)
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(quantile(epollNs, 0.5)/1000, "epoll-µs")
	b.ReportMetric(quantile(ringNs, 0.5)/1000, "uring-µs")
	b.ReportMetric(quantile(ratios, 0.5), "ratio")
	b.ReportMetric(quantile(ratios, 0.25), "low")
	b.ReportMetric(quantile(ratios, 0.75), "high")
}

func quantile(xs []float64, q float64) float64 {
	xs = slices.Sorted(slices.Values(xs))
	return xs[int(q*float64(len(xs)-1)+0.5)]
}

// benchLoop is one of the two loops. round makes one turn, waiting at most as long as it is told, and
// returns how many replies came.
type benchLoop interface {
	begin()
	round(spin, wait time.Duration, sending bool) (replies int, err error)
	owed() int // frames in flight
}

// slice runs a loop and returns its CPU time per round trip in nanoseconds. It leaves nothing in flight.
func slice(b *testing.B, l benchLoop, spin time.Duration) float64 {
	b.Helper()
	replies, from := 0, threadCPU()
	end := time.Now().Add(sliceDuration)
	giveUp := end.Add(within)
	l.begin()
	for sending := true; sending || l.owed() > 0; {
		n, err := l.round(spin, 10*time.Millisecond, sending)
		if err != nil {
			b.Fatal(err)
		}
		replies += n
		now := time.Now()
		if sending = now.Before(end); now.After(giveUp) {
			b.Fatal("the server does not answer")
		}
	}
	return float64(threadCPU()-from) / float64(max(replies, 1))
}

func threadCPU() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic(err)
	}
	return time.Duration(t.Nano())
}

const frameBytes = 64

// traffic counts the frames of one connection: half a frame is not a reply.
type traffic struct {
	frames []byte // as many as the depth
	bytes  []int  // in flight, by connection
	inAll  int
}

func newTraffic(connections, depth int) traffic {
	return traffic{frames: make([]byte, frameBytes*depth), bytes: make([]int, connections)}
}

// arrived takes n bytes of replies in and returns the requests that may follow them.
func (t *traffic) arrived(connection, n int, sending bool) (replies int, next []byte) {
	before := t.bytes[connection]
	t.bytes[connection] -= n
	t.inAll -= n
	replies = (before+frameBytes-1)/frameBytes - (t.bytes[connection]+frameBytes-1)/frameBytes
	if sending {
		next = t.send(connection, replies)
	}
	return replies, next
}

func (t *traffic) send(connection, frames int) []byte {
	t.bytes[connection] += frames * frameBytes
	t.inAll += frames * frameBytes
	return t.frames[:frames*frameBytes]
}

func (t *traffic) owed() int { return t.inAll / frameBytes }

type epollLoop struct {
	traffic
	poller *netpoll.Poller
	fds    []int
	in     []byte
}

func newEpollLoop(b *testing.B, server netip.AddrPort, connections, depth int) *epollLoop {
	poller, err := netpoll.New(512)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { poller.Close() })
	l := &epollLoop{traffic: newTraffic(connections, depth), poller: poller, in: make([]byte, 256<<10)}
	for i := range connections {
		fd := dial(b, server)
		b.Cleanup(func() { unix.Close(fd) })
		if err := poller.Add(fd, int32(i), 0); err != nil {
			b.Fatal(err)
		}
		l.fds = append(l.fds, fd)
	}
	return l
}

func (l *epollLoop) begin() {
	for i, fd := range l.fds {
		netpoll.Send(fd, l.send(i, len(l.frames)/frameBytes))
	}
}

func (l *epollLoop) round(spin, wait time.Duration, sending bool) (replies int, err error) {
	var events []netpoll.Event
	for from := time.Now(); len(events) == 0 && time.Since(from) < spin; {
		events = l.poller.Poll()
	}
	if len(events) == 0 {
		events = l.poller.Wait(wait)
	}
	for _, ev := range events {
		n, err := netpoll.Recv(l.fds[ev.Fd], l.in)
		if err == unix.EAGAIN {
			continue
		}
		if err != nil || n == 0 {
			return 0, fmt.Errorf("epoll: receive: %d, %v", n, err)
		}
		got, next := l.arrived(int(ev.Fd), n, sending)
		replies += got
		if len(next) > 0 {
			if n, err := netpoll.Send(l.fds[ev.Fd], next); err != nil || n < len(next) {
				return 0, fmt.Errorf("epoll: send: %d, %v", n, err)
			}
		}
	}
	return replies, nil
}

type ringLoop struct {
	traffic
	ring *Ring
}

func newRingLoop(b *testing.B, server netip.AddrPort, connections, depth int) *ringLoop {
	l := &ringLoop{traffic: newTraffic(connections, depth), ring: newTestRing(b, Config{Files: connections})}
	for i := range connections {
		if err := l.ring.Attach(i, dial(b, server)); err != nil {
			b.Fatal(err)
		}
		l.ring.Receive(i)
	}
	return l
}

func (l *ringLoop) begin() {
	for i := range l.bytes {
		l.ring.Send(i, l.send(i, len(l.frames)/frameBytes))
	}
}

func (l *ringLoop) round(spin, wait time.Duration, sending bool) (replies int, err error) {
	n := 0
	for from := time.Now(); n == 0 && err == nil && time.Since(from) < spin; {
		n, err = l.ring.Poll()
	}
	if n == 0 && err == nil {
		_, err = l.ring.Wait(wait)
	}
	for c := (Completion{}); l.ring.Next(&c); {
		if c.Kind != Received || c.Err != nil {
			return 0, fmt.Errorf("io_uring: %v, %v", c.Kind, c.Err)
		}
		got, next := l.arrived(c.Slot, len(c.Data), sending)
		replies += got
		l.ring.Send(c.Slot, next)
	}
	return replies, err
}

func dial(b *testing.B, server netip.AddrPort) int {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err == nil {
		err = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1)
	}
	if err == nil {
		err = unix.Connect(fd, &unix.SockaddrInet4{Port: int(server.Port()), Addr: server.Addr().As4()})
	}
	if err != nil {
		b.Fatal(err)
	}
	return fd
}

// nullServerEnv makes the test program a null server, which ends when its standard input does.
const nullServerEnv = "DYNO_TEST_NULL_SERVER"

// allowed are the CPUs that this process may use, as long as no thread is pinned.
var allowed unix.CPUSet

func TestMain(m *testing.M) {
	if err := unix.SchedGetaffinity(0, &allowed); err != nil {
		panic(err)
	}
	if os.Getenv(nullServerEnv) != "" {
		serveNull()
		return
	}
	os.Exit(m.Run())
}

func serveNull() {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	server, err := null.Listen(netip.MustParseAddrPort("127.0.0.1:0"), null.Framed)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(server.Addr())
	server.Serve(ctx, 50*time.Microsecond)
}

// startNullServer starts it on the second CPU that this process may use, and leaves the calling thread,
// which must be locked, on the first.
func startNullServer(b *testing.B) netip.AddrPort {
	var cpus []int
	for cpu := 0; len(cpus) < 2 && cpu < len(allowed)*64; cpu++ {
		if allowed.IsSet(cpu) {
			cpus = append(cpus, cpu)
		}
	}
	if len(cpus) < 2 {
		b.Skip("client and server need a CPU each")
	}
	pin(b, cpus[1])
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), nullServerEnv+"=1")
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		stdin.Close()
		cmd.Wait()
	})
	pin(b, cpus[0])
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	addr, err := netip.ParseAddrPort(line[:len(line)-1])
	if err != nil {
		b.Fatal(err)
	}
	return addr
}

func pin(b *testing.B, cpu int) {
	var set unix.CPUSet
	set.Set(cpu)
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		b.Fatal(err)
	}
}
