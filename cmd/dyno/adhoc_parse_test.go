package main

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"dyno/contract/http1"
)

// oneLine fails the test when an error is more than the one line that the user gets.
func oneLine(t *testing.T, input string, err error) {
	t.Helper()
	if strings.ContainsAny(err.Error(), "\n\r") || len(err.Error()) > 400 {
		t.Errorf("%q: %q", input, err)
	}
}

func TestParseURL(t *testing.T) {
	for text, want := range map[string]string{
		"localhost":                    "http://localhost/",
		"localhost:8080":               "http://localhost:8080/",
		"127.0.0.1:80/a?b=http://c#d":  "http://127.0.0.1:80/a?b=http://c",
		"https://[::1]:8443":           "https://[::1]:8443/",
		"HTTP://Example.test/%20?q":    "http://Example.test/%20?q",
		"http://localhost/a b":         "http://localhost/a%20b",
		"//localhost/":                 "",
		"ws://localhost/":              "",
		"http://:80/":                  "",
		"http://localhost\n/":          "",
		"localhost:8080/?next=a://b/c": "http://localhost:8080/?next=a://b/c",
	} {
		u, err := parseURL(text)
		switch {
		case err != nil && want != "":
			t.Errorf("%s: %v", text, err)
		case err != nil:
			oneLine(t, text, err)
		case u.String() != want:
			t.Errorf("%s: got %s, want %s", text, u, want)
		}
	}
}

func TestParseHeader(t *testing.T) {
	for text, want := range map[string][2]string{
		"Accept: text/html": {"Accept", "text/html"}, "Accept=text/html": {"Accept", "text/html"},
		"Cookie: a=b; c=d": {"Cookie", "a=b; c=d"}, "X=1:2": {"X", "1:2"}, "X:": {"X", ""},
	} {
		if h, err := parseHeader(text); err != nil || h.Name != want[0] || h.Value != want[1] {
			t.Errorf("%s: %+v, %v", text, h, err)
		}
	}
}

func TestSecondsMayBeBare(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"10": 10 * time.Second, "0.5": 500 * time.Millisecond, "10s": 10 * time.Second, "1m30s": 90 * time.Second, "250ms": 250 * time.Millisecond,
	} {
		var s secondsValue
		if err := s.Set(text); err != nil || time.Duration(s) != want {
			t.Errorf("%s: %v, %v", text, time.Duration(s), err)
		}
	}
	for _, text := range []string{"", "soon", "1.2.3", ".", "1h1"} {
		if err := new(secondsValue).Set(text); err == nil {
			t.Errorf("%q: accepted", text)
		}
	}
}

// TestRequestsFromAnything builds requests from pieces that a user may write: each is refused in one
// line, or it is one request to the byte. (A fuzz target would have all of dyno instrumented.)
func TestRequestsFromAnything(t *testing.T) {
	pieces := []string{"http://", "https://", "localhost", ":80", "/", "?a=b", "#c", " ", "\r\n", "\n", "%0d%0a", "%zz", "ä", "\x00", "[::1]", "@", "=", ": ", "Content-Length", "GET", "\t"}
	r := rand.New(rand.NewPCG(1, 2))
	piecewise := func() string {
		var b strings.Builder
		for range 1 + r.IntN(5) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		return b.String()
	}
	made := 0
	for range 200_000 {
		if wire := anyRequest(t, piecewise(), piecewise(), pieces[r.IntN(len(pieces))]); wire != "" {
			made++
			if head, rest, _ := strings.Cut(wire, "\r\n\r\n"); rest != "" || strings.Contains(strings.ReplaceAll(head, "\r\n", ""), "\n") {
				t.Fatalf("not one request: %q", wire)
			}
		}
	}
	if made < 10 {
		t.Errorf("only %d requests were made: nothing was tested", made)
	}
}

// anyRequest returns what would be sent, "" when it is refused.
func anyRequest(t *testing.T, address, header, method string) string {
	t.Helper()
	u, err := parseURL(address)
	if err != nil {
		oneLine(t, address, err)
		return ""
	}
	h, err := parseHeader(header)
	if err != nil {
		oneLine(t, header, err)
		return ""
	}
	wire, err := http1.Request{Method: method, Target: u.RequestURI(), Host: u.Host,
		Header: []http1.Field{{Name: h.Name, Value: h.Value}}}.Bytes()
	if err != nil {
		oneLine(t, address+header+method, err)
	}
	return string(wire)
}
