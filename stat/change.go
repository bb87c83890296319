package stat

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// changeAlpha is the chance with which a change is seen in a series without any, where its values are
// independent and normal.
const changeAlpha = 0.005

// levelLeast is the fewest values that a level is made of: a single one is an outlier.
const levelLeast = 2

// outlierAt is how many standard deviations from the median of a series a value may lie; beyond, it counts as if
// it lay there. So one stolen slice moves no mean far enough to look like a change.
const outlierAt = 3

// levels cuts a series where its mean changes, and returns the index of the first value of each level. sd is the
// standard deviation of a value about its level. It finds the cut that makes the sum of squares about the
// levels, plus a penalty for each change, as small as possible: optimal partitioning, which PELT speeds up for series
// much longer than these and with the same answer.
//
// The penalty is the square of the Bonferroni bound for the places where a change could be. Source: Jackson et al.,
// "An algorithm for optimal partitioning of data on an interval", 2005; Killick, Fearnhead and Eckley, "Optimal
// detection of changepoints with a linear computational cost", 2012.
func levels(values []float64, sd float64) []int {
	n := len(values)
	if n < 2*levelLeast || sd <= 0 {
		return []int{0}
	}
	sums, squares := make([]float64, n+1), make([]float64, n+1)
	for i, x := range clipped(values, outlierAt*sd) {
		sums[i+1], squares[i+1] = sums[i]+x, squares[i]+x*x
	}
	about := func(from, to int) float64 { // sum of squares about the mean of values[from:to]
		sum := sums[to] - sums[from]
		return squares[to] - squares[from] - sum*sum/float64(to-from)
	}
	z := distuv.UnitNormal.Quantile(changeAlpha / 2 / float64(n-2*levelLeast+1))
	penalty := z * z * sd * sd

	best := make([]float64, n+1) // least cost of the first so many values
	last := make([]int, n+1)     // where their last level begins
	best[0] = -penalty
	for to := 1; to <= n; to++ {
		best[to] = math.Inf(1)
		for from := 0; from <= to-levelLeast; from++ {
			if cost := best[from] + penalty + about(from, to); cost < best[to] {
				best[to], last[to] = cost, from
			}
		}
	}
	var begins []int
	for to := n; to > 0; to = last[to] {
		begins = append(begins, last[to])
	}
	slices.Reverse(begins)
	return begins
}

// clipped returns the values no farther than reach from their median.
func clipped(values []float64, reach float64) []float64 {
	middle := median(values)
	near := make([]float64, len(values))
	for i, x := range values {
		near[i] = min(max(x, middle-reach), middle+reach)
	}
	return near
}

// median returns the middle of the values, 0 of none.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// stepsLeast is the fewest steps from which a scatter is known.
const stepsLeast = 6

// scatter returns the standard deviation of values about their level, from the steps between neighbours in series of
// one kind, grouped by where in the series they are. What all series do at the same place is no scatter, and
// of the rest half may be changes of the level. It is 0 when there are too few steps.
func scatter(steps map[int][]float64) float64 {
	var sizes []float64
	freedom := 0
	for _, place := range slices.Sorted(maps.Keys(steps)) {
		common := median(steps[place])
		for _, x := range steps[place] {
			sizes = append(sizes, math.Abs(x-common))
		}
		freedom += len(steps[place]) - 1
	}
	if freedom < stepsLeast {
		return 0
	}
	inflation := math.Sqrt(float64(len(sizes)) / float64(freedom))
	return inflation * median(sizes) / distuv.UnitNormal.Quantile(0.75) / math.Sqrt2
}
