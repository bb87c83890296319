package capacity

import (
	"cmp"
	"math"
	"slices"

	"dyno"
)

// serverCPUMax is the share of its CPUs above which a server counts as having used them up: the rest
// is the kernel's, and the breaths between bursts.
const serverCPUMax = 0.9

// limitOf says what kept the rate from being higher: what the probes showed that broke the promise
// closest above the capacity.
func limitOf(c *dyno.Capacity) dyno.CapacityLimit {
	if len(c.Probes) == 0 {
		return dyno.LimitNone
	}
	broken := brokenAbove(c)
	if len(broken) == 0 {
		if c.RatePerS.Value > 0 {
			return dyno.LimitHighest
		}
		return dyno.LimitNone
	}
	var unable, exhausted int
	for _, p := range broken {
		switch {
		case p.Unable != "" || p.Noise != "":
			unable++
		case p.ServerCPUShare >= serverCPUMax:
			exhausted++
		}
	}
	switch half := (len(broken) + 1) / 2; {
	case unable >= half:
		return dyno.LimitInstrument
	case exhausted >= half:
		return dyno.LimitServerCPU
	}
	return dyno.LimitPromise
}

// limitSample is how many broken probes above the capacity say what its limit is.
const limitSample = 5

// brokenAbove returns the probes that broke the promise, those closest above the capacity first.
func brokenAbove(c *dyno.Capacity) []dyno.CapacityProbe {
	var broken []dyno.CapacityProbe
	for _, p := range c.Probes {
		if !p.Kept {
			broken = append(broken, p)
		}
	}
	at := c.RatePerS.Value
	if at == 0 {
		at = math.Inf(-1)
	}
	slices.SortStableFunc(broken, func(a, b dyno.CapacityProbe) int {
		return cmp.Compare(math.Abs(a.RatePerS-at), math.Abs(b.RatePerS-at))
	})
	return broken[:min(limitSample, len(broken))]
}
