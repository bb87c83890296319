package scenario

import (
	"bytes"
	"net/url"
	"strings"
	"testing"

	"dyno/hist"
)

func TestEndpointsAreNamedAsArtilleryNamesThem(t *testing.T) {
	plain, byURL := MetricsByEndpoint{}, false
	for _, c := range []struct {
		spec               MetricsByEndpoint
		address, name, say string
	}{
		{plain, "/dino?a=1", "", "/api/dino?a=1"},
		{plain, "/dino#top", "", "/api/dino"},
		{plain, "/p/{{ id }}", "pony", "/api/p/{{ id }} (pony)"},
		{plain, "/a%20b/%zz", "", "/api/a%20b/%zz"},
		{plain, "/a%20b", "", "/api/a b"},
		{plain, "{{ $loopElement.url }}", "", "{{ $loopElement.url }}"},
		{plain, "http://shop:8080/x", "", "/x"},
		{plain, "http://shop:81/x", "", ":81/x"},
		{plain, "http://other/x", "", "other/x"},
		{plain, "https://{{ host }}:9", "", "{{ host }}:9/"},
		{plain, "http://[::1]:8080?q", "", "[::1]/?q"},
		{MetricsByEndpoint{StripQueryString: true}, "/dino?a=1", "", "/api/dino"},
		{MetricsByEndpoint{UseOnlyRequestNames: true}, "/dino", "d", "d"},
		{MetricsByEndpoint{UseOnlyRequestNames: true}, "/dino", "", "/api/dino"},
		{MetricsByEndpoint{IgnoreUnnamedRequests: true}, "/dino", "", ""},
	} {
		e := &endpoints{spec: c.spec, target: &url.URL{Scheme: "http", Host: "shop:8080", Path: "/api"}}
		if got := e.name(c.address, c.name); got != c.say {
			t.Errorf("%+v, %s, %q: %q, want %q", c.spec, c.address, c.name, got, c.say)
		}
	}
	if (&endpoints{spec: MetricsByEndpoint{GroupDynamicURLs: &byURL}}).grouped() {
		t.Error("groupDynamicURLs: false is not heeded")
	}
}

func TestMetricsByEndpoint(t *testing.T) {
	flow := `
scenarios:
  - flow:
      - get: {url: "/{{ word }}", name: "{{ word }}"}
      - get: {url: /redirect}
      - get: {url: "http://127.0.0.1:1/nobody"}
`
	s := newShop(t)
	r, _, _ := s.play(t, soon(2)+`
  plugins: {metrics-by-endpoint: {}, ensure: {}}
  ensure: {thresholds: [{"plugins.metrics-by-endpoint.response_time./redirect.p99": 60000}]}
  variables: {word: missing}`+flow, nil, 1)
	wantCounters(t, r, map[string]int64{
		"plugins.metrics-by-endpoint./{{ word }} ({{ word }}).codes.404": 2,
		"plugins.metrics-by-endpoint./redirect.codes.200":                2, // that of the last reply, once
		"plugins.metrics-by-endpoint./redirect.codes.302":                0,
		"plugins.metrics-by-endpoint.:1/nobody.errors.ECONNREFUSED":      2,
	})
	if n := r.Aggregate.Summaries["plugins.metrics-by-endpoint.response_time./redirect"].Count; n != 2 {
		t.Errorf("%d times of /redirect, want 2", n)
	}
	r, p, _ := s.play(t, soon(2)+`
  plugins: {metrics-by-endpoint: {groupDynamicURLs: false, metricsNamespace: mine}}
  variables: {word: missing}`+flow, nil, 1)
	wantCounters(t, r, map[string]int64{"mine./missing (missing).codes.404": 2, "mine.:1/nobody.errors.ECONNREFUSED": 2})
	if len(p.Ensure(r)) != 0 {
		t.Error("checks that nobody asked for")
	}
}

func TestThresholdsTakeNamesThatAreNoExpressions(t *testing.T) {
	s := newShop(t)
	r, p, _ := s.play(t, soon(2)+`
  plugins: {metrics-by-endpoint: {}}
  ensure: {thresholds: [{"plugins.metrics-by-endpoint.response_time./a-b?c=(d.p99": 60000}, {"no.such.metric": 1}]}
scenarios: [{flow: [{get: {url: "/a-b?c=(d"}}]}]
`, nil, 1)
	checks := p.Ensure(r)
	if len(checks) != 2 || !checks[0].OK || !strings.HasPrefix(checks[0].Text, "plugins.") || checks[1].OK {
		t.Errorf("%+v", checks)
	}
}

