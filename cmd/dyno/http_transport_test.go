package main_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dyno/host"
)

func TestHTTPS(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.TLS.PeerCertificates) == 0 && r.URL.Path == "/who" {
			w.WriteHeader(http.StatusForbidden)
		}
		fmt.Fprint(w, r.TLS.ServerName)
	}))
	s.TLS = &tls.Config{ClientAuth: tls.RequestClientCert}
	s.Config.ErrorLog = quietLog
	s.StartTLS()
	t.Cleanup(s.Close)
	o := b.dyno("http", s.URL, "-n", "200", "-c", "2", "-p", "2", "--insecure", "--sni", "example.test", "--expect-body", "example.test", "--json")
	if r := parseLoad(t, o); o.code() != 0 || r.Counts.Verified != 200 {
		t.Errorf("exit %d, %+v\n%s", o.code(), r, o.stderr)
	}
	if o := b.dyno("http", s.URL, "-n", "10"); o.code() != 1 || !strings.Contains(o.lastLine(), "--insecure") {
		t.Errorf("a certificate that nobody signed: exit %d\n%s", o.code(), o.stderr)
	}
	cert, key := b.pair(t, s.TLS.Certificates[0])
	o = b.dyno("http", s.URL+"/who", "-n", "10", "--insecure", "--cert", cert, "--key", key)
	if o.code() != 0 {
		t.Errorf("with a client certificate: exit %d\n%s", o.code(), o.stderr)
	}
	plain := serve(t, func(http.ResponseWriter, *http.Request) {})
	if o := b.dyno("http", strings.Replace(plain.URL, "http:", "https:", 1), "-n", "10", "--insecure"); o.code() != 1 || strings.Count(o.stderr, "\n") != 1 {
		t.Errorf("https to a server of http: exit %d\n%s", o.code(), o.stderr)
	}
}

func TestHTTPOverAUnixSocket(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	path := filepath.Join(t.TempDir(), "app.sock")
	listener, err := net.Listen("unix", path)
	must(t, err)
	s := &http.Server{ErrorLog: quietLog, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.Host, r.URL.Path)
	})}
	go func() { _ = s.Serve(listener) }() // it ends with Close
	t.Cleanup(func() { s.Close() })
	o := b.dyno("http", "--unix", path, "http://shop.test/health", "-n", "100", "--expect-body", "shop.test/health", "--format", "autocannon")
	if o.code() != 0 || !strings.Contains(o.stdout, `"socketPath": "`+path+`"`) {
		t.Errorf("exit %d\n%s%s", o.code(), o.stdout, o.stderr)
	}
	if o := b.dyno("http", "--unix", path, "-n", "100", "--expect-body", "localhost/"); o.code() != 0 {
		t.Errorf("without a URL: exit %d\n%s", o.code(), o.stderr)
	}
}

func TestHTTPFindsTheAddressThatListens(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	listener, err := net.Listen("tcp6", "[::1]:0")
	if err != nil {
		t.Skipf("no IPv6 here: %v", err)
	}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	s.Listener.Close()
	s.Listener = listener
	s.Start()
	t.Cleanup(s.Close)
	if o := b.dyno("http", s.URL, "-n", "20", "-c", "2"); o.code() != 0 {
		t.Errorf("%s: exit %d\n%s", s.URL, o.code(), o.stderr)
	}
	addrs, err := net.LookupHost("localhost")
	if err != nil || len(addrs) < 2 {
		t.Skip("localhost has one address here")
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	must(t, err)
	if o := b.dyno("http", "localhost:"+port, "-n", "20", "-c", "2"); o.code() != 0 {
		t.Errorf("localhost:%s: exit %d\n%s", port, o.code(), o.stderr)
	}
}

// TestHTTPSpinsOnlyOnACPUOfItsOwn keeps a server off the client's CPU, and then does not.
func TestHTTPSpinsOnlyOnACPUOfItsOwn(t *testing.T) {
	t.Parallel()
	placement, err := host.Place()
	must(t, err)
	if placement.Shared {
		t.Skip("one CPU: the client never has one of its own")
	}
	b := newBench(t)
	for want, cpus := range map[string][]int{
		"polls for 200 µs before it sleeps: the server keeps off its CPU": placement.ServerCPUs,
		"sleeps at once: the server may run on CPU":                       host.AllowedCPUs(),
	} {
		o := b.dyno("http", b.nullOn(cpus, "http"), "-n", "100")
		if o.code() != 0 || !strings.Contains(o.stdout, want) || !strings.Contains(o.stdout, "pinned to CPU") {
			t.Errorf("exit %d, no %q in\n%s%s", o.code(), want, o.stdout, o.stderr)
		}
	}
}

// pair writes a certificate and its key to files.
func (b *bench) pair(t *testing.T, c tls.Certificate) (cert, key string) {
	t.Helper()
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	der, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	must(t, err)
	must(t, os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Certificate[0]}), 0o600))
	must(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), 0o600))
	return cert, key
}
