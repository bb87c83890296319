package scenario

import (
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// newSecure is a server that speaks TLS with a certificate for 127.0.0.1, ::1 and example.com that nobody trusts.
func newSecure(t *testing.T, version uint16, handle http.HandlerFunc) *httptest.Server {
	s := httptest.NewUnstartedServer(handle)
	s.TLS = &tls.Config{MaxVersion: version}
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

func TestHTTPS(t *testing.T) {
	big := strings.Repeat("0123456789abcdef", 64<<10)
	plain := newShop(t)
	for name, version := range map[string]uint16{"1.2": tls.VersionTLS12, "1.3": tls.VersionTLS13} {
		t.Run(name, func(t *testing.T) {
			s := newSecure(t, version, func(w http.ResponseWriter, r *http.Request) {
				switch body, _ := io.ReadAll(r.Body); r.URL.Path {
				case "/big":
					fmt.Fprint(w, big)
				case "/plain":
					http.Redirect(w, r, plain.URL+"/", http.StatusFound)
				default:
					fmt.Fprintf(w, "%s over %x for %q", body, r.TLS.Version, r.TLS.ServerName)
				}
			})
			entry := httptest.NewServer(http.RedirectHandler(s.URL+"/entry", http.StatusMovedPermanently))
			t.Cleanup(entry.Close)
			r, _, _ := (&shop{Server: entry}).play(t, soon(8)+`
  tls: {rejectUnauthorized: false, servername: example.com}
scenarios:
  - flow:
      - get: {url: /, match: {regexp: 'for "(.*)"', group: 1, value: example.com}}
      - post: {url: "`+s.URL+`/", body: "`+strings.Repeat("x", 20_000)+`", match: {regexp: "^x+", value: "`+strings.Repeat("x", 20_000)+`"}}
      - get: {url: "`+s.URL+`/big", match: {regexp: "^(?:0123456789abcdef)+$", value: "{{ nothing }}", strict: false}}
      - get: {url: "`+s.URL+`/plain", match: {regexp: "^hello$", value: hello}}
`, nil, 2)
			wantCounters(t, r, map[string]int64{"vusers.completed": 8, "vusers.failed": 0, "http.codes.301": 8, "http.codes.302": 8,
				"http.codes.200": 32, "http.requests": 48})
			if least := int64(8 * len(big)); r.Aggregate.Counters["http.downloaded_bytes"] < least {
				t.Errorf("%d bytes; want %d and more", r.Aggregate.Counters["http.downloaded_bytes"], least)
			}
		})
	}
}

// Failures have Node's names.
func TestHTTPSFailures(t *testing.T) {
	s := newSecure(t, tls.VersionTLS13, func(http.ResponseWriter, *http.Request) {})
	plain := newShop(t)
	silent, err := net.Listen("tcp", "127.0.0.1:0") // accepts, and says nothing
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { silent.Close() })
	nobody, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody.Close()
	for url, want := range map[string]string{
		s.URL + "/": "DEPTH_ZERO_SELF_SIGNED_CERT",
		strings.Replace(plain.URL, "http:", "https:", 1): "EPROTO",
		"https://" + silent.Addr().String() + "/":        "ETIMEDOUT",
		"https://" + nobody.Addr().String() + "/":        "ECONNREFUSED",
	} {
		began := time.Now()
		r, _, _ := plain.play(t, soon(3)+"  timeout: 1\nscenarios: [{flow: [{get: {url: \""+url+"\"}}]}]\n", nil, 1)
		wantCounters(t, r, map[string]int64{"vusers.failed": 3, "errors." + want: 3})
		if took := time.Since(began); took > 30*time.Second {
			t.Errorf("%s took %v", url, took)
		}
	}
}

// Users of a pool share its connections over TLS, too.
func TestHTTPSPool(t *testing.T) {
	s := newSecure(t, tls.VersionTLS13, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") })
	shop := &shop{Server: s}
	r, _, _ := shop.play(t, soon(30)+`
  tls: {rejectUnauthorized: false}
  http: {pool: 2}
scenarios: [{flow: [{get: {url: /}}, {get: {url: /}}]}]
`, nil, 1)
	wantCounters(t, r, map[string]int64{"vusers.completed": 30, "http.codes.200": 60})
}

func TestIPv6(t *testing.T) {
	listener, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Skip("this machine has no IPv6 loopback")
	}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Host) }))
	s.Listener.Close()
	s.Listener = listener
	s.Start()
	t.Cleanup(s.Close)
	shop := &shop{Server: s}
	r, _, _ := shop.play(t, soon(3)+"scenarios: [{flow: [{get: {url: /, match: {regexp: '^.*$', value: '"+listener.Addr().String()+"'}}}]}]\n", nil, 1)
	wantCounters(t, r, map[string]int64{"vusers.completed": 3})
}
