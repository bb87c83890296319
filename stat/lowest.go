package stat

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"dyno"
)

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
