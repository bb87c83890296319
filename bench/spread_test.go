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
	pairs := []pairRatios{
		{[]float64{1, -2, 1.5, -0.5, 0.7}, []float64{4, -6, 5, -3, 2}},
		{[]float64{2, -1, 2.5, 0.5, 1.7}, []float64{3, -6, 4, -3, 2}},
		{[]float64{0, -1, 0.5, 0.5, 0.7}, []float64{3, -5, 4, -3, 1}},
	}
	s := bootstrap(pairs, errorQuotient)
	if s.value != errorQuotient(pairs) || s.low > s.value || s.high < s.value || s.low <= 0 {
		t.Errorf("%+v", s)
	}
	if again := bootstrap(pairs, errorQuotient); again != s {
		t.Errorf("the same data gave %+v and %+v", s, again)
	}
	// The interval of a quotient does not depend on the unit of its parts.
	var scaled []pairRatios
	for _, p := range pairs {
		scaled = append(scaled, pairRatios{times(8, p.interleaved), times(8, p.sequential)})
	}
	if s8 := bootstrap(scaled, errorQuotient); math.Abs(s8.low-s.low) > 1e-9 || math.Abs(s8.high-s.high) > 1e-9 {
		t.Errorf("%+v, scaled %+v", s, s8)
	}
	flat := pairRatios{[]float64{1, 1}, []float64{1, 1}}
	if s := bootstrap([]pairRatios{flat, flat}, errorQuotient); s.low != 0 || s.high != 0 {
		t.Errorf("without any deviation: %+v", s)
	}
}

func times(factor float64, xs []float64) []float64 {
	var scaled []float64
	for _, x := range xs {
		scaled = append(scaled, factor*x)
	}
	return scaled
}
