package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"dyno"
	"dyno/report/internal/typeset"
)

// Gates writes the table of cases × subjects that a gate produced, and under it every failure with
// its reason. The error is the writer's.
func Gates(w io.Writer, cases []dyno.Case, subjects []dyno.Subject, gates []dyno.GateResult, o Options) error {
	r := textRenderer{width: o.width(), color: o.Color}
	return write(w, r.render(composeGates(cases, subjects, gates)))
}

// GatesJSON writes the results themselves, indented.
func GatesJSON(w io.Writer, gates []dyno.GateResult) error {
	b, err := json.MarshalIndent(gates, "", "  ")
	if err != nil {
		return fmt.Errorf("gate results as JSON: %w", err)
	}
	return write(w, string(b)+"\n")
}

func composeGates(cases []dyno.Case, subjects []dyno.Subject, gates []dyno.GateResult) document {
	var d document
	titles := titlesOf(subjects)
	name := func(g dyno.GateResult) string { return firstOf(titles[g.Subject], g.Subject) }
	switch {
	case len(cases) == 0: // of a contract that nobody knows
	case len(gates) > gatesAcross:
		gatesDown(&d, cases, name, gates)
	default:
		d.add(gatesTable(cases, name, gates))
	}
	var failures bullets
	kept, unavailable := 0, 0
	for i, g := range gates {
		if g.OK() {
			kept++
			continue
		}
		if subjects[i].Unavailable != "" {
			unavailable++
		}
		failures = append(failures, failure(name(g), g, cases))
	}
	if len(cases) > 0 {
		s := fmt.Sprintf("%d of %d subjects keep all %d promises of the contract", kept, len(gates), len(cases))
		if unavailable > 0 {
			s += fmt.Sprintf("; %d unavailable", unavailable)
		}
		d.add(paragraph(s + "."))
	}
	if len(failures) > 0 {
		d.add(failures)
	}
	return d
}

// gatesAcross is the number of subjects up to which each has a column. Beyond, each has a row.
const gatesAcross = 6

// gatesTable has a row for each case and a column for each subject.
func gatesTable(cases []dyno.Case, name func(dyno.GateResult) string, gates []dyno.GateResult) *table {
	t := &table{columns: []column{left("Case")}}
	for _, g := range gates {
		t.columns = append(t.columns, left(name(g)))
	}
	for i, c := range cases {
		cells := []string{c.Name}
		for _, g := range gates {
			cells = append(cells, outcome(g, i))
		}
		t.add(cells...)
	}
	passed := []string{"Time"}
	for _, g := range gates {
		passed = append(passed, spent(g))
	}
	t.strong(passed...)
	return t
}

// gatesPerColumn is how many cases stand together, so that a mark's number can be counted.
const gatesPerColumn = 10

// gatesDown has a row for each subject, with a mark for each case. A legend says which is which.
func gatesDown(d *document, cases []dyno.Case, name func(dyno.GateResult) string, gates []dyno.GateResult) {
	t := &table{columns: []column{left("Subject")}}
	for from := 0; from < len(cases); from += gatesPerColumn {
		t.columns = append(t.columns, left(fmt.Sprintf("%d–%d", from+1, min(from+gatesPerColumn, len(cases)))))
	}
	t.columns = append(t.columns, right("kept"), right("time"), left("first broken"))
	for _, g := range gates {
		cells := []string{name(g)}
		kept := 0
		for from := 0; from < len(cases); from += gatesPerColumn {
			marks := ""
			for i := from; i < min(from+gatesPerColumn, len(cases)); i++ {
				marks += markOf[outcome(g, i)]
				if outcome(g, i) == caseKept {
					kept++
				}
			}
			cells = append(cells, marks)
		}
		broken := ""
		if c, failed := g.FirstFailure(); failed {
			broken = c.Case
		} else if g.Fault != "" {
			broken = "not checked"
		}
		t.add(append(cells, fmt.Sprintf("%d/%d", kept, len(cases)), spent(g), broken)...)
	}
	legend := make([]string, len(cases))
	for i, c := range cases {
		legend[i] = fmt.Sprintf("%d%s%s", i+1, typeset.Unbreakable, c.Name)
	}
	d.add(t, note("✓ kept, ✗ broken, · not run. The cases: "+strings.Join(legend, ", ")+"."))
}

// What a subject can have done in a case, and the mark that stands for it.
const (
	caseKept   = "ok"
	caseBroken = "FAILS"
	caseNotRun = "not run"
)

var markOf = map[string]string{caseKept: "✓", caseBroken: "✗", caseNotRun: "·"}

// outcome is one square of the table: what a subject did in the i-th case.
func outcome(g dyno.GateResult, i int) string {
	switch {
	case i >= len(g.Cases) || !g.Cases[i].OK && g.Cases[i].DurationNs == 0:
		return caseNotRun
	case g.Cases[i].OK:
		return caseKept
	}
	return caseBroken
}

func spent(g dyno.GateResult) string {
	var sum time.Duration
	for _, c := range g.Cases {
		sum += time.Duration(c.DurationNs)
	}
	if len(g.Cases) == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f s", sum.Seconds())
}

// failure explains a subject that does not pass: its first broken promise, or why it could not be
// checked, and what it wrote last.
func failure(name string, g dyno.GateResult, cases []dyno.Case) bullet {
	b := bullet{quoted: g.Stderr}
	broken, failed := g.FirstFailure()
	if !failed {
		b.text = fmt.Sprintf("%s: %s", name, g.Fault)
		return b
	}
	b.text = fmt.Sprintf("%s fails %s: %s", name, broken.Case, broken.Reason)
	for _, c := range cases {
		if c.Name == broken.Case {
			b.text += fmt.Sprintf("; the promise is: %s", strings.TrimSuffix(c.Promise, "."))
		}
	}
	more := -1
	for i := range g.Cases {
		if outcome(g, i) == caseBroken {
			more++
		}
	}
	if more > 0 {
		b.text += fmt.Sprintf("; %s broken, too", typeset.Counted(more, "more promise"))
	}
	return b
}
