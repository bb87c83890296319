package stat

import (
	"maps"
	"math"
	"slices"

	"dyno"
)

// CapacityOf returns the rate at which the promise is strained to its limit on the average, from the probes of
// searches that are independent of each other. The approach (search 0) and repeated probes do not count. It is
// without N when nothing is left. With one search there is no interval.
//
// Whether one probe keeps the promise says little: bursts come in clusters, so most short windows look better than
// the long run and a few look far worse. The mean strain has no such bias. How it grows with the rate is fitted to
// all probes at once: the logarithm of the rate is the only term of a logistic regression of strain ÷ StrainMax, by
// quasi-likelihood (Wedderburn 1974), each probe weighted by its requests. The interval is by the jackknife over
// the searches, with Student's t (Miller 1974).
func CapacityOf(probes []dyno.CapacityProbe) dyno.Estimate {
	bySearch := map[int][]strained{}
	var all []strained
	for _, p := range probes {
		if p.Search > 0 && !p.Repeated && p.RatePerS > 0 {
			s := strained{math.Log(p.RatePerS), min(p.Strain/dyno.StrainMax, 1), float64(max(p.Due, 1))}
			bySearch[p.Search] = append(bySearch[p.Search], s)
			all = append(all, s)
		}
	}
	if len(all) == 0 {
		return dyno.Estimate{}
	}
	centre := crossing(all)
	if len(bySearch) == 1 {
		return dyno.Estimate{Value: math.Exp(centre), N: 1}
	}
	n := float64(len(bySearch))
	pseudo := map[int]float64{}
	for left := range bySearch {
		var rest []strained
		for _, search := range slices.Sorted(maps.Keys(bySearch)) {
			if search != left {
				rest = append(rest, bySearch[search]...)
			}
		}
		pseudo[left] = n*centre - (n-1)*crossing(rest)
	}
	f := fixedN.fit(inOrder(pseudo), searchSpread)
	f.mean = centre
	return f.ratio()
}

// strained is a probe as the regression takes it.
type strained struct {
	logRate float64
	share   float64 // of the largest strain that counts
	weight  float64
}

// A server with one worker and a fixed service time has a slope of about 25 at its capacity. The prior is worth less
// than a hundredth of a probe; without it a server that keeps all below a rate and nothing above it would have none.
const (
	slopePrior  = 25.0
	priorWeight = 3e-6
	fitSteps    = 100
	fitEnough   = 1e-10 // of the deviance
)

// logisticAtLimit is the logistic of a strain of 1.
var logisticAtLimit = -math.Log(dyno.StrainMax - 1)

// crossing is the log rate at which the fitted strain is 1, within the rates of the probes.
func crossing(probes []strained) float64 {
	lowest, highest := probes[0].logRate, probes[0].logRate
	kept, broken := math.Inf(-1), math.Inf(1) // the highest kept and the lowest broken one
	var weights float64
	for _, p := range probes {
		lowest, highest = min(lowest, p.logRate), max(highest, p.logRate)
		if p.share*dyno.StrainMax < 1 {
			kept = max(kept, p.logRate)
		} else {
			broken = min(broken, p.logRate)
		}
		weights += p.weight
	}
	switch {
	case math.IsInf(broken, 1):
		return highest
	case math.IsInf(kept, -1):
		return lowest
	}
	c := curveFit{probes: slices.Clone(probes), at: (kept + broken) / 2, intercept: logisticAtLimit, slope: slopePrior}
	for i := range c.probes {
		c.probes[i].weight *= float64(len(probes)) / weights
	}
	c.climb()
	return min(max(c.at+(logisticAtLimit-c.intercept)/c.slope, lowest), highest)
}

// curveFit is share = logistic(intercept + slope × (log rate − at)).
type curveFit struct {
	probes               []strained
	at, intercept, slope float64
}

// climb maximises the penalised quasi-likelihood by Newton's steps, halved until they help.
func (c *curveFit) climb() {
	last := c.deviance()
	for range fitSteps {
		toIntercept, toSlope := c.step()
		before := *c
		for part := 1.0; part > 1e-9; part /= 2 {
			c.intercept, c.slope = before.intercept+part*toIntercept, before.slope+part*toSlope
			if c.slope > 0 && c.deviance() <= last {
				break
			}
			*c = before
		}
		now := c.deviance()
		if last-now < fitEnough*(1+last) {
			return
		}
		last = now
	}
}

func (c *curveFit) expected(p strained) float64 {
	const nearly = 1e-12
	q := 1 / (1 + math.Exp(-(c.intercept + c.slope*(p.logRate-c.at))))
	return min(max(q, nearly), 1-nearly)
}

func (c *curveFit) deviance() float64 {
	d := priorWeight * (c.slope - slopePrior) * (c.slope - slopePrior)
	for _, p := range c.probes {
		q := c.expected(p)
		d -= 2 * p.weight * (p.share*math.Log(q) + (1-p.share)*math.Log1p(-q))
	}
	return d
}

// step solves the normal equations.
func (c *curveFit) step() (toIntercept, toSlope float64) {
	const ridge = 1e-9
	g0, g1 := 0.0, -priorWeight*(c.slope-slopePrior)
	h00, h01, h11 := ridge, 0.0, priorWeight
	for _, p := range c.probes {
		q, x := c.expected(p), p.logRate-c.at
		g0 += p.weight * (p.share - q)
		g1 += p.weight * (p.share - q) * x
		v := p.weight * q * (1 - q)
		h00 += v
		h01 += v * x
		h11 += v * x * x
	}
	d := h00*h11 - h01*h01
	return (g0*h11 - g1*h01) / d, (g1*h00 - g0*h01) / d
}
