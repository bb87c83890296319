package report

import (
	"fmt"
	"slices"

	"dyno"
	"dyno/report/html"
	"dyno/report/internal/chart"
	"dyno/report/internal/typeset"
)

// scalingDrawing shows how rates grow with the connections.
func (p web) scalingDrawing() []any {
	loads := p.loads()
	if len(loads) == 0 {
		return nil
	}
	t := estimateTable("Subject", "growth", right("connections"))
	x := chart.Axis{Title: "connections", Kind: chart.Log, Format: func(x float64) string { return fmt.Sprintf("%.0f", x) }}
	var curves []chart.Curve
	subjects, drawn := p.lineUp(p.widest())
	for i, s := range subjects {
		curve := chart.Curve{Name: p.title(s), Series: i}
		for _, g := range p.v.Scalings {
			if g.Subject != s || g.Ratio.N == 0 {
				continue
			}
			if len(curve.Points) == 0 {
				curve.Points = append(curve.Points, chart.CurvePoint{X: float64(g.From.Connections), Y: chart.Interval{Value: 1, Low: 1, High: 1}})
				x.Ticks = append(x.Ticks, float64(g.From.Connections))
			}
			curve.Points = append(curve.Points, chart.CurvePoint{X: float64(g.To.Connections), Y: interval(g.Ratio, 1)})
			x.Ticks = append(x.Ticks, float64(g.To.Connections))
			t.add(append([]string{p.title(s), fmt.Sprint(g.To.Connections)}, estimateCells(g.Ratio, 1)...)...)
		}
		if len(curve.Points) > 0 && i < drawn {
			curves = append(curves, curve)
		}
	}
	if len(curves) == 0 {
		return nil
	}
	slices.Sort(x.Ticks)
	x.Ticks = slices.Compact(x.Ticks)
	return []any{html.Gallery{{
		Title: "Growth with the connections",
		SVG: chart.Curves("rate as a multiple of that with the fewest connections, by subject", x,
			chart.Axis{Title: "rate, as a multiple of that with the fewest", Kind: chart.Log, Format: func(x float64) string { return "×" + chart.Short(x) }}, curves),
		Note: "Both axes by factors. Bars are 95 % intervals." + p.leftOut(p.widest()), Table: webTable(t),
	}}}
}

// latencyDrawings shows the service times of each load: their whole distribution, and how they went over time.
func (p web) latencyDrawings() []any {
	var spectra, maps html.Gallery
	var restSpectra, restMaps html.Gallery
	for _, load := range p.loads() {
		cells := p.cellsUnder(load)
		for i, c := range cells {
			first := i == 0 || i == len(cells)-1 && len(p.loads()) <= galleryMax || len(cells) <= galleryMax && len(p.loads()) == 1
			if f, ok := p.spectrum(c); ok {
				if first {
					spectra = append(spectra, f)
				} else {
					restSpectra = append(restSpectra, f)
				}
			}
			if f, ok := p.overTime(c); ok {
				if first && i == 0 || len(cells) <= galleryMax && len(p.loads()) == 1 {
					maps = append(maps, f)
				} else {
					restMaps = append(restMaps, f)
				}
			}
		}
	}
	return slices.Concat(
		section("Percentiles of the service time", spectra, restSpectra),
		section("Service times over time", maps, restMaps))
}

// section is a gallery under its heading, with what there is no room for behind a fold.
func section(title string, shown, folded html.Gallery) []any {
	if len(shown) == 0 {
		return nil
	}
	blocks := []any{heading{3, title}, shown}
	if len(folded) > 0 {
		blocks = append(blocks, html.Fold{Summary: fmt.Sprintf("%s: the other %s", title, typeset.Counted(len(folded), "cell")), Blocks: []html.Block{folded}})
	}
	return blocks
}

