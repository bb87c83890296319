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

// TestSimulationVarianceRatio holds the jackknife to its word: pairs of three subjects, which share noise.
func TestSimulationVarianceRatio(t *testing.T) {
	const blocks, truth = 40, 9.0
	rng := rand.New(rand.NewPCG(5, 6))
	draw := func(sd float64) []map[int]float64 {
		pairs := []map[int]float64{{}, {}, {}}
		for block := range blocks {
			a, b, c := sd*rng.NormFloat64(), sd*rng.NormFloat64(), sd*rng.NormFloat64()
			pairs[0][block], pairs[1][block], pairs[2][block] = a-b, a-c, b-c
		}
		return pairs
	}
	covered := 0
	runs := repetitions(300, 4_000)
	for range runs {
		e := VarianceRatio(draw(3), draw(1))
		if e.N != blocks {
			t.Fatalf("%+v", e)
		}
		if e.Low <= truth && truth <= e.High {
			covered++
		}
	}
	if share := 100 * float64(covered) / float64(runs); share < 92 || share > 98 {
		t.Errorf("%.1f %% of the intervals hold the truth", share)
	}
	if e := VarianceRatio(draw(3), []map[int]float64{{1: 1, 2: 2}}); e.Known() {
		t.Errorf("two blocks gave %+v", e)
	}
	same := []map[int]float64{{1: 1, 2: 1, 3: 1}}
	if e := VarianceRatio(same, same); e.Known() {
		t.Errorf("no variance gave %+v", e)
	}
	if e := VarianceRatio(nil, nil); e.Known() {
		t.Errorf("nothing gave %+v", e)
	}
}
