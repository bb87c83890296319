package http1

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"dyno/internal/golden"
)

func TestRequests(t *testing.T) {
	for _, c := range []struct {
		name string
		r    Request
		want string
	}{
		{"least", Request{Host: "h"}, "GET / HTTP/1.1\r\nHost: h\r\n\r\n"},
		{"query", Request{Host: "127.0.0.1:80", Target: "/id/1?name=b%20c&d=%F0"}, "GET /id/1?name=b%20c&d=%F0 HTTP/1.1\r\nHost: 127.0.0.1:80\r\n\r\n"},
		{"star", Request{Method: "OPTIONS", Host: "h", Target: "*"}, "OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n"},
		{"body", Request{Method: "POST", Host: "h", Body: []byte("a\r\nb"), Header: []Field{{"content-type", " text/plain "}}}, "POST / HTTP/1.1\r\nHost: h\r\ncontent-type: text/plain\r\nContent-Length: 4\r\n\r\na\r\nb"},
		{"empty body", Request{Method: "POST", Host: "h"}, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n"},
		{"body of GET", Request{Host: "h", Body: []byte("x")}, "GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nx"},
		{"own host, own length", Request{Method: "PUT", Host: "h", Body: []byte("xy"), Header: []Field{{"HOST", "other"}, {"Content-length", "2"}}}, "PUT / HTTP/1.1\r\nHOST: other\r\nContent-length: 2\r\n\r\nxy"},
		{"same name twice", Request{Host: "h", Header: []Field{{"X", "1"}, {"x", "2"}, {"Y", ""}}}, "GET / HTTP/1.1\r\nHost: h\r\nX: 1\r\nx: 2\r\nY: \r\n\r\n"},
		{"UTF-8 in a value", Request{Host: "h", Header: []Field{{"X", "größe"}}}, "GET / HTTP/1.1\r\nHost: h\r\nX: größe\r\n\r\n"},
		{"IPv6", Request{Host: "[::1]:80"}, "GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n"},
	} {
		got, err := c.r.Bytes()
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %q, %v; want %q", c.name, got, err, c.want)
		}
	}
}

func TestRequestsThatAreRefused(t *testing.T) {
	var b strings.Builder
	for _, r := range []Request{
		{},
		{Host: "h", Method: "GET /"},
		{Host: "h", Method: "G\r\nT"},
		{Host: "h", Method: "CONNECT"},
		{Host: "h", Target: "x"},
		{Host: "h", Target: "http://h/"},
		{Host: "h", Target: "/a b"},
		{Host: "h", Target: "/a\r\nX: y"},
		{Host: "h", Target: "/ä"},
		{Host: "h", Target: "/a#b"},
		{Host: "h/x"},
		{Host: "h\r\nX: y"},
		{Host: "user@h"},
		{Host: "h", Header: []Field{{"", "x"}}},
		{Host: "h", Header: []Field{{"X Y", "z"}}},
		{Host: "h", Header: []Field{{"X:", "z"}}},
		{Host: "h", Header: []Field{{"X", "a\r\nY: z"}}},
		{Host: "h", Header: []Field{{"X", "a\nb"}}},
		{Host: "h", Header: []Field{{"X", "a\x00"}}},
		{Host: "h", Header: []Field{{"Host", "a"}, {"host", "b"}}},
		{Host: "h", Header: []Field{{"Content-Length", "1"}}},
		{Host: "h", Body: []byte("x"), Header: []Field{{"Content-Length", "01"}}},
		{Host: "h", Header: []Field{{"Transfer-Encoding", "chunked"}}},
		{Host: "h", Header: []Field{{"Upgrade", "h2c"}}},
	} {
		wire, err := r.Bytes()
		if err == nil || wire != nil || strings.ContainsAny(err.Error(), "\r\n") {
			t.Errorf("%+v: %q, error %v, want one line", r, wire, err)
			continue
		}
		fmt.Fprintln(&b, err)
	}
	golden.Check(t, "request_errors.golden", b.String())
}

// FuzzRequest: whatever is taken is read by net/http as one request that is the one meant.
func FuzzRequest(f *testing.F) {
	f.Add("GET", "/a?b=c", "h:80", "X-Y", "value", []byte(nil))
	f.Add("POST", "/", "[::1]:1", "Content-Length", "2", []byte("hi"))
	f.Add("", "", "h", "X", "a\r\nb", []byte("GET / HTTP/1.1\r\n\r\n"))
	f.Fuzz(func(t *testing.T, method, target, host, name, value string, body []byte) {
		r := Request{Method: method, Target: target, Host: host, Body: body, Header: []Field{{name, value}}}
		wire, err := r.Bytes()
		if err != nil {
			if strings.ContainsAny(err.Error(), "\r\n") {
				t.Errorf("error of several lines: %q", err)
			}
			return
		}
		in := bufio.NewReader(bytes.NewReader(wire))
		got, err := http.ReadRequest(in)
		if err != nil {
			// net/http also looks into hosts and targets, which a load generator sends as they are.
			if strings.Contains(err.Error(), "Host") || strings.Contains(err.Error(), "parse ") || strings.Contains(err.Error(), "invalid URI") {
				return
			}
			t.Fatalf("%q: %v", wire, err)
		}
		gotBody, err := io.ReadAll(got.Body)
		if err != nil || !bytes.Equal(gotBody, body) || got.RequestURI != r.target() || got.Method != r.method() {
			t.Fatalf("%q is read as %+v, body %q, error %v", wire, got, gotBody, err)
		}
		if _, err := in.ReadByte(); err != io.EOF {
			t.Fatalf("%q holds more than one request", wire)
		}
	})
}
