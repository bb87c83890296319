package load

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// runOnPollers runs every test on each poller that works here.
func runOnPollers(m *testing.M) int {
	for _, testPoller = range []Poller{Epoll, IOUring} {
		if err := testPoller.check(); err != nil {
			fmt.Printf("the tests do not run on %s: %v\n", testPoller, err)
			continue
		}
		fmt.Printf("the tests run on %s\n", testPoller)
		if status := m.Run(); status != 0 {
			return status
		}
	}
	return 0
}

// Connections end, and bytes come, while others are still being opened and no window has begun.
func TestTroubleWhileConnecting(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	cfg := Config{Addr: netip.MustParseAddrPort(l.Addr().String()), Connections: 40, Depth: 1, NewSession: tokens(8)}
	if _, err := engine(t, Options{}).Open(t.Context(), cfg); !errors.Is(err, unix.ECONNREFUSED) {
		t.Errorf("nobody listens: %v", err)
	}
	flood := make([]byte, 1<<20)
	cfg.Addr, cfg.Connections = listen(t, func(c net.Conn) { c.Write(flood) }), 400
	c, err := engine(t, Options{}).Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
}

// A ring that broke ends the window at once, with the way out.
func TestBrokenRingEndsTheWindow(t *testing.T) {
	if testPoller != IOUring {
		t.Skip("epoll has no ring")
	}
	c, err := engine(t, Options{}).Open(t.Context(), Config{Addr: listen(t, echo), Connections: 3, Depth: 2, NewSession: tokens(8)})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.onLoops(t.Context(), func(_ int, w *worker) { w.io.close() })
	if r, err := c.Run(t.Context(), Window{Duration: time.Hour}); err == nil || !strings.HasSuffix(err.Error(), "; use poller epoll") {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestAutoTakesWhatIsCheaper(t *testing.T) {
	for _, tc := range []struct {
		poller             Poller
		connections, depth int
		spins, tls         bool
		want               Poller
	}{
		{Auto, 15, 1, false, false, Epoll},
		{"", 16, 1, false, false, IOUring},
		{Auto, 16, 1, true, false, IOUring},
		{Auto, 63, 16, true, false, Epoll},
		{Auto, 64, 16, true, false, IOUring},
		{Auto, 1000, 16, true, true, Epoll},
		{IOUring, 1, 1, true, false, IOUring},
		{IOUring, 1, 1, true, true, Epoll},
		{Epoll, 1000, 1, false, false, Epoll},
	} {
		cfg := &Config{Depth: tc.depth}
		if tc.tls {
			cfg.TLS = &tls.Config{}
		}
		if tc.poller != IOUring && IOUring.check() != nil { // auto falls back
			tc.want = Epoll
		}
		if got := tc.poller.resolve(cfg, tc.connections, tc.spins); got != tc.want {
			t.Errorf("%+v: %s", tc, got)
		}
	}
	if _, err := New(Options{Poller: "kqueue"}); err == nil {
		t.Error("a poller that is none is taken")
	}
}
