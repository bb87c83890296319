package report

import (
	"fmt"
	"slices"
	"strings"

	"dyno"
	"dyno/report/internal/typeset"
)

const (
	voidsMax  = 20 // causes of void trials told one by one
	stderrMax = 5  // last lines of each one's stderr
)

// notMeasured lists the subjects without any figure, and why.
func (e editor) notMeasured(d *document) {
	var lines bullets
	for _, s := range e.v.Run.Subjects {
		if s.Unavailable != "" {
			lines.add(e.title(s.Name) + " is unavailable: " + s.Unavailable)
		}
	}
	for _, g := range e.v.Run.Gates {
		unavailable := slices.ContainsFunc(e.v.Run.Subjects, func(s dyno.Subject) bool { return s.Name == g.Subject && s.Unavailable != "" })
		if !g.OK() && !unavailable { // what cannot run cannot pass: that was said above
			lines = append(lines, bullet{text: e.title(g.Subject) + " " + gateFault(g), quoted: last(g.Stderr)})
		}
	}
	if len(lines) > 0 {
		d.add(heading{2, "Not measured"}, lines)
	}
}

func gateFault(g dyno.GateResult) string {
	if g.Fault != "" {
		return "could not be checked: " + g.Fault
	}
	first, failed := g.FirstFailure()
	if !failed {
		return "was not checked: the gate has no cases"
	}
	broken := 0
	for _, c := range g.Cases {
		if !c.OK {
			broken++
		}
	}
	return fmt.Sprintf("broke its contract in %d of %s, first in %s: %s", broken, typeset.Counted(len(g.Cases), "case"), first.Case, first.Reason)
}

func last(stderr []string) []string { return stderr[max(len(stderr)-stderrMax, 0):] }

// voids lists the trials that do not count: once for each cell and reason, with the blocks.
func (e editor) voids(d *document) {
	if len(e.v.VoidTrials) == 0 {
		return
	}
	var causes []voidCause
	for _, v := range e.v.VoidTrials {
		i := slices.IndexFunc(causes, func(c voidCause) bool {
			return c.subject == v.Subject && c.cell == v.Cell && c.reason == v.Reason
		})
		if i < 0 {
			i = len(causes)
			causes = append(causes, voidCause{subject: v.Subject, cell: v.Cell, reason: v.Reason, stderr: v.Stderr})
		}
		causes[i].blocks = append(causes[i].blocks, fmt.Sprint(v.Block+1))
	}
	var lines bullets
	for _, c := range causes[:min(len(causes), voidsMax)] {
		noun := "block "
		if len(c.blocks) > 1 {
			noun = "blocks "
		}
		text := fmt.Sprintf("%s, %s, %s: %s", e.title(c.subject), c.cell, noun+listed(c.blocks), c.reason)
		lines = append(lines, bullet{text: text, quoted: last(c.stderr)})
	}
	if len(causes) > voidsMax {
		lines.add(fmt.Sprintf("and %d more of the kind", len(causes)-voidsMax))
	}
	d.add(heading{2, "Void trials"},
		paragraph(fmt.Sprintf("%d of %s do not count. Nothing of them is in any figure.", e.v.Voids, typeset.Counted(e.v.Trials, "trial"))), lines)
}

// voidCause is why a subject's trials in a cell do not count.
type voidCause struct {
	subject string
	cell    dyno.Cell
	reason  string
	blocks  []string
	stderr  []string // of the first of them
}

// suspects says what makes figures weaker than they look.
func (e editor) suspects(d *document) {
	var lines bullets
	subjects := e.ranked()
	if len(subjects) > pairsMax {
		lines = e.suspectsOf(fmt.Sprintf("All %d subjects", len(subjects)), subjects...)
	} else {
		for _, subject := range subjects {
			lines = append(lines, e.suspectsOf(e.title(subject), subject)...)
		}
	}
	dropped := 0
	for _, c := range e.v.Cells {
		for _, x := range c.Comparisons {
			dropped += x.DroppedBlocks
		}
	}
	if dropped > 0 {
		lines.add(fmt.Sprintf("%s of single comparisons dropped: more than half of their rounds were flagged.", typeset.Counted(dropped, "block")))
	}
	lines = append(lines, e.noise()...)
	if len(lines) > 0 {
		d.add(heading{2, "Disturbances"}, lines)
	}
}

