// Package svg writes the markup of small drawings: lines, dots, paths and words, and the scales that place
// them. Colours are classes, so that a page can change its theme.
//
// It escapes every text that it is given. It loads nothing, knows no chart and no verdict.
package svg

import (
	"html"
	"math"
	"strconv"
	"strings"
)

// Canvas collects the elements of one drawing. Coordinates are in units of its width and height.
type Canvas struct {
	width, height float64
	body          strings.Builder
}

// New returns an empty drawing.
func New(width, height float64) *Canvas { return &Canvas{width: width, height: height} }

// Anchor says which point of a text lies at its coordinates.
type Anchor string

// The anchors of a text.
const (
	Start  Anchor = "start"
	Middle Anchor = "middle"
	End    Anchor = "end"
)

// Point is a place in a drawing.
type Point struct{ X, Y float64 }

// Line draws a straight line.
func (c *Canvas) Line(from, to Point, class string) {
	c.element("path", class, "d", "M"+place(from)+"L"+place(to))
}

// Path draws a line through all points.
func (c *Canvas) Path(points []Point, class string) {
	if len(points) == 0 {
		return
	}
	c.element("path", class, "d", trace(points))
}

// Polygon draws a closed shape.
func (c *Canvas) Polygon(points []Point, class string) {
	if len(points) == 0 {
		return
	}
	c.element("path", class, "d", trace(points)+"Z")
}

// Rects draws many rectangles of one size as one element, by their upper left corners.
func (c *Canvas) Rects(corners []Point, width, height float64, class string) {
	if len(corners) == 0 {
		return
	}
	var d strings.Builder
	for _, p := range corners {
		d.WriteString("M" + place(p) + "h" + number(width) + "v" + number(height) + "h" + number(-width) + "z")
	}
	c.element("path", class, "d", d.String())
}

// Run is a part of a line of a grid: Length squares from Column on.
type Run struct{ Line, Column, Length int }

// Runs fills squares of a grid as one element: strokes along its lines, as thick as a line is high. Whole numbers
// keep it short. origin is the grid's upper left corner.
func (c *Canvas) Runs(runs []Run, origin Point, width, height float64, class string) {
	if len(runs) == 0 {
		return
	}
	var d strings.Builder
	for _, r := range runs {
		d.WriteString("M" + strconv.Itoa(r.Column) + " " + strconv.Itoa(r.Line) + "h" + strconv.Itoa(r.Length))
	}
	fine := func(x float64) string { return strconv.FormatFloat(finite(x), 'g', 4, 64) }
	c.element("path", class, "transform", "translate("+number(origin.X)+" "+number(origin.Y+height/2)+")scale("+fine(width)+" "+fine(height)+")", "d", d.String())
}

// Dots draws many small dots as one element: a path of empty strokes, whose class gives them round ends.
func (c *Canvas) Dots(at []Point, class string) {
	if len(at) == 0 {
		return
	}
	var d strings.Builder
	for _, p := range at {
		d.WriteString("M" + place(p) + "h0")
	}
	c.element("path", class, "d", d.String())
}

// Circle draws a disc.
func (c *Canvas) Circle(at Point, radius float64, class string) {
	c.element("circle", class, "cx", number(at.X), "cy", number(at.Y), "r", number(radius))
}

// Text writes words. They are escaped.
func (c *Canvas) Text(at Point, anchor Anchor, class, words string) {
	attributes := []string{"x", number(at.X), "y", number(at.Y)}
	if anchor != Start {
		attributes = append(attributes, "text-anchor", string(anchor))
	}
	c.open("text", class, attributes...)
	c.body.WriteString(">" + html.EscapeString(words) + "</text>")
}

// Markup returns the drawing. label says to those who cannot see it what it shows.
func (c *Canvas) Markup(label string) string {
	return `<svg viewBox="0 0 ` + number(c.width) + " " + number(c.height) + `" role="img" aria-label="` +
		html.EscapeString(label) + `">` + c.body.String() + "</svg>"
}

func (c *Canvas) element(name, class string, attributes ...string) {
	c.open(name, class, attributes...)
	c.body.WriteString("/>")
}

func (c *Canvas) open(name, class string, attributes ...string) {
	c.body.WriteString("<" + name)
	if class != "" {
		c.body.WriteString(` class="` + html.EscapeString(class) + `"`)
	}
	for i := 0; i < len(attributes); i += 2 {
		c.body.WriteString(" " + attributes[i] + `="` + attributes[i+1] + `"`)
	}
}

func trace(points []Point) string {
	var d strings.Builder
	for i, p := range points {
		d.WriteByte("ML"[min(i, 1)])
		d.WriteString(place(p))
	}
	return d.String()
}

func place(p Point) string { return number(p.X) + " " + number(p.Y) }

// number writes a coordinate to a tenth: finer than anybody sees, and short. What is not finite has no place
// and stands at 0, because one bad figure must not make a whole drawing unreadable.
func number(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		x = 0
	}
	tenths := math.Round(x*10) / 10
	if tenths == 0 { // never "-0"
		return "0"
	}
	return strconv.FormatFloat(tenths, 'f', -1, 64)
}
