package adhoc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"dyno"
	"dyno/internal/golden"
	"dyno/report/internal/typeset"
)

func text(t *testing.T, r *dyno.LoadReport, o Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := Text(&b, r, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func formatted(t *testing.T, r *dyno.LoadReport, format string) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, r, format); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	for name, scene := range scenes {
		golden.Check(t, name+".txt", text(t, scene(), Options{}))
		for _, format := range Formats(scene().Protocol) {
			golden.Check(t, name+"."+format, formatted(t, scene(), format))
		}
	}
	golden.Check(t, "narrow.txt", text(t, troubled(), Options{Width: 60}))
	golden.Check(t, "colour.txt", text(t, quiet(), Options{Color: true}))
	golden.Check(t, "spectrum.txt", text(t, troubled(), Options{Spectrum: true}))
}

// hostile has what a server or a user may write where dyno prints it.
func hostile() *dyno.LoadReport {
	r := troubled()
	r.Target = "http://127.0.0.1/\x1b[2J\n" + strings.Repeat("漢字", 90)
	r.FirstFault = "got \x1b]0;owned\x07\r\n" + strings.Repeat("long ", 90)
	r.Instrument.Warnings = []string{strings.Repeat("w", 300), "\x00\u202e"}
	r.Errors["\x1b[31mred"] = 1
	r.Codes[999] = 1 << 60
	return r
}

func TestEveryLineFitsAndIsClean(t *testing.T) {
	all := map[string]func() *dyno.LoadReport{"hostile": hostile}
	for name, scene := range scenes {
		all[name] = scene
	}
	for name, scene := range all {
		for _, width := range []int{0, 60, 80, 100, 300} {
			limit := min(max(width, 80), 100)
			switch width {
			case 0:
				limit = 100
			case 60:
				limit = 84 // eight columns of figures, which are never cut
			}
			for line := range strings.Lines(text(t, scene(), Options{Width: width})) {
				line = strings.TrimSuffix(line, "\n")
				if w := typeset.Width(line); w > limit {
					t.Errorf("%s at %d: %d columns: %s", name, width, w, line)
				}
				if typeset.Clean(line) != strings.TrimSpace(line) {
					t.Errorf("%s at %d: not clean: %q", name, width, line)
				}
			}
		}
	}
}

func TestOneOfAThingIsOne(t *testing.T) {
	r := quiet()
	r.Counts = dyno.LoadCounts{Sent: 1, Lost: 1}
	r.Errors = map[string]int64{"timeout": 1}
	for _, want := range []string{"1 request in ", "1 of 1 request got no right reply"} {
		if s := text(t, r, Options{}); !strings.Contains(s, want) {
			t.Errorf("lacks %q:\n%s", want, s)
		}
	}
}

func TestColourOnlyWhereAsked(t *testing.T) {
	coloured := text(t, quiet(), Options{Color: true})
	bare := strings.NewReplacer(bold, "", dim, "", plain, "").Replace(coloured)
	if bare != text(t, quiet(), Options{}) || bare == coloured {
		t.Error("colour changes more than the colour")
	}
}

// keysOf flattens the keys of a JSON value.
func keysOf(v any, prefix string, into map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			into[prefix+key] = true
			keysOf(value, prefix+key+".", into)
		}
	case []any:
		for _, value := range v {
			keysOf(value, prefix, into)
		}
	}
}

func parsed(t *testing.T, s string) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(s), &v); err != nil {
		t.Fatalf("%v in\n%s", err, s)
	}
	return v
}

