package report

import (
	"fmt"

	"dyno"
	"dyno/report/internal/typeset"
)

// cannonMax is the number of subjects up to which each gets a table of its own: beyond, nobody reads them.
const cannonMax = 12

// cannon has autocannon's tables of each subject in their shapes: one of three lines as seed 002 has it, or for rpc
// two as seed 003, where rates are told from their lowest.
func (e editor) cannon(d *document) {
	subjects := e.ranked()
	if !e.overHTTP() || len(subjects) > cannonMax {
		return
	}
	d.add(heading{2, "In autocannon's tables"})
	for _, c := range e.v.Cells {
		d.add(heading{3, c.Cell.String()})
		if e.v.Run.Suite.Contract == "rpc" {
			e.cannonTable(d, c, "Stat", fromMedian, []cannonLine{latencyLine})
			e.cannonTable(d, c, "Stat", fromLowest, rateLines)
			continue
		}
		e.cannonTable(d, c, "Metric", fromMedian, append([]cannonLine{latencyLine}, rateLines...))
	}
	d.add(note("What was seen, over all processes together: it has no interval and decides nothing. Latency is service time (closed loop); rates are those of single slices."))
}

// cannonColumn is a column of autocannon's tables.
type cannonColumn struct {
	title string
	of    func(dyno.Distribution) float64
}

// The columns of the two shapes.
var (
	fromMedian = []cannonColumn{
		{"2.5%", func(x dyno.Distribution) float64 { return x.P2_5 }}, {"50%", func(x dyno.Distribution) float64 { return x.P50 }},
		{"97.5%", func(x dyno.Distribution) float64 { return x.P97_5 }}, {"99%", func(x dyno.Distribution) float64 { return x.P99 }},
		{"Avg", func(x dyno.Distribution) float64 { return x.Mean }}, {"Stdev", func(x dyno.Distribution) float64 { return x.SD }},
		{"Max", func(x dyno.Distribution) float64 { return x.Max }},
	}
	fromLowest = []cannonColumn{
		{"1%", func(x dyno.Distribution) float64 { return x.P1 }}, {"2.5%", func(x dyno.Distribution) float64 { return x.P2_5 }},
		{"50%", func(x dyno.Distribution) float64 { return x.P50 }}, {"97.5%", func(x dyno.Distribution) float64 { return x.P97_5 }},
		{"Avg", func(x dyno.Distribution) float64 { return x.Mean }}, {"Stdev", func(x dyno.Distribution) float64 { return x.SD }},
		{"Min", func(x dyno.Distribution) float64 { return x.Min }},
	}
)

// cannonLine is a line of autocannon's tables.
type cannonLine struct {
	title string
	unit  float64
	of    func(dyno.Seen) dyno.Distribution
}

var (
	latencyLine = cannonLine{"Latency (ms)", nsPerMs, func(s dyno.Seen) dyno.Distribution { return s.LatencyNs }}
	rateLines   = []cannonLine{
		{"Req/Sec", 1, func(s dyno.Seen) dyno.Distribution { return s.RatePerS }},
		{"Bytes/Sec (MB)", 1e6, func(s dyno.Seen) dyno.Distribution { return s.BytesPerS }},
	}
)

// cannonTable is one table of a cell, with the lines of each subject below its name.
func (e editor) cannonTable(d *document, c dyno.CellVerdict, head string, columns []cannonColumn, lines []cannonLine) {
	t := &table{columns: []column{left(head)}}
	for _, x := range columns {
		t.columns = append(t.columns, right(x.title))
	}
	for _, s := range e.ranked() {
		r, ok := rowOf(c, s)
		if !ok || r.RatePerS.N == 0 {
			continue
		}
		t.strong(fmt.Sprintf("%s: %sk requests, %s read", e.title(s), typeset.Figure(float64(r.Seen.Replies)/1e3), bytesText(r.Seen.BytesRead)))
		for _, l := range lines {
			cells := []string{l.title}
			for _, x := range columns {
				cells = append(cells, typeset.Figure(x.of(l.of(r.Seen))/l.unit))
			}
			t.add(cells...)
		}
	}
	d.add(t)
}

// overHTTP reports whether the suite's users know autocannon.
func (e editor) overHTTP() bool {
	c := e.v.Run.Suite.Contract
	return c == "httpbasic" || c == "rpc"
}
