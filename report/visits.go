package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"dyno"
	"dyno/report/internal/typeset"
)

// visitTitles say what virtual users are compared by.
var visitTitles = map[dyno.Measure]string{
	dyno.P95Time: "response time, p95", dyno.P99Time: "response time, p99", dyno.SessionTime: "session length, mean", dyno.CPUCost: "server CPU per reply",
}

// visitName names a cell whose load are virtual users, e.g. "3,000 users of visits.yml".
func visitName(c dyno.Cell) string {
	return typeset.Counted(c.Load.Users, "user") + " of " + typeset.Clean(c.Workload.Name)
}

// visitHeadline says in a line for each scenario who serves its users best.
func (e editor) visitHeadline() (lines []string) {
	for _, c := range e.visited {
		var parts []string
		for _, m := range c.ByMeasure {
			parts = append(parts, visitTitles[m.Measure]+": "+e.least(c, m))
		}
		if len(c.ByMeasure) > 0 && len(c.ByMeasure[0].Comparisons) == 0 {
			lines = append(lines, e.alone(c)...)
			continue
		}
		if len(parts) > 0 {
			lines = append(lines, fmt.Sprintf("With %s: %s (%s; corrected for all pairs, measure by measure).",
				visitName(c.Cell), strings.Join(parts, "; "), e.processes([]dyno.CellVerdict{c})))
		}
	}
	return lines
}

// alone says how a subject without rivals fares.
func (e editor) alone(c dyno.CellVerdict) (lines []string) {
	for _, r := range c.Rows {
		if r.Visits != nil {
			lines = append(lines, fmt.Sprintf("With %s, %s answers 95 %% of the requests within %s µs; a session takes %s ms (%s).",
				visitName(c.Cell), e.title(r.Subject), spaced(quantile(r, r.Visits.P95Ns)), spaced(measured(r.Visits.SessionNs, nsPerMs)), e.processes([]dyno.CellVerdict{c})))
		}
	}
	return lines
}

// least names those whom nobody undercuts in a measure.
func (e editor) least(c dyno.CellVerdict, m dyno.MeasureVerdict) string {
	if m.Winner != "" {
		return e.title(m.Winner) + " has the least"
	}
	worse := func(o dyno.Outcome) bool { return o == dyno.Slower || o == dyno.Dearer }
	var best []string
	ranked := 0
	for _, r := range c.Rows {
		if r.RatePerS.N == 0 {
			continue
		}
		ranked++
		if !slices.ContainsFunc(m.Comparisons, func(x dyno.Comparison) bool {
			return x.A == r.Subject && worse(x.Outcome) || x.B == r.Subject && worse(x.Flip().Outcome)
		}) {
			best = append(best, e.title(r.Subject))
		}
	}
	switch {
	case len(m.Comparisons) == 0:
		return "no rivals"
	case m.Outcome == dyno.Tie && len(best) == ranked:
		return "all tie"
	case len(best) == ranked:
		return "none is told from the others"
	case m.Outcome == dyno.Tie:
		return listed(best) + " tie at the least"
	}
	return listed(best) + " are not told from the least"
}

// visits is the section of each scenario: the figures, the verdicts, and what Artillery would have printed.
func (e editor) visits(d *document) {
	for _, c := range e.visited {
		d.add(heading{2, visitName(c.Cell)})
		e.visitFigures(d, c)
		e.visitPairs(d, c)
		e.artillery(d, c)
	}
}

