package httpgate

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"dyno"
	"dyno/contract/http1"
	"dyno/contract/internal/gate"
	"dyno/contract/internal/jsontext"
	"dyno/internal/golden"
)

func text(status int, body string, fields ...string) *reply {
	r := &reply{status: status, body: []byte(body), header: http.Header{"Content-Type": {"text/plain"}}}
	for i := 0; i < len(fields); i += 2 {
		r.header.Add(fields[i], fields[i+1])
	}
	return r
}

func hi() Exchange {
	return New(http1.Request{}, Exchange{MediaType: "text/plain", Exchange: http1.Exchange{Want: http1.Want{
		Status: 200, Body: []byte("hi"), Header: []http1.HeaderWant{{Name: "x-powered-by", Value: "benchmark"}}}}})
}

// TestReasons shows every reason that a reply can be refused for.
func TestReasons(t *testing.T) {
	right := text(200, "hi", "X-Powered-By", "benchmark")
	typed := func(contentType string) *reply {
		r := text(200, "hi", "X-Powered-By", "benchmark")
		r.header.Set("Content-Type", contentType)
		return r
	}
	long := hi()
	long.Want.Body = []byte(strings.Repeat("0123456789", 20))
	several := hi()
	several.OneOf = [][]byte{[]byte("a"), []byte("b")}
	refused := New(http1.Request{}, Exchange{StatusMax: 499, Exchange: http1.Exchange{Want: http1.Want{Status: 400, BodyAny: true}}})
	either := refused
	either.Or = []Exchange{hi()}
	value := jsontext.Object{{Key: "a", Value: 1.0}}
	mirror := Mirror("/json", []byte(` {"\u0061":1.0}`), value)
	json := func(body string) *reply {
		return &reply{status: 200, body: []byte(body), header: http.Header{"Content-Type": {"application/json; charset=UTF-8"}}}
	}
	var out strings.Builder
	for _, c := range []struct {
		name string
		x    Exchange
		r    *reply
	}{
		{"right", hi(), right},
		{"charset", hi(), typed("text/plain;charset=UTF-8")},
		{"type in capitals", hi(), typed("Text/Plain")},
		{"status", hi(), text(404, "no such page\n")},
		{"status without a body", hi(), text(500, "")},
		{"body", hi(), text(200, "ho")},
		{"long body", long, text(200, strings.Repeat("0123456789", 19)+"x")},
		{"no field", hi(), text(200, "hi")},
		{"other field", hi(), text(200, "hi", "x-powered-by", "Express")},
		{"field twice", hi(), text(200, "hi", "x-powered-by", "benchmark", "X-Powered-By", "benchmark")},
		{"other type", hi(), typed("text/html")},
		{"longer type", hi(), typed("text/plainest")},
		{"no type at all", hi(), typed(";")},
		{"other charset", hi(), typed("text/plain; charset=latin1")},
		{"one of several", several, text(200, "b", "x-powered-by", "benchmark")},
		{"none of several", several, text(200, "c")},
		{"refused", refused, text(422, "")},
		{"not refused", refused, text(200, "fine")},
		{"refused too late", refused, text(500, "")},
		{"other right reply", either, right},
		{"no right reply", either, text(302, "")},
		{"JSON", mirror, json(`{"a":1}`)},
		{"JSON in another spelling", mirror, json("{\n  \"a\": 1\n}")},
		{"JSON of another value", mirror, json(`{"a":2}`)},
		{"no JSON", mirror, json(`a`)},
		{"echo", mirror, json(` {"\u0061":1.0}`)},
		{"echo without white space", mirror, json(`{"\u0061":1.0}`)},
		{"JSON as text", mirror, text(200, `{"a":1}`)},
	} {
		fmt.Fprintf(&out, "%-26s %v\n", c.name, c.x.check(c.r))
	}
	golden.Check(t, "reasons.golden", out.String())
}

func TestLabels(t *testing.T) {
	var out strings.Builder
	for _, r := range []http1.Request{
		{},
		{Target: "/id/1?name=" + strings.Repeat("x", 200)},
		JSONRequest("/json", []byte(`{ "hello": "world" }`)),
		JSONRequest("/json", []byte("{\n}")),
		JSONRequest("/json", []byte(strings.Repeat("[", 300))),
	} {
		x := New(r, Exchange{})
		fmt.Fprintln(&out, x.blame(gate.Wrong("it is so")))
	}
	golden.Check(t, "labels.golden", out.String())
}

// TestVerifiedUnderLoadToo: what the gate accepts or refuses of a body, the engine does.
func TestVerifiedUnderLoadToo(t *testing.T) {
	value := jsontext.Object{{Key: "a", Value: "b"}}
	const sent = "{ \"\\u0061\" : \"b\" }"
	x := Mirror("/json", []byte(sent), value)
	for body, ok := range map[string]bool{
		`{"a":"b"}`: true, `{"a": "b"}`: true, "{\n\"a\":\"b\"}\n": true, `{"a":"\u0062"}`: true,
		sent: false, `{"\u0061":"b"}`: false, `{"a":"c"}`: false, `{}`: false, ``: false, `{"a":"b"`: false,
	} {
		engine := body == string(x.Want.Body) || x.Want.Same([]byte(body))
		if engine != ok || (x.checkBody([]byte(body)) == nil) != ok {
			t.Errorf("%s: the engine says %v, the gate %v, want %v", body, engine, x.checkBody([]byte(body)), ok)
		}
	}
}

// TestTrafficHasNoRepetition: requests that are the same are in the corpus once.
func TestTrafficHasNoRepetition(t *testing.T) {
	w := Workload{Name: "few", Make: func(_ *gate.Source, i int) Exchange { return New(http1.Request{Target: fmt.Sprint("/", i%3)}, hi()) }}
	if n := len(w.exchanges(1)); n != 3 {
		t.Errorf("%d exchanges, want 3", n)
	}
	open, err := Workloads{w}.Traffic(dyno.Workload{Name: "few"}, 2, 1)
	if err != nil || len(open(0).Request(nil)) == 0 {
		t.Errorf("no traffic: %v", err)
	}
}

// FuzzCheck: whatever a server answers is judged in one short line.
func FuzzCheck(f *testing.F) {
	f.Add(200, []byte("hi"), "text/plain", "benchmark")
	f.Add(404, []byte("\xff\n\x00"), "text/plain; charset=\"\n", "\r\n")
	f.Add(200, []byte(`{"a":1}`), "application/json", "")
	f.Fuzz(func(t *testing.T, status int, body []byte, contentType, poweredBy string) {
		r := &reply{status: status, body: body, header: http.Header{"Content-Type": {contentType}, "X-Powered-By": {poweredBy}}}
		for _, x := range []Exchange{hi(), Mirror("/", []byte(` {"a":1}`), jsontext.Object{{Key: "a", Value: 1.0}})} {
			err := x.check(r)
			if err != nil && (strings.ContainsAny(err.Error(), "\n\r") || len(err.Error()) > 1200) {
				t.Errorf("%q is not one short line", err)
			}
			if err == nil && (status != 200 || len(body) == 0) {
				t.Errorf("status %d with %q was accepted", status, body)
			}
		}
	})
}
