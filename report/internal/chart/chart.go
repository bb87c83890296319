// Package chart draws what a report shows: dots with their intervals, ratios around 1, curves and heat maps.
// All drawings have the width of a phone, so that a page can put several side by side and none is ever shrunk
// until its words cannot be read.
//
// It draws the numbers that it is given. It estimates nothing, drops nothing and decides no colour: a class
// says which series a line belongs to, the page says how it looks.
package chart

import (
	"fmt"
	"math"
	"strconv"

	"dyno/report/internal/svg"
	"dyno/report/internal/typeset"
)

const (
	width     = 400.0
	letter    = 6.9 // width of a letter of the page's text in drawings, rounded up
	rowHeight = 21.0
	axisRoom  = 38.0 // below a plot: the ticks and the axis' title
	nameMax   = 26   // letters of a row's name
	labelMax  = 20   // letters of a curve's name, which takes room from the plot
	// SeriesMax is how many series can be told apart by colour.
	SeriesMax = 8
)

// Interval is a value and where it may lie as well. Without knowledge of that, Low = High = Value.
type Interval struct{ Value, Low, High float64 }

// seriesClass returns the class of a series; negative ones are beside the contest (a ceiling).
func seriesClass(series int) string {
	if series < 0 {
		return "sx"
	}
	return "s" + strconv.Itoa(series%SeriesMax)
}

// Short writes a number for an axis, e.g. "350", "41k" or "1.2M".
func Short(x float64) string {
	unit, suffix := 1.0, ""
	switch {
	case math.Abs(x) >= 1e9:
		unit, suffix = 1e9, "G"
	case math.Abs(x) >= 1e6:
		unit, suffix = 1e6, "M"
	case math.Abs(x) >= 1e3:
		unit, suffix = 1e3, "k"
	}
	return strconv.FormatFloat(x/unit, 'g', 3, 64) + suffix
}

// textWidth estimates how wide words are.
func textWidth(words string) float64 { return letter * float64(typeset.Width(words)) }

// namesWidth returns the room that names need, and the names as they fit.
func namesWidth(names []string, longest int) (room float64, fitting []string) {
	for _, n := range names {
		n = typeset.Cut(typeset.Clean(n), longest)
		fitting = append(fitting, n)
		room = max(room, textWidth(n))
	}
	return room + 13, fitting
}

// bottomAxis draws the ticks below a plot and the lines above them.
func bottomAxis(c *svg.Canvas, s svg.Scale, top, bottom float64, format func(float64) string, title string) {
	last := math.Inf(-1)
	for _, x := range s.Ticks() {
		at, words := s.At(x), format(x)
		c.Line(svg.Point{X: at, Y: top}, svg.Point{X: at, Y: bottom}, "grid")
		half := textWidth(words) / 2
		if at-half < last+6 || at+half > width {
			continue // a tick without its number is better than two numbers on each other
		}
		last = at + half
		c.Text(svg.Point{X: at, Y: bottom + 14}, svg.Middle, "tick", words)
	}
	c.Text(svg.Point{X: (s.At(s.Ticks()[0]) + s.At(s.Ticks()[len(s.Ticks())-1])) / 2, Y: bottom + 31}, svg.Middle, "title", title)
}

// whisker draws an interval as a line, and its value as a disc upon it.
func whisker(c *svg.Canvas, s svg.Scale, v Interval, y float64, class string) {
	if v.High > v.Low {
		low, high := s.At(v.Low), s.At(v.High)
		c.Line(svg.Point{X: low, Y: y}, svg.Point{X: high, Y: y}, class+" bar")
		if !s.Holds(v.Low) {
			arrow(c, low, -4, y, class)
		}
		if !s.Holds(v.High) {
			arrow(c, high, 4, y, class)
		}
	}
	c.Circle(svg.Point{X: s.At(v.Value), Y: y}, 3.6, class+" dot")
}

// arrow shows that an interval goes on beyond the plot.
func arrow(c *svg.Canvas, x, length, y float64, class string) {
	c.Path([]svg.Point{{X: x, Y: y - 4}, {X: x + length, Y: y}, {X: x, Y: y + 4}}, class+" bar")
}

// DotRow is one line of a dot plot.
type DotRow struct {
	Name    string
	At      Interval
	Singles []float64 // what single processes gave, drawn faintly
	Series  int       // negative: beside the contest
	Figure  string    // the value in words, at the end of the line
}

// Dots draws estimates with their intervals, one below the other, on an axis that begins at 0. label says what
// it shows to those who cannot see it, axis names the unit.
func Dots(label, axis string, rows []DotRow) string {
	if len(rows) == 0 {
		return ""
	}
	names, figures, most := make([]string, len(rows)), 0.0, 0.0
	for i, r := range rows {
		names[i] = r.Name
		figures = max(figures, textWidth(r.Figure))
		most = max(most, r.At.Value, min(r.At.High, 2*r.At.Value)) // one wild interval must not squeeze the rest
		for _, x := range r.Singles {
			most = max(most, x)
		}
	}
	left, names := namesWidth(names, nameMax)
	bottom := rowHeight*float64(len(rows)) + 4
	c := svg.New(width, bottom+axisRoom)
	s := svg.Linear(0, most, left, width-figures-16)
	bottomAxis(c, s, 0, bottom, Short, axis)
	for i, r := range rows {
		y := rowHeight*float64(i) + rowHeight/2 + 2
		class := seriesClass(r.Series)
		var singles []svg.Point
		for _, x := range r.Singles {
			singles = append(singles, svg.Point{X: s.At(x), Y: y})
		}
		c.Dots(singles, class+" single")
		whisker(c, s, r.At, y, class)
		c.Text(svg.Point{X: left - 11, Y: y + 4}, svg.End, "name", names[i])
		c.Text(svg.Point{X: width - 2, Y: y + 4}, svg.End, "figure", r.Figure)
	}
	return c.Markup(label)
}

