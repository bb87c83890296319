package adhoc

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"dyno"
	"dyno/report/html"
	"dyno/report/internal/chart"
	"dyno/report/internal/typeset"
)

// capacityFormats are the writers of a capacity, by the name that --format takes.
var capacityFormats = []struct {
	name  string
	write func(io.Writer, *dyno.Capacity) error
}{{"json", WriteCapacity}, {"md", capacityMarkdown}, {"html", capacityHTML}}

// WriteCapacityIn writes a capacity in one of Formats("capacity"). The error is CheckFormat's or the writer's.
func WriteCapacityIn(w io.Writer, c *dyno.Capacity, format string) error {
	for _, f := range capacityFormats {
		if f.name == format {
			return f.write(w, c)
		}
	}
	return CheckFormat(format, capacityProtocol)
}

// capacityMarkdown writes a capacity in GitHub's flavour of Markdown.
func capacityMarkdown(w io.Writer, c *dyno.Capacity) error {
	var out strings.Builder
	escape := typeset.Markdown
	fmt.Fprintf(&out, "# %s\n\n<sub>%s</sub>\n\n", escape("Capacity of "+c.Target), escape(strings.Join(capacitySetting(c), " · ")))
	if c.Partial != "" {
		fmt.Fprintf(&out, "**PARTIAL: %s**\n\n", escape(c.Partial))
	}
	for _, pair := range capacityAnswer(c) {
		fmt.Fprintf(&out, "- %s: %s\n", escape(pair[0]), escape(pair[1]))
	}
	t := curveTable(c)
	out.WriteString("\n")
	for i, row := range t {
		cells := make([]string, len(row))
		for j, cell := range row {
			cells[j] = escape(cell)
		}
		out.WriteString("| " + strings.Join(cells, " | ") + " |\n")
		if i == 0 {
			out.WriteString("|" + strings.Repeat(" ---: |", len(row)) + "\n")
		}
	}
	fmt.Fprintf(&out, "\n<sub>%s</sub>\n", escape(curveNote))
	for _, warning := range c.Instrument.Warnings {
		fmt.Fprintf(&out, "\n- Warning: %s\n", escape(warning))
	}
	return write(w, out.String())
}

// capacityHTML writes a capacity as one self-contained page, with the curve drawn.
func capacityHTML(w io.Writer, c *dyno.Capacity) error {
	var answer html.List
	for _, pair := range capacityAnswer(c) {
		answer = append(answer, html.Item{Words: pair[0] + ": " + pair[1]})
	}
	p := html.Page{
		Title: "Capacity of " + c.Target, Question: "How much does " + c.Target + " hold with " + strings.Join(c.Promises, " and ") + "?",
		Answer: []html.Block{answer}, Made: "Made by dyno capacity, " + c.EndedAt.UTC().Format("2006-01-02 15:04") + " UTC.",
	}
	if c.Partial != "" {
		p.Answer = slices.Insert(p.Answer, 0, html.Block(html.Text{Words: "PARTIAL: " + c.Partial, Manner: "alarm"}))
	}
	p.Blocks = append(p.Blocks, html.Heading{Level: 2, Text: "Latency against rate"})
	if f := curveFigure(c); f.SVG != "" {
		p.Blocks = append(p.Blocks, html.Gallery{f})
	}
	p.Blocks = append(p.Blocks, html.Heading{Level: 2, Text: "What was measured"}, html.Text{Words: strings.Join(capacitySetting(c), " · ")})
	for _, warning := range c.Instrument.Warnings {
		p.Blocks = append(p.Blocks, html.Text{Words: warning, Manner: "note"})
	}
	var out strings.Builder
	if err := html.Render(&out, p); err != nil {
		return err
	}
	return write(w, out.String())
}

// curveFigure draws the percentiles against the rate, with the knee and the capacity.
func curveFigure(c *dyno.Capacity) html.Figure {
	unit := 1.0
	if c.PlayerPerS > 0 {
		unit = c.PlayerPerS
	}
	var curves []chart.Curve
	for i, q := range []struct {
		name string
		of   func(dyno.CapacityPoint) float64
	}{
		{"p50", func(p dyno.CapacityPoint) float64 { return p.P50Ns }}, {"p99", func(p dyno.CapacityPoint) float64 { return p.P99Ns }},
		{"p99.9", func(p dyno.CapacityPoint) float64 { return p.P999Ns }},
	} {
		curve := chart.Curve{Name: q.name, Series: i}
		for _, p := range c.Curve {
			if at := q.of(p) / nsPerMs; at > 0 {
				curve.Points = append(curve.Points, chart.CurvePoint{X: p.RatePerS / unit, Y: chart.Interval{Value: at, Low: at, High: at}})
			}
		}
		if len(curve.Points) > 0 {
			curves = append(curves, curve)
		}
	}
	var marks []chart.Mark
	for _, m := range []chart.Mark{{X: c.KneePerS / unit, Name: "knee"}, {X: c.RatePerS.Value / unit, Name: "capacity"}} {
		if m.X > 0 {
			marks = append(marks, m)
		}
	}
	t := curveTable(c)
	behind := &html.Table{}
	for i, title := range t[0] {
		behind.Columns = append(behind.Columns, html.Column{Title: title, Right: i > 0})
	}
	for _, row := range t[1:] {
		behind.Rows = append(behind.Rows, html.Row{Cells: row})
	}
	return html.Figure{
		Title: "Response time against" + unitOf(c), Note: curveNote, Table: behind,
		SVG: chart.Curves("response time against the rate", chart.Axis{Title: strings.TrimSpace(unitOf(c)), Kind: chart.Log},
			chart.Axis{Title: "response time, ms", Kind: chart.Log}, curves, marks...),
	}
}
