package main

import (
	"math"
	"math/rand/v2"
	"slices"
)

// spread is a figure with its doubt.
type spread struct{ value, low, high float64 }

// minMax returns the median of xs with the extremes. xs must not be empty.
func minMax(xs []float64) spread {
	sorted := slices.Sorted(slices.Values(xs))
	n := len(sorted)
	return spread{(sorted[(n-1)/2] + sorted[n/2]) / 2, sorted[0], sorted[n-1]}
}

// ratios divides pair by pair: what disturbed both of a pair cancels.
func ratios(as, bs []float64) []float64 {
	quotients := make([]float64, len(as))
	for i := range as {
		quotients[i] = as[i] / bs[i]
	}
	return quotients
}

// deviation returns the sample standard deviation; xs has at least two values.
func deviation(xs []float64) float64 {
	var mean, sum float64
	for _, x := range xs {
		mean += x / float64(len(xs))
	}
	for _, x := range xs {
		sum += (x - mean) * (x - mean)
	}
	return math.Sqrt(sum / float64(len(xs)-1))
}

const (
	resamples     = 10_000
	bootstrapSeed = 1 // fixed, so that equal data have equal intervals
)

// bootstrap returns a statistic of two independent samples with its 95 % percentile interval: the
// middle 95 % of what the statistic is when both samples are drawn anew from themselves.
func bootstrap(as, bs []float64, statistic func(as, bs []float64) float64) spread {
	random := rand.New(rand.NewPCG(bootstrapSeed, 0))
	drawnAs, drawnBs := make([]float64, len(as)), make([]float64, len(bs))
	var values []float64
	for range resamples {
		draw(random, drawnAs, as)
		draw(random, drawnBs, bs)
		// A draw without any deviation can make the statistic 0/0, which says nothing.
		if v := statistic(drawnAs, drawnBs); !math.IsNaN(v) {
			values = append(values, v)
		}
	}
	s := spread{value: statistic(as, bs)}
	if len(values) > 0 {
		slices.Sort(values)
		last := float64(len(values) - 1)
		s.low, s.high = values[int(math.Round(0.025*last))], values[int(math.Round(0.975*last))]
	}
	return s
}

// draw fills drawn with values of xs, with replacement.
func draw(random *rand.Rand, drawn, xs []float64) {
	for i := range drawn {
		drawn[i] = xs[random.IntN(len(xs))]
	}
}
