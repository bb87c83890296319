package load

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"math/big"
	"net"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dyno/internal/loopback"
)

// certificate makes a self-signed one for 127.0.0.1, and the pool that trusts it.
func certificate(t testing.TB) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"dyno.test"},
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pool
}

// listenTLS is listen with TLS in between.
func listenTLS(t testing.TB, config *tls.Config, handle func(net.Conn)) netip.AddrPort {
	return listen(t, func(c net.Conn) {
		s := tls.Server(c, config)
		if s.Handshake() == nil {
			handle(s)
			s.Close()
		}
	})
}

func TestTLSCarriesEveryRequest(t *testing.T) {
	t.Parallel()
	cert, pool := certificate(t)
	for _, tc := range []struct {
		name               string
		version            uint16
		loops, conns       int
		depth, size, count int
		schedule           Schedule
		server             *tls.Config // what is special about it
	}{
		{"TLS 1.3", tls.VersionTLS13, 1, 3, 1, 64, 300, nil, &tls.Config{}},
		{"TLS 1.2", tls.VersionTLS12, 1, 3, 2, 64, 300, nil, &tls.Config{}},
		{"records that do not fit a socket", tls.VersionTLS13, 2, 3, 16, 100_000, 200, nil, &tls.Config{}},
		{"many small ones", tls.VersionTLS13, 1, 5, 64, 8, 3000, nil, &tls.Config{}},
		{"open loop", tls.VersionTLS13, 2, 4, 2, 64, 300, Constant(3000), &tls.Config{}},
		{"no session tickets", tls.VersionTLS13, 1, 2, 1, 64, 100, nil, &tls.Config{SessionTicketsDisabled: true}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tc.server.Certificates, tc.server.MaxVersion = []tls.Certificate{cert}, tc.version
			cfg := Config{
				Addr: listenTLS(t, tc.server, echo), Connections: tc.conns, Depth: tc.depth, NewSession: tokens(tc.size),
				TLS: &tls.Config{RootCAs: pool, ClientSessionCache: tls.NewLRUClientSessionCache(4)},
			}
			r := run(t, engine(t, Options{Loops: tc.loops}), cfg, Window{Count: int64(tc.count), Schedule: tc.schedule})
			if r.Verified != int64(tc.count) || r.Failed() != 0 {
				t.Fatalf("verified %d of %d, errors %v", r.Verified, tc.count, r.Errors())
			}
			if plain := int64(tc.count * tc.size); r.BytesSent <= plain || r.BytesRead <= plain {
				t.Errorf("sent %d and read %d bytes on the wire, for %d of plain text", r.BytesSent, r.BytesRead, plain)
			}
		})
	}
}

