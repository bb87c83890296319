package chart

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"dyno/report/internal/svg"
)

const hostile = "\x1b[31m</svg><script>alert(1)</script>\u202e\x00 and on, and on, and on, and on"

// drawings are all charts with everything that is odd in them.
func drawings() map[string]string {
	wild := Interval{Value: 5, Low: 0.001, High: 1e9}
	series := []Curve{
		{Name: hostile, Points: []CurvePoint{{8, wild}, {64, Interval{Value: 7, Low: 6, High: 8}}}},
		{Name: "b", Series: 9, Points: []CurvePoint{{8, Interval{Value: 7}}}},
		{Name: "nothing", Series: 2},
		{Name: "beside", Series: -1, Points: []CurvePoint{{64, Interval{Value: math.Inf(1), Low: math.NaN(), High: 3}}}},
	}
	return map[string]string{
		"dots": Dots("x", "µs", []DotRow{
			{Name: hostile, At: wild, Singles: []float64{1, 9, math.NaN()}, Figure: "5"},
			{Name: "zero", Series: -1},
		}),
		"forest": Forest("x", hostile, "b", 1.01, []ForestRow{
			{Name: hostile, Ratio: Interval{1.3, 1e-9, 1e9}, Class: "b", Figure: "+30%"},
			{Name: "head", Heading: true}, {Name: "unknown"},
			{Name: "all", Ratio: Interval{0.5, 0.49, 0.51}, Sum: true, Class: "a"},
		}),
		"linear":     Curves("x", Axis{Title: "n", Kind: Log, Ticks: []float64{8, 64}}, Axis{Kind: Linear}, series, Mark{20, hostile}),
		"percentile": Curves("x", Axis{Kind: Percentile, Format: Share}, Axis{Kind: Log}, series),
		"heat": Heat("x", "time", hostile, []Panel{
			{hostile, [][]float64{{1, 0}, nil, {0.0005, 0.9995}, {math.NaN(), math.Inf(1)}}}, {"short", [][]float64{{0, 1}}}, {"none", nil},
		}, []float64{16, 18, 20}, Short, []int{2}),
		"flat": Heat("x", "time", "share", []Panel{{"a", [][]float64{{1}, {1}}}}, []float64{math.NaN(), 9}, Short, nil),
	}
}

func TestDrawingsAreWellFormedAndWithinTheirEdges(t *testing.T) {
	x := regexp.MustCompile(`(?:[ML]| (?:x|cx)=")(-?[\d.]+)`)
	for name, s := range drawings() {
		for d := xml.NewDecoder(strings.NewReader(s)); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Errorf("%s: %v: %s", name, err, s)
				break
			}
		}
		if strings.Contains(s, "<script") || strings.Contains(s, "NaN") || strings.ContainsRune(s, '\u202e') {
			t.Errorf("%s: %s", name, s)
		}
		for _, m := range x.FindAllStringSubmatch(s, -1) {
			if at, err := strconv.ParseFloat(m[1], 64); err != nil || at < -1 || at > width+5 {
				t.Errorf("%s: something lies at %s of %v: %s", name, m[1], width, s)
			}
		}
	}
}

func TestNothingIsDrawnOfNothing(t *testing.T) {
	for name, s := range map[string]string{
		"dots": Dots("", "", nil), "forest": Forest("", "", "", 1.01, nil), "heat": Heat("", "", "", []Panel{{"a", nil}}, []float64{1, 2}, Short, nil),
		"bands":  Heat("", "", "", []Panel{{"a", [][]float64{{1}}}}, nil, Short, nil),
		"curves": Curves("", Axis{}, Axis{}, []Curve{{Name: "a"}}),
	} {
		if s != "" {
			t.Errorf("%s: %s", name, s)
		}
	}
}

func TestNamesOfCurvesStandApart(t *testing.T) {
	var curves []Curve
	for i := range 12 {
		curves = append(curves, Curve{Name: fmt.Sprint(i), Points: []CurvePoint{{1, Interval{Value: 100 + float64(i%3)}}}})
	}
	places := apart(curves, svg.Linear(0, 200, 210, 22), 22, 232)
	for i, a := range places {
		if a < 22 || a > 232 {
			t.Errorf("name %d stands at %v, beyond the plot", i, a)
		}
		for _, b := range places[i+1:] {
			if math.Abs(a-b) < nameGap-0.01 {
				t.Errorf("names stand at %v and %v, less than %v apart", a, b, nameGap)
			}
		}
	}
}

func TestShort(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 0.25: "0.25", 350: "350", 41_234: "41.2k", 2e6: "2M", 3e9: "3G", -1500: "-1.5k"} {
		if got := Short(x); got != want {
			t.Errorf("%v: %q, want %q", x, got, want)
		}
	}
	if got := Share(0.99999); got != "99.999" {
		t.Errorf("got %q", got)
	}
}

func TestRatioTicksAreRoundOnBothSidesOfOne(t *testing.T) {
	for _, farthest := range []float64{0.03, 0.05, 0.2, 0.7, 3, 9} {
		if ticks := ratioTicks(farthest, farthest); len(ticks) != 3 || ticks[1] != 1 {
			t.Errorf("up to a factor of %.2f: %v", math.Exp(farthest), ticks)
		}
		if ticks := ratioTicks(farthest, farthest/4); len(ticks) < 2 || ticks[1] != 1 {
			t.Errorf("down to a factor of %.2f: %v", math.Exp(-farthest), ticks)
		}
	}
}