// TestPeersKeys holds the keys of the other tools, so that no key is lost or misspelt.
func TestPeersKeys(t *testing.T) {
	histogram := "average mean stddev min max p0_001 p0_01 p0_1 p1 p2_5 p10 p25 p50 p75 p90 p97_5 p99 p99_9 p99_99 p99_999"
	nested := func(parent, keys string) []string {
		var all []string
		for _, key := range strings.Fields(keys) {
			all = append(all, parent+"."+key)
		}
		return all
	}
	want := map[string][]string{
		"autocannon": slices.Concat(
			strings.Fields("url connections sampleInt pipelining workers duration samples start finish errors timeouts mismatches non2xx resets"+
				" 1xx 2xx 3xx 4xx 5xx statusCodeStats latency requests throughput"),
			nested("latency", histogram+" totalCount"), nested("requests", histogram+" total sent"), nested("throughput", histogram+" total"),
			nested("statusCodeStats", "200"), nested("statusCodeStats.200", "count")),
		"bombardier": slices.Concat(
			strings.Fields("spec result"),
			nested("spec", "numberOfConnections testType testDurationSeconds method url headers headers.key headers.value body timeoutSeconds client"),
			nested("result", "bytesRead bytesWritten timeTakenSeconds req1xx req2xx req3xx req4xx req5xx others latency rps"),
			nested("result.latency", "mean stddev max percentiles"), nested("result.rps", "mean stddev max percentiles"),
			nested("result.latency.percentiles", "50 75 90 95 99"), nested("result.rps.percentiles", "50 75 90 95 99")),
		"oha": slices.Concat(
			strings.Fields("summary responseTimeHistogram latencyPercentiles rps details statusCodeDistribution errorDistribution"),
			nested("summary", "successRate total slowest fastest average requestsPerSec totalData sizePerRequest sizePerSec"),
			nested("latencyPercentiles", "p10 p25 p50 p75 p90 p95 p99 p99.9 p99.99"), nested("rps", "mean stddev max min percentiles"),
			nested("rps.percentiles", "p10 p25 p50 p75 p90 p95 p99 p99.9 p99.99"),
			nested("details", "DNSDialup DNSLookup"), nested("details.DNSDialup", "average fastest slowest"),
			nested("details.DNSLookup", "average fastest slowest"), nested("statusCodeDistribution", "200")),
	}
	for format, keys := range want {
		got := map[string]bool{}
		keysOf(parsed(t, formatted(t, quiet(), format)), "", got)
		for key := range got {
			if !slices.Contains(keys, key) && !strings.HasPrefix(key, "responseTimeHistogram.") {
				t.Errorf("%s: %s is none of its keys", format, key)
			}
		}
		for _, key := range keys {
			if !got[key] {
				t.Errorf("%s: %s is missing", format, key)
			}
		}
	}
}

// TestPeersUnits reads one latency of 2.5 ms back in the unit of each tool.
func TestPeersUnits(t *testing.T) {
	r := quiet()
	r.Latency.Reset()
	for range 7 {
		r.Latency.Record(2_500_000)
	}
	for format, want := range map[string]float64{"autocannon": 2.5, "bombardier": 2500, "oha": 0.0025} {
		v := parsed(t, formatted(t, r, format))
		var got any
		switch format {
		case "autocannon":
			got = v["latency"].(map[string]any)["p99"]
		case "bombardier":
			got = v["result"].(map[string]any)["latency"].(map[string]any)["percentiles"].(map[string]any)["99"]
		case "oha":
			got = v["latencyPercentiles"].(map[string]any)["p99"]
			var sum float64
			for _, n := range v["responseTimeHistogram"].(map[string]any) {
				sum += n.(float64)
			}
			if sum != 7 {
				t.Errorf("oha's histogram holds %v of 7 latencies", sum)
			}
		}
		if got != want {
			t.Errorf("%s: p99 is %v, want %v", format, got, want)
		}
	}
}

func TestHistogramKeepsEveryLatency(t *testing.T) {
	for name, scene := range scenes {
		bins, err := ohaHistogram(scene().Latency)
		if err != nil {
			t.Fatal(err)
		}
		var sum int64
		for _, n := range bins {
			sum += n
		}
		if sum != scene().Latency.Count() {
			t.Errorf("%s: %d of %d latencies", name, sum, scene().Latency.Count())
		}
	}
}

func TestMismatchesAreWrongForTheirBody(t *testing.T) {
	r := troubled()
	if got := mismatches(r, 1_900); got != 0 {
		t.Errorf("%d mismatches, all wrong replies are non-2xx", got)
	}
	r.Options.ExpectStatus = 404
	r.Codes = map[int]int64{404: 10, 200: 2}
	r.Counts.Wrong = 5
	if got := mismatches(r, 10); got != 3 {
		t.Errorf("%d mismatches: 5 wrong, 2 of them for their status", got)
	}
}

var documented = regexp.MustCompile("`([A-Za-z0-9_]+)`")

