package main_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"dyno/host"
)

// loadResult is the part of the JSON that the tests look at.
type loadResult struct {
	Schema  string `json:"schema"`
	Partial string `json:"partial"`
	Counts  struct {
		Sent, Verified, Counted, Wrong, Lost int64
		InFlight                             int64 `json:"in_flight"`
		Unsent, Dropped                      int64
		BytesRead                            int64 `json:"bytes_read"`
		BytesSent                            int64 `json:"bytes_sent"`
	}
	Codes       map[string]int64
	Errors      map[string]int64
	FirstFault  string  `json:"first_fault"`
	LatencyKind string  `json:"latency_kind"`
	Failed      int64   `json:"failed"`
	Due         int64   `json:"due"`
	RatePerS    float64 `json:"rate_per_s"`
	Latency     struct {
		Count int64
		P50Ns int64 `json:"p50_ns"`
		MaxNs int64 `json:"max_ns"`
	}
	Lag        *struct{ Count int64 }
	Instrument struct {
		Poller     string
		Reconnects int64
	}
}

func parseLoad(t *testing.T, o outcome) loadResult {
	t.Helper()
	var r loadResult
	if err := json.Unmarshal([]byte(o.stdout), &r); err != nil {
		t.Fatalf("exit %d: %v in\n%s\n%s", o.code(), err, o.stdout, o.stderr)
	}
	c := r.Counts
	if c.Sent != c.Verified+c.Wrong+c.Lost+c.InFlight || r.Due != c.Sent+c.Unsent+c.Dropped {
		t.Errorf("requests are missing: %+v of %d due", c, r.Due)
	}
	return r
}

// serve starts a server in this process.
func serve(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(handler)
	s.Config.ErrorLog = quietLog
	s.Start()
	t.Cleanup(s.Close)
	return s
}

// null starts `dyno null` and returns its address.
func (b *bench) null(protocol string) string {
	b.t.Helper()
	return b.nullOn(host.AllowedCPUs(), protocol)
}

// nullOn starts `dyno null` on some CPUs. They are set by a thread that starts it and ends.
func (b *bench) nullOn(cpus []int, protocol string) string {
	b.t.Helper()
	started := make(chan *running)
	go func() {
		defer close(started)
		runtime.LockOSThread() // and never unlocked
		if err := host.PinThread(cpus); err != nil {
			b.t.Error(err)
			return
		}
		started <- b.start(b.command("null", protocol, "--spin", "0s"))
	}()
	r := <-started
	if r == nil {
		b.t.FailNow()
	}
	b.t.Cleanup(func() {
		r.signal(syscall.SIGINT)
		r.wait()
	})
	for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		if _, after, found := strings.Cut(r.stdout.String(), " server on "); found {
			addr, _, _ := strings.Cut(after, ";")
			return addr
		}
		if time.Now().After(deadline) {
			b.t.Fatalf("the null server did not start: %s", r.stderr.String())
		}
	}
}

func TestHTTPAgainstTheNullServer(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	addr := b.null("http")
	o := b.dyno("http", addr, "-n", "3000", "-c", "4", "-p", "8", "--json", "--expect-body", "hi", "--expect-status", "200")
	r := parseLoad(t, o)
	if o.code() != 0 || r.Counts.Verified != 3000 || r.Codes["200"] != 3000 || len(r.Errors) > 0 || r.Latency.Count != 3000 {
		t.Errorf("exit %d, %+v\n%s", o.code(), r, o.stderr)
	}
	if r.Schema != "dyno.load/1" || r.LatencyKind != "service time (closed loop)" || r.Lag != nil {
		t.Errorf("%+v", r)
	}
	text := b.dyno("http", "http://"+addr+"/", "-d", "1", "--latency", "--seed", "7")
	for _, want := range []string{"GET http://" + addr + "/", "10 connections", "closed loop", "seed 7", "Req/Sec", "1 sample;",
		"Latency is service time (closed loop).", "Codes: 200 × ", "client busy", "#[Mean"} {
		if !strings.Contains(text.stdout, want) {
			t.Errorf("no %q in\n%s", want, text.stdout)
		}
	}
	if text.code() != 0 || !strings.HasPrefix(text.stderr, "loading http://") || strings.Contains(text.stdout, "\x1b") {
		t.Errorf("exit %d\n%s", text.code(), text.stderr)
	}
}

