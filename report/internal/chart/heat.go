package chart

import (
	"math"
	"strconv"

	"dyno/report/internal/svg"
	"dyno/report/internal/typeset"
)

// Levels is the number of shades of a heat map.
const Levels = 7

// HeatRow is one line of a heat map. Absent values are NaN.
type HeatRow struct {
	Name   string
	Values []float64
}

// Heat draws values over time, a line a row: the darker, the larger, by factors. breaks are the columns before
// which something new begins (a block). axis says what the columns are, unit what the shades are.
func Heat(label, axis, unit string, rows []HeatRow, breaks []int) string {
	low, high, columns := math.Inf(1), 0.0, 0
	names := make([]string, len(rows))
	for i, r := range rows {
		names[i] = r.Name
		columns = max(columns, len(r.Values))
		for _, v := range r.Values {
			if v > 0 && !math.IsInf(v, 1) {
				low, high = min(low, v), max(high, v)
			}
		}
	}
	if high == 0 {
		return ""
	}
	left, names := namesWidth(names, nameMax)
	bottom := rowHeight*float64(len(rows)) + 2
	c := svg.New(width, bottom+62)
	cell := (width - left) / float64(columns)
	shade := shades(low, high)
	corners := make([][]svg.Point, Levels)
	for i, r := range rows {
		y := rowHeight * float64(i)
		c.Text(svg.Point{X: left - 8, Y: y + rowHeight/2 + 4}, svg.End, "name", names[i])
		for j, v := range r.Values {
			if v > 0 && !math.IsInf(v, 1) {
				k := shade(v)
				corners[k] = append(corners[k], svg.Point{X: left + cell*float64(j), Y: y})
			}
		}
	}
	for k, at := range corners {
		c.Rects(at, cell, rowHeight-2, "h"+strconv.Itoa(k))
	}
	for _, b := range breaks {
		x := left + cell*float64(b)
		c.Line(svg.Point{X: x, Y: 0}, svg.Point{X: x, Y: bottom}, "break")
	}
	c.Text(svg.Point{X: (left + width) / 2, Y: bottom + 14}, svg.Middle, "title", typeset.Clean(axis))
	legend(c, bottom+26, low, high, unit)
	return c.Markup(label)
}

// shades returns the shade of a value: equal steps of the logarithm from low to high.
func shades(low, high float64) func(float64) int {
	span := math.Log(high / low)
	return func(v float64) int {
		if span <= 0 {
			return 0
		}
		return min(int(math.Log(v/low)/span*Levels), Levels-1)
	}
}

func legend(c *svg.Canvas, y, low, high float64, unit string) {
	const room = 34.0
	from := (width - room*Levels) / 2
	for k := range Levels {
		x := from + room*float64(k)
		c.Rects([]svg.Point{{X: x, Y: y}}, room, 10, "h"+strconv.Itoa(k))
	}
	c.Text(svg.Point{X: from - 6, Y: y + 9}, svg.End, "tick", Short(low))
	c.Text(svg.Point{X: from + room*Levels + 6, Y: y + 9}, svg.Start, "tick", Short(high))
	c.Text(svg.Point{X: width / 2, Y: y + 26}, svg.Middle, "title", typeset.Clean(unit))
}