// ForestRow is one line of a forest plot; one without a ratio is a heading.
type ForestRow struct {
	Name    string
	Ratio   Interval
	Heading bool
	Sum     bool   // sums up the rows above it: drawn as a diamond
	Class   string // what the verdict says: a, b, tie or open
	Figure  string
}

// Forest draws ratios with their intervals around 1, on a logarithmic axis, with the band in which they are a
// tie. below and above say who is ahead on either side; tie is the ratio that ends the band.
func Forest(label, below, above string, tie float64, rows []ForestRow) string {
	if len(rows) == 0 {
		return ""
	}
	names, figures := make([]string, len(rows)), 0.0
	for i, r := range rows {
		names[i] = r.Name
		figures = max(figures, textWidth(r.Figure))
	}
	down, up := reach(rows)
	left, names := namesWidth(names, nameMax)
	bottom := rowHeight*float64(len(rows)) + 4
	c := svg.New(width, bottom+axisRoom)
	s := svg.Log(math.Exp(-down), math.Exp(up), left, width-figures-16).Marked(ratioTicks(down, up))
	c.Rects([]svg.Point{{X: s.At(1 / tie), Y: 0}}, s.At(tie)-s.At(1/tie), bottom, "band")
	bottomAxis(c, s, 0, bottom, func(x float64) string { return "×" + strconv.FormatFloat(x, 'g', 3, 64) }, "")
	c.Line(svg.Point{X: s.At(1), Y: 0}, svg.Point{X: s.At(1), Y: bottom}, "one")
	c.Text(svg.Point{X: s.At(1) - 6, Y: bottom + 31}, svg.End, "title", "← "+typeset.Cut(typeset.Clean(below), 20))
	c.Text(svg.Point{X: s.At(1) + 6, Y: bottom + 31}, svg.Start, "title", typeset.Cut(typeset.Clean(above), 20)+" →")
	for i, r := range rows {
		y := rowHeight*float64(i) + rowHeight/2 + 2
		if r.Heading {
			c.Text(svg.Point{X: 0, Y: y + 4}, svg.Start, "head", typeset.Cut(typeset.Clean(r.Name), 60))
			continue
		}
		c.Text(svg.Point{X: left - 11, Y: y + 4}, svg.End, "name", names[i])
		c.Text(svg.Point{X: width - 2, Y: y + 4}, svg.End, "figure", r.Figure)
		if r.Ratio.Value <= 0 {
			continue
		}
		if r.Sum {
			at := s.At(r.Ratio.Value)
			left, right := min(s.At(r.Ratio.Low), at-4), max(s.At(r.Ratio.High), at+4)
			c.Polygon([]svg.Point{{X: left, Y: y}, {X: at, Y: y - 6}, {X: right, Y: y}, {X: at, Y: y + 6}}, "v-"+r.Class+" dot")
			continue
		}
		whisker(c, s, r.Ratio, y, "v-"+r.Class)
	}
	return c.Markup(label)
}

// reach returns how far the rows go below and above 1, as logarithms. Neither side is less than a quarter of the
// other, so that its words have room.
func reach(rows []ForestRow) (down, up float64) {
	down, up = math.Log(1.03), math.Log(1.03)
	for _, r := range rows {
		if r.Heading || r.Ratio.Value <= 0 {
			continue
		}
		at := math.Log(r.Ratio.Value)
		wild := 2*math.Abs(at) + 0.02 // intervals that reach farther are cut, values never are
		down, up = max(down, -at), max(up, at)
		if r.Ratio.Low > 0 {
			down = max(down, min(-math.Log(r.Ratio.Low), wild))
		}
		if r.Ratio.High > 0 {
			up = max(up, min(math.Log(r.Ratio.High), wild))
		}
	}
	return max(down, up/4), max(up, down/4)
}

// ratioTicks returns ticks on both sides of 1 for an axis that reaches a factor of exp(down) below and exp(up) above.
func ratioTicks(down, up float64) []float64 {
	ticks := []float64{1}
	for _, step := range []float64{100, 10, 4, 2, 1.5, 1.25, 1.1, 1.05, 1.02, 1.01} {
		if math.Log(step) > max(down, up)*1.03 {
			continue
		}
		if math.Log(step) <= down*1.03 {
			ticks = append([]float64{rounded(1 / step)}, ticks...)
		}
		if math.Log(step) <= up*1.03 {
			ticks = append(ticks, rounded(step))
		}
		break
	}
	return ticks
}

// rounded keeps three digits, so that a tick lies exactly where its words say.
func rounded(x float64) float64 {
	y, err := strconv.ParseFloat(fmt.Sprintf("%.3g", x), 64)
	if err != nil {
		return x
	}
	return y
}
