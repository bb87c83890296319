package uring

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// within is how long a test waits for what must come; nothing depends on how long it takes.
const within = 30 * time.Second

// newTestRing returns a ring tied to the test's own thread. It skips the test where there is no io_uring.
func newTestRing(t testing.TB, cfg Config) *Ring {
	t.Helper()
	if err := Supported(); errors.Is(err, ErrUnsupported) {
		t.Skip(err)
	}
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	r, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// drive goes round until done, or fails.
func drive(t testing.TB, r *Ring, on func(c *Completion), done func() bool) {
	t.Helper()
	deadline := time.Now().Add(within)
	for c := (Completion{}); !done(); {
		if _, err := r.Wait(10 * time.Millisecond); err != nil {
			t.Fatal(err)
		}
		for r.Next(&c) {
			on(&c)
		}
		if time.Now().After(deadline) {
			t.Fatal("what must come did not come")
		}
	}
}

// next returns the next completion.
func next(t testing.TB, r *Ring) (got Completion) {
	t.Helper()
	found := false
	drive(t, r, func(c *Completion) {
		if found {
			t.Fatalf("unexpected second completion %+v after %+v", *c, got)
		}
		got, found = *c, true
		got.Data = append([]byte(nil), c.Data...)
	}, func() bool { return found })
	return got
}

// tcpPair puts one end of a new TCP connection into a slot and returns the other.
func tcpPair(t testing.TB, r *Ring, slot int) *net.TCPConn {
	t.Helper()
	l, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Connect(fd, inet4(l.Addr())); err != nil {
		t.Fatal(err)
	}
	if err := r.Attach(slot, fd); err != nil {
		t.Fatal(err)
	}
	peer, err := l.AcceptTCP()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { peer.Close() })
	peer.SetDeadline(time.Now().Add(within))
	return peer
}

func inet4(a net.Addr) *unix.SockaddrInet4 {
	at := netip.MustParseAddrPort(a.String())
	return &unix.SockaddrInet4{Port: int(at.Port()), Addr: at.Addr().As4()}
}

// socketPair puts one end of a pair of Unix sockets into a slot and returns the other, non-blocking.
func socketPair(t testing.TB, r *Ring, slot int) int {
	t.Helper()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Attach(slot, pair[0]); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(pair[1]) })
	return pair[1]
}

func noise(rng *rand.Rand, n int) []byte {
	b := make([]byte, 0, n+8)
	for len(b) < n {
		b = binary.LittleEndian.AppendUint64(b, rng.Uint64())
	}
	return b[:n]
}

func TestConfig(t *testing.T) {
	for _, test := range []struct {
		cfg  Config
		want string // of the error; empty: none
	}{
		{Config{}, "0 files"},
		{Config{Files: -1}, "-1 files"},
		{Config{Files: MaxFiles + 1}, "1048577 files"},
		{Config{Files: 1, Entries: -1}, "-1 entries"},
		{Config{Files: 1, Entries: MaxEntries + 1}, "32769 entries"},
		{Config{Files: 1, Buffers: -1}, "-1 buffers"},
		{Config{Files: 1, Buffers: MaxBuffers + 1}, "32769 buffers"},
		{Config{Files: 1, BufferBytes: -1}, "buffers of -1 bytes"},
		{Config{Files: 1, BufferBytes: 2 << 30}, "buffers of 2147483648 bytes"},
		{Config{Files: 1}, ""},
		{Config{Files: MaxFiles, Entries: MaxEntries, Buffers: MaxBuffers, BufferBytes: 1 << 30}, ""},
	} {
		err := test.cfg.check()
		switch {
		case err == nil && test.want == "":
			if c := test.cfg; c.Entries < 1 || c.Buffers < 1 || c.BufferBytes < 1 {
				t.Errorf("zero values were not chosen: %+v", c)
			}
		case err == nil || test.want == "" || !strings.Contains(err.Error(), test.want):
			t.Errorf("%+v: error %v, want %q", test.cfg, err, test.want)
		}
	}
}

func TestSetupErrorsAreOneLine(t *testing.T) {
	for _, errno := range []unix.Errno{unix.ENOSYS, unix.EPERM, unix.EACCES, unix.EINVAL, unix.ENOMEM, unix.EMFILE} {
		err := setupError(errno)
		if text := err.Error(); strings.Contains(text, "\n") {
			t.Errorf("%v: %q", errno, text)
		}
		if lacking := errno != unix.ENOMEM && errno != unix.EMFILE; errors.Is(err, ErrUnsupported) != lacking {
			t.Errorf("%v: is ErrUnsupported: %v", errno, !lacking)
		}
	}
}