func TestTLSFailuresAreToldApart(t *testing.T) {
	t.Parallel()
	cert, pool := certificate(t)
	server := &tls.Config{Certificates: []tls.Certificate{cert}}
	for _, tc := range []struct {
		name   string
		addr   netip.AddrPort
		config *tls.Config
		says   string
	}{
		{"unknown authority", listenTLS(t, server, echo), &tls.Config{}, "unknown authority"},
		{"another name", listenTLS(t, server, echo), &tls.Config{RootCAs: pool, ServerName: "other.test"}, "not other.test"},
		{"not TLS", listen(t, func(c net.Conn) { c.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n")) }), &tls.Config{RootCAs: pool}, "does not look like a TLS handshake"},
		{"closes", listen(t, func(net.Conn) {}), &tls.Config{RootCAs: pool}, ""},
		{"silent", listen(t, func(c net.Conn) { io.Copy(io.Discard, c) }), &tls.Config{RootCAs: pool}, "no answer to the TLS handshake within 500ms"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			connectWithin := 20 * time.Second
			if tc.name == "silent" {
				connectWithin = 500 * time.Millisecond
			}
			_, err := engine(t, Options{}).Open(t.Context(), Config{Addr: tc.addr, Connections: 2, Depth: 1, NewSession: tokens(8), TLS: tc.config, ConnectWithin: connectWithin})
			if err == nil || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("got %v, want %q", err, tc.says)
			}
		})
	}
	t.Run("by name", func(t *testing.T) {
		r := run(t, engine(t, Options{}), Config{Addr: listenTLS(t, server, echo), Connections: 1, Depth: 1, NewSession: tokens(8),
			TLS: &tls.Config{RootCAs: pool, ServerName: "dyno.test"}}, Window{Count: 10})
		if r.Verified != 10 {
			t.Errorf("verified %d", r.Verified)
		}
	})
}

func TestTLSConnectionsThatEnd(t *testing.T) {
	t.Parallel()
	cert, pool := certificate(t)
	for _, tc := range []struct {
		name   string
		handle func(net.Conn)
		kind   Kind
	}{
		{"close_notify while a reply is owed", func(c net.Conn) { io.ReadFull(c, make([]byte, 8)) }, EOF},
		{"the socket is closed without one", func(c net.Conn) {
			io.ReadFull(c, make([]byte, 8))
			c.(*tls.Conn).NetConn().Close()
		}, EOF},
		{"reset", func(c net.Conn) {
			io.ReadFull(c, make([]byte, 8))
			c.(*tls.Conn).NetConn().(*net.TCPConn).SetLinger(0)
			c.(*tls.Conn).NetConn().Close()
		}, Reset},
		{"plain bytes between the records", func(c net.Conn) {
			io.ReadFull(c, make([]byte, 8))
			c.(*tls.Conn).NetConn().Write([]byte("this is no record"))
			io.Copy(io.Discard, c)
		}, TLSFailed},
		{"silence", func(c net.Conn) { io.Copy(io.Discard, c) }, Timeout},
		{"a reply and a half", func(c net.Conn) {
			b := make([]byte, 8)
			io.ReadFull(c, b)
			c.Write(b)
			c.Write([]byte("half"))
			io.Copy(io.Discard, c)
		}, Unasked},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := run(t, engine(t, Options{}), Config{Addr: listenTLS(t, &tls.Config{Certificates: []tls.Certificate{cert}}, tc.handle),
				Connections: 2, Depth: 1, NewSession: tokens(8), TLS: &tls.Config{RootCAs: pool}, ReplyWithin: 300 * time.Millisecond},
				Window{Duration: 500 * time.Millisecond})
			if r.Failures[tc.kind] == 0 && !(tc.kind == Unasked && r.Failures[Malformed] > 0) {
				t.Errorf("no failure of kind %v: %v", tc.kind, r.Errors())
			}
		})
	}
}

