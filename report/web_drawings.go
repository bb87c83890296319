package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"dyno"
	"dyno/report/html"
	"dyno/report/internal/chart"
	"dyno/report/internal/typeset"
	"dyno/stat"
)

const (
	// curveSizesMin is the number of sizes from which on a curve says more than dots.
	curveSizesMin = 3
	// galleryMax is how many drawings of a kind are shown at once; the rest is folded.
	galleryMax = 4
)

// lineUp returns all subjects in the order in which a load's tables show them, of which drawings of curves have the
// first so many: all, those that were asked for, or the fastest.
func (p web) lineUp(load dyno.Load) (subjects []string, drawn int) {
	subjects = p.ranked()
	if len(p.draw) > 0 {
		first := slices.DeleteFunc(slices.Clone(subjects), func(s string) bool { return !slices.Contains(p.draw, s) })
		rest := slices.DeleteFunc(slices.Clone(subjects), func(s string) bool { return slices.Contains(p.draw, s) })
		return append(first, rest...), min(len(first), DrawnMax)
	}
	if len(subjects) <= DrawnMax {
		return subjects, len(subjects)
	}
	fastest := make([]string, 0, len(subjects))
	for _, x := range p.byRate(load) {
		fastest = append(fastest, x.subject)
	}
	for _, s := range subjects { // who has no rate under this load
		if !slices.Contains(fastest, s) {
			fastest = append(fastest, s)
		}
	}
	return fastest, DrawnMax
}

// leftOut says which subjects a drawing does not show, and how to draw them.
func (p web) leftOut(load dyno.Load) string {
	subjects, drawn := p.lineUp(load)
	if drawn == len(subjects) {
		return ""
	}
	chosen := "with the highest rates"
	if len(p.draw) > 0 {
		chosen = "that were asked for"
	}
	return fmt.Sprintf(" Drawn are %d of %d, those %s; the table has all, and dyno report %s --format html --draw NAME,… draws others.", drawn, len(subjects), chosen, firstOf(p.v.Run.ID))
}

func interval(e dyno.Estimate, unit float64) chart.Interval {
	if !e.Known() {
		return chart.Interval{Value: e.Value / unit, Low: e.Value / unit, High: e.Value / unit}
	}
	return chart.Interval{Value: e.Value / unit, Low: e.Low / unit, High: e.High / unit}
}

// estimateTable begins the table behind a drawing of estimates.
func estimateTable(of string, unit string, more ...column) *table {
	return &table{columns: slices.Concat([]column{left(of)}, more, []column{right(unit), right("from"), right("to"), right("n")})}
}

func estimateCells(e dyno.Estimate, unit float64) []string {
	if e.N == 0 {
		return []string{absent, absent, absent, "0"}
	}
	low, high := absent, absent
	if e.Known() {
		low, high = typeset.Figure(e.Low/unit), typeset.Figure(e.High/unit)
	}
	return []string{typeset.Figure(e.Value / unit), low, high, fmt.Sprint(e.N)}
}

// loadSection is the section of one load: drawings, the seed's table, and all figures behind a fold.
func (p web) loadSection(d *document, load dyno.Load) {
	cells := p.cellsUnder(load)
	d.add(heading{2, load.String()})
	var drawings html.Gallery
	if sizes := p.bySize(load); len(sizes) >= curveSizesMin {
		drawings = append(drawings, p.sizeCurves(load, sizes))
	} else {
		for _, c := range cells {
			drawings = append(drawings, p.rateDots(c))
		}
	}
	if f, ok := p.forest(load, cells); ok {
		drawings = append(drawings, f)
	}
	if dots, ok := p.cpuDots(load); ok {
		drawings = append(drawings, dots)
	}
	d.add(drawings)
	if first, second, ok := p.versus(); ok {
		p.winners(d, load, cells, first, second)
	} else {
		p.league(d, load, cells)
	}
	p.folded(d, "All figures: rate, server CPU, service time", func(inside *document) {
		p.figures(inside, load, cells)
		inside.blocks = inside.blocks[1:] // its heading is the summary
	})
}

