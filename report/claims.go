package report

import (
	"fmt"

	"dyno"
	"dyno/report/internal/typeset"
)

// claims answers what was published, with a verdict for each.
func (e editor) claims(d *document) {
	if len(e.v.Claims) == 0 {
		return
	}
	oneLoad := len(e.loads()) == 1 // which the headings above name
	t := &table{columns: []column{left("Published"), left("Load"), left("Rate of"), left("over"), right("claimed"), right("found"), left("Holds?")}}
	for _, c := range e.v.Claims {
		answer := string(dyno.Undecided)
		switch holds, decided := c.Holds(); {
		case holds:
			answer = "yes"
		case decided:
			answer = "no"
		}
		t.add(typeset.Clean(c.Said), short(c.Load), e.title(c.A), e.title(c.B), "×"+typeset.Figure(c.Ratio), "×"+measured(c.Found, 1), answer)
	}
	if oneLoad {
		t = t.without(1)
	}
	d.add(heading{2, "What was claimed, and what is true here"}, t, note(fmt.Sprintf(
		"found: geometric mean over all %s, paired by block. A claim holds when the interval that is good for all claims together lies within %.0f %% of the claimed ratio, and fails when it lies outside.",
		e.words.Workloads, 100*(dyno.ClaimTolerance-1))))
}
