package report

import (
	"math"
	"slices"

	"dyno"
	"dyno/hist"
	"dyno/report/internal/typeset"
)

// seen says what was seen of a subject over all processes together, as autocannon's tables have it.
func (tr *tracer) seen(cell dyno.Cell, subject string) {
	latency := hist.New()
	var rates, bytes []float64
	for _, t := range tr.trialsOf(cell, subject) {
		latency.Merge(t.Latency)
		for _, s := range t.Slices {
			rates = append(rates, float64(s.Replies)*1e9/float64(s.DurationNs))
			bytes = append(bytes, float64(s.BytesRead)*1e9/float64(s.DurationNs))
		}
	}
	if latency.Count() == 0 || len(rates) == 0 {
		return
	}
	for _, q := range []float64{0.025, 0.5, 0.975, 0.99} {
		tr.say(typeset.Figure(float64(latency.QuantileNs(q)) / nsPerMs))
	}
	tr.say(typeset.Figure(latency.MeanNs()/nsPerMs), typeset.Figure(latency.StdevNs()/nsPerMs), typeset.Figure(float64(latency.MaxNs())/nsPerMs))
	tr.spread(rates, 1)
	tr.spread(bytes, 1e6)
}

// spread says the mean, the standard deviation and the quantiles by nearest rank of single slices.
func (tr *tracer) spread(xs []float64, unit float64) {
	slices.Sort(xs)
	n := float64(len(xs))
	var sum, squares float64
	for _, x := range xs {
		sum += x
	}
	for _, x := range xs {
		squares += (x - sum/n) * (x - sum/n)
	}
	for _, q := range []float64{0.01, 0.025, 0.5, 0.975, 0.99} {
		tr.say(typeset.Figure(xs[int(math.Ceil(q*n))-1] / unit))
	}
	tr.say(typeset.Figure(xs[0]/unit), typeset.Figure(xs[len(xs)-1]/unit), typeset.Figure(sum/n/unit), typeset.Figure(math.Sqrt(squares/(n-1))/unit))
}

// ofCeiling says what share of the ceiling's rate a subject has over the cells of a load.
func (tr *tracer) ofCeiling(load dyno.Load, subject, ceiling string) {
	if ceiling == "" {
		return
	}
	var logs, n float64
	for _, cell := range tr.run.Suite.Cells {
		if cell.Load == load {
			logs += math.Log(geometric(tr.each(cell, subject, rateOf)).Value / geometric(tr.each(cell, ceiling, rateOf)).Value)
			n++
		}
	}
	tr.say(share(math.Exp(logs / n)))
}
