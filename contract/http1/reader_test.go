package http1

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestReader(t *testing.T) {
	const wire = "HTTP/1.1 200 OK\r\nX: one\r\nContent-Length: 2\r\n\r\nhi" +
		"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 404 No\r\nX: two\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n" +
		"HTTP/1.1 200 OK\r\nX: three\r\nContent-Length: 7\r\n\r\n" +
		"HTTP/1.0 200 OK\r\nX: four\r\n\r\nto the end"
	for name, src := range map[string]io.Reader{
		"at once":        strings.NewReader(wire),
		"byte by byte":   iotest.OneByteReader(strings.NewReader(wire)),
		"end with bytes": iotest.DataErrReader(strings.NewReader(wire)),
	} {
		r := NewReader(src, 10)
		var all []*Reply
		for _, method := range []string{"GET", "POST", "HEAD", "GET"} {
			reply, err := r.Next(method)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			all = append(all, reply)
		}
		for i, want := range []struct {
			status  int
			x, body string
			ends    bool
		}{{200, "one", "hi", false}, {404, "two", "abcde", false}, {200, "three", "", false}, {200, "four", "to the end", true}} {
			x, _ := all[i].Value("x")
			if got := all[i]; got.Status != want.status || string(x) != want.x || string(got.Body) != want.body || got.Ends != want.ends {
				t.Errorf("%s: reply %d is %+v, X %q, want %+v", name, i+1, got, x, want)
			}
		}
		if reply, err := r.Next("GET"); err != io.EOF {
			t.Errorf("%s: after the last reply %v, %v, want EOF", name, reply, err)
		}
		if _, err := r.Next("GET"); err == nil {
			t.Errorf("%s: a reply after an error", name)
		}
	}
}

func TestReaderErrors(t *testing.T) {
	long := "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n01234567890"
	if _, err := NewReader(strings.NewReader(long), 10).Next("GET"); err == nil || !strings.Contains(err.Error(), "longer than the 10 bytes") {
		t.Errorf("long body: %v", err)
	}
	if _, err := NewReader(strings.NewReader(long[:20]), 10).Next("GET"); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("cut off: %v", err)
	}
	lost := errors.New("lost")
	if _, err := NewReader(iotest.ErrReader(lost), 10).Next("GET"); !errors.Is(err, lost) {
		t.Errorf("stream failed: %v", err)
	}
	if _, err := NewReader(nothing{}, 10).Next("GET"); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("stream that never says anything: %v", err)
	}
	r := NewReader(strings.NewReader("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi and more"), 10)
	if _, err := r.Next("GET"); err != nil || string(r.Buffered()) != " and more" {
		t.Errorf("behind the reply %q, %v", r.Buffered(), err)
	}
	if _, err := r.Next("GET"); err == nil {
		t.Error("what is behind the reply is no reply")
	}
}

type nothing struct{}

func (nothing) Read([]byte) (int, error) { return 0, nil }
