package report

import (
	"fmt"
	"slices"
	"strings"

	"dyno"
	"dyno/report/internal/typeset"
	"dyno/stat"
)

// headline answers the suite's question in a few lines, from verdicts only.
func (e editor) headline(d *document) {
	if len(e.v.Cells)+len(e.visited) == 0 && e.v.Capacity != nil {
		d.add(bullets{{text: e.capacityHeadline()}})
		return
	}
	if len(e.v.Cells)+len(e.visited) == 0 {
		d.add(paragraph("Nothing was measured: there is no valid trial in this run."))
		return
	}
	var lines bullets
	if len(e.v.Cells) > 0 {
		e.rateHeadline(&lines)
	}
	for _, line := range e.visitHeadline() {
		lines.add(line)
	}
	if line := e.capacityHeadline(); line != "" {
		lines.add(line)
	}
	if len(e.v.Cells) > 0 {
		lines.add(e.certainty())
	}
	d.add(lines)
}

// rateHeadline says who is faster in the closed loops.
func (e editor) rateHeadline(lines *bullets) {
	first, second, ok := e.versus()
	if subjects := e.ranked(); !ok && len(subjects) == 2 {
		first, second, ok = subjects[0], subjects[1], true
	}
	if ok {
		for _, line := range e.duel(first, second) {
			lines.add(line)
		}
	}
	if !ok {
		for _, line := range e.leaders() {
			lines.add(line)
		}
	} else if line := e.champions(); line != "" {
		lines.add(line)
	}
}

// tally counts how the cells of a run were decided between two subjects.
type tally struct{ first, second, ties, undecided, missing int }

func (e editor) count(first, second string) tally {
	var t tally
	for _, c := range e.contested() {
		x, ok := c.Compare(second, first)
		switch {
		case !ok:
			t.missing++
		case x.Outcome == dyno.Faster:
			t.second++
		case x.Outcome == dyno.Slower:
			t.first++
		case x.Outcome == dyno.Tie:
			t.ties++
		default:
			t.undecided++
		}
	}
	return t
}

// duel says who of the two is faster, in how many cells, and by how much on the average.
func (e editor) duel(first, second string) []string {
	t := e.count(first, second)
	a, b := e.title(first), e.title(second)
	of := len(e.contested()) - t.missing
	if of == 0 {
		return []string{fmt.Sprintf("%s and %s cannot be compared: no cell has valid trials of both.", a, b)}
	}
	cells := typeset.Counted(of, "cell")
	var s string
	switch {
	case t.first+t.second == 0:
		s = fmt.Sprintf("No winner between %s and %s in any of %s: %s, %d undecided.", a, b, cells, typeset.Counted(t.ties, "tie"), t.undecided)
	default:
		s = fmt.Sprintf("Of %s (%s × load), %s is faster in %d, %s in %d; %s, %d undecided.",
			cells, e.words.Workload, b, t.second, a, t.first, typeset.Counted(t.ties, "tie"), t.undecided)
	}
	if t.missing > 0 {
		s += fmt.Sprintf(" %s without valid trials of both.", typeset.Counted(t.missing, "cell"))
	}
	lines := []string{s}
	if s := e.duelByLoad(first, second); s != "" {
		lines = append(lines, s)
	}
	return lines
}

func (e editor) duelByLoad(first, second string) string {
	var parts []string
	for _, a := range e.v.Averages {
		if x, ok := a.Compare(second, first); ok {
			parts = append(parts, a.Load.String()+": "+e.said(x))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "Over all " + e.words.Workloads + " (geometric mean of the ratios): " + strings.Join(parts, "; ") + "."
}

// said puts a comparison of B with A into words.
func (e editor) said(x dyno.Comparison) string {
	switch x.Outcome {
	case dyno.Faster:
		return e.title(x.A) + typeset.Unbreakable + spaced(difference(x.Ratio))
	case dyno.Slower:
		x = x.Flip()
		return e.title(x.A) + typeset.Unbreakable + spaced(difference(x.Ratio))
	case dyno.Tie:
		return "tie"
	}
	if !x.Ratio.Known() {
		return "undecided"
	}
	return "undecided (" + e.title(x.A) + typeset.Unbreakable + spaced(difference(x.Ratio)) + ")"
}

// champions says who is faster than all others.
func (e editor) champions() string {
	subjects := e.ranked()
	if len(subjects) < 3 {
		return ""
	}
	wins := map[string]int{}
	ties, open := 0, 0
	for _, c := range e.contested() {
		switch {
		case c.Winner != "":
			wins[c.Winner]++
		case c.Outcome == dyno.Tie:
			ties++
		default:
			open++
		}
	}
	var parts []string
	for _, s := range subjects {
		if wins[s] > 0 {
			parts = append(parts, fmt.Sprintf("%s in %s", e.title(s), typeset.Counted(wins[s], "cell")))
		}
	}
	if len(parts) == 0 {
		return fmt.Sprintf("None of the %d subjects is faster than all others in any cell (%d undecided, %s at the top).",
			len(subjects), open, typeset.Counted(ties, "tie"))
	}
	return fmt.Sprintf("Faster than all of the %d others: %s; %s at the top, %d without a winner.",
		len(subjects)-1, listed(parts), typeset.Counted(ties, "tie"), open)
}

func (e editor) certainty() string {
	n := e.processes(e.v.Cells)
	switch {
	case e.v.Compared == 0:
		return "Certainty: " + n + ". No two subjects could be compared."
	case !e.hasIntervals():
		return "Certainty: " + n + ": no interval, no verdict."
	}
	return fmt.Sprintf("Certainty: %s. Verdicts are corrected for %s: the chance that any of them names a wrong winner is at most %.0f %%.",
		n, typeset.Counted(e.v.Compared, "comparison"), stat.Alpha*100)
}

// hasIntervals reports whether any comparison rests on more than one block.
func (e editor) hasIntervals() bool {
	return slices.ContainsFunc(e.v.Cells, func(c dyno.CellVerdict) bool {
		return slices.ContainsFunc(c.Comparisons, func(x dyno.Comparison) bool { return x.Ratio.Known() })
	})
}
