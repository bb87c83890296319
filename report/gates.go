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
	t := &table{columns: []column{left("Case")}}
	for _, g := range gates {
		t.columns = append(t.columns, left(titles[g.Subject]))
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
	d.add(t)
	var failures bullets
	kept := 0
	for _, g := range gates {
		if g.OK() {
			kept++
			continue
		}
		failures = append(failures, failure(titles[g.Subject], g, cases))
	}
	d.add(paragraph(fmt.Sprintf("%d of %d subjects keep all %d promises of the contract.", kept, len(gates), len(cases))))
	if len(failures) > 0 {
		d.add(failures)
	}
	return d
}

// outcome is one square of the table: what a subject did in the i-th case.
func outcome(g dyno.GateResult, i int) string {
	switch {
	case i >= len(g.Cases):
		return "not run"
	case g.Cases[i].OK:
		return "ok"
	}
	return "FAILS"
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
	for _, c := range g.Cases {
		if !c.OK {
			more++
		}
	}
	if more > 0 {
		b.text += fmt.Sprintf("; %s broken, too", typeset.Counted(more, "more promise"))
	}
	return b
}
