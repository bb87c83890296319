package report

import (
	"fmt"
	"io"
	"strings"

	"dyno"
	"dyno/report/internal/typeset"
)

// cloneLines says how often verdicts on clones were wrong.
func cloneLines(c dyno.CloneCheck) []string {
	var lines []string
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	if c.Equal.Of > 0 {
		say("Between equal clones, faster or slower was claimed in %v; %s.", c.Equal, c.Equal.Against(dyno.FalseMost))
	}
	if c.EqualCPU.Of > 0 {
		say("Cheaper or dearer was claimed between them in %v; %s.", c.EqualCPU, c.EqualCPU.Against(dyno.FalseMost))
	}
	if c.Missed.Of > 0 {
		say("A slowdown of %.3g %% was missed in %v; %s.", c.Slowdown*100, c.Missed, c.Missed.Against(dyno.MissedMost))
		say("It was taken for a gain in %v.", c.Wrong)
		say("The slowed clones reached %.1f %% of the others' rate; %.1f %% is what was put in.", c.Reached*100, 100/(1+c.Slowdown))
	}
	if len(lines) > 0 {
		say("Each verdict was corrected for up to %d comparisons. Those of one report share processes, so that the intervals, "+
			"which take them for independent, are somewhat too narrow.", c.Compared)
	}
	return lines
}

// Clones writes how often verdicts on clones were wrong, for a terminal. The error is the writer's.
func Clones(w io.Writer, c dyno.CloneCheck) error {
	var d document
	addClones(&d, &c)
	r := textRenderer{width: widthMax}
	return write(w, strings.TrimLeft(r.render(d), "\n"))
}

// clones is the section of a report about clones; other reports have none.
func (e editor) clones(d *document) {
	if e.v.Clones == nil || e.v.Clones.Of() == 0 {
		return
	}
	d.add(heading{2, "Clones: how often the verdicts are wrong"})
	addClones(d, e.v.Clones)
}

func addClones(d *document, c *dyno.CloneCheck) {
	var lines bullets
	for _, line := range cloneLines(*c) {
		lines.add(strings.ReplaceAll(line, " %", typeset.Unbreakable+"%"))
	}
	d.add(lines)
}
