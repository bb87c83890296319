package report

import (
	"regexp"
	"strings"
	"testing"

	"dyno"
	"dyno/report/html"
	"dyno/report/internal/typeset"
)

// Every finding names a section that the report has, so that its link leads somewhere.
func TestFindingsLeadToTheirVerdicts(t *testing.T) {
	for name, s := range scenes() {
		v := s.verdict()
		md := markdownOf(t, v)
		for _, f := range Findings(v) {
			if !strings.Contains(md, "# "+typeset.Markdown(f.Section)+"\n") {
				t.Errorf("%s: no section %q for: %s", name, f.Section, f.Text)
			}
			if !regexp.MustCompile(`\d`).MatchString(f.Text) {
				t.Errorf("%s: no number in: %s", name, f.Text)
			}
			if f.Section != undecidedTitle && f.pair[0] != "" && strings.Contains(f.Text, "is faster") {
				checkBacking(t, v, f)
			}
		}
	}
}

// checkBacking looks up the comparison that a finding names: somebody must be faster there.
func checkBacking(t *testing.T, v dyno.Verdict, f Finding) {
	t.Helper()
	e := newEditor(v)
	x, ok := e.comparison(f.cell.Load, f.pair[0], f.pair[1])
	if f.cell.Workload != (dyno.Workload{}) {
		for _, c := range v.Cells {
			if c.Cell == f.cell {
				x, ok = c.Compare(f.pair[0], f.pair[1])
			}
		}
	}
	decided := x.Outcome == dyno.Faster || x.Outcome == dyno.Slower || strings.Contains(f.Text, "over all of them "+e.said(x))
	if !ok || !decided {
		t.Errorf("the verdict %v does not back: %s", x, f.Text)
	}
}

func TestCrossoversNeedAVerdictOnBothSides(t *testing.T) {
	found := 0
	for _, f := range Findings(scenes()["crossover"].verdict()) {
		if strings.Contains(f.Text, "cross between 64 B and 256 B: up to 64 B Deno is faster, from 256 B on Bun") {
			found++
		}
	}
	if found == 0 {
		t.Error("the crossover that is in the truth was not found")
	}
	for _, name := range []string{"decided", "ties", "undecided"} {
		for _, f := range Findings(scenes()[name].verdict()) {
			if strings.Contains(f.Text, "cross") {
				t.Errorf("%s: %s", name, f.Text)
			}
		}
	}
}

func TestAdviceFollowsFromRatesAndVerdicts(t *testing.T) {
	load := dyno.Load{Connections: 4, Depth: 1}
	cellOf := func(size int, a, b float64, outcome dyno.Outcome) dyno.CellVerdict {
		rate := func(x float64) dyno.Estimate { return dyno.Estimate{Value: x, Low: x, High: x, N: 5} }
		return dyno.CellVerdict{
			Cell:        dyno.Cell{Workload: dyno.Workload{PayloadBytes: size}, Load: load},
			Rows:        []dyno.Row{{Subject: "a", RatePerS: rate(a)}, {Subject: "b", RatePerS: rate(b)}},
			Comparisons: []dyno.Comparison{{A: "a", B: "b", Outcome: outcome, Ratio: dyno.Estimate{Value: a / b, Low: 1, High: 2, N: 5}}},
		}
	}
	half := serverType{name: "test", players: 10, packetsS: 1000, mix: []part{{0.5, 64}, {0.5, 1024}}}
	for _, c := range []struct {
		name         string
		small, large dyno.CellVerdict
		want         string
	}{
		{"far more than needed", cellOf(64, 1e6, 2e6, dyno.Slower), cellOf(1024, 1e6, 2e6, dyno.Slower), "either: below a tenth of each"},
		{"faster at one, equal at the other", cellOf(64, 4000, 3000, dyno.Faster), cellOf(1024, 3000, 3000, dyno.Tie), "a (faster by verdict)"},
		{"faster at one, slower at the other", cellOf(64, 4000, 3000, dyno.Faster), cellOf(1024, 3000, 4000, dyno.Slower), "undecided: a, b"},
		{"equal", cellOf(64, 3000, 3000, dyno.Tie), cellOf(1024, 3000, 3000, dyno.Tie), "either: a, b tie"},
		{"open", cellOf(64, 3000, 3000, dyno.Undecided), cellOf(1024, 3000, 3000, dyno.Tie), "undecided: a, b"},
		{"only one suffices", cellOf(64, 1000, 9000, dyno.Slower), cellOf(1024, 1000, 9000, dyno.Slower), "b (alone below half load)"},
		{"none suffices", cellOf(64, 1000, 900, dyno.Faster), cellOf(1024, 1000, 900, dyno.Faster), "none with one process"},
	} {
		e := newEditor(dyno.Verdict{Run: dyno.Run{Suite: dyno.Suite{Contract: "framed"}}, Cells: []dyno.CellVerdict{c.small, c.large}})
		a, ok := e.advise(half)
		if !ok || a.words != c.want {
			t.Errorf("%s: %q, want %q", c.name, a.words, c.want)
		}
		if a.load != load {
			t.Errorf("%s: judged by %v", c.name, a.load)
		}
	}
	e := newEditor(dyno.Verdict{Cells: []dyno.CellVerdict{cellOf(8, 1, 1, dyno.Tie)}})
	if _, ok := e.advise(half); ok {
		t.Error("1024 B were judged by 8 B")
	}
}

func TestSlugsAreThoseOfGitHub(t *testing.T) {
	for text, want := range map[string]string{
		"1 connection": "1-connection", "32 connections, depth 16": "32-connections-depth-16",
		latencyTitle:  "latency-characteristics-service-time-closed-loop",
		"\x1b[31m<b>": "b",
	} {
		if got := html.Slug(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
