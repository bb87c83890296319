package report

import (
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