// spectrum shows the latency percentiles of a cell on the scale of 1/(1−p).
func (p web) spectrum(c dyno.CellVerdict) (html.Figure, bool) {
	var curves []chart.Curve
	t := &table{columns: []column{left("Subject")}}
	shares := []float64{0.5, 0.9, 0.99, 0.999, 0.9999}
	for _, s := range shares {
		t.columns = append(t.columns, right("p"+chart.Share(s)+" µs"))
	}
	add := func(subject string, series int, drawn bool) {
		own, ok := p.evidence.Find(c.Cell, subject)
		if !ok || len(own.LatencyNs) == 0 {
			return
		}
		curve := chart.Curve{Name: p.title(subject), Series: series}
		line := []string{p.title(subject)}
		for _, q := range own.LatencyNs {
			us := float64(q.Ns) / nsPerUs
			curve.Points = append(curve.Points, chart.CurvePoint{X: q.Share, Y: chart.Interval{Value: us, Low: us, High: us}})
		}
		for _, share := range shares {
			line = append(line, quantileIn(own.LatencyNs, share))
		}
		if drawn {
			curves = append(curves, curve)
		}
		t.add(line...)
	}
	subjects, drawn := p.lineUp(c.Cell.Load)
	for i, s := range subjects {
		add(s, i, i < drawn)
	}
	if c.Ceiling != nil {
		add(c.Ceiling.Subject, -1, true)
	}
	return html.Figure{
		Title: c.Cell.String(),
		SVG: chart.Curves("service time percentiles by subject, "+c.Cell.String(),
			chart.Axis{Title: "percentile", Kind: chart.Percentile, Format: chart.Share},
			chart.Axis{Title: "service time, µs", Kind: chart.Log}, curves),
		Note: "All valid processes together, so that no interval belongs to it. Service time in a closed loop." + p.leftOut(c.Cell.Load), Table: webTable(t),
	}, len(curves) > 0
}

func quantileIn(points []dyno.QuantileNs, share float64) string {
	for _, q := range points {
		if q.Share == share {
			return typeset.Figure(float64(q.Ns) / nsPerUs)
		}
	}
	return absent
}

// costDrawings shows memory and start-up.
func (p web) costDrawings() []any {
	var memory, startUp []chart.DotRow
	inMemory, inStartUp := estimateTable("Subject", "MiB"), estimateTable("Subject", "ms")
	for _, place := range p.costs() {
		s := place.subject
		var rss, start dyno.Estimate
		for _, c := range p.v.Cells {
			r, _ := rowOf(c, s)
			rss = larger(rss, r.PeakRSS)
			if r.StartUpNs.N > start.N {
				start = r.StartUpNs
			}
		}
		if rss.N > 0 {
			memory = append(memory, chart.DotRow{Name: p.title(s), At: interval(rss, 1<<20), Series: p.series(s), Figure: typeset.Figure(rss.Value / (1 << 20))})
			inMemory.add(append([]string{p.title(s)}, estimateCells(rss, 1<<20)...)...)
		}
		if start.N > 0 {
			startUp = append(startUp, chart.DotRow{Name: p.title(s), At: interval(start, nsPerMs), Series: p.series(s), Figure: typeset.Figure(start.Value / nsPerMs)})
			inStartUp.add(append([]string{p.title(s)}, estimateCells(start, nsPerMs)...)...)
		}
	}
	var drawings html.Gallery
	for _, f := range []html.Figure{
		{Title: "Peak resident memory", SVG: chart.Dots("peak resident memory by subject", "MiB", memory), Table: webTable(inMemory), Note: "In the cell where it was largest; less is better."},
		{Title: "Start-up", SVG: chart.Dots("start-up time by subject", "ms", startUp), Table: webTable(inStartUp), Note: "From exec to the first accepted connection; less is better."},
	} {
		if f.SVG != "" {
			drawings = append(drawings, f)
		}
	}
	return []any{drawings}
}

// codecDrawings shows what operations cost by the subjects' own clocks.
func (p web) codecDrawings(d *document) {
	var drawings html.Gallery
	for _, c := range p.v.Cells {
		var dots []chart.DotRow
		t := estimateTable("Subject", "ns/op")
		for _, r := range c.Rows {
			if r.Work != nil && r.Work.NsPerOperation.N > 0 {
				ns := r.Work.NsPerOperation
				dots = append(dots, chart.DotRow{Name: p.title(r.Subject), At: interval(ns, 1), Series: p.series(r.Subject), Figure: typeset.Figure(ns.Value)})
				t.add(append([]string{p.title(r.Subject)}, estimateCells(ns, 1)...)...)
			}
		}
		if len(dots) > 0 {
			drawings = append(drawings, html.Figure{Title: c.Cell.Workload.String(), SVG: chart.Dots("ns per operation by subject, "+c.Cell.Workload.String(), "ns per operation", dots), Table: webTable(t)})
		}
	}
	if len(drawings) > 0 {
		d.add(heading{2, "Time per operation"}, drawings[:min(len(drawings), 2*galleryMax)])
		if len(drawings) > 2*galleryMax {
			d.add(html.Fold{Summary: "Time per operation: the other " + typeset.Counted(len(drawings)-2*galleryMax, "operation"), Blocks: []html.Block{drawings[2*galleryMax:]}})
		}
	}
}
