package chart

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"dyno/report/internal/svg"
	"dyno/report/internal/typeset"
)

const (
	plotHeight = 210.0
	nameGap    = 14.0 // between the names of two curves
)

// Kind says how an axis runs.
type Kind int

// The kinds of axes.
const (
	Linear     Kind = iota // from 0
	Log                    // by factors
	Percentile             // by 1/(1−p)
)

// Axis is one side of a plot of curves.
type Axis struct {
	Title  string
	Kind   Kind
	Ticks  []float64              // the values that are named; nil: round ones
	Format func(x float64) string // nil: Short
}

// CurvePoint is one point of a curve and its interval.
type CurvePoint struct {
	X float64
	Y Interval
}

// Curve is one series.
type Curve struct {
	Name   string
	Points []CurvePoint // by X
	Series int          // negative: beside the contest
}

// Mark is a vertical line at a value of X, with a word to it.
type Mark struct {
	X    float64
	Name string
}

// Curves draws series over a common axis. Their names stand at their ends, so that nobody has to match
// colours.
func Curves(label string, x, y Axis, curves []Curve, marks ...Mark) string {
	e := extentOf(curves)
	if !e.any {
		return ""
	}
	var names []string
	for _, c := range curves {
		names = append(names, c.Name)
	}
	right, names := namesWidth(names, labelMax)
	const left, top, bottom = 48.0, 22.0, 22.0 + plotHeight
	c := svg.New(width, bottom+axisRoom)
	sx := x.scale(e.lowX, e.highX, left+6, width-right-2)
	sy := y.scale(e.lowY, e.highY, bottom, top+4)
	bottomAxis(c, sx, top, bottom, x.format(), x.Title)
	for _, v := range sy.Ticks() {
		c.Line(svg.Point{X: left, Y: sy.At(v)}, svg.Point{X: width - right, Y: sy.At(v)}, "grid")
		c.Text(svg.Point{X: left - 5, Y: sy.At(v) + 4}, svg.End, "tick", y.format()(v))
	}
	c.Text(svg.Point{X: 0, Y: 11}, svg.Start, "title", y.Title)
	for i, m := range marks {
		at := sx.At(m.X)
		c.Line(svg.Point{X: at, Y: top}, svg.Point{X: at, Y: bottom}, "mark")
		c.Text(svg.Point{X: at + 4, Y: top + 10 + 12*float64(i%3)}, svg.Start, "tick", typeset.Clean(m.Name))
	}
	for i, series := range curves {
		// Side by side, so that intervals over the same value can be told apart.
		draw(c, sx, sy, series, 3*(float64(i)-float64(len(curves)-1)/2))
	}
	for i, place := range apart(curves, sy, top, bottom) {
		if len(curves[i].Points) > 0 {
			c.Text(svg.Point{X: width - right + 5, Y: place + 4}, svg.Start, "label "+seriesClass(curves[i].Series), names[i])
		}
	}
	return c.Markup(label)
}

// draw draws one series. Its points stand aside by so much where they have intervals.
func draw(c *svg.Canvas, sx, sy svg.Scale, series Curve, aside float64) {
	class := seriesClass(series.Series)
	var line []svg.Point
	for _, p := range series.Points {
		at := svg.Point{X: sx.At(p.X), Y: sy.At(p.Y.Value)}
		if p.Y.High > p.Y.Low {
			at.X += aside
		}
		line = append(line, at)
		if p.Y.High > p.Y.Low {
			c.Line(svg.Point{X: at.X, Y: sy.At(p.Y.Low)}, svg.Point{X: at.X, Y: sy.At(p.Y.High)}, class+" bar")
		}
	}
	c.Path(line, class+" line")
	if len(line) <= 12 { // of more the line shows enough
		c.Dots(line, class+" point")
	}
}

// extent is what all points of a plot span.
type extent struct {
	lowX, highX, lowY, highY float64
	any                      bool
}

func extentOf(curves []Curve) extent {
	e := extent{math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1), false}
	for _, c := range curves {
		for _, p := range c.Points {
			e.any = true
			e.lowX, e.highX = min(e.lowX, p.X), max(e.highX, p.X)
			low, high := max(p.Y.Low, p.Y.Value/2), min(p.Y.High, 2*p.Y.Value) // wild intervals are cut, values never
			e.lowY, e.highY = min(e.lowY, p.Y.Value, low), max(e.highY, p.Y.Value, high)
		}
	}
	return e
}

func (a Axis) scale(low, high, from, to float64) svg.Scale {
	var s svg.Scale
	switch a.Kind {
	case Log:
		s = svg.Log(low, high, from, to)
	case Percentile:
		s = svg.Percentile(high, from, to)
	default:
		s = svg.Linear(min(low, 0), high, from, to)
	}
	if a.Ticks != nil {
		s = s.Marked(a.Ticks)
	}
	return s
}

func (a Axis) format() func(float64) string {
	if a.Format != nil {
		return a.Format
	}
	return Short
}

// Share writes a quantile as a percentage, e.g. "99.9".
func Share(x float64) string { return strconv.FormatFloat(rounded5(100*x), 'f', -1, 64) }

func rounded5(x float64) float64 { return math.Round(x*1e5) / 1e5 }

// apart returns where the names of curves stand: at their ends, but never upon each other.
func apart(curves []Curve, sy svg.Scale, top, bottom float64) []float64 {
	places := make([]float64, len(curves))
	var order []int
	for i, c := range curves {
		if n := len(c.Points); n > 0 {
			places[i] = sy.At(c.Points[n-1].Y.Value)
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(places[a], places[b]) })
	for k := 1; k < len(order); k++ {
		places[order[k]] = max(places[order[k]], places[order[k-1]]+nameGap)
	}
	floor := bottom
	for k := len(order) - 1; k >= 0; k-- { // push back up what went over the edge
		places[order[k]] = max(min(places[order[k]], floor), top)
		floor = places[order[k]] - nameGap
	}
	return places
}