func TestHTTPFormatsCanBeRead(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	addr := b.null("http")
	for format, want := range map[string]string{
		"autocannon": `"totalCount": 500`, "bombardier": `"req2xx":500`, "oha": `"200": 500`,
		"json": `"verified": 500`, "benchstat": "BenchmarkHTTP/GET/connections=10/depth=1-1 500 ",
	} {
		o := b.dyno("http", addr, "-n", "500", "--format", format)
		if o.code() != 0 || !strings.Contains(o.stdout, want) {
			t.Errorf("%s: exit %d, no %s in\n%s%s", format, o.code(), want, o.stdout, o.stderr)
		}
		if format != "benchstat" && !json.Valid([]byte(o.stdout)) {
			t.Errorf("%s: not JSON", format)
		}
	}
}

// TestHTTPSendsWhatItIsTold compares every request with what the command line says, and what was sent
// with what the server saw.
func TestHTTPSendsWhatItIsTold(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var seen, wrong atomic.Int64
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		seen.Add(1)
		body, err := io.ReadAll(r.Body)
		if err != nil || string(body) != "{\"a\":1}\n" || r.Method != "POST" || r.URL.String() != "/orders?page=2" ||
			r.Header.Get("X-One") != "1=:2" || r.Header.Get("Accept") != "application/json" {
			wrong.Add(1)
		}
		w.WriteHeader(http.StatusCreated)
		fmt.Fprint(w, "made")
	})
	file := filepath.Join(t.TempDir(), "body.json")
	must(t, os.WriteFile(file, []byte("{\"a\":1}\n"), 0o644))
	o := b.dyno("http", s.URL+"/orders?page=2#part", "-n", "300", "-c", "3", "-p", "4", "-b", "@"+file, "-H", "X-One: 1=:2",
		"-H", "Accept=application/json", "--expect-status", "201", "--expect-body", "made", "--json")
	r := parseLoad(t, o)
	if o.code() != 0 || r.Counts.Verified != 300 || r.Codes["201"] != 300 {
		t.Errorf("exit %d, %+v\n%s", o.code(), r, o.stderr)
	}
	if seen.Load() != r.Counts.Sent || wrong.Load() > 0 {
		t.Errorf("the server saw %d of %d requests, %d of them wrong", seen.Load(), r.Counts.Sent, wrong.Load())
	}
}

func TestHTTPCountsEveryCode(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var n atomic.Int64
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		codes := []int{200, 204, 301, 404, 500}
		code := codes[n.Add(1)%int64(len(codes))]
		if code == 301 {
			w.Header().Set("Location", "/elsewhere")
		}
		w.WriteHeader(code)
	})
	o := b.dyno("http", s.URL, "-n", "500", "--json")
	r := parseLoad(t, o)
	for _, code := range []string{"200", "204", "301", "404", "500"} {
		if r.Codes[code] != 100 {
			t.Errorf("code %s: %d of 100", code, r.Codes[code])
		}
	}
	if o.code() != 1 || r.Counts.Verified != 200 || r.Counts.Wrong != 300 || !strings.Contains(o.lastLine(), "300 of 500 requests got no right reply") {
		t.Errorf("exit %d, %+v\n%s", o.code(), r, o.stderr)
	}
	o = b.dyno("http", s.URL, "-n", "1", "-c", "1", "--fail-if", "throughput<1") // the 501st gets 204
	if o.code() != 0 {
		t.Errorf("exit %d\n%s", o.code(), o.stderr)
	}
	o = b.dyno("http", s.URL, "-n", "1", "-c", "1") // and the next one 301
	if o.code() != 1 || !strings.Contains(o.lastLine(), "redirects are not followed: load the URL that it leads to, or use --expect-status 301") {
		t.Errorf("exit %d\n%s", o.code(), o.stderr)
	}
	n.Store(0)
	if o := b.dyno("http", s.URL, "-n", "500", "--fail-if", "errors>60%"); o.code() != 0 {
		t.Errorf("60 %% may fail: exit %d\n%s", o.code(), o.stderr)
	}
	n.Store(0)
	o = b.dyno("http", s.URL, "-n", "500", "--format", "autocannon", "--fail-if", "non2xx>299", "--fail-if", "errors>59.9%", "--fail-if", "p50>60s")
	if !strings.Contains(o.stdout, `"non2xx": 300`) || !strings.Contains(o.stdout, `"mismatches": 0`) || o.code() != 1 ||
		!strings.Contains(o.lastLine(), "threshold broken: non2xx>299: non2xx was 300; errors>59.9%: errors was 60 % (300 of 500)") {
		t.Errorf("exit %d\n%s%s", o.code(), o.stdout, o.stderr)
	}
}

