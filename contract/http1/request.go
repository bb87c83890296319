package http1

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Field is one line of a header.
type Field struct{ Name, Value string }

// Request is what to ask. It is written in the order in which it is given, with nothing added but
// Host and, where one is due, Content-Length.
type Request struct {
	Method string  // "": GET
	Target string  // path and query as sent, e.g. "/id/1?name=bun"; "": "/"
	Host   string  // e.g. "127.0.0.1:8080"; a Host among Header replaces it
	Header []Field // sent in this order and spelling
	Body   []byte  // may be nil
}

// Bytes returns the request as it goes over the wire. The error, one line, names the part that
// would make it another request than the one meant: a line break in a value, a blank in the target,
// a length that is not the body's.
func (r Request) Bytes() ([]byte, error) {
	if err := r.check(); err != nil {
		return nil, fmt.Errorf("HTTP request: %w", err)
	}
	var b bytes.Buffer
	b.WriteString(r.method() + " " + r.target() + " HTTP/1.1\r\n")
	if !r.has("Host") {
		writeField(&b, Field{"Host", r.Host})
	}
	for _, f := range r.Header {
		writeField(&b, f)
	}
	if !r.has("Content-Length") && (len(r.Body) > 0 || expectsBody(r.method())) {
		writeField(&b, Field{"Content-Length", strconv.Itoa(len(r.Body))})
	}
	b.WriteString("\r\n")
	b.Write(r.Body)
	return b.Bytes(), nil
}

func writeField(b *bytes.Buffer, f Field) {
	b.WriteString(f.Name + ": " + strings.Trim(f.Value, " \t") + "\r\n")
}

// expectsBody tells whether an empty body is to be announced (RFC 9110, section 8.6).
func expectsBody(method string) bool {
	return method == "POST" || method == "PUT" || method == "PATCH"
}

func (r Request) method() string {
	if r.Method == "" {
		return "GET"
	}
	return r.Method
}

func (r Request) target() string {
	if r.Target == "" {
		return "/"
	}
	return r.Target
}

func (r Request) has(name string) bool {
	for _, f := range r.Header {
		if strings.EqualFold(f.Name, name) {
			return true
		}
	}
	return false
}

func (r Request) check() error {
	if !isToken(r.method()) {
		return fmt.Errorf("method %q is not a word; use e.g. GET or POST", r.Method)
	}
	if r.method() == "CONNECT" {
		return errors.New("method CONNECT opens a tunnel, whose bytes are no replies; use another method")
	}
	if err := checkTarget(r.target()); err != nil {
		return err
	}
	if !r.has("Host") && (r.Host == "" || strings.ContainsAny(r.Host, " \t/?#@") || !isClean(r.Host)) {
		return fmt.Errorf("host %q is not a name with an optional port; use e.g. 127.0.0.1:8080", r.Host)
	}
	for i, f := range r.Header {
		if err := r.checkField(i, f); err != nil {
			return err
		}
	}
	return nil
}

func checkTarget(target string) error {
	if target[0] != '/' && target != "*" {
		return fmt.Errorf("target %q does not begin with a slash; give the path of the URL", target)
	}
	for i := range len(target) {
		if c := target[i]; c <= ' ' || c >= 0x7f || c == '#' {
			return fmt.Errorf("target %q holds %q; percent-encode it", target, c)
		}
	}
	return nil
}

func (r Request) checkField(i int, f Field) error {
	if !isToken(f.Name) {
		return fmt.Errorf("header name %q is not a word; write NAME: VALUE", f.Name)
	}
	if !isClean(f.Value) {
		return fmt.Errorf("header %s holds a control character in %q; remove it", f.Name, f.Value)
	}
	for _, before := range r.Header[:i] {
		if strings.EqualFold(before.Name, f.Name) && (strings.EqualFold(f.Name, "Host") || strings.EqualFold(f.Name, "Content-Length")) {
			return fmt.Errorf("header %s is given twice; give it once", f.Name)
		}
	}
	value := strings.Trim(f.Value, " \t")
	switch {
	case strings.EqualFold(f.Name, "Content-Length") && value != strconv.Itoa(len(r.Body)):
		return fmt.Errorf("header Content-Length says %q and the body has %d bytes; leave the header out", value, len(r.Body))
	case strings.EqualFold(f.Name, "Transfer-Encoding"):
		return errors.New("header Transfer-Encoding is not sent: bodies go with their length; leave the header out")
	case strings.EqualFold(f.Name, "Upgrade"):
		return errors.New("header Upgrade asks for another protocol, whose bytes are no replies; leave the header out")
	}
	return nil
}
