package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"dyno"
	"dyno/report/internal/typeset"
	"dyno/stat"
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
		t.strong("Average", averageRate(cells, first, rowA.RatePerS), averageRate(cells, second, rowB.RatePerS), e.winner(x, ok), difference(x.Ratio))
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

// averageRate writes an average with the marks that any of its cells has.
func averageRate(cells []dyno.CellVerdict, subject string, ratePerS dyno.Estimate) string {
	whole := dyno.Row{RatePerS: ratePerS}
	for _, c := range cells {
		row, _ := rowOf(c, subject)
		whole.ClientBound = whole.ClientBound || row.ClientBound
		whole.NearCeiling = whole.NearCeiling || row.NearCeiling
	}
	return rate(whole)
}

// figures is the table of all subjects under one load, the ceiling last.
func (e editor) figures(d *document, load dyno.Load, cells []dyno.CellVerdict) {
	t := &table{columns: []column{
		left("Subject"), right(e.words.Replies + "/s"), right("CPU µs"), right("mean µs"), spare("p50 µs"), right("p99 µs"), spare("p99.9 µs"), spare("max µs"), right("n"),
	}}
	var seen marks
	for _, c := range cells {
		t.strong(c.Cell.Workload.String() + ": " + e.fastest(c) + e.cheapest(c))
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
		e.words.Reply, seen.explained()+seen.few())))
}

// marks are those that a table used, and that its note must explain.
type marks struct{ clientBound, nearCeiling, ceiling, fewReplies bool }

func (m *marks) note(r dyno.Row) {
	m.clientBound = m.clientBound || r.ClientBound
	m.nearCeiling = m.nearCeiling || r.NearCeiling
	m.fewReplies = m.fewReplies || r.P999Ns.N == 0 && r.FewestReplies > 0
}

func (m marks) explained() string {
	s := ""
	if m.clientBound {
		s += " ≥: client-bound, a lower bound."
	}
	if m.nearCeiling {
		s += " †: near the ceiling, differences are damped."
	}
	if m.clientBound || m.nearCeiling {
		s += " Where a cell has either, its ranks are by server CPU."
	}
	if m.ceiling {
		s += " The ceiling is not ranked."
	}
	return s
}

// few explains quantiles that are not told.
func (m marks) few() string {
	if !m.fewReplies {
		return ""
	}
	return fewReplies()
}

func (e editor) cells(name string, r dyno.Row) []string {
	if r.RatePerS.N == 0 {
		return []string{name, "void", absent, absent, absent, absent, absent, absent, "0"}
	}
	largest := absent
	if r.MaxNs > 0 {
		largest = typeset.Figure(float64(r.MaxNs) / nsPerUs)
	}
	return []string{
		name, rate(r), measured(r.CPUNs, nsPerUs), measured(r.MeanNs, nsPerUs), measured(r.P50Ns, nsPerUs),
		quantile(r, r.P99Ns), quantile(r, r.P999Ns), largest, fmt.Sprint(r.RatePerS.N),
	}
}

// tooFew stands for a quantile that a process gave too few replies to tell.
const tooFew = "too few"

// quantile writes a latency quantile of a row.
func quantile(r dyno.Row, q dyno.Estimate) string {
	if q.N == 0 && r.FewestReplies > 0 {
		return tooFew
	}
	return measured(q, nsPerUs)
}

func fewReplies() string {
	return fmt.Sprintf(" %s: a process gave fewer replies than the quantile needs, %s for p99 and %s for p99.9.",
		tooFew, typeset.Thousands(stat.RepliesFor(0.99)), typeset.Thousands(stat.RepliesFor(0.999)))
}

// cheapest says how the subjects of a cell rank by server CPU, where that is what ranks them.
func (e editor) cheapest(c dyno.CellVerdict) string {
	if c.RankedBy != dyno.ByCPU {
		return ""
	}
	groups := map[int][]string{} // by rank
	for _, r := range c.Rows {
		if r.Rank > 0 {
			groups[r.Rank] = append(groups[r.Rank], e.title(r.Subject))
		}
	}
	ranks := slices.Sorted(maps.Keys(groups))
	switch {
	case len(ranks) == 0:
		return ""
	case len(c.Rows) > leadersMax && len(groups[1]) > leadersMax:
		return fmt.Sprintf("; by server CPU %d are not told apart from the cheapest", len(groups[1]))
	case len(c.Rows) > leadersMax:
		return "; cheapest by server CPU: " + listed(groups[1])
	}
	var order []string
	for _, rank := range ranks {
		order = append(order, listed(groups[rank]))
	}
	return "; by server CPU: " + strings.Join(order, ", then ")
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