func TestHTTPReadsEveryKindOfBody(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	long := strings.Repeat("0123456789abcdef", 1<<16) // 1 MiB
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/chunks":
			for _, part := range []string{"one ", "two ", "three"} {
				fmt.Fprint(w, part)
				w.(http.Flusher).Flush()
			}
		case "/echo":
			body, _ := io.ReadAll(r.Body) // whole: Go closes when a reply begins before that
			_, _ = w.Write(body)          // the client notices what is missing
		case "/missing":
			http.Error(w, "no such page", http.StatusNotFound)
		}
	})
	file := filepath.Join(t.TempDir(), "long")
	must(t, os.WriteFile(file, []byte(long), 0o644))
	for _, args := range [][]string{
		{"/chunks", "--expect-body", "one two three", "-p", "5"},
		{"/echo", "-b", "@" + file, "--expect-body", "@" + file, "-c", "2", "-p", "2"},
		{"/empty", "-m", "HEAD", "-p", "3"},
		{"/missing", "--expect-status", "404", "--expect-body", "no such page\n"},
		{"/?q=1", "-m", "DELETE", "--expect-body", ""},
	} {
		o := b.dyno(append([]string{"http", s.URL + args[0], "-n", "60", "--json"}, args[1:]...)...)
		if r := parseLoad(t, o); o.code() != 0 || r.Counts.Verified != 60 {
			t.Errorf("%v: exit %d, %+v\n%s", args, o.code(), r, o.stderr)
		}
	}
	// A body behind a reply to HEAD, as the null server sends one, is bytes that nobody asked for.
	o := b.dyno("http", b.null("http"), "-m", "HEAD", "-n", "20", "-c", "2", "--json")
	if r := parseLoad(t, o); o.code() != 1 || r.Errors["unasked"]+r.Errors["malformed"] == 0 {
		t.Errorf("exit %d, %+v\n%s", o.code(), r, o.stderr)
	}
}

func TestHTTPNamesTheFirstWrongReply(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "surprise\x1b[31m") })
	o := b.dyno("http", s.URL, "-n", "20", "-c", "2", "--expect-body", "expected")
	if o.code() != 1 || !strings.Contains(o.lastLine(), "no reply was verified") || strings.Contains(o.stdout+o.stderr, "\x1b") ||
		!strings.Contains(o.stdout, "first wrong reply: ") || !strings.Contains(o.stdout, "surprise") {
		t.Errorf("exit %d\n%s%s", o.code(), o.stdout, o.stderr)
	}
}

func TestHTTPThresholdOfASlowServer(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) { time.Sleep(20 * time.Millisecond) })
	o := b.dyno("http", s.URL, "-n", "20", "-c", "2", "--fail-if", "p50>5ms", "--fail-if", "min<1ms")
	if o.code() != 1 || !strings.Contains(o.lastLine(), "threshold broken: p50>5ms: p50 was ") || strings.Contains(o.lastLine(), "min<1ms") {
		t.Errorf("exit %d\n%s", o.code(), o.stderr)
	}
	o = b.dyno("http", s.URL, "-n", "20", "-c", "2", "-t", "5ms", "--json")
	if r := parseLoad(t, o); o.code() != 1 || r.Errors["timeout"] == 0 || r.Counts.Verified > 0 {
		t.Errorf("exit %d, %+v\n%s", o.code(), r, o.stderr)
	}
	for _, limit := range []string{"-n20", "-d100ms"} { // a timeout that no server can meet
		o = b.dyno("http", s.URL, limit, "-c", "2", "-t", "1ns", "--json")
		if r := parseLoad(t, o); o.code() != 1 || r.Counts.Lost != r.Counts.Sent || r.Counts.Verified+r.Counts.InFlight > 0 {
			t.Errorf("%s: exit %d, %+v\n%s", limit, o.code(), r, o.stderr)
		}
	}
}