func (e editor) visitFigures(d *document, c dyno.CellVerdict) {
	t := &table{columns: []column{
		left(e.words.Subject), right("p95 µs"), right("p99 µs"), right("session ms"), right("CPU µs"), spare("mean µs"), spare("max µs"), spare("requests/s"), right("n"),
	}}
	var seen marks
	rows := c.Rows
	if c.Ceiling != nil {
		rows = append(slices.Clone(rows), *c.Ceiling)
	}
	for _, r := range rows {
		name := e.title(r.Subject)
		if c.Ceiling != nil && r.Subject == c.Ceiling.Subject {
			name += " (the floor)"
		}
		if r.RatePerS.N == 0 || r.Visits == nil {
			t.add(name, "void", absent, absent, absent, absent, absent, absent, "0")
			continue
		}
		seen.clientBound = seen.clientBound || r.ClientBound
		v := r.Visits
		t.add(name, quantile(r, v.P95Ns), quantile(r, r.P99Ns), measured(v.SessionNs, nsPerMs), known(r.CPUNs, nsPerUs),
			measured(r.MeanNs, nsPerUs), typeset.Figure(float64(r.MaxNs)/nsPerUs), measured(v.RequestsPerS, 1), fmt.Sprint(r.RatePerS.N))
	}
	text := "Users arrive when the script says so, whatever the server does (open loop), so the rate is theirs and no verdict is about it. " +
		"p95, p99, mean and max are response times, from when a request was ready, connecting included, to the last byte of its reply. " +
		"session is the mean length of what a user does, thinking included. CPU is the server's time per verified reply. n is the number of " + e.nouns() + "."
	if seen.clientBound {
		text += " The client was always busy in some of them: their times are upper bounds."
	}
	d.add(t, note(text))
}

// known writes an estimate that is 0 where nobody could measure.
func known(e dyno.Estimate, unit float64) string {
	if e.Value == 0 {
		return absent
	}
	return measured(e, unit)
}

// nouns are what n counts.
func (e editor) nouns() string {
	if e.v.Run.Suite.AdHoc() {
		return "repetitions, all on one process of the server"
	}
	return "fresh processes"
}

// visitPairs compares every subject with every other, by every measure.
func (e editor) visitPairs(d *document, c dyno.CellVerdict) {
	if len(c.ByMeasure) == 0 || len(c.ByMeasure[0].Comparisons) == 0 {
		return
	}
	t := &table{columns: []column{left("Pair")}}
	for _, m := range c.ByMeasure {
		t.columns = append(t.columns, right(visitTitles[m.Measure]))
	}
	t.wrapped = true
	pairs := c.ByMeasure[0].Comparisons
	if len(c.Rows) > pairsMax { // nobody reads all of them
		pairs = slices.DeleteFunc(slices.Clone(pairs), func(x dyno.Comparison) bool { return x.A != c.Winner && x.B != c.Winner })
	}
	for i := range pairs {
		a, b := pairs[i].A, pairs[i].B
		cells := []string{e.title(a) + " over " + e.title(b)}
		for _, m := range c.ByMeasure {
			x, ok := dyno.CellVerdict{Comparisons: m.Comparisons}.Compare(b, a)
			cells = append(cells, marked(x, ok))
		}
		t.add(cells...)
	}
	if len(t.rows) > 0 {
		d.add(heading{3, "Every pair with " + visitName(c.Cell)}, t, note(fmt.Sprintf(
			"By how much the figure of the first exceeds that of the second, paired by block: less is better. ? means undecided, = a tie; without a mark the sign is a verdict. "+
				"Each column is corrected for its %s.", typeset.Counted(len(c.ByMeasure[0].Comparisons), "comparison"))))
	}
}

// summaryMax is how many subjects stand side by side in Artillery's summary.
const summaryMax = 6

