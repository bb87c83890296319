package report

import (
	"slices"
	"strings"
	"testing"

	"dyno/report/html"
	"dyno/stat"
)

// Where not all subjects are drawn the drawing says so and how to draw others, and its table has all of them.
func TestDrawingsSayWhomTheyLeaveOut(t *testing.T) {
	for name, c := range map[string]struct {
		scene
		draw []string
		says string
	}{
		"as many as there is room for":  {frameworks(90_000), nil, "Drawn are 8 of 12, those with the highest rates; the table has all, and dyno report frameworks-20261121-084812 --format html --draw NAME,… draws others."},
		"those that were asked for":     {frameworks(90_000), []string{"http-9", "http-3"}, "Drawn are 2 of 12, those that were asked for; the table has all, and dyno report"},
		"fewer than there are, of few":  {scenes()["decided"], []string{"framed-go"}, "Drawn are 1 of 4, those that were asked for"},
		"all, because there are so few": {scenes()["decided"], nil, ""},
		"all that have a figure":        {scenes()["one-load"], []string{"framed-go", "framed-deno", "framed-bun", "unknown"}, ""},
	} {
		p := web{editor: newEditor(c.verdict()), evidence: stat.Gather(c.run, c.trials), draw: c.draw}
		cell := p.v.Cells[0]
		drawn, _ := p.lineUp(cell.Cell.Load)
		if len(c.draw) > 0 {
			drawn = slices.DeleteFunc(drawn, func(s string) bool { return !slices.Contains(c.draw, s) })
		}
		var figures []html.Figure
		for _, f := range []func() (html.Figure, bool){func() (html.Figure, bool) { return p.spectrum(cell) }, func() (html.Figure, bool) { return p.overTime(cell) }} {
			if figure, ok := f(); ok {
				figures = append(figures, figure)
			}
		}
		if sizes := p.bySize(cell.Cell.Load); len(sizes) > 0 {
			figures = append(figures, p.sizeCurves(cell.Cell.Load, sizes))
		}
		if len(figures) < 2 {
			t.Fatalf("%s: only %d drawings", name, len(figures))
		}
		for _, f := range figures {
			if said := strings.Contains(f.Note, "Drawn are"); said != (c.says != "") || !strings.Contains(f.Note, c.says) {
				t.Errorf("%s: %s; want %q", name, f.Note, c.says)
			}
			for i, s := range drawn[:min(len(drawn), DrawnMax)] {
				if !strings.Contains(string(f.SVG), p.title(s)) {
					t.Errorf("%s: %d: %s is not drawn", name, i, p.title(s))
				}
			}
			var listed []string
			for _, row := range f.Table.Rows {
				listed = append(listed, row.Cells[0])
			}
			for _, s := range p.ranked() {
				if !slices.Contains(listed, p.title(s)) {
					t.Errorf("%s: %s is not in the table", name, p.title(s))
				}
			}
		}
	}
}
