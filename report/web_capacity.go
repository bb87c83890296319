package report

import (
	"fmt"

	"dyno/report/html"
	"dyno/report/internal/chart"
)

// capacityDrawings shows the capacities, and latency against rate with the knee of each subject.
func (p web) capacityDrawings() []any {
	c := p.v.Capacity
	if c == nil {
		return nil
	}
	unit := 1.0
	if c.Plan.PlayerPerS > 0 {
		unit = c.Plan.PlayerPerS
	}
	var dots []chart.DotRow
	figures := estimateTable(p.words.Subject, p.held(c.Plan))
	var curves []chart.Curve
	var marks []chart.Mark
	points := &table{columns: []column{left(p.words.Subject), right(p.held(c.Plan)), right("p99 ms"), right("p99.9 ms"), right("Kept")}}
	for i, r := range c.Rows {
		series := i
		if len(c.Rows) > chart.SeriesMax {
			series = 0
		}
		if r.RatePerS.N > 0 {
			dots = append(dots, chart.DotRow{Name: p.title(r.Subject), At: interval(r.RatePerS, unit), Series: series, Figure: p.capacityFigure(c.Plan, r)})
			figures.add(append([]string{p.title(r.Subject)}, estimateCells(r.RatePerS, unit)...)...)
		}
		curve := chart.Curve{Name: p.title(r.Subject), Series: series}
		for _, x := range r.Curve {
			if x.P99Ns <= 0 {
				continue
			}
			at := x.P99Ns / nsPerMs
			curve.Points = append(curve.Points, chart.CurvePoint{X: x.RatePerS / unit, Y: chart.Interval{Value: at, Low: at, High: at}})
			points.add(p.title(r.Subject), p.amount(c.Plan, x.RatePerS), ms(x.P99Ns), ms(x.P999Ns), fmt.Sprintf("%d of %d", x.Kept, x.Probes))
		}
		if len(curve.Points) > 0 {
			curves = append(curves, curve)
		}
		if r.KneePerS > 0 {
			marks = append(marks, chart.Mark{X: r.KneePerS / unit, Name: p.title(r.Subject) + ": knee"})
		}
	}
	var drawings html.Gallery
	for _, f := range []html.Figure{
		{Title: "Capacity", SVG: chart.Dots("capacity by subject", p.held(c.Plan), dots), Table: webTable(figures), Note: "Bars are 95 % intervals over the searches; more is better."},
		{Title: "Latency against rate", SVG: chart.Curves("p99 of the response time against the rate, by subject",
			chart.Axis{Title: p.held(c.Plan), Kind: chart.Log}, chart.Axis{Title: "p99 of the response time, ms", Kind: chart.Log}, curves, marks...),
			Table: webTable(points), Note: "Every probe, those of nearly one rate together. Dashed: the knee, above which the p99 stays more than twice that of a light load."},
	} {
		if f.SVG != "" {
			drawings = append(drawings, f)
		}
	}
	if len(drawings) == 0 {
		return nil
	}
	return []any{drawings}
}
