package load

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/netip"
	"testing"

	"dyno/internal/loopback"
)

// token is the simplest protocol that can be verified: fixed-size records with a number in them,
// answered by themselves.
type token struct {
	size       int
	next, owed uint64
	pos        int
	want       []byte
	fault      string
}

func tokens(size int) func(int) Session {
	return func(conn int) Session {
		s := &token{size: size, next: uint64(conn) << 32, want: make([]byte, size)}
		s.owed = s.next
		return s
	}
}

func (s *token) put(b []byte, v uint64) []byte {
	n := len(b)
	b = b[:n+s.size]
	clear(b[n:])
	binary.BigEndian.PutUint64(b[n:], v)
	return b
}

func (s *token) Request(dst []byte) []byte {
	s.next++
	return s.put(dst, s.next-1)
}

func (s *token) Reply(in []byte) (int, Status) {
	s.put(s.want[:0], s.owed)
	n := min(len(in), s.size-s.pos)
	if !bytes.Equal(in[:n], s.want[s.pos:s.pos+n]) {
		s.fault = fmt.Sprintf("record %d: other bytes than sent", s.owed)
		return n, Broken
	}
	if s.pos += n; s.pos < s.size {
		return n, More
	}
	s.pos = 0
	s.owed++
	return n, OK
}

func (s *token) Reset()        { s.owed, s.pos = s.next, 0 }
func (s *token) Fault() string { return s.fault }

// listen runs handle for every connection until the test ends.
func listen(t testing.TB, handle func(net.Conn)) netip.AddrPort {
	t.Helper()
	return loopback.Listen(t, handle)
}

func echo(c net.Conn) { io.Copy(c, c) }

// testPoller is what the engines of this run of the tests use: TestMain runs all of them for each.
var testPoller = Auto

func engine(t testing.TB, o Options) *Engine {
	t.Helper()
	o.Poller = testPoller
	e, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

func run(t testing.TB, e *Engine, cfg Config, win Window) *Result {
	t.Helper()
	c, err := e.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	r, err := c.Run(t.Context(), win)
	if err != nil {
		t.Fatal(err)
	}
	checkConserved(t, r)
	return r
}

// checkConserved is the invariant of every window: nothing sent is forgotten.
func checkConserved(t testing.TB, r *Result) {
	t.Helper()
	if accounted := r.Verified + r.Failed(); r.Sent != accounted {
		t.Errorf("sent %d, accounted for %d: verified %d, %v", r.Sent, accounted, r.Verified, r.Errors())
	}
	if open := r.Lag != nil; !open && r.Latency.Count() < r.Counted {
		t.Errorf("%d latencies for %d counted replies", r.Latency.Count(), r.Counted)
	} else if open && r.Due != r.Sent+r.Unsent+r.Dropped {
		t.Errorf("due %d, but sent %d, unsent %d, dropped %d", r.Due, r.Sent, r.Unsent, r.Dropped)
	}
	var series int64
	for i := range r.Series {
		series += r.Series[i].Verified
	}
	if series > r.Verified || series < r.Counted {
		t.Errorf("series holds %d replies, %d verified, %d counted", series, r.Verified, r.Counted)
	}
}
