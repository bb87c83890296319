package adhoc

import (
	"fmt"
	"strings"
	"unicode"

	"dyno"
)

// benchstat writes the report as one line of `go test -bench`, so that reports of several loads, one
// file after the other, can be compared with the benchstat tool. Each load is one sample there.
func benchstat(r *dyno.LoadReport) (string, error) {
	var b strings.Builder
	config := func(key, value string) { fmt.Fprintf(&b, "%s: %s\n", key, oneWord(value)) }
	config("dyno", r.Instrument.Dyno)
	config("target", r.Target)
	config("latency", map[bool]string{true: "response-time", false: "service-time"}[r.OpenLoop()])
	name := "HTTP"
	if r.Protocol == "framed" {
		name = "Framed"
	}
	o, h := r.Options, r.Latency
	parts := []string{"Benchmark" + name}
	if o.Method != "" {
		parts = append(parts, o.Method)
	}
	for _, n := range o.PayloadBytes {
		parts = append(parts, fmt.Sprintf("bytes=%d", n))
	}
	parts = append(parts, fmt.Sprintf("connections=%d/depth=%d", o.Connections, o.Depth))
	if r.OpenLoop() {
		rate := fmt.Sprintf("rate=%g", o.RatePerS)
		if o.RampToPerS > 0 {
			rate += fmt.Sprintf(":%g", o.RampToPerS)
		}
		parts = append(parts, rate, "arrivals="+string(o.Arrivals))
	}
	fmt.Fprintf(&b, "%s-%d %d %.0f mean-ns/op %d p50-ns/op %d p99-ns/op %d max-ns/op %.1f replies/s %.0f B/s %d failed\n",
		oneWord(strings.Join(parts, "/")), r.Instrument.Loops, r.Counts.Counted, h.MeanNs(),
		h.QuantileNs(.5), h.QuantileNs(.99), h.MaxNs(), r.RatePerS(), r.BytesReadPerS(), r.Failed())
	return b.String(), nil
}

// oneWord keeps a value from breaking the line format.
func oneWord(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			return '_'
		}
		return r
	}, s)
}
