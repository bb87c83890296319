package main

import (
	"bytes"
	"testing"
	"time"

	"dyno/bench/internal/table"
	"dyno/internal/golden"
)

func TestParseH2load(t *testing.T) {
	for _, test := range []struct {
		output string
		n      int64
		fault  string
	}{
		{"finished in 2s\nrequests: 1207 total, 1210 started, 1207 done, 1207 succeeded, 0 failed, 0 errored, 0 timeout\nstatus codes: …", 1207, ""},
		{"requests: 9 total, 9 started, 9 done, 8 succeeded, 1 failed, 0 errored, 0 timeout", 0, "h2load: 1 requests failed and 0 errored; run the bench again on a quieter machine"},
		{"h2load: no such host", 0, `h2load: no line "requests: …" in what it printed: h2load: no such host`},
		{"", 0, `h2load: no line "requests: …" in what it printed`},
	} {
		if n, err := parseH2load(test.output); n != test.n || message(err) != test.fault {
			t.Errorf("%q: %d, %q; want %d, %q", test.output, n, message(err), test.n, test.fault)
		}
	}
}

func TestParseAutocannon(t *testing.T) {
	for _, test := range []struct {
		output string
		n      int64
		fault  string
	}{
		{`{"requests":{"total":5005},"errors":0,"timeouts":0,"non2xx":0}`, 5005, ""},
		{`{"requests":{"total":7},"errors":1,"timeouts":0,"non2xx":2}`, 0, "autocannon: 7 replies, 3 failures; run the bench again on a quieter machine"},
		{`{}`, 0, "autocannon: 0 replies, 0 failures; run the bench again on a quieter machine"},
		{`Error: x`, 0, "autocannon: what it printed is no JSON: invalid character 'E' looking for beginning of value: Error: x"},
	} {
		if n, err := parseAutocannon([]byte(test.output)); n != test.n || message(err) != test.fault {
			t.Errorf("%q: %d, %q; want %d, %q", test.output, n, message(err), test.n, test.fault)
		}
	}
}

func TestLoadReport(t *testing.T) {
	present := []loader{{name: "dyno"}, {name: "wrk"}, {name: "autocannon"}}
	found := map[shape]map[string]*figures{
		{64, 1}: {
			"dyno":       {[]float64{5, 5.1}, []float64{100_000, 99_000}},
			"wrk":        {[]float64{7.4, 7.3}, []float64{90_000, 91_000}},
			"autocannon": {[]float64{15, 16}, []float64{20_000, 21_000}},
		},
		{200, 50}: {
			"dyno":       {[]float64{0.4, 0.41}, []float64{2_400_000, 2_500_000}},
			"autocannon": {[]float64{9, 9.1}, []float64{61_000, 60_000}},
		},
	}
	r := loadResult([]shape{{64, 1}, {200, 50}}, present, []string{"h2load: not installed"}, 2*time.Second, 2, found)
	var out bytes.Buffer
	table.Write(&out, "load-cost", r, true)
	golden.Check(t, "load.txt", out.String())
}
