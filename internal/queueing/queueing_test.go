package queueing

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Of what is waited nothing at all is exact: the worker is free with the probability 1 − utilisation. The mean of
// M/D/1 (Pollaczek and Khinchine) is that of the distribution.
func TestKnownValues(t *testing.T) {
	for _, load := range []float64{0.1, 0.5, 0.9} {
		if got := WaitAtMost(0, load, 1); math.Abs(got-(1-load)) > 1e-12 {
			t.Errorf("no wait at %g: %g", load, got)
		}
		const step = 0.001
		mean := 0.0
		for t := 0.0; t < 18; t += step {
			mean += (1 - WaitAtMost(t+step/2, load, 1)) * step
		}
		if want := load / (2 * (1 - load)); math.Abs(mean-want) > 0.03*want {
			t.Errorf("mean wait at %g: %.4f, want %.4f", load, mean, want)
		}
	}
	if c := Capacity(0.001, 0.0005, 0.99); c != 0 {
		t.Errorf("a server that is too slow has the capacity %g", c)
	}
}

// A long simulation at the capacity has the promised quantile at the limit.
func TestCapacityHoldsInASimulation(t *testing.T) {
	const serviceS, limitS = 0.0002, 0.003
	rate := Capacity(serviceS, limitS, 0.99)
	random := rand.New(rand.NewPCG(1, 2))
	responses := make([]float64, 2_000_000)
	var at, free float64
	for i := range responses {
		at += random.ExpFloat64() / rate
		free = max(free, at) + serviceS
		responses[i] = free - at
	}
	slices.Sort(responses)
	if p99 := responses[len(responses)*99/100]; math.Abs(p99/limitS-1) > 0.05 {
		t.Errorf("p99 is %.3g s at %.0f/s, want %g s", p99, rate, limitS)
	}
}
