package main

import (
	"math"
	"slices"
	"testing"
)

func TestMinMax(t *testing.T) {
	for _, test := range []struct {
		xs   []float64
		want spread
	}{
		{[]float64{3}, spread{3, 3, 3}},
		{[]float64{4, 1}, spread{2.5, 1, 4}},
		{[]float64{9, 1, 2}, spread{2, 1, 9}},
	} {
		before := slices.Clone(test.xs)
		if got := minMax(test.xs); got != test.want {
			t.Errorf("minMax(%v) = %v, want %v", test.xs, got, test.want)
		}
		if !slices.Equal(test.xs, before) {
			t.Errorf("minMax changed its argument: %v was %v", test.xs, before)
		}
	}
}

func TestDeviation(t *testing.T) {
	if got, want := deviation([]float64{2, 4, 4, 4, 5, 5, 7, 9}), math.Sqrt(32.0/7); math.Abs(got-want) > 1e-12 {
		t.Errorf("%v, want %v", got, want)
	}
	if got := deviation([]float64{3, 3}); got != 0 {
		t.Errorf("deviation of equal values: %v", got)
	}
}

func TestBootstrap(t *testing.T) {
	as, bs := []float64{1, -2, 1.5, -0.5, 0.7}, []float64{4, -6, 5, -3, 2}
	quotient := func(as, bs []float64) float64 { return deviation(as) / deviation(bs) }
	s := bootstrap(as, bs, quotient)
	if s.value != quotient(as, bs) || s.low > s.value || s.high < s.value || s.low <= 0 {
		t.Errorf("%+v", s)
	}
	if again := bootstrap(as, bs, quotient); again != s {
		t.Errorf("the same data gave %+v and %+v", s, again)
	}
	// The interval of a quotient does not depend on the unit of its parts.
	scaled := bootstrap(times(8, as), times(8, bs), quotient)
	if math.Abs(scaled.low-s.low) > 1e-9 || math.Abs(scaled.high-s.high) > 1e-9 {
		t.Errorf("%+v, scaled %+v", s, scaled)
	}
	if flat := bootstrap([]float64{1, 1}, []float64{1, 1}, quotient); flat.low != 0 || flat.high != 0 {
		t.Errorf("without any deviation: %+v", flat)
	}
}

func times(factor float64, xs []float64) []float64 {
	var scaled []float64
	for _, x := range xs {
		scaled = append(scaled, factor*x)
	}
	return scaled
}
