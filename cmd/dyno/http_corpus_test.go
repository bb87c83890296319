package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dyno/contract/http1"
)

// asked is what the flags say where a line is silent.
var asked = ask{
	http1.Request{Target: "/url", Host: "h", Header: []http1.Field{{Name: "A", Value: "1"}}},
	http1.Want{BodyAny: true},
}

func corpusFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "c.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestCorpusLines(t *testing.T) {
	asks, err := readCorpus(corpusFile(t, `{}
{"path": "/b?x=1", "headers": ["B: 2"], "expect_status": 404}

  {"body": "", "expect_body": "ok"}
{"method": "PUT", "body": "two"}`), asked)
	if err != nil || len(asks) != 4 {
		t.Fatalf("%d requests, %v", len(asks), err)
	}
	all, err := exchanges(asks)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{
		"GET /url HTTP/1.1\r\nHost: h\r\nA: 1\r\n\r\n",
		"GET /b?x=1 HTTP/1.1\r\nHost: h\r\nA: 1\r\nB: 2\r\n\r\n",
		"POST /url HTTP/1.1\r\nHost: h\r\nA: 1\r\nContent-Length: 0\r\n\r\n",
		"PUT /url HTTP/1.1\r\nHost: h\r\nA: 1\r\nContent-Length: 3\r\n\r\ntwo",
	} {
		if got := string(all[i].Request); got != want {
			t.Errorf("request %d is %q, want %q", i+1, got, want)
		}
	}
	if all[1].Want.Status != 404 || !all[1].Want.BodyAny || all[2].Want.BodyAny || string(all[2].Want.Body) != "ok" {
		t.Errorf("wanted: %+v, %+v", all[1].Want, all[2].Want)
	}
}

func TestBadCorpora(t *testing.T) {
	for text, want := range map[string]string{
		"":                                       "holds no request",
		"\n \n":                                  "holds no request",
		`{"path": "/"}` + "\nhello":              ":2: invalid character",
		`{"paht": "/"}`:                          `:1: unknown field "paht"`,
		`[]`:                                     ":1: a JSON array in place of an object",
		`{"path": 7}`:                            ":1: path cannot be a JSON number",
		`{} {}`:                                  ":1: more than one JSON object",
		`{"path": "a"}`:                          ":1: HTTP request: target",
		`{"method": "A B"}`:                      ":1: HTTP request: method",
		`{"headers": ["nothing"]}`:               `:1: --header "nothing" is not of the form`,
		`{"headers": ["A: b\r\nC:"]}`:            ":1: HTTP request: ",
		`{"expect_status": 100}`:                 ":1: expect_status 100; it must lie between 200 and 599",
		`{"method": "HEAD", "expect_body": "x"}`: ":1: HTTP corpus: exchange 1 of 1: a body is wanted",
	} {
		_, err := readCorpus(corpusFile(t, text), asked)
		if err == nil || !strings.Contains(err.Error(), want) || strings.ContainsAny(err.Error(), "\r\n") {
			t.Errorf("%s: %v, want one line with %s", text, err, want)
		}
	}
}

func FuzzCorpusLine(f *testing.F) {
	f.Add(`{"method": "PUT", "path": "/a?b=1", "headers": ["A: b"], "body": "x", "expect_status": 200, "expect_body": ""}`)
	f.Add(`{"path": null}`)
	f.Fuzz(func(t *testing.T, text string) {
		a, err := readAsk([]byte(text), asked)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\r\n") {
				t.Errorf("more than one line: %q", err)
			}
			return
		}
		if _, err := exchanges([]ask{a}); err != nil {
			t.Errorf("accepted, and cannot be sent: %v", err)
		}
	})
}
