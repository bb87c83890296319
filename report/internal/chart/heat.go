package chart

import (
	"math"
	"strconv"

	"dyno/report/internal/svg"
	"dyno/report/internal/typeset"
)

// shares are the least shares of the shades of a heat map but the first, which is for anything above 0.
var shares = []float64{0.001, 0.003, 0.01, 0.03, 0.1, 0.3}

const lineHeight = 3.0

// Panel is the heat map of one subject: a column for each moment, and in it the share of the values in each band,
// lowest band first. A column without values is nil.
type Panel struct {
	Name    string
	Columns [][]float64
}

// Heat draws panels one below the other, all with the same bands and columns: time to the right, values upwards, the
// stronger the larger the share of a column. edges are where the bands end, one more than there are bands, and
// format writes them. breaks are the columns before which something new begins (a block). axis says what a column is,
// unit what the shades are.
func Heat(label, axis, unit string, panels []Panel, edges []float64, format func(float64) string, breaks []int) string {
	bands, columns := len(edges)-1, 0
	for _, p := range panels {
		columns = max(columns, len(p.Columns))
	}
	if bands < 1 || columns == 0 {
		return ""
	}
	left := 0.0
	for _, e := range edges {
		left = max(left, textWidth(format(e))+8)
	}
	const head, gap = 18.0, 8.0
	tall := lineHeight * float64(bands)
	bottom := (head+tall+gap)*float64(len(panels)) - gap
	c := svg.New(width, bottom+62)
	wide := (width - left) / float64(columns)
	for i, p := range panels {
		top := (head+tall+gap)*float64(i) + head
		c.Text(svg.Point{X: left, Y: top - 5}, svg.Start, "head", typeset.Cut(typeset.Clean(p.Name), 2*nameMax))
		bandTicks(c, edges, format, left, top)
		for k, runs := range shaded(p.Columns, bands) {
			c.Runs(runs, svg.Point{X: left, Y: top}, wide, lineHeight, "heat h"+strconv.Itoa(k))
		}
		for _, b := range breaks {
			x := left + wide*float64(b)
			c.Line(svg.Point{X: x, Y: top}, svg.Point{X: x, Y: top + tall}, "break")
		}
	}
	c.Text(svg.Point{X: (left + width) / 2, Y: bottom + 14}, svg.Middle, "title", typeset.Clean(axis))
	legend(c, bottom+26, unit)
	return c.Markup(label)
}

// bandTicks writes the ends of a panel's bands and draws the lines between which it lies, as close as words fit.
func bandTicks(c *svg.Canvas, edges []float64, format func(float64) string, left, top float64) {
	const room = 16.0
	bottom := top + lineHeight*float64(len(edges)-1)
	last := math.Inf(1)
	for i, e := range edges {
		y := bottom - lineHeight*float64(i)
		atTop := i == len(edges)-1
		if last-y < room || !atTop && y-top < room {
			continue
		}
		last = y
		c.Line(svg.Point{X: left, Y: y}, svg.Point{X: width, Y: y}, "grid")
		c.Text(svg.Point{X: left - 6, Y: y + 4}, svg.End, "tick", format(e))
	}
}

// shaded returns the squares of each shade, those side by side joined.
func shaded(columns [][]float64, bands int) [][]svg.Run {
	runs := make([][]svg.Run, len(shares)+1)
	for band := range bands {
		before := -1
		for x, column := range columns {
			k := -1
			if column != nil && column[band] > 0 {
				k = shade(column[band])
			}
			switch {
			case k < 0:
			case k == before:
				runs[k][len(runs[k])-1].Length++
			default:
				runs[k] = append(runs[k], svg.Run{Line: bands - 1 - band, Column: x, Length: 1})
			}
			before = k
		}
	}
	return runs
}

func shade(share float64) int {
	k := 0
	for k < len(shares) && share >= shares[k] {
		k++
	}
	return k
}

func legend(c *svg.Canvas, y float64, unit string) {
	const room = 46.0
	from := (width - room*float64(len(shares)+1)) / 2
	for k := range len(shares) + 1 {
		c.Rects([]svg.Point{{X: from + room*float64(k), Y: y}}, room, 8, "heat h"+strconv.Itoa(k))
		words := ">0"
		if k > 0 {
			words = strconv.FormatFloat(100*shares[k-1], 'g', 2, 64) + " %"
		}
		c.Text(svg.Point{X: from + room*float64(k), Y: y + 20}, svg.Start, "tick", words)
	}
	c.Text(svg.Point{X: width / 2, Y: y + 35}, svg.Middle, "title", typeset.Clean(unit))
}
