package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"dyno"
	"dyno/internal/golden"
	"dyno/stat"
)

func pageOf(t testing.TB, s scene) string {
	t.Helper()
	var out strings.Builder
	if err := HTML(&out, s.verdict(), stat.Gather(s.run, s.trials), PageOptions{Links: []Link{{"the verdict as JSON", "verdict.json"}}}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

var (
	idPattern   = regexp.MustCompile(` id="([^"]*)"`)
	linkPattern = regexp.MustCompile(` href="#([^"]*)"`)
	asidePages  = regexp.MustCompile(`(?s)<style>.*?</style>|<script>.*?</script>|<meta http-equiv.*?>`)
)

func TestPages(t *testing.T) {
	for name, s := range scenes() {
		t.Run(name, func(t *testing.T) {
			page := pageOf(t, s)
			ids := map[string]bool{}
			for _, m := range idPattern.FindAllStringSubmatch(page, -1) {
				if ids[m[1]] {
					t.Errorf("the id %s stands twice", m[1])
				}
				ids[m[1]] = true
			}
			for _, m := range linkPattern.FindAllStringSubmatch(page, -1) {
				if !ids[m[1]] {
					t.Errorf("a link leads to %s, which is nowhere", m[1])
				}
			}
			if n := strings.Count(page, "<script>"); n != 1 {
				t.Errorf("%d scripts", n)
			}
			drawings, tables := strings.Count(page, "<svg"), strings.Count(page, "<summary>The figures</summary>")
			if drawings != tables {
				t.Errorf("%d drawings, but %d tables behind them", drawings, tables)
			}
			if strings.Contains(page, "NaN") || strings.Contains(page, "+Inf") {
				t.Error("a figure is not a number")
			}
		})
	}
	golden.Check(t, "one-load.html", asidePages.ReplaceAllString(pageOf(t, scenes()["one-load"]), ""))
}

func TestPageOfTheHostileRun(t *testing.T) {
	page := pageOf(t, scenes()["hostile"])
	for _, bad := range []string{"<script>alert", "\x1b", "\u202e", "\x00", "<b>"} {
		if strings.Contains(page, bad) {
			t.Errorf("%q came through", bad)
		}
	}
	s := scenes()["hostile"]
	var compared strings.Builder
	c := stat.Contrast(dyno.Side{Run: s.run, Subject: "framed-bun"}, dyno.Side{Run: s.run, Subject: "framed-go"}, s.trials, s.trials)
	c.Warnings = append(c.Warnings, "<script>alert(1)</script>")
	judged := make([]Judged, len(c.Changes))
	for i, x := range c.Changes {
		judged[i] = Judged{Change: x, Failed: "<b>\x1b[31m" + string(x.Measure)}
	}
	if err := ContrastHTML(&compared, c, judged, dyno.Measures()); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"<script>alert", "\x1b", "\u202e", "\x00", "<b>"} {
		if strings.Contains(compared.String(), bad) {
			t.Errorf("%q came through the page of a comparison", bad)
		}
	}
	if strings.Contains(page, `href="javascript`) {
		t.Error("a live link to a script")
	}
}

// full is the whole frameworks suite: 40 subjects, 3 tests, 10 blocks of 16 slices.
func full() scene {
	var servers []server
	for i := range 40 {
		servers = append(servers, server{name: fmt.Sprintf("http-framework-%d", i), title: fmt.Sprintf("framework-%d (node)", i), rate: 40_000 / (1 + 0.05*float64(i)), scale: 0.3})
	}
	null := nullServer
	null.rate, null.scale = 190_000, 0.3
	var all []dyno.Cell
	for _, name := range []string{"GET /", "GET /id/:id", "POST /json"} {
		all = append(all, dyno.Cell{Workload: dyno.Workload{Name: name}, Load: dyno.Load{Connections: 64, Depth: 1}})
	}
	s := measure(all, 10, 0.01, append(servers, null)...)
	s.run.Suite.Name, s.run.Suite.Title, s.run.Suite.Contract, s.run.Suite.Versus = "frameworks", "HTTP frameworks", "httpbasic", [2]string{}
	for i := range s.trials {
		t := &s.trials[i]
		t.Slices = slices.Repeat(t.Slices, 4)
		for round := range t.Slices {
			t.Slices[round].Round = round
		}
	}
	return s
}

// pageMax is what a page of a full suite may weigh.
const pageMax = 3_000_000

func TestAFullSuiteFitsItsPage(t *testing.T) {
	page := pageOf(t, full())
	if len(page) > pageMax {
		t.Errorf("%d bytes, at most %d", len(page), pageMax)
	}
	if n := strings.Count(page, "<tr"); n < 41*3*10 {
		t.Errorf("only %d rows: a trial is missing", n)
	}
	t.Logf("%d bytes", len(page))
}

// A page of a full suite must be there within 2 s, from the verdict on.
func BenchmarkFullSuite(b *testing.B) {
	s := full()
	v, evidence := s.verdict(), stat.Gather(s.run, s.trials)
	for b.Loop() {
		var out strings.Builder
		if err := HTML(&out, v, evidence, PageOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}