func TestArithmetic(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 10_000 {
		n := 1 + rng.IntN(1<<rng.IntN(31))
		if p := powerOfTwo(n); p < n || p&(p-1) != 0 || p > 1 && p/2 >= n {
			t.Fatalf("powerOfTwo(%d) = %d", n, p)
		}
		class := spillClass(n)
		if size := spillBytesMin << class; class > spillClasses || class < spillClasses && size < n || class > 0 && size/2 >= n {
			t.Fatalf("spillClass(%d) = %d", n, class)
		}
		op, generation, place := operation(rng.IntN(5)), rng.Uint32(), rng.IntN(MaxFiles)
		e := cqe{userData: pack(op, generation, place)}
		if e.operation() != op || e.slot() != place || !e.of(&slot{generation: generation}) || e.of(&slot{generation: generation + 1}) {
			t.Fatalf("pack(%d, %d, %d) does not come back", op, generation, place)
		}
	}
}

func TestKindNames(t *testing.T) {
	for kind, want := range map[Kind]string{
		Connected: "Connected", Received: "Received", Ended: "Ended", Sent: "Sent", 0: "Kind(0)", 9: "Kind(9)",
	} {
		if got := kind.String(); got != want {
			t.Errorf("Kind %d is called %q, want %q", uint8(kind), got, want)
		}
	}
}

func TestTooManyBytesBehindASend(t *testing.T) {
	r := newTestRing(t, Config{Files: 1})
	if r.borrow(0, spillBytesMax+1); r.err == nil || !strings.Contains(r.err.Error(), "send less while Sending") {
		t.Errorf("error %v", r.err)
	}
	if _, err := r.Wait(within); err == nil {
		t.Error("a ring that lost bytes goes on")
	}
}

func TestAttach(t *testing.T) {
	r := newTestRing(t, Config{Files: 2})
	socketPair(t, r, 0)
	if err := r.Attach(0, 0); err == nil || !strings.Contains(err.Error(), "slot 0 is taken") {
		t.Errorf("second socket in one slot: %v", err)
	}
	if err := r.Attach(1, 1<<30); !errors.Is(err, unix.EBADF) {
		t.Errorf("a descriptor that is none: %v", err)
	}
	r.Detach(1) // is free
	socketPair(t, r, 1)
}

func TestMoreFilesThanTheLimit(t *testing.T) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil || limit.Cur >= MaxFiles {
		t.Skip("the limit of open files is higher than a ring's")
	}
	if err := Supported(); err != nil {
		t.Skip(err)
	}
	r, err := New(Config{Files: int(limit.Cur) + 1})
	if err == nil {
		r.Close()
		t.Skip("the kernel does not apply the limit")
	}
	if !strings.Contains(err.Error(), "ulimit -n") {
		t.Error(err)
	}
}

func TestTimeout(t *testing.T) {
	r := newTestRing(t, Config{Files: 1})
	for _, timeout := range []time.Duration{-1, 0, 1, time.Millisecond} {
		if n, err := r.Wait(timeout); n != 0 || err != nil {
			t.Errorf("Wait(%v) = %d, %v", timeout, n, err)
		}
	}
	peer := socketPair(t, r, 0)
	r.Receive(0)
	if n, err := r.Wait(time.Millisecond); n != 0 || err != nil {
		t.Errorf("Wait without traffic = %d, %v", n, err)
	}
	unix.Write(peer, []byte("late"))
	if c := next(t, r); c.Kind != Received || string(c.Data) != "late" {
		t.Errorf("after the timeouts: %+v", c)
	}
}

func TestOtherThreadIsRefused(t *testing.T) {
	r := newTestRing(t, Config{Files: 1})
	r.Flush() // ties it to this thread
	outcome := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		outcome <- r.Attach(0, 0)
		_, err := r.Wait(time.Millisecond)
		outcome <- err
	}()
	for range 2 {
		if err := <-outcome; err == nil || !strings.Contains(err.Error(), "belongs to another thread") {
			t.Errorf("error %v", err)
		}
	}
}

func TestCloseWithOperationsInFlight(t *testing.T) {
	r := newTestRing(t, Config{Files: 3})
	idle, blocked, queued := tcpPair(t, r, 0), tcpPair(t, r, 1), tcpPair(t, r, 2)
	for slot := range 3 {
		r.Receive(slot)
	}
	r.Send(1, make([]byte, 16<<20))
	if _, err := r.Poll(); err != nil {
		t.Fatal(err)
	}
	r.Send(2, []byte("never submitted"))
	if !r.Sending(1) || r.Sending(2) {
		t.Fatal("the long send, and only that, must be in flight")
	}
	if err := errors.Join(r.Close(), r.Close()); err != nil {
		t.Fatal(err)
	}
	in := make([]byte, 1<<20)
	for _, peer := range []*net.TCPConn{idle, blocked, queued} {
		for err := error(nil); err == nil; {
			_, err = peer.Read(in)
			if errors.Is(err, os.ErrDeadlineExceeded) {
				t.Fatal("the peer does not see that the ring is closed")
			}
		}
	}
	r.Send(0, []byte("x"))
	r.Receive(0)
	r.Detach(0)
	if _, err := r.Wait(time.Second); err == nil {
		t.Error("a closed ring waits")
	}
	if r.Next(new(Completion)) {
		t.Error("a closed ring completes")
	}
	if err := r.Attach(0, 0); err == nil {
		t.Error("a closed ring takes sockets")
	}
}
