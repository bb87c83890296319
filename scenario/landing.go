package scenario

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"dyno/contract/http1"
	"dyno/internal/words"
)

// received reads on in the reply.
func (u *user) received(in []byte) {
	f := u.flight
	if f.firstNs == 0 {
		f.firstNs = u.runner.loop.NowNs()
	}
	for {
		n, event := f.parser.Next(in)
		in = in[n:]
		switch event {
		case http1.More:
			return
		case http1.GotHead:
			u.gotHead()
		case http1.GotBody:
			u.gotBody(f.parser.Body())
		case http1.Done:
			f.ends = f.ends || len(in) > 0 // bytes that nobody asked for
			u.landed()
			return
		case http1.Failed:
			u.lose("EPROTO")
			return
		}
		if u.waiting != asking {
			return
		}
	}
}

func (u *user) gotHead() {
	f, head := u.flight, u.flight.parser.Head()
	f.status, f.ends = head.Status, f.parser.Ends()
	var setCookies []*http.Cookie
	for name, value := range head.Fields {
		key := strings.ToLower(string(name))
		if f.keepBody || key == "content-encoding" {
			if f.headers == nil {
				f.headers = map[string]string{}
			}
			if before, twice := f.headers[key]; twice {
				f.headers[key] = before + ", " + string(value)
			} else {
				f.headers[key] = string(value)
			}
		}
		switch key {
		case "location":
			f.location = string(value)
		case "set-cookie":
			if c, err := http.ParseSetCookie(string(value)); err == nil {
				setCookies = append(setCookies, c)
			} else {
				u.runner.count("errors.cookie_parse_error_invalid_cookie", 1)
			}
		}
	}
	if len(setCookies) > 0 {
		u.cookies(true).SetCookies(f.hop.url, setCookies)
	}
}

func (u *user) gotBody(b []byte) {
	f := u.flight
	f.bodyLen += int64(len(b))
	switch {
	case !f.keepBody:
	case len(f.body)+len(b) > bodyBytesMax:
		u.lose(fmt.Sprintf("the reply is longer than %d bytes", bodyBytesMax))
	default:
		f.body = append(f.body, b...)
	}
}

// landed deals with a whole reply.
func (u *user) landed() {
	f, r := u.flight, u.runner
	u.timer.Stop()
	nowNs := r.loop.NowNs()
	firstNs, totalNs := max(f.firstNs-f.sentNs, 0), max(nowNs-f.readyNs, 0)
	firstUs := float64(firstNs) / 1e3
	r.count(codeNames[f.status], 1)
	r.count(metricResponses, 1)
	r.count(metricBytes, f.bodyLen)
	r.time(metricResponseTime, firstUs)
	if class := f.status / 100; class < len(classNames) && classNames[class] != "" {
		r.time(classNames[class], firstUs)
	}
	r.time(metricTotal, float64(totalNs)/1e3)
	if r.times != nil {
		r.times.FirstByte.Record(firstNs)
		r.times.Response.Record(totalNs)
	}
	r.live.Responses.Add(1)
	r.landed(u)
	if f.draft.followRedirect && f.hops < hopsMax {
		next, err := f.hop.redirected(f.status, f.location)
		if err != nil {
			u.fail(err)
			return
		}
		if next != nil {
			f.hop, f.hops, f.readyNs = next, f.hops+1, nowNs
			if err := u.hop(); err != nil {
				u.fail(err)
			}
			return
		}
	}
	r.replied(f, firstUs, totalNs)
	u.judge()
}

// judge takes captures, runs the hooks and checks what was expected.
func (u *user) judge() {
	f := u.flight
	if !f.keepBody {
		u.done()
		return
	}
	body, err := f.decoded()
	if err != nil {
		u.fail(err)
		return
	}
	reply := &reply{status: f.status, headers: f.headers, body: body}
	if reply.headers == nil {
		reply.headers = map[string]string{}
	}
	captured := u.check(f.request, reply)
	headers := make(map[string]any, len(reply.headers))
	for name, value := range reply.headers {
		headers[name] = value
	}
	response := map[string]any{"statusCode": f.status, "headers": headers, "body": body, "url": f.hop.url.String()}
	names := append(append([]string(nil), u.flow.afterResponse...), f.request.after...)
	u.waiting = hooked
	u.hooks(names, hookAfter, []any{map[string]any(f.params), response}, func() error {
		met := u.expect(f, reply)
		switch {
		case !captured:
			return errorCode("Failed capture or match")
		case !met && u.runner.program.expect.ReportFailuresAsErrors:
			return errorCode("Failed expectations for request " + u.nameOf(f))
		}
		u.done()
		return nil
	})
}

// nameOf is what a request is called in errors.
func (u *user) nameOf(f *flight) string {
	if name, ok := f.request.params["name"].(string); ok && u.runner.program.expect.UseOnlyRequestNames {
		return name
	}
	return f.hop.url.String()
}

var status200 = expectation{name: "statusCode", want: template{constant: float64(200)}}

// expect counts what was expected and whether it came.
func (u *user) expect(f *flight, r *reply) (met bool) {
	plugin := u.runner.program.expect
	if plugin == nil {
		return true
	}
	expects := f.request.expects
	if len(expects) == 0 && plugin.ExpectDefault200 {
		expects = []expectation{status200}
	}
	met = true
	for i := range expects {
		name, ok := expects[i].met(u, r)
		result := "ok"
		if !ok {
			met, result = false, "failed"
			u.runner.unexpected(f, name, r)
		}
		u.runner.count("plugins.expect."+result, 1)
		u.runner.count("plugins.expect."+result+"."+name, 1)
	}
	return met
}

// decoded undoes the content coding of the body.
func (f *flight) decoded() (string, error) {
	var from io.Reader = bytes.NewReader(f.body)
	switch strings.ToLower(f.headers["content-encoding"]) {
	case "gzip", "x-gzip":
		if len(f.body) == 0 {
			return "", nil
		}
		z, err := gzip.NewReader(from)
		if err != nil {
			return "", errors.New("the reply is not the gzip that it says it is")
		}
		from = z
	case "deflate":
		from = flate.NewReader(from)
	default:
		return string(f.body), nil
	}
	b, err := io.ReadAll(io.LimitReader(from, bodyBytesMax))
	if err != nil {
		return "", fmt.Errorf("the reply's content coding is broken: %s", words.Shorten(err.Error()))
	}
	return string(b), nil
}
