package stat

import (
	"math"
	"slices"

	"dyno"
	"dyno/hist"
)

// seenIn describes all valid trials of a row together.
func seenIn(trials []*dyno.Trial) dyno.Seen {
	var s dyno.Seen
	latency := hist.New()
	var rates, bytes []float64
	for _, t := range trials {
		if t.Void != "" {
			continue
		}
		if t.Latency != nil {
			latency.Merge(t.Latency)
		}
		for _, slice := range t.Slices {
			s.Replies += slice.Replies
			s.BytesRead += slice.BytesRead
			rates = append(rates, slice.RatePerS())
			if slice.ServerReplies > 0 {
				bytes = append(bytes, slice.RatePerS()*float64(slice.BytesRead)/float64(slice.ServerReplies))
			}
		}
	}
	s.RatePerS, s.BytesPerS = distributionOf(rates), distributionOf(bytes)
	s.LatencyNs = shapeOf(latency)
	return s
}

// distributionOf describes xs, which it sorts. Quantiles are those of the nearest rank, as autocannon's are.
func distributionOf(xs []float64) dyno.Distribution {
	if len(xs) == 0 {
		return dyno.Distribution{}
	}
	slices.Sort(xs)
	at := func(q float64) float64 { return xs[max(int(math.Ceil(q*float64(len(xs))))-1, 0)] }
	d := dyno.Distribution{
		Min: xs[0], P1: at(0.01), P2_5: at(0.025), P50: at(0.5), P95: at(0.95), P97_5: at(0.975), P99: at(0.99), Max: xs[len(xs)-1],
	}
	for _, x := range xs {
		d.Mean += x / float64(len(xs))
	}
	for _, x := range xs {
		d.SD += (x - d.Mean) * (x - d.Mean)
	}
	if len(xs) > 1 {
		d.SD = math.Sqrt(d.SD / float64(len(xs)-1))
	}
	return d
}
