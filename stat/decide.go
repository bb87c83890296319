package stat

import (
	"math"
	"sort"

	"gonum.org/v1/gonum/stat/distuv"

	"dyno"
)

// DecideMax is the number of blocks beyond which nobody would wait for a decision.
const DecideMax = 1000

// BlocksToDecide returns about how many blocks would decide a comparison, if the ratio and the scatter between
// blocks stay what they are: as faster or slower, or as a tie. It is 0 when more than DecideMax would be needed or
// nothing can be foretold. family is the number of comparisons that verdicts are corrected for; each is counted at
// Bonferroni's level, which is the strictest that Holm's correction asks for.
func BlocksToDecide(c dyno.Comparison, family int) int {
	r := c.Ratio
	if !r.Known() || r.Low <= 0 || r.High <= r.Low {
		return 0
	}
	sd := math.Log(r.High/r.Low) / 2 / quantile(Alpha, r.N) * math.Sqrt(float64(r.N))
	distance := math.Abs(math.Log(r.Value))
	target := max(distance, math.Log(TieRatio)-distance) // the half width that decides it, one way or the other
	needed := 2 + sort.Search(DecideMax-1, func(i int) bool {
		n := i + 2
		return quantile(Alpha/float64(max(family, 1)), n)*sd/math.Sqrt(float64(n)) < target
	})
	if needed > DecideMax {
		return 0
	}
	return max(needed, r.N+1) // it has not been decided yet
}

// quantile returns how many standard errors an interval of n values reaches to each side.
func quantile(alpha float64, n int) float64 {
	return -distuv.StudentsT{Sigma: 1, Nu: float64(n - 1)}.Quantile(alpha / 2)
}

// Lowest returns which of the estimates cannot be told from the lowest: those whose intervals overlap its own, all
// widened so that they hold together with 95 % certainty (Bonferroni). Estimates without an interval are never told
// apart from it; those without a value are left out. Intervals that do not overlap are more than a difference needs,
// so that a name which stands alone is safe.
func Lowest(estimates []dyno.Estimate) []int {
	var valued []int
	lowest := -1
	for i, e := range estimates {
		if e.N == 0 || e.Value <= 0 {
			continue
		}
		valued = append(valued, i)
		if lowest < 0 || e.Value < estimates[lowest].Value {
			lowest = i
		}
	}
	var together []int
	for _, i := range valued {
		_, end := widened(estimates[lowest], len(valued))
		if begin, _ := widened(estimates[i], len(valued)); i == lowest || begin <= end {
			together = append(together, i)
		}
	}
	return together
}

// widened returns the ends of an interval that holds together with those of others.
func widened(e dyno.Estimate, others int) (low, high float64) {
	if !e.Known() || e.Low <= 0 || e.High <= 0 {
		return 0, math.Inf(1)
	}
	half := math.Log(e.High/e.Low) / 2 * quantile(Alpha/float64(others), e.N) / quantile(Alpha, e.N)
	return e.Value * math.Exp(-half), e.Value * math.Exp(half)
}
