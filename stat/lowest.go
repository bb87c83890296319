package stat

import (
	"math"

	"dyno"
)

// Lowest returns which of the estimates cannot be told from the lowest: those whose intervals overlap its own, all
// widened so that they hold together with 95 % certainty (Bonferroni). Estimates without an interval are never told
// apart from it; those without a value are left out. Intervals that do not overlap are more than a difference needs,
// so that a name which stands alone is safe. m is the method of the run that they are from.
func Lowest(m dyno.Method, estimates []dyno.Estimate) []int {
	by := ruleOf(m)
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
		_, end := by.widened(estimates[lowest], len(valued))
		if begin, _ := by.widened(estimates[i], len(valued)); i == lowest || begin <= end {
			together = append(together, i)
		}
	}
	return together
}

// widened returns the ends of an interval that holds together with those of others.
func (by rule) widened(e dyno.Estimate, others int) (low, high float64) {
	wide := by.critical(e.N, Alpha/float64(others))
	if !e.Known() || e.Low <= 0 || e.High <= 0 || math.IsInf(wide, 1) {
		return 0, math.Inf(1)
	}
	half := math.Log(e.High/e.Low) / 2 * wide / by.critical(e.N, Alpha)
	return e.Value * math.Exp(-half), e.Value * math.Exp(half)
}
