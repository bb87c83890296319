package svg

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
)

// wellFormed reports the first fault of a drawing's markup.
func wellFormed(s string) error {
	for d := xml.NewDecoder(strings.NewReader(s)); ; {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func TestMarkup(t *testing.T) {
	c := New(100, 50)
	c.Line(Point{0, 0}, Point{10.04, 20.06}, "axis")
	c.Path([]Point{{0, 0}, {1, 1}}, "line")
	c.Polygon([]Point{{0, 0}, {1, 1}, {2, 0}}, "area")
	c.Rects([]Point{{0, 0}, {2, 0}}, 2, 3, "heat")
	c.Dots([]Point{{5, 5}}, "dots")
	c.Circle(Point{1, -0.01}, 2, "dot")
	c.Text(Point{1, 2}, Middle, "", `<b>"&`)
	const want = `<svg viewBox="0 0 100 50" role="img" aria-label="a &lt; b &#34;">` +
		`<path class="axis" d="M0 0L10 20.1"/><path class="line" d="M0 0L1 1"/><path class="area" d="M0 0L1 1L2 0Z"/>` +
		`<path class="heat" d="M0 0h2v3h-2zM2 0h2v3h-2z"/><path class="dots" d="M5 5h0"/><circle class="dot" cx="1" cy="0" r="2"/>` +
		`<text x="1" y="2" text-anchor="middle">&lt;b&gt;&#34;&amp;</text></svg>`
	if got := c.Markup(`a < b "`); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestNothingIsDrawnOfNothing(t *testing.T) {
	c := New(1, 1)
	c.Path(nil, "a")
	c.Polygon(nil, "a")
	c.Rects(nil, 1, 1, "a")
	c.Dots(nil, "a")
	if got := c.Markup(""); strings.Contains(got, "path") {
		t.Errorf("got %s", got)
	}
}

func TestTicksAreRoundAndWithin(t *testing.T) {
	for _, c := range []struct {
		name      string
		low, high float64
		scale     Scale
	}{
		{"linear", 0, 41_234, Linear(0, 41_234, 0, 1)},
		{"linear, narrow", 99.2, 99.7, Linear(99.2, 99.7, 0, 1)},
		{"linear, one value", 5, 5, Linear(5, 5, 0, 1)},
		{"linear, negative", -3, 8, Linear(-3, 8, 0, 1)},
		{"log, decades", 3, 40_000, Log(3, 40_000, 0, 1)},
		{"log, a factor of two", 20, 40, Log(20, 40, 0, 1)},
		{"log, five percent", 0.98, 1.03, Log(0.98, 1.03, 0, 1)},
		{"log, one value", 7, 7, Log(7, 7, 0, 1)},
		{"log, nonsense", -1, math.NaN(), Log(-1, math.NaN(), 0, 1)},
		{"percentile", 0, 0.9999, Percentile(0.9999, 0, 1)},
	} {
		ticks := c.scale.Ticks()
		if len(ticks) < 2 || len(ticks) > 20 {
			t.Errorf("%s: %d ticks: %v", c.name, len(ticks), ticks)
		}
		for i, x := range ticks {
			if at := c.scale.At(x); at < 0 || at > 1 || i > 0 && at <= c.scale.At(ticks[i-1]) {
				t.Errorf("%s: tick %v lies at %v", c.name, x, at)
			}
		}
	}
}

func TestAtKeepsOrderAndEnds(t *testing.T) {
	s := Log(1, 1000, 300, 0)
	if !(s.At(1) > s.At(10) && s.At(10) > s.At(1000)) {
		t.Error("a turned scale does not fall")
	}
	for _, x := range []float64{0, -5, math.NaN(), math.Inf(1), math.Inf(-1)} {
		if at := s.At(x); !(at >= 0 && at <= 300) {
			t.Errorf("%v lies at %v", x, at)
		}
	}
	p := Percentile(0.9999, 0, 4)
	for i, share := range []float64{0, 0.9, 0.99, 0.999, 0.9999} {
		if at := p.At(share); math.Abs(at-float64(i)) > 1e-9 {
			t.Errorf("%v lies at %v, want %d", share, at, i)
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add("</svg><script>alert(1)</script>", 1.0)
	f.Add("\"' onload=x", math.Inf(1))
	f.Add("a large number and its neighbour", 1e17)
	f.Fuzz(func(t *testing.T, words string, x float64) {
		c := New(10, 10)
		c.Text(Point{x, -x}, End, words, words)
		c.Dots([]Point{{Linear(x, 1, 0, 1).At(x), Log(x, 5, 0, 1).At(x)}}, "d")
		got := c.Markup(words)
		if strings.Contains(got, "<script") || strings.Contains(got, "NaN") || strings.Contains(got, "Inf") {
			t.Fatalf("%q came through: %s", words, got)
		}
		clean := strings.Map(func(r rune) rune { // what XML cannot hold is for typeset.Clean to remove
			if r < ' ' || r == 0xFFFD || r > 0xFFFD {
				return -1
			}
			return r
		}, strings.ToValidUTF8(got, ""))
		if err := wellFormed(clean); err != nil {
			t.Fatalf("%v: %s", err, got)
		}
	})
}
