package report

import (
	"fmt"
	"strings"

	"dyno"
	"dyno/report/internal/typeset"
)

// Dumps returns what was seen of each subject in bombardier's style, as seed 004 kept it in results/NAME.txt: by
// subject, for suites of its contract. The rate and its interval stand above, because the rest proves nothing.
func Dumps(v dyno.Verdict) map[string]string {
	if v.Run.Suite.Contract != "httpbasic" {
		return nil
	}
	e := newEditor(v)
	dumps := map[string]string{}
	for _, subject := range e.ranked() {
		var b strings.Builder
		fmt.Fprintf(&b, "%s: run %s\n", e.title(subject), typeset.Clean(v.Run.ID))
		for _, c := range e.v.Cells {
			if r, ok := rowOf(c, subject); ok && r.RatePerS.N > 0 {
				b.WriteString("\n" + dump(c.Cell, r))
			}
		}
		dumps[subject] = b.String()
	}
	return dumps
}

// dump is what was seen of a subject in a cell. Every counted reply is verified, and those of httpbasic have
// status 200.
func dump(cell dyno.Cell, r dyno.Row) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s with %s\n", typeset.TestTitle("httpbasic", cell.Workload.String()), cell.Load)
	fmt.Fprintf(&b, "  %s requests/s, CPU %s µs per request, n = %d fresh processes\n",
		rate(r), measured(r.CPUNs, nsPerUs), r.RatePerS.N)
	s := r.Seen
	fmt.Fprintf(&b, "%-14s%10s%12s%11s\n", "Statistics", "Avg", "Stdev", "Max")
	fmt.Fprintf(&b, "  %-12s%10.2f%12.2f%11.2f\n", "Reqs/sec", s.RatePerS.Mean, s.RatePerS.SD, s.RatePerS.Max)
	fmt.Fprintf(&b, "  %-12s%10s%12s%11s\n", "Latency", lasting(s.LatencyNs.Mean), lasting(s.LatencyNs.SD), lasting(s.LatencyNs.Max))
	fmt.Fprintf(&b, "  HTTP codes:\n    1xx - 0, 2xx - %d, 3xx - 0, 4xx - 0, 5xx - 0\n    others - 0\n", s.Replies)
	fmt.Fprintf(&b, "  %-12s%8.2fMB/s\n", "Throughput:", s.BytesPerS.Mean/1e6)
	return b.String()
}

// lasting writes a time as bombardier does, in the unit that leaves at least one digit before the point.
func lasting(ns float64) string {
	switch {
	case ns >= 1e9:
		return fmt.Sprintf("%.2fs", ns/1e9)
	case ns >= nsPerMs:
		return fmt.Sprintf("%.2fms", ns/nsPerMs)
	}
	return fmt.Sprintf("%.2fus", ns/nsPerUs)
}
