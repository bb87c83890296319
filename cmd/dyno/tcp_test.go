package main_test

import (
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"dyno/internal/loopback"
)

// quietLog takes what servers in tests have to say of clients that close.
var quietLog = log.New(io.Discard, "", 0)

// echo serves what change makes of the bytes that come.
func echo(t *testing.T, network, address string, change func([]byte)) string {
	t.Helper()
	listener, err := net.Listen(network, address)
	must(t, err)
	return echoOn(t, listener, change)
}

func echoOn(t *testing.T, listener net.Listener, change func([]byte)) string {
	t.Cleanup(func() { listener.Close() })
	loopback.Serve(listener, func(c net.Conn) {
		page := make([]byte, 1<<16)
		for {
			n, err := c.Read(page)
			if err != nil {
				return
			}
			change(page[:n])
			if _, err := c.Write(page[:n]); err != nil {
				return
			}
		}
	})
	return listener.Addr().String()
}

func TestTCPAgainstTheNullServer(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	addr := b.null("framed")
	o := b.dyno("tcp", addr, "-n", "3000", "-c", "4", "-p", "8", "--size", "8,64", "--json")
	r := parseLoad(t, o)
	// Half of the connections send 9 B, half 65 B; each gets a quarter of the packets, more or less.
	if o.code() != 0 || r.Counts.Verified != 3000 || r.Counts.BytesSent != r.Counts.BytesRead || r.Counts.BytesSent <= 3000*9 || r.Counts.BytesSent >= 3000*65 {
		t.Errorf("exit %d, %+v\n%s", o.code(), r, o.stderr)
	}
	o = b.dyno("tcp", addr, "-R", "2000", "-n", "500", "--size", "1024")
	for _, want := range []string{addr, "payloads of 1,024 B", "500 packets", "Packets/s", "verified packets/s", "open loop, 2,000 packets/s"} {
		if !strings.Contains(o.stdout, want) {
			t.Errorf("no %q in\n%s%s", want, o.stdout, o.stderr)
		}
	}
	if o := b.dyno("tcp", addr, "-n", "100", "--format", "benchstat"); !strings.Contains(o.stdout, "BenchmarkFramed/bytes=64/connections=10/depth=1-1 100 ") {
		t.Errorf("exit %d\n%s%s", o.code(), o.stdout, o.stderr)
	}
}

func TestTCPOverAUnixSocket(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	path := echo(t, "unix", filepath.Join(t.TempDir(), "echo.sock"), func([]byte) {})
	if o := b.dyno("tcp", "--unix", path, "-n", "200"); o.code() != 0 || !strings.Contains(o.stdout, path) {
		t.Errorf("exit %d\n%s%s", o.code(), o.stdout, o.stderr)
	}
}

func TestTCPOverTLS(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	lender := httptest.NewUnstartedServer(nil) // of a certificate
	lender.StartTLS()
	lender.Close()
	plain, err := net.Listen("tcp4", "127.0.0.1:0")
	must(t, err)
	var asked atomic.Value
	addr := echoOn(t, tls.NewListener(plain, &tls.Config{
		ClientAuth: tls.RequireAnyClientCert,
		GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
			asked.Store(hello.ServerName)
			return &lender.TLS.Certificates[0], nil
		},
	}), func([]byte) {})
	cert, key := b.pair(t, lender.TLS.Certificates[0])
	o := b.dyno("tcp", addr, "--tls", "--insecure", "--sni", "game.test", "--cert", cert, "--key", key, "-n", "200", "-c", "2", "-p", "4", "--json")
	if r := parseLoad(t, o); o.code() != 0 || r.Counts.Verified != 200 || r.Instrument.Poller != "epoll" || asked.Load() != "game.test" {
		t.Errorf("exit %d, asked for %v, %+v\n%s", o.code(), asked.Load(), r, o.stderr)
	}
	if o := b.dyno("tcp", addr, "--tls", "-n", "10"); o.code() != 1 || !strings.Contains(o.lastLine(), "--insecure") {
		t.Errorf("a certificate that nobody signed: exit %d\n%s", o.code(), o.stderr)
	}
	if o := b.dyno("tcp", b.null("framed"), "--tls", "--insecure", "-n", "10"); o.code() != 1 || strings.Count(o.stderr, "\n") != 1 {
		t.Errorf("TLS to a server without it: exit %d\n%s", o.code(), o.stderr)
	}
}

func TestTCPOnEachPoller(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	addr := b.null("framed")
	for _, poller := range []string{"epoll", "io_uring"} {
		o := b.dyno("tcp", addr, "-n", "500", "-c", "20", "--poller", poller, "--json")
		if o.code() == 1 && strings.Contains(o.lastLine(), "io_uring is not usable here") {
			continue
		}
		if r := parseLoad(t, o); o.code() != 0 || r.Instrument.Poller != poller || r.Counts.Verified != 500 {
			t.Errorf("%s: exit %d, %+v\n%s", poller, o.code(), r, o.stderr)
		}
	}
}

func TestTCPSeesAWrongByte(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	addr := echo(t, "tcp4", "127.0.0.1:0", func(b []byte) { b[len(b)-1] ^= 1 })
	o := b.dyno("tcp", addr, "-n", "40", "-c", "2")
	if o.code() != 1 || !strings.Contains(o.stdout, "first wrong reply: connection ") || !strings.Contains(o.lastLine(), "no reply was verified") {
		t.Errorf("exit %d\n%s%s", o.code(), o.stdout, o.stderr)
	}
}
