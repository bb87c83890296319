package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWrk(t *testing.T) {
	for _, test := range []struct {
		file, fault string
		requests    int64
	}{
		{file: "wrk-clean.txt", requests: 170678},
		{file: "wrk-not-2xx.txt", fault: "wrk: Non-2xx or 3xx responses: 101; run the bench again on a quieter machine"},
		{file: "wrk-socket-errors.txt", fault: "wrk: Socket errors: connect 0, read 284, write 0, timeout 0; run the bench again on a quieter machine"},
	} {
		text, err := os.ReadFile(filepath.Join("testdata", test.file))
		if err != nil {
			t.Fatal(err)
		}
		requests, err := parseWrk(string(text))
		if requests != test.requests || message(err) != test.fault {
			t.Errorf("%s: %d, %v; want %d, %q", test.file, requests, err, test.requests, test.fault)
		}
	}
	for text, fault := range map[string]string{
		"":                                   `wrk: no line "N requests in …" in what it printed; check it with wrk -v`,
		"wrk 5\nno such option\n":            `wrk: no line "N requests in …" in what it printed; check it with wrk -v: no such option`,
		"0 requests in 1s":                   "wrk: 0 requests cannot be used; run the bench again",
		"99999999999999999999 requests in 1": "wrk: 99999999999999999999 requests cannot be used; run the bench again",
	} {
		if _, err := parseWrk(text); message(err) != fault {
			t.Errorf("%q: %v, want %q", text, err, fault)
		}
	}
}

func FuzzParseWrk(f *testing.F) {
	files, err := filepath.Glob("testdata/wrk-*.txt")
	if err != nil || len(files) == 0 {
		f.Fatalf("no examples: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		requests, err := parseWrk(text)
		if (err == nil) != (requests > 0) {
			t.Errorf("%d requests with error %v", requests, err)
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("an error of several lines: %q", err)
		}
	})
}
