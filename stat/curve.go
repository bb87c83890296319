package stat

import (
	"cmp"
	"slices"

	"dyno"
)

// Curve is latency against rate: the probes in order of their rates, those of nearly equal rates taken
// together.
func Curve(probes []dyno.CapacityProbe) []dyno.CapacityPoint {
	sorted := slices.Clone(probes)
	slices.SortStableFunc(sorted, func(a, b dyno.CapacityProbe) int { return cmp.Compare(a.RatePerS, b.RatePerS) })
	var curve []dyno.CapacityPoint
	for len(sorted) > 0 {
		n := 1
		for n < len(sorted) && sorted[n].RatePerS <= sorted[0].RatePerS*pointWidth {
			n++
		}
		curve = append(curve, pointOf(sorted[:n]))
		sorted = sorted[n:]
	}
	return curve
}

// pointWidth is the factor by which the rates of one point of a curve may differ.
const pointWidth = 1.05

func pointOf(probes []dyno.CapacityProbe) dyno.CapacityPoint {
	p := dyno.CapacityPoint{Probes: len(probes)}
	middle := func(of func(dyno.CapacityProbe) float64) float64 {
		xs := make([]float64, len(probes))
		for i := range probes {
			xs[i] = of(probes[i])
		}
		slices.Sort(xs)
		return (xs[(len(xs)-1)/2] + xs[len(xs)/2]) / 2
	}
	p.RatePerS = middle(func(q dyno.CapacityProbe) float64 { return q.RatePerS })
	p.AnsweredPerS = middle(func(q dyno.CapacityProbe) float64 { return q.AnsweredPerS })
	p.P50Ns = middle(func(q dyno.CapacityProbe) float64 { return float64(q.P50Ns) })
	p.P90Ns = middle(func(q dyno.CapacityProbe) float64 { return float64(q.P90Ns) })
	p.P99Ns = middle(func(q dyno.CapacityProbe) float64 { return float64(q.P99Ns) })
	p.P999Ns = middle(func(q dyno.CapacityProbe) float64 { return float64(q.P999Ns) })
	p.ServerCPUShare = middle(func(q dyno.CapacityProbe) float64 { return q.ServerCPUShare })
	p.ClientBusyShare = middle(func(q dyno.CapacityProbe) float64 { return q.ClientBusyShare })
	for _, q := range probes {
		if q.Kept {
			p.Kept++
		}
	}
	return p
}

// kneeFactor is by how much the p99 has grown, against that of light load, where the knee is.
const kneeFactor = 2

// Knee returns the rate above which the p99 stays more than twice what it was at the lightest load that
// was tried: from there on more load is paid for in latency. ok is false when no point lies beyond it.
func Knee(curve []dyno.CapacityPoint) (ratePerS float64, ok bool) {
	if len(curve) < 3 {
		return 0, false
	}
	light := min(curve[0].P99Ns, curve[1].P99Ns, curve[2].P99Ns)
	last := len(curve) - 1
	for last >= 0 && curve[last].P99Ns > kneeFactor*light {
		last--
	}
	if last < 0 || last == len(curve)-1 {
		return 0, false
	}
	return curve[last].RatePerS, true
}
