package main

import (
	"math"
	"testing"
)

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
	if s.Value != errorQuotient(pairs) || s.Low > s.Value || s.High < s.Value || s.Low <= 0 {
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
	if s8 := bootstrap(scaled, errorQuotient); math.Abs(s8.Low-s.Low) > 1e-9 || math.Abs(s8.High-s.High) > 1e-9 {
		t.Errorf("%+v, scaled %+v", s, s8)
	}
	flat := pairRatios{[]float64{1, 1}, []float64{1, 1}}
	if s := bootstrap([]pairRatios{flat, flat}, errorQuotient); s.Low != 0 || s.High != 0 {
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
