package report

import (
	"html"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"dyno/report/internal/typeset"
)

var (
	tablePattern  = regexp.MustCompile(`(?s)<table>.*?</table>`)
	headPattern   = regexp.MustCompile(`<th scope="col"[^>]*>(.*?)</th>`)
	rowPattern    = regexp.MustCompile(`<tr[^>]*>(.*?)</tr>`)
	figurePattern = regexp.MustCompile(`<td( class="n")?>(.*?)</td>`)
)

// framedScene is a run of three servers and a ceiling.
func framedScene() scene {
	return measure(cells([]int{16, 64, 1024}, seedLoads[:2]...), 5, 0.01, denoServer, bunServer, nodeServer, nullServer)
}

// Every number in a table of the page follows from the stored trials.
func TestEveryFigureFollowsFromTheTrials(t *testing.T) {
	for name, c := range map[string]struct {
		scene
		columns []string // that must be among those that were checked
	}{
		"framed":     {framedScene(), []string{"Bun (pps)", "Deno busy", "ratio"}},
		"frameworks": {frameworks(90_000), []string{"Average", "of ceiling", "Post JSON", "97.5%", "found"}},
		"rpc":        {scenes()["rpc"], []string{"2.5%", "Stdev", "Min", "Max"}},
		"players":    {scenes()["players"], []string{"Bun holds", "Down/s", "Players"}},
		"codec":      {codecs(), []string{"Go ns/op", "B/op", "allocs/op", "Node Gbit/s", "Node of copy", "64 KB"}},
	} {
		t.Run(name, func(t *testing.T) { checkFigures(t, trace(c.scene), c.columns) })
	}
}

// judgedColumns are those whose numbers are judgements, which package stat's own tests recompute. A table with the
// column Kept is a curve of latency against rate, put together from probes there, too.
var judgedColumns = []string{"corrected p", "no steady state", "Rank", "Knee"}

func checkFigures(t *testing.T, tr *tracer, columns []string) {
	checked := map[string]int{}
	for _, table := range tablePattern.FindAllString(pageOf(t, tr.scene), -1) {
		head := headPattern.FindAllStringSubmatch(table, -1)
		if slices.ContainsFunc(head, func(title []string) bool { return title[1] == "Kept" }) {
			continue
		}
		for _, row := range rowPattern.FindAllStringSubmatch(table, -1) {
			for i, cell := range figurePattern.FindAllStringSubmatch(row[1], -1) {
				if cell[1] == "" || slices.Contains(judgedColumns, head[i][1]) {
					continue
				}
				checked[head[i][1]]++
				if text := strings.ReplaceAll(html.UnescapeString(cell[2]), typeset.Unbreakable, " "); !tr.known[text] {
					t.Errorf("%s: %q follows from no trial; row %s", head[i][1], text, row[1])
				}
			}
		}
	}
	for _, c := range columns {
		if checked[c] == 0 {
			t.Errorf("no figure of a column %q was found among %v", c, slices.Sorted(maps.Keys(checked)))
		}
	}
}

// saidPatterns find the figures of sentences, and how tables write them.
var saidPatterns = []struct {
	pattern *regexp.Regexp
	as      string
}{
	{regexp.MustCompile(`([+-][\d.,]+) % ± ([\d.,]+) %`), "$1% ±$2%"},                    // a difference
	{regexp.MustCompile(`(?:^|[ ×])([\d.,]+)(?: µs)? ± ([\d.,]+) %`), "$1 ±$2%"},         // a cost, a growth
	{regexp.MustCompile(`([\d.,]+ to [\d.,]+) µs`), "$1"},                                // a range of latencies
	{regexp.MustCompile(`([\d.,]+ ms) \(`), "$1"},                                        // a slowest reply
	{regexp.MustCompile(`(?:about|,|and) ([\d,]{5,}[\d])(?:,| and| packets per)`), "$1"}, // replies per second and core
}

var listPattern = regexp.MustCompile(`(?s)<li>(.*?)</li>`)

// Every figure in a sentence of the answer and of the findings follows from the stored trials as well.
func TestEverySentenceFollowsFromTheTrials(t *testing.T) {
	tr := trace(framedScene())
	page := pageOf(t, tr.scene)
	above, _, found := strings.Cut(page, `id="advice-by-server-type"`)
	if !found {
		t.Fatal("the page has no advice")
	}
	checked := make([]int, len(saidPatterns))
	for _, item := range listPattern.FindAllStringSubmatch(above, -1) {
		text := strings.ReplaceAll(html.UnescapeString(item[1]), typeset.Unbreakable, " ")
		for i, said := range saidPatterns {
			for _, at := range said.pattern.FindAllStringSubmatchIndex(text, -1) {
				checked[i]++
				if figure := string(said.pattern.ExpandString(nil, said.as, text, at)); !tr.known[figure] {
					t.Errorf("%q follows from no trial, in: %s", figure, text)
				}
			}
		}
	}
	for i, n := range checked {
		if n == 0 {
			t.Errorf("no figure like %s was found: the test looks for what nobody says", saidPatterns[i].pattern)
		}
	}
}
