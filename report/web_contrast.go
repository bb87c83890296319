package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"dyno"
	"dyno/report/html"
	"dyno/report/internal/chart"
	"dyno/stat"
)

// ContrastHTML writes a comparison as one self-contained page that looks as a report does: what failed, how many
// changes there are of each kind, and for each measure a forest plot above its table. The error is the writer's.
func ContrastHTML(w io.Writer, c dyno.Contrast, judged []Judged, shown []dyno.Measure) error {
	p := web{editor: contrastEditor(c)}
	var answer, body document
	p.contrastSummary(&answer, c, judged, shown)
	for _, m := range shown {
		p.drawn(&body, func(d *document) { p.changes(d, m, judged, false) }, func() []any { return []any{html.Gallery{p.changeForest(m, judged)}} })
	}
	mind(&body, c)
	var out strings.Builder
	err := html.Render(&out, html.Page{
		Title:    contrastTitle,
		Question: p.contrastQuestion(judged),
		Answer:   p.blocks(answer),
		Blocks:   p.blocks(body),
		Made:     "Made by dyno compare from run " + firstOf(c.A.Run.ID) + " and run " + firstOf(c.B.Run.ID) + ". Every figure follows from their stored trials.",
	})
	if err != nil {
		return err
	}
	return write(w, out.String())
}

func (p web) contrastQuestion(judged []Judged) string {
	if len(judged) == 0 || !ofOneSubject(judged) {
		return "What changed from A to B, by how much, and how sure is that?"
	}
	a, b := p.title(judged[0].SubjectA), p.title(judged[0].SubjectB)
	if a == b {
		return "What changed for " + b + " from A to B, by how much, and how sure is that?"
	}
	return "How does " + b + " (B) differ from " + a + " (A), by how much, and how sure is that?"
}

// changeClasses say how outcomes look.
var changeClasses = map[dyno.Outcome]string{dyno.Better: "better", dyno.Worse: "worse", dyno.Tie: "equal", dyno.Undecided: "open"}

// changeForest shows the ratios of one measure.
func (p web) changeForest(m dyno.Measure, judged []Judged) html.Figure {
	of := judgedBy(m, judged)
	single := ofOneSubject(of)
	var rows []chart.ForestRow
	t := &table{columns: []column{left("Cell"), left("Subject"), right("ratio"), right("from"), right("to"), left("Outcome"), right("corrected p"), right("n")}}
	for i, j := range of {
		name := j.Cell.String()
		if !single {
			if i == 0 || j.Cell != of[i-1].Cell {
				rows = append(rows, chart.ForestRow{Name: name, Heading: true})
			}
			name = p.title(j.SubjectB)
		}
		rows = append(rows, chart.ForestRow{Name: name, Ratio: interval(j.Ratio, 1), Class: changeClasses[j.Outcome], Figure: firstWord(difference(j.Ratio))})
		t.add(slices.Concat([]string{j.Cell.String(), p.title(j.SubjectB)}, ratioTexts(j.Ratio),
			[]string{outcomeText(j.Outcome), probability(j.PFamily), fmt.Sprint(j.Ratio.N)})...)
	}
	return html.Figure{
		Title: measureTitles[m].title + ", B ÷ A",
		SVG:   chart.Forest(measureTitles[m].title+" of B over that of A", "less", "more", stat.TieRatio, rows),
		Note:  "Ratios with 95 % intervals. Filled: decided by verdict (green: better, red: worse, blue: equal); hollow: undecided. The band is a tie (±1 %).",
		Table: webTable(t),
	}
}
