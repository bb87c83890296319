package stat

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"dyno"
)

// RateOf returns a rate with its exact 95 % interval. Source: Clopper and Pearson, "The use of confidence or
// fiducial limits illustrated in the case of the binomial", 1934.
func RateOf(hits, of int) dyno.Rate {
	r := dyno.Rate{Hits: hits, Of: of, High: 1}
	misses := of - hits
	if hits > 0 {
		r.Low = distuv.Beta{Alpha: float64(hits), Beta: float64(misses + 1)}.Quantile(Alpha / 2)
	}
	if misses > 0 {
		r.High = distuv.Beta{Alpha: float64(hits + 1), Beta: float64(misses)}.Quantile(1 - Alpha/2)
	}
	return r
}

// SumRates adds up two counts.
func SumRates(a, b dyno.Rate) dyno.Rate { return RateOf(a.Hits+b.Hits, a.Of+b.Of) }

// SumClones adds up what two runs found out about clones.
func SumClones(a, b dyno.CloneCheck) dyno.CloneCheck {
	sum := dyno.CloneCheck{
		Equal: SumRates(a.Equal, b.Equal), EqualCPU: SumRates(a.EqualCPU, b.EqualCPU),
		Missed: SumRates(a.Missed, b.Missed), Wrong: SumRates(a.Wrong, b.Wrong),
		Slowdown: max(a.Slowdown, b.Slowdown), Compared: max(a.Compared, b.Compared),
	}
	var logs float64
	for _, c := range []dyno.CloneCheck{a, b} {
		if c.Missed.Of > 0 {
			logs += math.Log(c.Reached) * float64(c.Missed.Of)
		}
	}
	if sum.Missed.Of > 0 {
		sum.Reached = math.Exp(logs / float64(sum.Missed.Of))
	}
	return sum
}

// clonesOf counts how verdicts on clones came out, in single cells and in averages; nil where a run has no
// clones. A cell in which the client was the limit says nothing about a slowdown, and is left out of what
// could be missed.
func clonesOf(v dyno.Verdict) *dyno.CloneCheck {
	if !slices.ContainsFunc(v.Run.Subjects, func(s dyno.Subject) bool { return s.CloneOf != "" }) {
		return nil
	}
	count := cloneCount{subjects: map[string]dyno.Subject{}}
	for _, s := range v.Run.Subjects {
		count.subjects[s.Name] = s
	}
	for _, cell := range v.Cells {
		count.all(cell.Comparisons, false, slices.ContainsFunc(cell.Rows, func(r dyno.Row) bool { return r.ClientBound }))
		count.all(cell.CPUComparisons, true, false)
		for _, by := range cell.ByMeasure {
			count.all(by.Comparisons, by.Measure == dyno.CPUCost, true)
		}
	}
	for _, average := range v.Averages {
		count.all(average.Comparisons, false, false)
		count.all(average.CPUComparisons, true, false)
	}
	check := &dyno.CloneCheck{
		Equal: RateOf(count.claimed, count.equal), EqualCPU: RateOf(count.claimedCPU, count.equalCPU),
		Missed: RateOf(count.missed, count.slowed), Wrong: RateOf(count.wrong, count.slowed),
		Slowdown: count.slowdown, Compared: v.Compared,
	}
	if count.slowed > 0 {
		check.Reached = math.Exp(count.logs / float64(count.slowed))
	}
	return check
}

// cloneCount is a CloneCheck in the making.
type cloneCount struct {
	subjects             map[string]dyno.Subject
	claimed, equal       int
	claimedCPU, equalCPU int
	missed, wrong        int
	slowed               int
	slowdown             float64
	logs                 float64 // over slowed clones, of the log of their rate ÷ that of an equal one
}

// all counts comparisons of speed, or of CPU cost. Where the client or virtual users set the rate, a slowdown need not
// show in it.
func (n *cloneCount) all(comparisons []dyno.Comparison, ofCPU, rateBound bool) {
	for _, c := range comparisons {
		a, b := n.subjects[c.A], n.subjects[c.B]
		if a.CloneOf == "" || a.CloneOf != b.CloneOf {
			continue
		}
		if b.Slowdown > a.Slowdown {
			a, b, c = b, a, c.Flip()
		}
		switch {
		case a.Slowdown == b.Slowdown && ofCPU:
			n.equalCPU++
			n.claimedCPU += ifSo(c.Outcome != dyno.Tie && c.Outcome != dyno.Undecided)
		case a.Slowdown == b.Slowdown:
			n.equal++
			n.claimed += ifSo(c.Outcome != dyno.Tie && c.Outcome != dyno.Undecided)
		case !ofCPU && !rateBound && c.Ratio.Value > 0:
			n.slowdown = a.Slowdown
			n.slowed++
			n.logs += math.Log(c.Ratio.Value)
			n.missed += ifSo(c.Outcome != dyno.Slower)
			n.wrong += ifSo(c.Outcome == dyno.Faster)
		}
	}
}

func ifSo(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
