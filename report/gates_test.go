package report

import (
	"fmt"
	"strings"
	"testing"

	"dyno"
	"dyno/internal/golden"
)

func TestGatesGolden(t *testing.T) {
	cases := []dyno.Case{
		{Name: "split-frame", Promise: "a frame is answered wherever it is cut"},
		{Name: "reset", Promise: "a client that resets its connection harms no other"},
	}
	subjects := []dyno.Subject{
		{Name: "framed-bun", Title: "Bun"}, {Name: "framed-bad", Title: "Bad | one\x1b[31m"},
		{Name: "framed-dead", Title: "Dead"}, {Name: "framed-away", Title: "Away"},
	}
	ok := func(name string) dyno.CaseResult { return dyno.CaseResult{Case: name, OK: true, DurationNs: 40e6} }
	gates := []dyno.GateResult{
		{Subject: "framed-bun", Cases: []dyno.CaseResult{ok("split-frame"), ok("reset")}},
		{Subject: "framed-bad", Cases: []dyno.CaseResult{
			{Case: "split-frame", Reason: "frame 3 of 10: prefix 2 bytes, want 1", DurationNs: 2e9},
			{Case: "reset", Reason: "not run", DurationNs: 0},
		}, Stderr: []string{"warning: \x1b[31mred"}},
		{Subject: "framed-dead", Fault: "exit code 3 before it listened", Stderr: []string{"Error: no such module"}},
		{Subject: "framed-away", Fault: "unavailable: on no registry"},
	}
	var b strings.Builder
	if err := Gates(&b, cases, subjects, gates, Options{}); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "gates.txt", b.String())
}

// TestManyGatesGolden: with many subjects each has a row, and the cases are marks.
func TestManyGatesGolden(t *testing.T) {
	var cases []dyno.Case
	for i := range 24 {
		cases = append(cases, dyno.Case{Name: fmt.Sprintf("case-%c", 'a'+i), Promise: "It answers."})
	}
	var subjects []dyno.Subject
	var gates []dyno.GateResult
	for i := range 9 {
		s := dyno.Subject{Name: fmt.Sprintf("http-%d", i), Title: fmt.Sprintf("framework %d (bun)", i)}
		g := dyno.GateResult{Subject: s.Name}
		for k, c := range cases {
			result := dyno.CaseResult{Case: c.Name, OK: true, DurationNs: 30e6}
			switch {
			case i == 3 && k%7 == 5:
				result.OK, result.Reason = false, "status 500, want 200"
			case i == 4 && k == 20:
				result.OK, result.Reason = false, "the server reset the connection"
			case i == 4 && k > 20:
				result = dyno.CaseResult{Case: c.Name, Reason: "not run: the server has not answered since case case-u"}
			}
			g.Cases = append(g.Cases, result)
		}
		if i == 6 {
			s.Unavailable = "on no registry"
			g.Fault, g.Cases = "unavailable: on no registry", nil
		}
		subjects, gates = append(subjects, s), append(gates, g)
	}
	var b strings.Builder
	if err := Gates(&b, cases, subjects, gates, Options{}); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "gates-many.txt", b.String())
}