// suspectsOf says it of one subject, or of many together.
func (e editor) suspectsOf(name string, subjects ...string) bullets {
	flagged, turns, unsettled, slowed, warmed, trials := 0, 0, 0, 0, 0, 0
	for _, subject := range subjects {
		for _, c := range e.v.Cells {
			r, _ := rowOf(c, subject)
			flagged += r.Flagged
			turns += r.Slices
			unsettled, slowed, warmed = unsettled+r.Unsettled, slowed+r.SlowedDown, warmed+r.WarmedUp
			trials += r.RatePerS.N
		}
	}
	var lines bullets
	if flagged > 0 {
		lines.add(fmt.Sprintf("%s: %s of %s flagged as disturbed, by rules that never look at the outcome; they are not paired.",
			name, typeset.Thousands(int64(flagged)), typeset.Counted(turns, "slice")))
	}
	if unsettled+slowed > 0 {
		lines.add(fmt.Sprintf("%s: no steady state in %s of %s%s (up to one in twenty is a false alarm).", name, typeset.Thousands(int64(unsettled)), typeset.Counted(trials, "trial"), others(warmed, slowed)))
	}
	return lines
}

// others says on which way trials came to their steady state, where they did not begin there.
func others(warmed, slowed int) string {
	var parts []string
	if warmed > 0 {
		parts = append(parts, fmt.Sprintf("%s after a warm-up", typeset.Thousands(int64(warmed))))
	}
	if slowed > 0 {
		parts = append(parts, fmt.Sprintf("%s after a slowdown", typeset.Thousands(int64(slowed))))
	}
	if len(parts) == 0 {
		return ""
	}
	return "; one was reached in " + strings.Join(parts, " and in ")
}

// undecided says what could not be decided: each open cell of the seed's pair, the other pairs by
// count.
func (e editor) undecided(d *document) {
	first, second, _ := e.versus()
	var lines bullets
	subjects := e.ranked()
	if len(subjects) > pairsMax {
		e.openCount(d)
		return
	}
	for i, a := range subjects {
		for _, b := range subjects[i+1:] {
			if a == first && b == second || a == second && b == first {
				lines = append(e.openCells(first, second), lines...)
				continue
			}
			if t := e.count(a, b); t.undecided > 0 {
				lines.add(fmt.Sprintf("%s against %s: %d of %s undecided", e.title(a), e.title(b), t.undecided, typeset.Counted(len(e.contested())-t.missing, "cell")))
			}
		}
	}
	if len(lines) > 0 {
		d.add(heading{2, undecidedTitle}, lines, paragraph("More blocks narrow the intervals: --blocks N."))
	}
}

// openCount says how much is undecided where a list of all pairs would be too long to read.
func (e editor) openCount(d *document) {
	open, all := 0, 0
	for _, c := range e.contested() {
		all += len(c.Comparisons)
		for _, x := range c.Comparisons {
			if x.Outcome == dyno.Undecided {
				open++
			}
		}
	}
	if open > 0 {
		d.add(heading{2, undecidedTitle}, paragraph(fmt.Sprintf(
			"%s of %s of two subjects in a cell. More blocks narrow the intervals: --blocks N.", typeset.Thousands(int64(open)), typeset.Counted(all, "comparison"))))
	}
}

func (e editor) openCells(first, second string) bullets {
	var lines bullets
	for _, c := range e.contested() {
		if x, ok := c.Compare(second, first); ok && x.Outcome == dyno.Undecided {
			lines.add(fmt.Sprintf("%s against %s, %s: %s", e.title(second), e.title(first), c.Cell, x.Reason))
		}
	}
	return lines
}
