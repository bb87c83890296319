package threshold

import (
	"strings"
	"testing"
	"time"

	"dyno"
	"dyno/hist"
)

// report has 1,000 latencies of 1 ms to 1 s, 1,010 requests due, 8 without a right reply and 2 never sent.
func report() *dyno.LoadReport {
	r := &dyno.LoadReport{
		DurationNs: int64(10 * time.Second),
		Counts:     dyno.LoadCounts{Sent: 1008, Verified: 1000, Counted: 1000, Wrong: 3, Lost: 5, Unsent: 2},
		Codes:      map[int]int64{200: 990, 204: 10, 500: 3},
		Errors:     map[string]int64{"timeout": 4, "reset": 1, "wrong": 3},
		Latency:    hist.New(),
		Instrument: dyno.LoadInstrument{Late: 7},
	}
	for i := range 1000 {
		r.Latency.Record(int64(i+1) * int64(time.Millisecond))
	}
	return r
}

func TestThresholds(t *testing.T) {
	for _, c := range []struct {
		expression string
		broken     bool
		seen       string
	}{
		{"p99>50ms", true, "p99 was 990"},
		{" P99 > 2s ", false, "p99 was 990"},
		{"p50>=500ms", true, "p50 was 500"},
		{"p99.9>998ms", true, "p99.9 was 999"},
		{"p999>998ms", true, "p999 was 999"},
		{"p100>1001ms", false, "p100 was 1 s"},
		{"min<2ms", true, "min was 1 ms"},
		{"min<1000us", false, "min was 1 ms"},
		{"min<1001µs", true, "min was 1 ms"},
		{"mean>500ms", true, "mean was 500.5 ms"},
		{"max>1h", false, "max was 1 s"},
		{"stdev>1s", false, "stdev was 288.7 ms"},
		{"errors>0", true, "errors was 8"},
		{"errors>8", false, "errors was 8"},
		{"errors>0.1%", true, "errors was 0.7921 % (8 of 1010)"},
		{"errors>1%", false, "errors was 0.7921 % (8 of 1010)"},
		{"errors>=100%", false, "errors was 0.7921 % (8 of 1010)"},
		{"errors<100%", true, "errors was 0.7921 % (8 of 1010)"},
		{"timeouts>3", true, "timeouts was 4"},
		{"non2xx>2", true, "non2xx was 3"},
		{"late>=7", true, "late was 7"},
		{"unsent>2", false, "unsent was 2"},
		{"unsent>0.1%", true, "unsent was 0.198 % (2 of 1010)"},
		{"throughput<1000", true, "throughput was 100.0 verified replies/s"},
		{"throughput<=100", true, "throughput was 100.0 verified replies/s"},
		{"rate<100", false, "rate was 100.0 verified replies/s"},
		{"rate<0.2k/s", true, "rate was 100.0 verified replies/s"},
	} {
		threshold, err := Parse(c.expression)
		if err != nil {
			t.Errorf("%s: %v", c.expression, err)
			continue
		}
		if broken, seen := threshold.Broken(report()); broken != c.broken || !strings.HasPrefix(seen, c.seen) {
			t.Errorf("%s: got %v, %q, want %v, %q", c.expression, broken, seen, c.broken, c.seen)
		}
	}
}

func TestBadThresholds(t *testing.T) {
	for expression, want := range map[string]string{
		"":                    "has no comparison",
		"p99":                 "has no comparison",
		"p99>":                "is not a time with its unit",
		"p99>50":              "is not a time with its unit; write it like p99>50ms",
		"p99=>50ms":           `compares with "=>"`,
		"p99==50ms":           `compares with "=="`,
		"p99!=50ms":           `compares with "!="`,
		"p0>1ms":              "has a percentile outside",
		"p101.5>1ms":          "has a percentile outside",
		"p9.9.9>1ms":          "has a percentile outside",
		"p>1ms":               `unknown metric "p"`,
		"pp99>1ms":            `did you mean "p99"?`,
		"erors>0":             `did you mean "errors"?`,
		"througput<10":        `did you mean "throughput"?`,
		"zzzzzz<10":           "choose from p50",
		">1":                  `unknown metric ""`,
		"errors>few":          "is not a number",
		"errors>NaN":          "is not a number",
		"errors>-1":           "below 0",
		"errors>Inf%":         "is not a number",
		"errors>%":            "is not a number",
		"mean>-1ms":           "below 0",
		"throughput<1M":       "is not a number",
		"throughput<1e999":    "is not a number",
		"errors>=0":           "no figure is ever below 0; use > or <= with 0",
		"throughput<0":        "no figure is ever below 0",
		"p99>=0s":             "no figure is ever below 0",
		"errors<0%":           "no figure is ever below 0",
		"errors>100%":         "its limit lies beyond all requests; write it like errors>1%",
		"errors>=200%":        "beyond all requests",
		"late>100.1%":         "beyond all requests",
		"unsent<=101%":        "beyond all requests",
		"errors>0\nand>1":     "is not a number",
		"errors>0 ; p99>50ms": "is not a number",
	} {
		_, err := Parse(expression)
		if err == nil {
			t.Errorf("%q: accepted", expression)
			continue
		}
		if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: got %q, want %q in one line", expression, err, want)
		}
	}
}

func TestNoReplyBreaksEveryLatency(t *testing.T) {
	empty := &dyno.LoadReport{Latency: hist.New()}
	for _, expression := range []string{"p99>50ms", "p50<1ms", "max>1s", "mean<1h"} {
		threshold, err := Parse(expression)
		if err != nil {
			t.Fatal(err)
		}
		if broken, seen := threshold.Broken(empty); !broken || !strings.Contains(seen, "no reply was measured") {
			t.Errorf("%s of nothing: %v, %q", expression, broken, seen)
		}
	}
	threshold, err := Parse("errors>0%")
	if err != nil {
		t.Fatal(err)
	}
	if broken, _ := threshold.Broken(empty); broken {
		t.Error("no errors of no requests are too many")
	}
}

func FuzzParse(f *testing.F) {
	for _, expression := range []string{"p99>50ms", "errors>0.1%", "throughput<1k/s", "p999<=1µs", "=!<>", "p.>1s"} {
		f.Add(expression)
	}
	r := report()
	f.Fuzz(func(t *testing.T, expression string) {
		threshold, err := Parse(expression)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Fatalf("%q: more than a line: %q", expression, err)
			}
			return
		}
		again, err := Parse(threshold.String())
		if err != nil || again != threshold {
			t.Fatalf("%q: read again it is %+v, %v", expression, again, err)
		}
		if _, seen := threshold.Broken(r); !strings.Contains(seen, " was ") {
			t.Fatalf("%q: %q", expression, seen)
		}
	})
}
