package scenario

import (
	"errors"
	"maps"
	"net/http"
	"strings"

	"dyno/contract/http1"
)

// flight is a request in work: borrowed by a user until the reply is dealt with.
type flight struct {
	request  *request
	params   params // what hooks see; nil without any
	draft    *draft
	hop      *hop
	wire     []byte
	parser   http1.Parser
	readyNs  int64
	sentNs   int64
	firstNs  int64 // when the reply began; 0: not yet
	hops     int
	endpoint string // by which metrics-by-endpoint counts it; "": it does not
	status   int
	headers  map[string]string
	location string
	body     []byte
	bodyLen  int64
	keepBody bool
	ends     bool // the connection ends with this reply
}

const (
	hopsMax      = 10 // redirects that are followed
	bodyBytesMax = 64 << 20
)

// ask begins a request, unless its condition or its probability says otherwise.
func (u *user) ask(q *request) (wait bool, err error) {
	if q.probability < 100 && u.runner.rand.Float64()*100 >= q.probability {
		return false, nil
	}
	if q.ifTrue != nil && !truthy(q.ifTrue(u)) {
		return false, nil
	}
	if q.ifFunction != "" {
		if result, _, err := u.invoke(q.ifFunction, hookIf, nil, nil); err == nil && !truthy(result) {
			return false, nil
		}
	}
	f := u.runner.flights.take()
	f.request, f.draft = q, &q.draft
	u.flight = f
	if len(u.flow.beforeRequest)+len(q.before)+len(u.flow.afterResponse)+len(q.after)+len(u.flow.onError) > 0 {
		f.params = params(cloned(map[string]any(q.params)).(map[string]any))
	}
	u.waiting = hooked
	u.hooks(append(append([]string(nil), u.flow.beforeRequest...), q.before...), hookBefore, []any{map[string]any(f.params)}, u.takeOff)
	return true, nil
}

// cloned copies maps and lists deeply.
func cloned(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := maps.Clone(v)
		for key := range m {
			m[key] = cloned(m[key])
		}
		return m
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = cloned(v[i])
		}
		return list
	}
	return v
}

// hooks calls functions one after the other, then goes on or fails the user.
func (u *user) hooks(names []string, h hook, extra []any, then func() error) {
	if len(names) == 0 {
		if err := then(); err != nil {
			u.fail(err)
		}
		return
	}
	next := func(_ any, err error) {
		switch {
		case u.waiting == over:
		case err != nil:
			u.fail(err)
		default:
			u.hooks(names[1:], h, extra, then)
		}
	}
	if result, wait, err := u.invoke(names[0], h, extra, next); !wait {
		next(result, err)
	}
}

// takeOff renders the request, as the hooks left it, and sends it.
func (u *user) takeOff() error {
	f := u.flight
	if f.params != nil && len(u.flow.beforeRequest)+len(f.request.before) > 0 {
		changed, err := newDraft(plain(map[string]any(f.params)).(map[string]any))
		if err != nil {
			return err
		}
		f.draft = &changed
	}
	var err error
	if f.hop, err = f.draft.hop(u); err != nil {
		return err
	}
	f.endpoint = u.endpointOf(f)
	if t := u.runner.program.tracing; t != nil {
		f.hop.headers["traceparent"] = u.runner.traceparent(t)
	}
	if cookies := append(append([]field(nil), u.runner.program.defaults.cookie...), f.draft.cookie...); len(cookies) > 0 {
		jar := u.cookies(true)
		for _, c := range cookies {
			jar.SetCookies(f.hop.url, []*http.Cookie{{Name: c.key.text(u), Value: c.value.text(u), Path: "/"}})
		}
	}
	f.readyNs = u.runner.loop.ClockNs()
	return u.hop()
}

// hop sends the request, or the one that a redirect made of it.
func (u *user) hop() error {
	f := u.flight
	if jar := u.cookies(false); jar != nil {
		if cookies := cookieHeader(jar.Cookies(f.hop.url)); cookies != "" {
			f.hop.headers["cookie"] = cookies
		}
	}
	var err error
	if f.wire, err = f.hop.wire(); err != nil {
		return err
	}
	f.firstNs, f.status, f.location, f.headers, f.ends = 0, 0, "", nil, false
	f.body, f.bodyLen = f.body[:0], 0
	f.keepBody = len(f.request.captures)+len(f.request.expects)+len(u.flow.afterResponse)+len(f.request.after) > 0
	u.runner.count(metricRequests, 1) // whether it gets a connection or not, as with Artillery
	u.runner.event(metricRate)
	u.waiting = asking
	u.setTimer(u.runner.loop.NowNs() + u.runner.program.timeoutNs)
	return u.runner.connect(u)
}

func cookieHeader(cookies []*http.Cookie) string {
	var b strings.Builder
	for i, c := range cookies {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(c.Name + "=" + c.Value)
	}
	return b.String()
}

// send writes the request to the connection, which stands.
func (u *user) send() {
	f := u.flight
	f.parser.Reset()
	f.parser.Begin(f.hop.method)
	f.sentNs = u.runner.loop.ClockNs()
	u.link.conn.Send(f.wire)
}

// done gives the flight back and goes on.
func (u *user) done() {
	u.drop()
	u.run()
}

// drop gives the flight back.
func (u *user) drop() {
	if u.flight != nil {
		u.runner.flights.give(u.flight)
		u.flight = nil
	}
}

// lose ends a request that will get no reply, and so the user.
func (u *user) lose(code string) {
	if u.link != nil {
		u.link.close()
	}
	u.fail(errors.New(code))
}

// flights are kept for reuse.
type flights []*flight

const (
	flightsMax  = 1024
	keptBodyMax = 64 << 10
)

func (s *flights) take() *flight {
	if n := len(*s); n > 0 {
		f := (*s)[n-1]
		*s = (*s)[:n-1]
		return f
	}
	return &flight{}
}

func (s *flights) give(f *flight) {
	if len(*s) >= flightsMax || cap(f.body) > keptBodyMax {
		return
	}
	parser, body := f.parser, f.body[:0]
	*f = flight{parser: parser, body: body}
	*s = append(*s, f)
}
