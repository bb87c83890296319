package main_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestHTTPCorpus(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/missing" {
			w.WriteHeader(404)
		}
		io.Copy(w, r.Body)
	})
	path := filepath.Join(t.TempDir(), "c.jsonl")
	lines := `{"path": "/missing", "expect_status": 404}
{"body": "one", "expect_body": "one"}
`
	must(t, os.WriteFile(path, []byte(lines), 0o600))
	o := b.dyno("http", s.URL, "--corpus", path, "-n", "400", "-p", "4")
	if o.code() != 0 || !strings.Contains(o.stdout, "2 different requests in random order") {
		t.Errorf("exit %d\n%s%s", o.code(), o.stdout, o.stderr)
	}
	must(t, os.WriteFile(path, []byte(lines+`{"body": "two", "expect_body": "too"}`), 0o600))
	o = b.dyno("http", s.URL, "--corpus", path, "-n", "400", "--json")
	r := parseLoad(t, o)
	if o.code() != 1 || r.Counts.Wrong < 50 || r.Counts.Verified+r.Counts.Wrong != 400 || !strings.Contains(o.lastLine(), `got "wo", want "oo"`) {
		t.Errorf("exit %d, %+v\n%s", o.code(), r, o.stderr)
	}
	must(t, os.WriteFile(path, []byte(lines+`{"boby": "two"}`), 0o600))
	if o := b.dyno("http", s.URL, "--corpus", path); o.code() != 2 || !strings.Contains(o.lastLine(), `c.jsonl:3: unknown field "boby"`) {
		t.Errorf("exit %d\n%s", o.code(), o.stderr)
	}
}
