package table

import (
	"math"
	"slices"
	"testing"
)

func TestMinMax(t *testing.T) {
	for _, test := range []struct {
		xs   []float64
		want Spread
	}{
		{[]float64{3}, Spread{3, 3, 3}},
		{[]float64{4, 1}, Spread{2.5, 1, 4}},
		{[]float64{9, 1, 2}, Spread{2, 1, 9}},
	} {
		before := slices.Clone(test.xs)
		if got := MinMax(test.xs); got != test.want {
			t.Errorf("minMax(%v) = %v, want %v", test.xs, got, test.want)
		}
		if !slices.Equal(test.xs, before) {
			t.Errorf("minMax changed its argument: %v was %v", test.xs, before)
		}
	}
}

func TestNumber(t *testing.T) {
	for _, test := range []struct {
		value float64
		unit  string
		want  string
	}{
		{0, "/s", "0"}, {999.4, "/s", "999"}, {1000, "/s", "1,000"}, {1234567.8, "/s", "1,234,568"},
		{-1234, "/s", "-1,234"}, {-123, "/s", "-123"},
		{7.404, "µs", "7.40"}, {1.256, "%", "1.26"}, {0.7439, "", "0.744"},
		{math.Inf(1), "", "∞"},
	} {
		if got := number(test.value, test.unit); got != test.want {
			t.Errorf("number(%v, %q) = %q, want %q", test.value, test.unit, got, test.want)
		}
	}
}

func TestTarget(t *testing.T) {
	most, least := Target{AtMost: true, Limit: 0.8}, Target{Limit: 2}
	for _, test := range []struct {
		target Target
		value  float64
		met    bool
	}{{most, 0.8, true}, {most, 0.81, false}, {least, 2, true}, {least, 1.99, false}, {most, math.NaN(), false}, {least, math.NaN(), false}} {
		if test.target.Met(test.value) != test.met {
			t.Errorf("%v met by %v: want %v", test.target, test.value, test.met)
		}
	}
}
