package load

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// greedy is a session whose reply never ends: it takes everything.
type greedy struct{ token }

func (g *greedy) Reply(in []byte) (int, Status) { return len(in), More }

func newGreedy(int) Session { return &greedy{*tokens(8)(0).(*token)} }

// lines is a session whose reply ends with the stream, and whose server may announce that it closes.
type lines struct {
	token
	got []byte
}

func (l *lines) Reply(in []byte) (int, Status) {
	if i := bytes.IndexByte(in, '\n'); i >= 0 {
		switch l.got = append(l.got, in[:i]...); {
		case bytes.Equal(l.got, []byte("close")):
			return i + 1, OKClose
		case bytes.Equal(l.got, []byte("wrong")):
			return i + 1, WrongClose
		}
		l.got = l.got[:0]
		return i + 1, OK
	}
	l.got = append(l.got, in...)
	return len(in), More
}

func (l *lines) Reset() { l.got = l.got[:0] }

func (l *lines) EOF() Status {
	if string(l.got) == "whole" {
		return OK
	}
	return Broken
}

func newLines(int) Session { return &lines{token: *tokens(8)(0).(*token)} }

// A reply may announce the end of the connection, or be ended by it. That is no failure; only what is
// owed beyond it is lost.
func TestServersThatCloseInGoodOrder(t *testing.T) {
	t.Parallel()
	say := func(words string) func(net.Conn) {
		return func(c net.Conn) {
			io.ReadFull(c, make([]byte, 8))
			c.Write([]byte(words))
			c.(*net.TCPConn).CloseWrite()
			io.Copy(io.Discard, c)
		}
	}
	for _, tc := range []struct {
		name                           string
		says                           string
		depth                          int
		verified, wrong, lost, unasked bool
	}{
		{"announced", "close\n", 1, true, false, false, false},
		{"announced in a pipeline", "close\n", 2, true, false, true, false},
		{"announced, then more is said", "close\nmore", 1, true, false, false, true},
		{"announced after a wrong reply", "wrong\n", 1, false, true, false, false},
		{"ended by the end of the stream", "whole", 1, true, false, false, false},
		{"ended by it in a pipeline", "whole", 2, true, false, true, false},
		{"cut off", "hal", 1, false, false, true, false},
		{"nothing said", "", 1, false, false, true, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := run(t, engine(t, Options{}), Config{Addr: listen(t, say(tc.says)), Connections: 2, Depth: tc.depth, NewSession: newLines},
				Window{Count: 20, Duration: 20 * time.Second})
			if (r.Verified > 0) != tc.verified || (r.Wrong > 0) != tc.wrong || (r.Lost[EOF] > 0) != tc.lost || (r.Failures[Unasked] > 0) != tc.unasked {
				t.Errorf("verified %d, wrong %d, errors %v", r.Verified, r.Wrong, r.Errors())
			}
			for k := range Kinds {
				if k != EOF && k != Unasked && r.Failures[k] > 0 {
					t.Errorf("%d failures of kind %v", r.Failures[k], k)
				}
			}
			if r.Verified+r.Wrong+r.Lost[EOF] != 20 || r.Reconnects == 0 {
				t.Errorf("20 requests, but verified %d, wrong %d, lost %d; %d reconnects", r.Verified, r.Wrong, r.Lost[EOF], r.Reconnects)
			}
		})
	}
}

// A server that answers before it has read the whole request, and then resets the connection, has
// answered.
func TestEarlyReplyFollowedByAReset(t *testing.T) {
	t.Parallel()
	addr := listen(t, func(c net.Conn) {
		io.ReadFull(c, make([]byte, 8)) // the rest stays unread, so that closing resets
		c.Write([]byte("early\n"))
		time.Sleep(20 * time.Millisecond)
		c.(*net.TCPConn).SetLinger(0)
	})
	big := func(int) Session { return &bigRequest{lines{token: *tokens(8)(0).(*token)}} }
	r := run(t, engine(t, Options{}), Config{Addr: addr, Connections: 3, Depth: 1, NewSession: big}, Window{Count: 3, Duration: 20 * time.Second})
	if r.Verified != 3 || r.Failed() != 0 {
		t.Errorf("verified %d of 3, errors %v", r.Verified, r.Errors())
	}
}

// bigRequest sends more than sockets hold.
type bigRequest struct{ lines }

