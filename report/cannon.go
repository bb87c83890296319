package report

import (
	"fmt"

	"dyno"
	"dyno/report/internal/typeset"
)

// cannonMax is the number of subjects up to which each gets a table of its own: beyond, nobody reads them.
const cannonMax = 12

// cannon is the three-row table of autocannon for each subject, as seeds 002 and 003 have it.
func (e editor) cannon(d *document) {
	subjects := e.ranked()
	if !e.overHTTP() || len(subjects) > cannonMax {
		return
	}
	d.add(heading{2, "In autocannon's tables"})
	for _, c := range e.v.Cells {
		t := &table{columns: []column{left("Stat"), right("2.5%"), right("50%"), right("97.5%"), right("99%"), right("Avg"), right("Stdev"), right("Max")}}
		for _, s := range subjects {
			r, ok := rowOf(c, s)
			if !ok || r.RatePerS.N == 0 {
				continue
			}
			t.strong(fmt.Sprintf("%s: %sk requests, %s read", e.title(s), typeset.Figure(float64(r.Seen.Replies)/1e3), bytesText(r.Seen.BytesRead)))
			t.add(spread("Latency ms", r.Seen.LatencyNs, nsPerMs)...)
			t.add(spread("Req/Sec", r.Seen.RatePerS, 1)...)
			t.add(spread("MB/Sec", r.Seen.BytesPerS, 1e6)...)
		}
		d.add(heading{3, c.Cell.String()}, t)
	}
	d.add(note("What was seen, over all processes together: it has no interval and decides nothing. Latency is service time (closed loop); rates are those of single slices."))
}

// overHTTP reports whether the suite's users know autocannon.
func (e editor) overHTTP() bool {
	c := e.v.Run.Suite.Contract
	return c == "httpbasic" || c == "rpc"
}

func spread(name string, x dyno.Distribution, unit float64) []string {
	line := []string{name}
	for _, v := range []float64{x.P2_5, x.P50, x.P97_5, x.P99, x.Mean, x.SD, x.Max} {
		line = append(line, typeset.Figure(v/unit))
	}
	return line
}