// rateDots shows the rates of one cell, every single process beside its estimate.
func (p web) rateDots(c dyno.CellVerdict) html.Figure {
	rows := slices.Clone(c.Rows)
	slices.SortStableFunc(rows, func(a, b dyno.Row) int { return cmp.Compare(b.RatePerS.Value, a.RatePerS.Value) })
	if p.ceilingFits(c) {
		rows = append(rows, *c.Ceiling)
	}
	var dots []chart.DotRow
	t := estimateTable("Subject", p.words.Replies+"/s")
	for _, r := range rows {
		if r.RatePerS.N == 0 {
			continue
		}
		row := chart.DotRow{Name: p.title(r.Subject), At: interval(r.RatePerS, 1), Series: p.series(r.Subject), Figure: typeset.Figure(r.RatePerS.Value)}
		own, _ := p.evidence.Find(c.Cell, r.Subject)
		for _, x := range own.Trials {
			if x.Void == "" {
				row.Singles = append(row.Singles, x.RatePerS)
			}
		}
		dots = append(dots, row)
		t.add(append([]string{p.title(r.Subject)}, estimateCells(r.RatePerS, 1)...)...)
	}
	title := p.words.Replies + " per second, " + c.Cell.Workload.String()
	return html.Figure{
		Title: capital(title), SVG: chart.Dots(title+" by subject with 95 % intervals", p.words.Replies+"/s", dots), Table: webTable(t),
		Note: "Estimate and 95 % interval; the faint dots are single processes." + p.ceilingNote(c),
	}
}

func (p web) ceilingNote(c dyno.CellVerdict) string {
	switch {
	case c.Ceiling == nil:
		return ""
	case p.ceilingFits(c):
		return " Grey: the null server, which bounds what can be measured."
	}
	return " The null server, which bounds what can be measured, reaches " + typeset.Figure(c.Ceiling.RatePerS.Value) + "/s."
}

// ceilingFits reports whether the null server can be drawn without squeezing everyone else.
func (p web) ceilingFits(c dyno.CellVerdict) bool {
	var fastest float64
	for _, r := range c.Rows {
		fastest = max(fastest, r.RatePerS.Value)
	}
	return c.Ceiling != nil && c.Ceiling.RatePerS.Value <= 1.5*fastest
}

// capital begins plain English words with a capital letter.
func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// series returns the colour of a subject: its own where there are few, the first for everyone else, and none for the
// ceiling and baselines.
func (p web) series(subject string) int {
	subjects := p.ranked()
	i := slices.Index(subjects, subject)
	if len(subjects) > chart.SeriesMax {
		return min(i, 0)
	}
	return i
}

// sizeCurves shows the rates over payload sizes, with the sizes between which the winner changes.
func (p web) sizeCurves(load dyno.Load, sizes []dyno.CellVerdict) html.Figure {
	var curves []chart.Curve
	t := estimateTable("Subject", p.words.Replies+"/s", left(p.words.WorkloadTitle))
	subjects, drawn := p.lineUp(load)
	for i, s := range subjects {
		curve := chart.Curve{Name: p.title(s), Series: i}
		for _, c := range sizes {
			r, _ := rowOf(c, s)
			if r.RatePerS.N == 0 {
				continue
			}
			curve.Points = append(curve.Points, chart.CurvePoint{X: float64(c.Cell.Workload.PayloadBytes), Y: interval(r.RatePerS, 1)})
			t.add(append([]string{p.title(s), c.Cell.Workload.String()}, estimateCells(r.RatePerS, 1)...)...)
		}
		if i < drawn {
			curves = append(curves, curve)
		}
	}
	var marks []chart.Mark
	if first, second, ok := p.duellists(); ok {
		for _, x := range p.crossoversUnder(load, first, second) {
			marks = append(marks, chart.Mark{X: math.Sqrt(float64(x.from.PayloadBytes) * float64(x.to.PayloadBytes)), Name: p.title(x.before) + " → " + p.title(x.after)})
		}
	}
	said := ""
	if len(marks) > 0 {
		said = " Dashed: between these sizes the winner changes, by verdict on both sides."
	}
	x := chart.Axis{Title: "payload bytes", Kind: chart.Log, Format: func(x float64) string { return fmt.Sprintf("%.0f", x) }}
	for _, c := range sizes {
		x.Ticks = append(x.Ticks, float64(c.Cell.Workload.PayloadBytes))
	}
	return html.Figure{
		Title: capital(p.words.Replies) + " per second over payload size",
		SVG:   chart.Curves("rate over payload size by subject", x, chart.Axis{Title: p.words.Replies + "/s", Kind: chart.Linear}, curves, marks...),
		Note:  "Bars are 95 % intervals." + said + p.leftOut(load), Table: webTable(t),
	}
}

