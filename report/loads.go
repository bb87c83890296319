package report

import (
	"fmt"

	"dyno"
	"dyno/report/internal/typeset"
)

// load is the section of one load: the seed's winner table, then all subjects.
func (e editor) load(d *document, load dyno.Load) {
	cells := e.cellsUnder(load)
	d.add(heading{2, load.String()})
	if first, second, ok := e.versus(); ok {
		e.winners(d, load, cells, first, second)
	} else {
		e.league(d, load, cells)
	}
	e.figures(d, load, cells)
}

// winners is the table of seed 000. The difference is that of the second against the first.
func (e editor) winners(d *document, load dyno.Load, cells []dyno.CellVerdict, first, second string) {
	a, b := e.title(first), e.title(second)
	t := &table{columns: []column{left(e.words.WorkloadTitle), right(a + " (" + e.words.PerS + ")"), right(b + " (" + e.words.PerS + ")"), left("Winner"), right("Difference")}}
	var seen marks
	var pairedBlocks extent
	for _, c := range cells {
		x, ok := c.Compare(second, first)
		rowA, _ := rowOf(c, first)
		rowB, _ := rowOf(c, second)
		seen.note(rowA)
		seen.note(rowB)
		pairedBlocks.add(x.Ratio.N)
		t.add(c.Cell.Workload.String(), rate(rowA), rate(rowB), e.winner(x, ok), difference(x.Ratio))
	}
	text := fmt.Sprintf("%s: verified %s per second; %s. ", e.words.PerS, e.words.Replies, e.processes(cells))
	if avg, ok := e.average(load); ok {
		x, ok := avg.Compare(second, first)
		rowA, _ := avg.Row(first)
		rowB, _ := avg.Row(second)
		pairedBlocks.add(x.Ratio.N)
		t.strong("Average", averageRate(cells, rowA), averageRate(cells, rowB), e.winner(x, ok), difference(x.Ratio))
		text += "Average: the arithmetic mean of the rates; its winner and difference are those of the geometric mean of the ratios. "
	}
	text += fmt.Sprintf("Difference: %s against %s, paired over %s.", b, a, pairedBlocks.of("block", "blocks"))
	d.add(t, note(text+seen.explained()))
}

// winner names the winner of a comparison.
func (e editor) winner(x dyno.Comparison, ok bool) string {
	switch {
	case !ok:
		return absent
	case x.Outcome == dyno.Faster:
		return e.title(x.A)
	case x.Outcome == dyno.Slower:
		return e.title(x.B)
	}
	return string(x.Outcome)
}

// rate writes a rate, a client-bound one as the lower bound that it is.
func rate(r dyno.Row) string {
	s := measured(r.RatePerS, 1)
	if r.RatePerS.N == 0 {
		return s
	}
	if r.NearCeiling {
		s = "†" + s
	}
	if r.ClientBound {
		s = "≥" + s
	}
	return s
}

// averageRate writes an average as a lower bound where one of its cells is.
func averageRate(cells []dyno.CellVerdict, r dyno.RateRow) string {
	s := measured(r.RatePerS, 1)
	for _, c := range cells {
		if row, ok := rowOf(c, r.Subject); ok && row.ClientBound && r.RatePerS.N > 0 {
			return "≥" + s
		}
	}
	return s
}

// figures is the table of all subjects under one load, the ceiling last.
func (e editor) figures(d *document, load dyno.Load, cells []dyno.CellVerdict) {
	t := &table{columns: []column{
		left("Subject"), right(e.words.Replies + "/s"), right("CPU µs"), right("mean µs"), spare("p50 µs"), right("p99 µs"), spare("max µs"), right("n"),
	}}
	var seen marks
	for _, c := range cells {
		t.strong(c.Cell.Workload.String() + ": " + e.fastest(c))
		for _, r := range c.Rows {
			seen.note(r)
			t.add(e.cells(e.title(r.Subject), r)...)
		}
		if c.Ceiling != nil {
			t.add(e.cells(e.title(c.Ceiling.Subject)+" (ceiling)", *c.Ceiling)...)
			seen.ceiling = true
		}
	}
	d.add(heading{3, "All subjects, " + load.String() + ": rate, server CPU, service time (closed loop)"}, t)
	d.add(note(fmt.Sprintf("CPU is the server's time per verified %s. mean, p50, p99 and max are service times; max is the largest seen and has no interval. n is the number of fresh processes.%s",
		e.words.Reply, seen.explained())))
}

// marks are those that a table used, and that its note must explain.
type marks struct{ clientBound, nearCeiling, ceiling bool }

func (m *marks) note(r dyno.Row) {
	m.clientBound = m.clientBound || r.ClientBound
	m.nearCeiling = m.nearCeiling || r.NearCeiling
}

func (m marks) explained() string {
	s := ""
	if m.clientBound {
		s += " ≥: client-bound, a lower bound."
	}
	if m.nearCeiling {
		s += " †: near the ceiling, differences are damped."
	}
	if m.ceiling {
		s += " The ceiling is not ranked."
	}
	return s
}

func (e editor) cells(name string, r dyno.Row) []string {
	if r.RatePerS.N == 0 {
		return []string{name, "void", absent, absent, absent, absent, absent, "0"}
	}
	largest := absent
	if r.MaxNs > 0 {
		largest = typeset.Figure(float64(r.MaxNs) / nsPerUs)
	}
	return []string{
		name, rate(r), measured(r.CPUNs, nsPerUs), measured(r.MeanNs, nsPerUs), measured(r.P50Ns, nsPerUs),
		measured(r.P99Ns, nsPerUs), largest, fmt.Sprint(r.RatePerS.N),
	}
}

// fastest says who won a cell against all others.
func (e editor) fastest(c dyno.CellVerdict) string {
	switch {
	case c.Winner != "":
		return e.title(c.Winner) + " is faster than all others"
	case len(c.Comparisons) == 0:
		return "no rivals, no ranking"
	case c.Outcome == dyno.Tie:
		return "tie at the top"
	}
	return "no winner, undecided"
}