// TestSchemaIsDocumented holds every key of the JSON against SCHEMA.md, in both directions.
func TestSchemaIsDocumented(t *testing.T) {
	b, err := os.ReadFile("SCHEMA.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(b), Schema) {
		t.Errorf("SCHEMA.md is not about %s", Schema)
	}
	told := map[string]bool{}
	for _, match := range documented.FindAllStringSubmatch(string(b), -1) {
		told[match[1]] = true
	}
	used := map[string]bool{}
	tags(reflect.TypeOf(document{}), used)
	for key := range used {
		if !told[key] {
			t.Errorf("%s is not documented", key)
		}
	}
}

// tags collects the JSON keys of a type.
func tags(of reflect.Type, into map[string]bool) {
	switch of.Kind() {
	case reflect.Pointer, reflect.Slice:
		tags(of.Elem(), into)
	case reflect.Struct:
		if of == reflect.TypeOf(time.Time{}) {
			return
		}
		for i := range of.NumField() {
			f := of.Field(i)
			key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if key == "-" {
				continue
			}
			if key != "" {
				into[key] = true
			}
			tags(f.Type, into)
		}
	}
}

var benchmarkLine = regexp.MustCompile(`^Benchmark[^\s]+-\d+ \d+( [\d.]+ [^\s]+)+$`)

func TestBenchstatLines(t *testing.T) {
	for name, scene := range map[string]func() *dyno.LoadReport{"quiet": quiet, "hostile": hostile, "framed": framed, "nothing": nothing} {
		lines := strings.Split(strings.TrimSuffix(formatted(t, scene(), "benchstat"), "\n"), "\n")
		for _, line := range lines[:len(lines)-1] {
			if key, _, found := strings.Cut(line, ": "); !found || strings.ToLower(key) != key {
				t.Errorf("%s: not a configuration line: %q", name, line)
			}
		}
		if !benchmarkLine.MatchString(lines[len(lines)-1]) {
			t.Errorf("%s: not a result line: %q", name, lines[len(lines)-1])
		}
	}
}

func TestUnknownFormats(t *testing.T) {
	for _, c := range []struct{ format, protocol, want string }{
		{"autocanon", "http", `did you mean "autocannon"?`},
		{"xml", "http", "choose from json, autocannon, bombardier, oha, benchstat"},
		{"oha", "framed", "choose from json, benchstat"},
		{"", "http", "unknown format"},
	} {
		err := Write(io.Discard, quietly(c.protocol), c.format)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q for %s: %v", c.format, c.protocol, err)
		}
	}
}

func quietly(protocol string) *dyno.LoadReport {
	r := quiet()
	r.Protocol = protocol
	return r
}

type full struct{}

var errFull = errors.New("no space left")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestTheWritersErrorIsReported(t *testing.T) {
	if err := Text(full{}, quiet(), Options{}); !errors.Is(err, errFull) {
		t.Error(err)
	}
	for _, format := range Formats("http") {
		if err := Write(full{}, quiet(), format); !errors.Is(err, errFull) {
			t.Error(err)
		}
	}
}

func TestProgressLines(t *testing.T) {
	var all strings.Builder
	for _, p := range []Progress{
		{},
		{Elapsed: 3 * time.Second, Of: 10 * time.Second, RatePerS: 95_123.4, P99Ns: 190_000},
		{Elapsed: 90 * time.Second, Of: 5 * time.Minute, RatePerS: 12.3, P99Ns: 2_190_000_000, Failed: 1},
		{Elapsed: 2 * time.Second, Sent: 12_000, Requests: 1_000_000, RatePerS: 6_000, Failed: 1_200},
	} {
		fmt.Fprintln(&all, ProgressLine("loading", p, 80))
		if w := typeset.Width(ProgressLine("loading", p, 20)); w > 20 {
			t.Errorf("%d columns", w)
		}
	}
	golden.Check(t, "progress.txt", all.String())
}

func TestFigures(t *testing.T) {
	for got, want := range map[string]string{
		timeText(0): "0.00 µs", timeText(101_234): "101 µs", timeText(999_600): "1.00 ms", timeText(3_410_000): "3.41 ms",
		timeText(999_700_000): "1.00 s", timeText(60_000_000_000): "60.0 s",
		bytesText(0): "0 B", bytesText(999): "999 B", bytesText(1_000): "1.00 kB", bytesText(28_300_000): "28.3 MB",
		bytesText(5e12): "5,000 GB", percentText(0): "0 %", percentText(.634): "63 %", percentText(.0003): "0.03 %", percentText(1): "100 %",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