func TestHTTPServersThatClose(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	polite := serve(t, func(w http.ResponseWriter, r *http.Request) {})
	polite.Config.SetKeepAlivesEnabled(false)
	o := b.dyno("http", polite.URL, "-n", "60", "-c", "3", "--json")
	if r := parseLoad(t, o); o.code() != 0 || r.Counts.Verified != 60 || r.Instrument.Reconnects < 50 {
		t.Errorf("Connection: close: exit %d, %+v\n%s", o.code(), r, o.stderr)
	}
	rude := serve(t, func(w http.ResponseWriter, r *http.Request) {
		c, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			c.Close()
		}
	})
	o = b.dyno("http", rude.URL, "-n", "30", "-c", "3", "--json")
	if r := parseLoad(t, o); o.code() != 1 || r.Counts.Verified != 0 || r.Errors["eof"]+r.Errors["reset"] == 0 {
		t.Errorf("closed without a reply: exit %d, %+v\n%s", o.code(), r, o.stderr)
	}
}

func TestHTTPOpenLoops(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	addr := b.null("http")
	for _, args := range [][]string{{"-R", "400"}, {"-R", "400", "--arrivals", "poisson"}, {"-R", "200:600"}} {
		o := b.dyno(append([]string{"http", addr, "-d", "1", "--warmup", "200ms", "--json", "--fail-if", "errors>0"}, args...)...)
		r := parseLoad(t, o)
		if o.code() != 0 || r.Due < 250 || r.Due > 600 || r.LatencyKind != "response time (open loop, from the due time)" || r.Lag == nil {
			t.Errorf("%v: exit %d, %+v\n%s", args, o.code(), r, o.stderr)
		}
	}
	o := b.dyno("http", addr, "-R", "1000", "-n", "300")
	for _, want := range []string{"300 requests in ", "open loop, 1,000 requests/s, constant arrivals", "Service is the part of it", "pacing lag", "at most "} {
		if !strings.Contains(o.stdout, want) {
			t.Errorf("no %q in\n%s", want, o.stdout)
		}
	}
}

func TestHTTPInterrupted(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	addr := b.null("http")
	r := b.start(b.command("http", addr, "-d", "5m"))
	r.waitFor("loading http://" + addr)
	time.Sleep(50 * time.Millisecond) // there should be something to report
	r.signal(syscall.SIGINT)
	o := r.wait()
	if o.code() != 130 || !strings.Contains(o.stdout, "PARTIAL: interrupted after ") || !strings.HasPrefix(o.lastLine(), "dyno: interrupted; ") {
		t.Errorf("exit %d\n%s%s", o.code(), o.stdout, o.stderr)
	}
}

func TestHTTPOnATerminal(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	addr := b.null("http")
	p := openTerminal(t)
	before := p.settings(t)
	r := b.startOn(p, "http", addr, "-d", "5m")
	p.waitFor(t, "/s · p99 ")
	_, err := p.master.Write([]byte{3})
	must(t, err)
	if o := r.wait(); o.code() != 130 {
		t.Errorf("exit %d", o.code())
	}
	p.waitFor(t, "dyno: interrupted; ")
	if shown := p.screen.String(); !strings.Contains(shown, "\r\x1b[K") || !strings.Contains(shown, "\x1b[1m") {
		t.Errorf("%q", shown)
	}
	checkUsable(t, p, before)
}

// TestHTTPServerThatDies ends a server in the middle of a load, for good.
func TestHTTPServerThatDies(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var s *httptest.Server
	var n atomic.Int64
	s = serve(t, func(w http.ResponseWriter, r *http.Request) {
		if n.Add(1) == 50 {
			go func() {
				s.Listener.Close()
				s.CloseClientConnections()
			}()
		}
	})
	o := b.dyno("http", s.URL, "-n", "100000", "-c", "2", "--json")
	r := parseLoad(t, o)
	if o.code() != 1 || !strings.HasPrefix(r.Partial, "given up after ") || r.Errors["connect-refused"] == 0 {
		t.Errorf("exit %d, %+v\n%s", o.code(), r, o.stderr)
	}
}
