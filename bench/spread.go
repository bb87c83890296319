package main

import (
	"math"
	"math/rand/v2"
	"slices"

	"dyno/bench/internal/table"
)

func mean(xs []float64) float64 {
	var sum float64
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}

// deviation returns the sample standard deviation; xs has at least two values.
func deviation(xs []float64) float64 {
	var sum float64
	for _, x := range xs {
		d := x - mean(xs)
		sum += d * d
	}
	return math.Sqrt(sum / float64(len(xs)-1))
}

const (
	resamples     = 2_000
	bootstrapSeed = 1 // fixed, so that equal data have equal intervals
)

// bootstrap returns a statistic of pairs with its 95 % percentile interval: the middle 95 % of what the
// statistic is when pairs, and the ratios within each, are drawn anew from themselves.
func bootstrap(pairs []pairRatios, statistic func([]pairRatios) float64) table.Spread {
	random := rand.New(rand.NewPCG(bootstrapSeed, 0))
	drawn := make([]pairRatios, len(pairs))
	var values []float64
	for range resamples {
		for i := range drawn {
			p := pairs[random.IntN(len(pairs))]
			drawn[i] = pairRatios{draw(random, p.interleaved), draw(random, p.sequential)}
		}
		// A draw without any deviation can make the statistic 0/0, which says nothing.
		if v := statistic(drawn); !math.IsNaN(v) {
			values = append(values, v)
		}
	}
	s := table.Spread{Value: statistic(pairs)}
	if len(values) > 0 {
		slices.Sort(values)
		last := float64(len(values) - 1)
		s.Low, s.High = values[int(math.Round(0.025*last))], values[int(math.Round(0.975*last))]
	}
	return s
}

// draw returns as many values of xs as it has, with replacement.
func draw(random *rand.Rand, xs []float64) []float64 {
	drawn := make([]float64, len(xs))
	for i := range drawn {
		drawn[i] = xs[random.IntN(len(xs))]
	}
	return drawn
}