func TestApdex(t *testing.T) {
	s := newShop(t)
	for script, want := range map[string]string{
		"  plugins: {apdex: {}}\n":                                                           "Apdex score: 1 (excellent)",
		"  plugins: {apdex: {threshold: 0.00001}}\n":                                         "Apdex score: 0 (unacceptable)",
		"  plugins: {apdex: {}}\n  apdex: {threshold: 0.00001}\n":                            "Apdex score: 0 (unacceptable)",
		"  apdex: {threshold: 100}\n":                                                        "",
		"  plugins: {apdex: {threshold: 9000}}\n  apdex: {threshold: 9000}\n  timeout: 60\n": "Apdex score: 1 (excellent)",
	} {
		r, _, _ := s.play(t, soon(2)+script+"scenarios: [{flow: [{get: {url: /}}, {get: {url: /redirect}}]}]\n", nil, 1)
		var out bytes.Buffer
		r.WriteText(&out)
		if _, line, _ := strings.Cut(out.String(), "Apdex"); want == "" && line != "" || !strings.Contains(out.String(), want) {
			t.Errorf("%s: no %q in\n%s", script, want, out.String())
		}
		if n := r.Aggregate.Counters["apdex.satisfied"] + r.Aggregate.Counters["apdex.frustrated"]; want != "" && n != 4 {
			t.Errorf("%s: %d replies counted, want 4", script, n)
		}
	}
	for counters, want := range map[[3]int64]string{{8, 2, 0}: "good", {6, 2, 2}: "fair", {4, 2, 4}: "poor", {0, 0, 1}: "unacceptable"} {
		p := Period{Counters: map[string]int64{apdexNames[0]: counters[0], apdexNames[1]: counters[1], apdexNames[2]: counters[2]}}
		if _, rank, ok := p.Apdex(); !ok || rank != want {
			t.Errorf("%v is %q, want %q", counters, rank, want)
		}
	}
}

func TestOnErrorIsCalledForRequestsWithoutAReply(t *testing.T) {
	s := newShop(t)
	r, _, _ := s.play(t, soon(2)+`
  processor: ./p.js
scenarios:
  - {name: refused, onError: [note, later], flow: [{get: {url: "http://127.0.0.1:1/x"}}]}
`, map[string]string{"p.js": `module.exports = {
	note(error, request, context, events, next) { events.emit('counter', error.code + ' ' + request.method + ' ' + context.scenario.name, 1); next() },
	async later(error, request, context, events) { await new Promise(r => setTimeout(r, 1)); events.emit('counter', 'later', 1) },
}`}, 1)
	wantCounters(t, r, map[string]int64{"ECONNREFUSED GET refused": 2, "later": 2, "errors.ECONNREFUSED": 2, "vusers.failed": 2})
	r, _, _ = s.play(t, soon(1)+`
  processor: ./p.js
  timeout: 0.05
scenarios: [{onError: note, flow: [{get: {url: /slow}}, {get: {url: /never}}]}]
`, map[string]string{"p.js": `module.exports = { note(error, request, context, events, next) { events.emit('counter', error.code, 1); next() } }`}, 1)
	wantCounters(t, r, map[string]int64{"ETIMEDOUT": 1, "errors.ETIMEDOUT": 1, "vusers.failed": 1, "http.requests": 1})
}

func TestThinkingFractionsAreRemarkedOn(t *testing.T) {
	script := frame + "scenarios:\n  - flow:\n    - think: 1\n    - think: 500ms\n    - think: 0.5\n    - think: \"1.25\"\n"
	p, err := Read(write(t, script, nil), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Remarks) != 2 || !strings.Contains(p.Remarks[0], `script.yml:7:14: think 0.5 is in seconds`) || !strings.Contains(p.Remarks[1], `write "1250ms"`) {
		t.Errorf("%q", p.Remarks)
	}
}

// Reports of stretches add up to that of the whole.
func TestReportsAddUp(t *testing.T) {
	part := func(requests, us int64, perS float64) *Report {
		total := newPeriod(0)
		total.count("http.requests", requests, 5)
		total.times["http.total"] = hist.New()
		total.times["http.total"].Record(us)
		total.event("http.request_rate", 5)
		r := &Report{total: total, Aggregate: total.summary(), parts: 1}
		r.Aggregate.Rates["http.request_rate"] = perS
		return r
	}
	whole := part(3, 1000, 10)
	whole.Add(part(4, 3000, 20))
	whole.Add(part(5, 2000, 60))
	a := whole.Aggregate
	if s := a.Summaries["http.total"]; a.Counters["http.requests"] != 12 || s.Count != 3 || s.Min != 1 || s.Max != 3 || a.Rates["http.request_rate"] != 30 {
		t.Errorf("%+v", a)
	}
}