// Between windows a server may send what TLS has to say for itself, or close; neither is an error.
func TestTLSAtRest(t *testing.T) {
	t.Parallel()
	cert, pool := certificate(t)
	conns := make(chan net.Conn, 10)
	addr := listenTLS(t, &tls.Config{Certificates: []tls.Certificate{cert}}, func(c net.Conn) { conns <- c; echo(c) })
	c, err := engine(t, Options{}).Open(t.Context(), Config{Addr: addr, Connections: 2, Depth: 1, NewSession: tokens(8), TLS: &tls.Config{RootCAs: pool}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for range 2 {
		(<-conns).Close()
		(<-conns).Close()
		time.Sleep(20 * time.Millisecond)
		r, err := c.Run(t.Context(), Window{Count: 20})
		if err != nil {
			t.Fatal(err)
		}
		checkConserved(t, r)
		if r.Verified != 20 || r.Renewed != 2 || r.Errors() != nil {
			t.Errorf("verified %d, renewed %d, errors %v", r.Verified, r.Renewed, r.Errors())
		}
	}
}

func TestUnixSockets(t *testing.T) {
	t.Parallel()
	cert, pool := certificate(t)
	path := filepath.Join(t.TempDir(), "s")
	for _, tc := range []struct {
		name, path string
		config     *tls.Config
		conns      int
	}{
		{"a path", path, nil, 3},
		{"more than the backlog", path + "2", nil, 500},
		{"an abstract name", "@dyno-load-test-" + t.TempDir(), nil, 3},
		{"with TLS", path + "3", &tls.Config{RootCAs: pool, ServerName: "dyno.test"}, 3},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l, err := net.Listen("unix", tc.path)
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			loopback.Serve(l, func(c net.Conn) {
				if tc.config != nil {
					c = tls.Server(c, &tls.Config{Certificates: []tls.Certificate{cert}})
				}
				echo(c)
			})
			r := run(t, engine(t, Options{Loops: 2}), Config{UnixPath: tc.path, Connections: tc.conns, Depth: 2, NewSession: tokens(64), TLS: tc.config}, Window{Count: 1000})
			if r.Verified != 1000 || r.Failed() != 0 {
				t.Errorf("verified %d, errors %v", r.Verified, r.Errors())
			}
		})
	}
	for path, says := range map[string]string{
		filepath.Join(t.TempDir(), "nobody"): "no such file",
		strings.Repeat("x", 200):             "use a shorter one",
	} {
		if _, err := engine(t, Options{}).Open(t.Context(), Config{UnixPath: path, Connections: 1, Depth: 1, NewSession: tokens(8)}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("got %v, want %q", err, says)
		}
	}
	if _, err := engine(t, Options{}).Open(t.Context(), Config{UnixPath: path, Connections: 1, Depth: 1, NewSession: tokens(8), TLS: &tls.Config{}}); err == nil || !strings.Contains(err.Error(), "ServerName") {
		t.Errorf("TLS without a name: got %v", err)
	}
}

// Source addresses are used in turn, and spread by themselves where one would not do.
func TestSourceAddresses(t *testing.T) {
	t.Parallel()
	seen := make(chan string, 10)
	addr := listen(t, func(c net.Conn) {
		seen <- strings.Split(c.RemoteAddr().String(), ":")[0]
		echo(c)
	})
	sources := []netip.Addr{netip.MustParseAddr("127.0.0.2"), netip.MustParseAddr("127.9.9.9")}
	run(t, engine(t, Options{}), Config{Addr: addr, Connections: 4, Depth: 1, NewSession: tokens(8), LocalAddrs: sources}, Window{Count: 20})
	count := map[string]int{}
	for range 4 {
		count[<-seen]++
	}
	if count["127.0.0.2"] != 2 || count["127.9.9.9"] != 2 {
		t.Errorf("connections came from %v", count)
	}

	many := Config{Addr: addr, Connections: 60_000, Depth: 1, NewSession: tokens(8)}
	if err := many.check(); err != nil || len(many.LocalAddrs) != 3 || !many.LocalAddrs[2].IsLoopback() {
		t.Errorf("60,000 connections come from %v, %v", many.LocalAddrs, err)
	}
	few := Config{Addr: addr, Connections: 25_000, Depth: 1, NewSession: tokens(8)}
	if err := few.check(); err != nil || few.LocalAddrs != nil {
		t.Errorf("25,000 connections come from %v, %v", few.LocalAddrs, err)
	}
	remote := Config{Addr: netip.MustParseAddrPort("192.0.2.1:80"), Connections: 60_000, Depth: 1, NewSession: tokens(8)}
	if err := remote.check(); err == nil || !strings.Contains(err.Error(), "LocalAddrs") {
		t.Errorf("60,000 connections to a remote server: %v", err)
	}
	mixed := Config{Addr: addr, Connections: 1, Depth: 1, NewSession: tokens(8), LocalAddrs: []netip.Addr{netip.IPv6Loopback()}}
	if err := mixed.check(); err == nil {
		t.Error("an IPv6 source for an IPv4 server is accepted")
	}
}
