package null

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"
)

func start(t *testing.T, answer Answer) net.Conn {
	t.Helper()
	s, err := Listen(netip.MustParseAddrPort("127.0.0.1:0"), answer)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); s.Serve(ctx, 0) }()
	t.Cleanup(func() { cancel(); <-done })
	c, err := net.Dial("tcp", s.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(20 * time.Second))
	return c
}

func TestFramedEchoesMoreThanSocketsHold(t *testing.T) {
	c := start(t, Framed)
	want := bytes.Repeat([]byte("0123456789abcdef"), 1<<19) // 8 MiB
	go func() {
		c.Write(want)
		c.(*net.TCPConn).CloseWrite()
	}()
	time.Sleep(50 * time.Millisecond) // let every buffer fill before the first read
	got, err := io.ReadAll(c)
	if err != nil || !bytes.Equal(got, want) {
		t.Fatalf("got %d bytes, %v; want %d", len(got), err, len(want))
	}
}

func TestHTTPAnswersEveryRequestAtEverySplit(t *testing.T) {
	const requests = "GET / HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\nHost: b\r\nX: \r\r\n\r\n"
	want := strings.Repeat(httpReply, 2)
	for split := range len(requests) {
		var state State
		got := string(HTTP(&state, []byte(requests[:split]), nil))
		got += string(HTTP(&state, []byte(requests[split:]), nil))
		if got != want || state.seen != 0 {
			t.Errorf("split at %d: %d bytes, state %d; want %d bytes", split, len(got), state.seen, len(want))
		}
	}
	var state State
	var got string
	for i := range len(requests) {
		got += string(HTTP(&state, []byte(requests[i:i+1]), nil))
	}
	if got != want {
		t.Errorf("byte by byte: %d bytes, want %d", len(got), len(want))
	}
}

func TestPortInUse(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, err = Listen(netip.MustParseAddrPort(l.Addr().String()), Framed)
	if err == nil || !strings.Contains(err.Error(), "address already in use") {
		t.Fatalf("got %v", err)
	}
}

func TestByName(t *testing.T) {
	if _, err := ByName("gopher"); err == nil || !strings.Contains(err.Error(), "framed or http") {
		t.Fatalf("got %v", err)
	}
}
