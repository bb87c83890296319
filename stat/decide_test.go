package stat

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dyno"
)

func estimate(value, share float64, n int) dyno.Estimate {
	return dyno.Estimate{Value: value, Low: value / (1 + share), High: value * (1 + share), N: n}
}

func TestBlocksToDecide(t *testing.T) {
	for _, c := range []struct {
		name     string
		ratio    dyno.Estimate
		family   int
		from, to int
	}{
		{"one block foretells nothing", dyno.Estimate{Value: 1.2, N: 1}, 1, 0, 0},
		{"no block neither", dyno.Estimate{}, 1, 0, 0},
		{"nearly decided", estimate(1.05, 0.055, 6), 1, 7, 8},
		{"the same as one of a hundred", estimate(1.05, 0.055, 6), 100, 11, 25},
		{"a tie in the making", estimate(1.0005, 0.02, 6), 1, 12, 25},
		{"never", estimate(1.005, 2, 6), 100, 0, 0},
	} {
		if got := BlocksToDecide(dyno.Comparison{Ratio: c.ratio}, c.family); got < c.from || got > c.to {
			t.Errorf("%s: %d blocks, want %d to %d", c.name, got, c.from, c.to)
		}
	}
}

// What is foretold comes true: with so many blocks of the same scatter about half of all runs decide.
func TestBlocksToDecideComesTrue(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const truth, sd, family = 0.03, 0.03, 20
	draw := func(n int) fit {
		xs := make([]float64, n)
		for i := range xs {
			xs[i] = truth + sd*rng.NormFloat64()
		}
		return fitMean(xs, 0)
	}
	exact := fit{n: 10, mean: truth, se: sd / math.Sqrt(10)}
	needed := BlocksToDecide(dyno.Comparison{Ratio: exact.ratio()}, family)
	decided := 0
	for range 2000 {
		if draw(needed).p() < Alpha/family {
			decided++
		}
	}
	if share := float64(decided) / 2000; share < 0.4 || share > 0.7 {
		t.Errorf("with %d blocks %.0f %% of the runs decide", needed, 100*share)
	}
}

func TestLowest(t *testing.T) {
	for _, c := range []struct {
		name string
		of   []dyno.Estimate
		want []int
	}{
		{"none", nil, nil},
		{"one alone", []dyno.Estimate{estimate(9, 0.01, 5)}, []int{0}},
		{"clear", []dyno.Estimate{estimate(9, 0.01, 5), estimate(3, 0.01, 5), estimate(5, 0.01, 5)}, []int{1}},
		{"overlapping", []dyno.Estimate{estimate(9, 0.01, 5), estimate(3, 0.1, 5), estimate(3.2, 0.1, 5)}, []int{1, 2}},
		{"apart alone, not together", []dyno.Estimate{estimate(100, 0.02, 5), estimate(105, 0.02, 5), estimate(500, 0.02, 5)}, []int{0, 1}},
		{"without an interval", []dyno.Estimate{{Value: 9, N: 1}, estimate(3, 0.01, 5)}, []int{0, 1}},
		{"without a value", []dyno.Estimate{{}, estimate(3, 0.01, 5)}, []int{1}},
	} {
		if got := Lowest(c.of); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