// forest shows rate ratios: of the two that the suite compares, or of all against the fastest.
func (p web) forest(load dyno.Load, cells []dyno.CellVerdict) (html.Figure, bool) {
	if first, second, ok := p.duellists(); ok {
		return p.duelForest(load, cells, first, second)
	}
	places := p.byRate(load)
	if len(places) < 2 {
		return html.Figure{}, false
	}
	leader := places[0].subject
	var rows []chart.ForestRow
	t := ratioTable("Subject")
	for _, o := range places[1:] {
		if x, ok := p.comparison(load, o.subject, leader); ok {
			rows = append(rows, forestRow(p.title(o.subject), x, false))
			t.add(append([]string{p.title(o.subject)}, ratioCells(x)...)...)
		}
	}
	if len(rows) == 0 {
		return html.Figure{}, false
	}
	return html.Figure{
		Title: "Rates against " + p.title(leader) + p.overAll(", all ", ""),
		SVG:   chart.Forest("rate ratios against "+p.title(leader), "slower", "faster", stat.TieRatio, rows),
		Note:  forestNote, Table: webTable(t),
	}, true
}

const forestNote = "Ratios with 95 % intervals, paired by block. Filled: decided by verdict; hollow: undecided. The band is a tie (±1 %)."

func (p web) duelForest(load dyno.Load, cells []dyno.CellVerdict, first, second string) (html.Figure, bool) {
	var rows []chart.ForestRow
	t := ratioTable(p.words.WorkloadTitle)
	for _, c := range cells {
		if x, ok := c.Compare(second, first); ok {
			rows = append(rows, forestRow(c.Cell.Workload.String(), x, false))
			t.add(append([]string{c.Cell.Workload.String()}, ratioCells(x)...)...)
		}
	}
	if avg, ok := p.average(load); ok {
		if x, ok := avg.Compare(second, first); ok {
			rows = append(rows, forestRow("all", x, true))
			t.strong(append([]string{"all"}, ratioCells(x)...)...)
		}
	}
	if len(rows) == 0 {
		return html.Figure{}, false
	}
	a, b := p.title(first), p.title(second)
	return html.Figure{
		Title: "Rate of " + b + " ÷ rate of " + a,
		SVG:   chart.Forest("rate of "+b+" over rate of "+a, a+" faster", b+" faster", stat.TieRatio, rows),
		Note:  forestNote, Table: webTable(t),
	}, true
}

func forestRow(name string, x dyno.Comparison, sum bool) chart.ForestRow {
	class := map[dyno.Outcome]string{dyno.Faster: "b", dyno.Slower: "a", dyno.Tie: "tie"}[x.Outcome]
	return chart.ForestRow{Name: name, Ratio: interval(x.Ratio, 1), Sum: sum, Class: cmp.Or(class, "open"), Figure: firstWord(difference(x.Ratio))}
}

// firstWord drops the interval, which the drawing shows.
func firstWord(s string) string {
	for i, r := range s {
		if r == ' ' {
			return s[:i]
		}
	}
	return s
}

func ratioTable(of string) *table {
	return &table{columns: []column{left(of), right("ratio"), right("from"), right("to"), left("Verdict"), right("corrected p"), right("n")}}
}

func ratioCells(x dyno.Comparison) []string {
	return append(ratioTexts(x.Ratio), string(x.Outcome), probability(x.PFamily), fmt.Sprint(x.Ratio.N))
}

// ratioTexts writes a ratio and the ends of its interval.
func ratioTexts(ratio dyno.Estimate) []string {
	three := func(v float64) string { return fmt.Sprintf("%.3f", v) }
	if !ratio.Known() {
		return []string{three(ratio.Value), absent, absent}
	}
	return []string{three(ratio.Value), three(ratio.Low), three(ratio.High)}
}

// cpuDots shows what a reply costs the servers under a load.
func (p web) cpuDots(load dyno.Load) (html.Figure, bool) {
	places := p.places(load, p.cellsUnder(load))
	slices.SortStableFunc(places, func(a, b place) int { return cmp.Compare(a.cpuNs.Value, b.cpuNs.Value) })
	var dots []chart.DotRow
	t := estimateTable("Subject", "CPU µs")
	for _, x := range places {
		if x.cpuNs.N > 0 {
			dots = append(dots, chart.DotRow{Name: p.title(x.subject), At: interval(x.cpuNs, nsPerUs), Series: p.series(x.subject), Figure: typeset.Figure(x.cpuNs.Value / nsPerUs)})
			t.add(append([]string{p.title(x.subject)}, estimateCells(x.cpuNs, nsPerUs)...)...)
		}
	}
	over := ""
	if len(p.cellsUnder(load)) > 1 {
		over = " Geometric mean over all " + p.words.Workloads + "."
	}
	return html.Figure{
		Title: "Server CPU per " + p.words.Reply, SVG: chart.Dots("server CPU per "+p.words.Reply+" by subject with 95 % intervals", "µs per "+p.words.Reply, dots),
		Note: "Estimate and 95 % interval; less is better." + over, Table: webTable(t),
	}, len(dots) > 0
}