// artillery is the summary that seed 002 shows for each runtime.
func (e editor) artillery(d *document, c dyno.CellVerdict) {
	rows := slices.DeleteFunc(slices.Clone(c.Rows), func(r dyno.Row) bool { return r.Visits == nil })
	if len(rows) == 0 {
		return
	}
	d.add(heading{3, "In Artillery's summary, " + visitName(c.Cell)})
	for some := range slices.Chunk(rows, summaryMax) {
		t := &table{columns: []column{left("Metric")}, wrapped: true}
		for _, r := range some {
			t.columns = append(t.columns, right(e.title(r.Subject)))
		}
		add := func(name string, of func(*dyno.VisitRow) string) {
			line := []string{name}
			for _, r := range some {
				line = append(line, of(r.Visits))
			}
			t.add(line...)
		}
		counter := func(name string, of func(dyno.Visits) int64) {
			add(name, func(v *dyno.VisitRow) string { return typeset.Thousands(of(v.Sum)) })
		}
		for _, code := range codesOf(some) {
			counter(fmt.Sprintf("http.codes.%d", code), func(v dyno.Visits) int64 { return v.Codes[code] })
		}
		counter("http.downloaded_bytes", func(v dyno.Visits) int64 { return v.BodyBytes })
		add("http.request_rate /s", func(v *dyno.VisitRow) string { return typeset.Figure(v.RequestsPerS.Value) })
		counter("http.requests", func(v dyno.Visits) int64 { return v.Requests })
		counter("vusers.completed", func(v dyno.Visits) int64 { return v.Completed })
		counter("vusers.created", func(v dyno.Visits) int64 { return v.Created })
		counter("vusers.failed", func(v dyno.Visits) int64 { return v.Failed })
		times := func(name string, of func(*dyno.VisitRow) dyno.Distribution) {
			t.strong(name)
			for _, x := range summaryTimes {
				add("  "+x.name, func(v *dyno.VisitRow) string { return msText(x.of(of(v))) })
			}
		}
		times("http.response_time ms (first byte)", func(v *dyno.VisitRow) dyno.Distribution { return v.FirstByteSeenNs })
		times("http.total ms (last byte)", func(v *dyno.VisitRow) dyno.Distribution { return v.ResponseSeenNs })
		times("vusers.session_length ms", func(v *dyno.VisitRow) dyno.Distribution { return v.SessionSeenNs })
		promiseLines(t, some)
		d.add(t)
	}
	d.add(note(fmt.Sprintf("What was seen over all %s, with %s each: it has no interval and decides nothing. "+
		"Rounds that make up for disturbed ones let in more users.", e.nouns(), visitName(c.Cell))))
}

// promiseLines say of each promise of the script (config.ensure) in how many trials a subject kept it.
func promiseLines(t *table, rows []dyno.Row) {
	var all dyno.Visits
	for _, r := range rows {
		all = all.Plus(r.Visits.Sum)
	}
	if len(all.Promises) > 0 {
		t.strong("ensure: kept in trials")
	}
	for _, p := range all.Promises {
		line := []string{"  " + typeset.Clean(p.Said)}
		if p.Optional {
			line[0] += " (optional)"
		}
		for _, r := range rows {
			kept := absent
			for _, own := range r.Visits.Sum.Promises {
				if own.Said == p.Said && own.Optional == p.Optional {
					kept = fmt.Sprintf("%d of %d", own.Kept, own.Kept+own.Broken)
				}
			}
			line = append(line, kept)
		}
		t.add(line...)
	}
}

// summaryTimes are the lines of a time in Artillery's summary.
var summaryTimes = []struct {
	name string
	of   func(dyno.Distribution) float64
}{
	{"min", func(x dyno.Distribution) float64 { return x.Min }},
	{"max", func(x dyno.Distribution) float64 { return x.Max }},
	{"mean", func(x dyno.Distribution) float64 { return x.Mean }},
	{"median", func(x dyno.Distribution) float64 { return x.P50 }},
	{"p95", func(x dyno.Distribution) float64 { return x.P95 }},
	{"p99", func(x dyno.Distribution) float64 { return x.P99 }},
}

// msText writes ns in ms, with the µs where that says something.
func msText(ns float64) string {
	if ns < nsPerMs {
		return fmt.Sprintf("%.3f", ns/nsPerMs)
	}
	return typeset.Figure(ns / nsPerMs)
}

// codesOf returns all codes that any of the rows has, in order.
func codesOf(rows []dyno.Row) []int {
	codes := map[int]bool{}
	for _, r := range rows {
		for code := range r.Visits.Sum.Codes {
			codes[code] = true
		}
	}
	return slices.Sorted(maps.Keys(codes))
}