func (b *bigRequest) Request(dst []byte) []byte { return append(dst, make([]byte, 8<<20)...) }

func TestHostileServers(t *testing.T) {
	drip := func(c net.Conn) {
		b := make([]byte, 8)
		io.ReadFull(c, b)
		for i := range b {
			if _, err := c.Write(b[i : i+1]); err != nil {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
	flood := func(c net.Conn) {
		go io.Copy(io.Discard, c)
		junk := bytes.Repeat([]byte{0xff}, 1<<20)
		for {
			if _, err := c.Write(junk); err != nil {
				return
			}
		}
	}
	for _, tc := range []struct {
		name    string
		handle  func(net.Conn)
		session func(int) Session
		kind    Kind
	}{
		{"a byte now and then", drip, tokens(8), Timeout},
		{"a reply that never ends, as fast as it goes", flood, newGreedy, Timeout},
		{"garbage as fast as it goes", flood, tokens(8), Malformed},
		{"closes at once", func(net.Conn) {}, tokens(8), EOF},
		{"resets instead of a reply", func(c net.Conn) {
			io.ReadFull(c, make([]byte, 8))
			c.(*net.TCPConn).SetLinger(0)
		}, tokens(8), Reset},
		{"resets in the middle of a reply", func(c net.Conn) {
			b := make([]byte, 8)
			io.ReadFull(c, b)
			c.Write(b[:3])
			time.Sleep(5 * time.Millisecond)
			c.(*net.TCPConn).SetLinger(0)
		}, tokens(8), Reset},
		{"closes its half and keeps listening", func(c net.Conn) {
			c.(*net.TCPConn).CloseWrite()
			io.Copy(io.Discard, c)
		}, tokens(8), EOF},
		{"never reads", func(net.Conn) { <-t.Context().Done() }, func(int) Session { return &bigRequest{lines{token: *tokens(8)(0).(*token)}} }, Timeout},
	} {
		for name, schedule := range map[string]Schedule{"closed": nil, "open": Constant(200)} {
			t.Run(tc.name+", "+name+" loop", func(t *testing.T) {
				t.Parallel()
				cfg := Config{Addr: listen(t, tc.handle), Connections: 3, Depth: 1, NewSession: tc.session}
				if tc.kind == Timeout {
					cfg.ReplyWithin = 120 * time.Millisecond
				}
				began := time.Now()
				r := run(t, engine(t, Options{}), cfg, Window{Duration: 300 * time.Millisecond, Schedule: schedule})
				// A reset may be seen as the end of the stream, or a write to it may fail first.
				resetOrEOF := (tc.kind == EOF || tc.kind == Reset) && r.Failures[EOF]+r.Failures[Reset] > 0
				if r.Failures[tc.kind] == 0 && !resetOrEOF {
					t.Errorf("no failure of kind %v: %v", tc.kind, r.Errors())
				}
				if r.Verified != 0 {
					t.Errorf("verified %d replies", r.Verified)
				}
				if took := time.Since(began); took > 20*time.Second {
					t.Errorf("a window of 300 ms took %v", took)
				}
			})
		}
	}
}

// A server that floods one connection must not keep the loop from the others.
func TestAFloodDoesNotStarveOthers(t *testing.T) { known(t, aFloodDoesNotStarveOthers) }

func aFloodDoesNotStarveOthers(t *truth) {
	var conns atomic.Int64
	addr := listen(t.T, func(c net.Conn) {
		if conns.Add(1) > 1 {
			echo(c)
			return
		}
		junk := make([]byte, 1<<20)
		for {
			if _, err := c.Write(junk); err != nil {
				return
			}
		}
	})
	sessions := func(conn int) Session {
		if conn == 0 {
			return newGreedy(0)
		}
		return tokens(8)(conn)
	}
	r := run(t.T, engine(t.T, Options{}), Config{Addr: addr, Connections: 2, Depth: 1, NewSession: sessions, ReplyWithin: 500 * time.Millisecond},
		Window{Duration: 300 * time.Millisecond})
	if r.Verified < 10 {
		t.tooHigh = append(t.tooHigh, fmt.Sprintf("verified %d replies beside a flood of %d bytes", r.Verified, r.BytesRead))
	}
}

// Requests that nobody reads take memory only as long as they are in flight, and then not for ever.
func TestBlockedWritesDoNotPileUp(t *testing.T) {
	const conns, requestBytes = 200, 64 << 10
	addr := listen(t, func(c net.Conn) {
		c.(*net.TCPConn).SetReadBuffer(4 << 10)
		time.Sleep(10 * time.Second)
	})
	big := func(int) Session { return &sizedRequest{lines{token: *tokens(8)(0).(*token)}, requestBytes} }
	c, err := engine(t, Options{}).Open(t.Context(), Config{Addr: addr, Connections: conns, Depth: 64, NewSession: big, ReplyWithin: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	before := heapBytes()
	r, err := c.Run(t.Context(), Window{Duration: 300 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	checkConserved(t, r)
	if grown := heapBytes() - before; grown > spareMax*2*sendBytes {
		t.Errorf("%d MiB are kept after %d blocked connections", grown>>20, conns)
	}
}

type sizedRequest struct {
	lines
	size int
}

func (s *sizedRequest) Request(dst []byte) []byte { return append(dst, make([]byte, s.size)...) }

func heapBytes() int64 {
	runtime.GC()
	runtime.GC() // what the first one only finalised
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// A listener whose backlog is full drops what comes: connecting fails in time, and says so.
func TestFullBacklog(t *testing.T) {
	t.Parallel()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if err := errors.Join(unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}), unix.Listen(fd, 0)); err != nil {
		t.Fatal(err)
	}
	sa, err := unix.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	addr := netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), uint16(sa.(*unix.SockaddrInet4).Port))
	_, err = engine(t, Options{}).Open(t.Context(), Config{Addr: addr, Connections: 10, Depth: 1, NewSession: tokens(8), ConnectWithin: 200 * time.Millisecond})
	if err == nil || !strings.Contains(err.Error(), "no answer within 200ms") {
		t.Fatalf("got %v", err)
	}
}

// Replies cut at every byte boundary, byte by byte, and many in one piece: the session sees the same.
func TestEveryByteSplit(t *testing.T) {
	const size, replies = 16, 3
	w, err := newWorker(&Config{Connections: 1, Depth: replies, NewSession: tokens(size)}, Epoll, 1, 0, 1, 0, new(atomic.Bool))
	if err != nil {
		t.Fatal(err)
	}
	defer w.io.close()
	c := &w.conns[0]
	c.state = open
	w.begin(Window{Count: 1, Bucket: time.Second}, 1)
	w.sending = false
	judge := func(t *testing.T, pieces ...int) {
		t.Helper()
		wire := make([]byte, 0, size*replies)
		for range replies {
			wire = c.session.Request(wire)
			w.push(c, w.now)
			w.owed++
		}
		before := w.result.Verified
		for _, n := range append(pieces, len(wire)) {
			n = min(n, len(wire))
			if !w.judge(c, wire[:n]) {
				t.Fatalf("pieces %v: connection closed: %v", pieces, w.result.Errors())
			}
			wire = wire[n:]
		}
		if got := w.result.Verified - before; got != replies || c.owed != 0 {
			t.Errorf("pieces %v: %d replies verified, %d owed", pieces, got, c.owed)
		}
	}
	for first := range size*replies + 1 {
		judge(t, first)
		for second := range size*replies - first {
			judge(t, first, second)
		}
	}
	judge(t, ones(size*replies)...)
}

func ones(n int) []int {
	pieces := make([]int, n)
	for i := range pieces {
		pieces[i] = 1
	}
	return pieces
}

// Very many connections are held at once, so an idle one takes little: no buffer, only its state.
func TestIdleConnectionsAreSmall(t *testing.T) {
	const few, many, bytesMax = 1000, 11_000, 512
	session := tokens(8)(0)
	use := func(n int) int64 {
		before := heapBytes()
		cfg := &Config{Connections: n, Depth: 1, NewSession: func(int) Session { return session }}
		w, err := newWorker(cfg, testPoller, n, 0, 1, 0, new(atomic.Bool))
		if err != nil {
			t.Fatal(err)
		}
		defer w.io.close()
		w.preparePacing(Window{Schedule: Constant(1), QueueCap: 1}) // what an open loop adds
		return heapBytes() - before
	}
	var each int64
	for range attempts { // what other tests left may be freed meanwhile
		if each = (use(many) - use(few)) / (many - few); each >= 64 && each <= bytesMax {
			t.Logf("a connection takes %d B", each)
			return
		}
	}
	t.Errorf("a connection takes %d B, must be at most %d", each, bytesMax)
}
