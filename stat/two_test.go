package stat

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestDifferenceCovers simulates two kinds of measurement of unlike precision.
func TestDifferenceCovers(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	const runs, truth = 2000, 0.02
	covered := 0
	for range runs {
		var xs, ys []float64
		for range 8 {
			xs = append(xs, truth+0.005*rng.NormFloat64())
		}
		for range 12 {
			ys = append(ys, 0.03*rng.NormFloat64())
		}
		if d := Difference(xs, ys); d.Low <= math.Exp(truth) && math.Exp(truth) <= d.High {
			covered++
		}
	}
	if share := float64(covered) / runs; share < 0.93 || share > 0.97 {
		t.Errorf("the interval covers the difference in %.1f %% of cases", share*100)
	}
}

func TestTooFewValues(t *testing.T) {
	if Difference([]float64{1}, []float64{1, 2}).Known() || MeanRatio(nil).N != 0 || MeanRatio([]float64{0}).Known() || SD([]float64{1}) != 0 {
		t.Error("one value has a spread")
	}
	if d := Difference([]float64{1, 1}, []float64{1, 1}); d.Value != 1 || d.Low != 1 || d.High != 1 {
		t.Errorf("equal values: %+v", d)
	}
}
