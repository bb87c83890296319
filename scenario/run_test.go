package scenario

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"dyno/load"
)

// shop is a server that remembers what it was asked.
type shop struct {
	*httptest.Server
	mu    sync.Mutex
	seen  []string
	conns map[string]bool
}

func newShop(t *testing.T) *shop {
	s := &shop{conns: map[string]bool{}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	s.seen = append(s.seen, strings.TrimSpace(fmt.Sprintf("%s %s %s", r.Method, r.RequestURI, body)))
	s.conns[r.RemoteAddr] = true
	s.mu.Unlock()
	w.Header().Set("X-Trace", "trace-1")
	switch r.URL.Path {
	case "/login":
		http.SetCookie(w, &http.Cookie{Name: "sid", Value: "s1"})
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"token": "t1", "user": {"id": 42}, "items": [1]}`)
	case "/redirect":
		http.Redirect(w, r, "/landing", http.StatusFound)
	case "/gzip":
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		fmt.Fprint(z, `{"packed": "yes"}`)
		z.Close()
	case "/echo":
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"cookie": r.Header.Get("Cookie"), "auth": r.Header.Get("Authorization"),
			"type": r.Header.Get("Content-Type"), "token": r.Header.Get("X-Token"), "body": string(body)})
	case "/slow":
		time.Sleep(time.Second)
	case "/close":
		w.Header().Set("Connection", "close")
		fmt.Fprint(w, "bye")
	case "/missing":
		http.Error(w, "no such thing", http.StatusNotFound)
	default:
		fmt.Fprint(w, "hello")
	}
}

// connections is how many there have been.
func (s *shop) connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.conns)
}

// asked is what the server has seen, a line for each request.
func (s *shop) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

// loopback resolves addresses only.
func loopback(host, port string) (netip.AddrPort, error) {
	return netip.ParseAddrPort(net.JoinHostPort(host, port))
}

// play runs a script against the shop and returns the report and what the script logged.
func (s *shop) play(t *testing.T, script string, files map[string]string, loops int) (*Report, *Program, []string) {
	t.Helper()
	p, err := Read(write(t, "config:\n  target: "+s.URL+"\n"+script, files), Options{})
	if err != nil {
		t.Fatal(err)
	}
	engine, err := load.New(load.Options{Loops: loops})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var mu sync.Mutex
	var logged []string
	r, err := p.Run(ctx, engine, RunOptions{Resolve: loopback, Seed: 1, Log: func(text string) {
		mu.Lock()
		logged = append(logged, text)
		mu.Unlock()
	}})
	if err != nil {
		t.Fatal(err)
	}
	return r, p, logged
}

// soon is a phase that lets users in at once.
func soon(users int) string {
	return fmt.Sprintf("  phases: [{duration: 0.05, arrivalCount: %d}]\n", users)
}

func wantCounters(t *testing.T, r *Report, want map[string]int64) {
	t.Helper()
	for name, n := range want {
		if got := r.Aggregate.Counters[name]; got != n {
			t.Errorf("%s is %d; want %d (%v)", name, got, n, r.Aggregate.Counters)
		}
	}
}

func TestCaptureAndReuse(t *testing.T) {
	s := newShop(t)
	r, _, logged := s.play(t, soon(3)+`
  variables: {greeting: hi}
scenarios:
  - name: all
    flow:
      - post:
          url: /login
          json: {user: "{{ greeting }}", n: 1}
          capture:
            - {json: $.token, as: token}
            - {json: $.user.id, as: user.id}
            - {header: X-Trace, as: trace}
            - {regexp: '"token": "(t\d)"', group: 1, as: byRegexp}
          match: {json: $.items.length, value: 1, strict: false}
          expect: [{statusCode: [200, 201]}, {contentType: json}, {hasProperty: user.id}, {notHasProperty: nothing}]
      - get:
          url: /echo
          headers: {x-token: "{{ token }}"}
          auth: {user: ann, pass: "{{ token }}"}
          cookie: {own: "{{ trace }}"}
          capture: {json: $, as: echo}
          expect: {hasHeader: x-trace, headerEquals: [x-trace, trace-1], matchesRegexp: sid=s1, equals: ["{{ user.id }}", "42"]}
      - log: "{{ echo.cookie }} {{ echo.auth }} {{ echo.token }} {{ user.id }} {{ byRegexp }}"
      - put: {url: /echo, form: {a: "1 2", b: "{{ token }}"}, capture: {json: $, as: echo}}
      - log: "{{ echo.type }} {{ echo.body }}"
      - patch: {url: "/echo?x=1", qs: {q: "a b"}, body: raw, gzip: false}
      - get: {url: /gzip, capture: {json: $.packed, as: packed}}
      - get: {url: /redirect}
      - get: {url: /redirect, followRedirect: false}
      - get: {url: /close}
      - delete: {url: /missing, ifTrue: "packed == 'yes'"}
      - get: {url: /never, ifTrue: "packed == 'no'"}
`, nil, 1)
	wantCounters(t, r, map[string]int64{
		"vusers.created": 3, "vusers.completed": 3, "vusers.failed": 0, "vusers.created_by_name.all": 3,
		"http.requests": 30, "http.responses": 30, "http.codes.200": 21, "http.codes.302": 6, "http.codes.404": 3,
		"plugins.expect.ok": 24, "plugins.expect.failed": 0,
	})
	if len(logged) != 6 {
		t.Fatalf("logged %q", logged)
	}
	for _, text := range logged {
		switch text {
		case "own=trace-1; sid=s1 Basic YW5uOnQx t1 42 t1", "sid=s1; own=trace-1 Basic YW5uOnQx t1 42 t1",
			"application/x-www-form-urlencoded a=1+2&b=t1":
		default:
			t.Errorf("logged %q", text)
		}
	}
	seen := strings.Join(s.asked(), "\n")
	for _, want := range []string{`POST /login {"n":1,"user":"hi"}`, "PATCH /echo?q=a+b raw", "GET /landing"} {
		if strings.Count(seen, want) < 3 {
			t.Errorf("the server has not seen %q thrice in\n%s", want, seen)
		}
	}
}

func TestLoops(t *testing.T) {
	s := newShop(t)
	_, _, logged := s.play(t, soon(1)+`
  processor: ./p.js
scenarios:
  - flow:
      - loop: [{log: "count {{ $loopCount }}"}]
        count: 3
      - loop: [{log: "range {{ $loopCount }}"}]
        count: 2-4
      - loop: [{log: "over {{ $loopElement.name }} {{ i }}"}]
        over: [{name: a}, {name: b}]
        loopValue: i
      - get: {url: /login, capture: {json: $.items, as: items}}
      - loop:
          - loop: [{log: "inner {{ $loopElement }}"}]
            over: items
        count: 2
      - loop: [{log: nothing}]
        over: missing
      - loop: [{log: "while {{ $loopCount }}"}]
        whileTrue: below
`, map[string]string{"p.js": "module.exports.below = function (context, next) { return next(context.vars.$loopCount < 2); };"}, 1)
	want := "count 0,count 1,count 2,range 2,range 3,over a 0,over b 1,inner 1,inner 1,while 0,while 1"
	if got := strings.Join(logged, ","); got != want {
		t.Errorf("logged %s\nwant   %s", got, want)
	}
}

func TestProcessor(t *testing.T) {
	s := newShop(t)
	r, _, logged := s.play(t, soon(2)+`
  processor: p.js
before:
  flow:
    - get: {url: /login, capture: {json: $.token, as: shared}}
scenarios:
  - name: js
    beforeScenario: begin
    afterScenario: [finish]
    beforeRequest: sign
    afterResponse: look
    flow:
      - get: {url: /echo, capture: {json: $.token, as: got}}
      - post: {url: /echo, beforeRequest: rewrite, ifTrue: isOpen, capture: {json: $.body, as: body}}
      - get: {url: /never, ifTrue: isShut}
      - function: later
      - function: asynchronous
      - log: "{{ got }} {{ body }} {{ fromAsync }} {{ fromTimer }}"
`, map[string]string{"p.js": `
const finished = { n: 0 };
module.exports = {
  begin(context, events, done) { context.vars.token = context.vars.shared + '!'; events.emit('counter', 'my.count', 2); events.emit('rate', 'my.rate'); done(); },
  finish: (context, events, done) => { finished.n++; console.log('finished', context.scenario.name); return done(); },
  sign: async (req, context) => { await null; req.headers = Object.assign({}, req.headers, { 'X-Token': '{{ token }}' }); },
  rewrite(req, context, events, next) { req.json = { made: context.funcs.$randomNumber(5, 5), list: [1, { a: null }] }; next(); },
  look(req, res, context, events, next) { if (res.statusCode !== 200) { return next(new Error('status')); } events.emit('histogram', 'my.time', 12.5); next(); },
  isOpen: (vars) => vars.token === 't1!',
  isShut: (vars) => false,
  later(context, events, done) { setTimeout(() => { context.vars.fromTimer = 'timer'; done(); }, 5); },
  asynchronous: async function (context) { context.vars.fromAsync = await Promise.resolve('async'); },
};`}, 1)
	wantCounters(t, r, map[string]int64{"vusers.completed": 2, "vusers.failed": 0, "http.requests": 4, "my.count": 4})
	if got := r.Aggregate.Summaries["my.time"]; got.Count != 4 || got.Max != 12.5 {
		t.Errorf("my.time is %+v", got)
	}
	want := map[string]int{`t1! {"list":[1,{"a":null}],"made":5} async timer`: 2, "finished js": 2}
	for _, text := range logged {
		want[text]--
	}
	for text, left := range want {
		if left != 0 {
			t.Errorf("logged %q: %d too few", text, left)
		}
	}
}

// What goes wrong ends its user, under the name that Artillery has for it.
func TestFailuresEndTheUser(t *testing.T) {
	nobody, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	refused := nobody.Addr().String()
	nobody.Close()
	s := newShop(t)
	files := map[string]string{"p.js": "module.exports = { bad(c, e, done) { done(new Error('bad luck')); }, thrown() { throw new TypeError('thrown'); }, coded: async () => { const e = new Error('x'); e.code = 'ECODE'; throw e; } }"}
	for name, c := range map[string]struct{ step, config string }{
		"errors.ECONNREFUSED":            {"get: {url: 'http://" + refused + "/'}", ""},
		"errors.ETIMEDOUT":               {"get: {url: /slow}", "  http: {timeout: 0.2}\n"},
		"errors.Failed capture or match": {"get: {url: /, capture: {json: $.no, as: x}}", ""},
		"errors.bad luck":                {"function: bad", "  processor: p.js\n"},
		"errors.thrown":                  {"function: thrown", "  processor: p.js\n"},
		"errors.ECODE":                   {"function: coded", "  processor: p.js\n"},
		"errors.Invalid URL - undefined": {"get: {url: '{{ nowhere }}'}", ""},
		"errors.Failed expectations for request " + s.URL + "/": {"get: {url: /, expect: {statusCode: 404}}", "  plugins: {expect: {reportFailuresAsErrors: true}}\n"},
	} {
		r, _, _ := s.play(t, soon(1)+c.config+"scenarios:\n  - flow:\n    - "+c.step+"\n    - get: {url: /after}\n", files, 1)
		wantCounters(t, r, map[string]int64{name: 1, "vusers.failed": 1, "vusers.completed": 0})
	}
	if strings.Contains(strings.Join(s.asked(), " "), "/after") {
		t.Error("a user that failed went on")
	}
}

func TestPayloadWeightsAndSkippedUsers(t *testing.T) {
	s := newShop(t)
	r, _, _ := s.play(t, `
  phases: [{duration: 0.1, arrivalCount: 40}, {duration: 0.1, arrivalCount: 10, maxVusers: 0}]
  payload:
    - {path: users.csv, fields: [name, age], order: sequence, skipHeader: true}
    - {path: all.csv, fields: [k], loadAll: true, name: rows, delimiter: ";", cast: false}
scenarios:
  - {name: most, weight: 9, flow: [{post: {url: "/{{ name }}", json: {age: "{{ age }}", k: "{{ rows[1].k }}"}}}]}
  - {name: some, weight: 1, flow: [{get: {url: "/{{ name }}"}}]}
  - {name: none, weight: 0, flow: [{get: {url: /none}}]}
`, map[string]string{"users.csv": "name,age\nann,31\n\nbob,7\n", "all.csv": "1;2\n3;4\n"}, 2)
	wantCounters(t, r, map[string]int64{"vusers.created": 40, "vusers.skipped": 10, "vusers.completed": 40, "vusers.created_by_name.none": 0})
	names := map[string]int{}
	for _, line := range s.asked() {
		for _, name := range []string{"/ann", "/bob"} {
			if strings.Contains(line, name) {
				names[name]++
			}
		}
		if strings.HasPrefix(line, "POST /ann") && line != `POST /ann {"age":31,"k":"3"}` {
			t.Errorf("the server has seen %s", line)
		}
	}
	if names["/ann"] != 20 || names["/bob"] != 20 {
		t.Errorf("rows in sequence were used %v times; want 20 each", names)
	}
	if most := r.Aggregate.Counters["vusers.created_by_name.most"]; most < 24 {
		t.Errorf("a scenario with 9 of 10 weights ran %d of 40 times", most)
	}
}

func TestPoolSharesConnections(t *testing.T) {
	s := newShop(t)
	flow := "scenarios: [{flow: [{get: {url: /a}}, {get: {url: /b}}]}]\n"
	r, _, _ := s.play(t, soon(30)+"  http: {pool: 2}\n"+flow, nil, 1)
	wantCounters(t, r, map[string]int64{"vusers.completed": 30, "http.codes.200": 60})
	pooled := s.connections()
	s.play(t, soon(30)+flow, nil, 1)
	// One is enough for users who never meet.
	if own := s.connections() - pooled; pooled < 1 || pooled > 2 || own != 30 {
		t.Errorf("%d connections for a pool of 2, and %d for 30 users without a pool", pooled, own)
	}
}

func TestEnsure(t *testing.T) {
	s := newShop(t)
	r, p, _ := s.play(t, soon(2)+`
  ensure:
    thresholds: [{http.response_time.p99: 60000}, {vusers.created: 1}]
    conditions: [{expression: "http.codes.200 == 2 and vusers.failed == 0"}, {expression: "http.codes.500 > 0", strict: false}]
    maxErrorRate: 0
    p95: 60000
scenarios: [{flow: [{get: {url: /}}]}]
`, nil, 1)
	got := ""
	for _, c := range p.Ensure(r) {
		got += fmt.Sprintf("%v %v %s\n", c.OK, c.Strict, c.Text)
	}
	want := "true true http.response_time.p99 < 60000\ntrue true http.codes.200 == 2 and vusers.failed == 0\ntrue true p95 < 60000\n" +
		"true true maxErrorRate <= 0 %\nfalse true vusers.created < 1\nfalse false http.codes.500 > 0\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// The report has the shape that tools for Artillery's files read.
func TestReportHasTheShapeOfArtillerys(t *testing.T) {
	s := newShop(t)
	r, _, _ := s.play(t, soon(2)+"scenarios: [{flow: [{get: {url: /}}]}]\n", nil, 1)
	var b strings.Builder
	if err := r.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	var file map[string]any
	if err := json.Unmarshal([]byte(b.String()), &file); err != nil {
		t.Fatal(err)
	}
	aggregate := file["aggregate"].(map[string]any)
	for _, key := range []string{"counters", "rates", "histograms", "summaries", "period", "firstMetricAt", "lastMetricAt", "firstCounterAt", "lastHistogramAt"} {
		if aggregate[key] == nil {
			t.Errorf("aggregate has no %s", key)
		}
	}
	times := aggregate["summaries"].(map[string]any)["http.response_time"].(map[string]any)
	for _, key := range []string{"min", "max", "count", "mean", "p50", "median", "p75", "p90", "p95", "p99", "p999"} {
		if _, ok := times[key].(float64); !ok {
			t.Errorf("http.response_time has no %s", key)
		}
	}
	if len(file["intermediate"].([]any)) == 0 || times["count"] != 2.0 {
		t.Errorf("intermediate %v, times %v", file["intermediate"], times)
	}
}

// An interrupted run ends soon, and says so.
func TestInterrupted(t *testing.T) {
	s := newShop(t)
	p, err := Read(write(t, "config:\n  target: "+s.URL+"\n  phases: [{duration: 600, arrivalRate: 20}]\nscenarios: [{flow: [{think: 500}]}]\n", nil), Options{})
	if err != nil {
		t.Fatal(err)
	}
	engine, err := load.New(load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(300*time.Millisecond, cancel)
	began := time.Now()
	r, err := p.Run(ctx, engine, RunOptions{Resolve: loopback, Seed: 1})
	if err != nil || !strings.HasPrefix(r.Partial, "interrupted after") || time.Since(began) > 30*time.Second {
		t.Errorf("%v, %+v after %v", err, r, time.Since(began))
	}
}

func TestBeforeHookThatFailsStopsEverything(t *testing.T) {
	s := newShop(t)
	p, err := Read(write(t, "config: {target: '"+s.URL+"'}\nbefore: {flow: [{get: {url: /, capture: {json: $.a, as: a}}}]}\nscenarios: [{flow: [{get: {url: /}}]}]\n", nil), Options{})
	if err != nil {
		t.Fatal(err)
	}
	engine, err := load.New(load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	if _, err = p.Run(context.Background(), engine, RunOptions{Resolve: loopback}); err == nil || !strings.Contains(err.Error(), "the before hook failed: Failed capture or match") {
		t.Errorf("the error is %v", err)
	}
}
