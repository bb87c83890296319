package stat

import (
	"maps"
	"math"
	"slices"

	gonum "gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"dyno"
)

// MeanRatio returns the ratio whose log is the mean of log ratios, one for each block, with its 95 %
// t-interval. Its value is 0 for none.
func MeanRatio(logRatios []float64) dyno.Estimate {
	n := len(logRatios)
	if n == 0 {
		return dyno.Estimate{}
	}
	return ratioWithin(gonum.Mean(logRatios, nil), SD(logRatios)/math.Sqrt(float64(n)), float64(n-1), n)
}

// Difference returns the ratio whose log is the mean of xs less the mean of ys, which are independent, with
// Welch's 95 % interval. It is without N when either has fewer than two values. Source: Welch, "The
// generalization of Student's problem when several different population variances are involved", 1947.
func Difference(xs, ys []float64) dyno.Estimate {
	n, m := float64(len(xs)), float64(len(ys))
	if n < 2 || m < 2 {
		return dyno.Estimate{}
	}
	vx, vy := gonum.Variance(xs, nil)/n, gonum.Variance(ys, nil)/m
	freedom := math.Inf(1)
	if squares := vx*vx/(n-1) + vy*vy/(m-1); squares > 0 {
		freedom = (vx + vy) * (vx + vy) / squares
	}
	return ratioWithin(gonum.Mean(xs, nil)-gonum.Mean(ys, nil), math.Sqrt(vx+vy), freedom, min(len(xs), len(ys)))
}

// ratioWithin turns a log and its standard error into a ratio with its 95 % t-interval.
func ratioWithin(log, se, freedom float64, n int) dyno.Estimate {
	e := dyno.Estimate{Value: math.Exp(log), N: n}
	if n < 2 {
		return e
	}
	half := 0.0
	if se > 0 {
		half = -distuv.StudentsT{Sigma: 1, Nu: min(freedom, 1e6)}.Quantile(Alpha/2) * se
	}
	e.Low, e.High = math.Exp(log-half), math.Exp(log+half)
	return e
}

// SD returns the sample standard deviation, 0 for fewer than two values.
func SD(xs []float64) float64 {
	if len(xs) < 2 {
		return 0
	}
	return gonum.StdDev(xs, nil)
}

// VarianceRatio returns the geometric mean over pairs of the variance of xs ÷ that of ys, each by pair and
// block, with a 95 % interval by the jackknife over blocks: pairs share subjects, so that only blocks are
// independent. It is without N when either has a pair with fewer than three blocks, or with no variance.
//
// Source: Miller, "The jackknife: a review", 1974, which takes the log for variances.
func VarianceRatio(xs, ys []map[int]float64) dyno.Estimate {
	logX, varX, n := logVariance(xs)
	logY, varY, m := logVariance(ys)
	if min(n, m) < 3 || math.IsInf(logX-logY, 0) || math.IsNaN(logX-logY) {
		return dyno.Estimate{}
	}
	return ratioWithin(logX-logY, math.Sqrt(varX+varY), float64(min(n, m)-1), min(n, m))
}

// logVariance returns the mean over pairs of the log of the variance over blocks, that mean's variance by
// leaving out one block after the other, and the number of blocks of the pair with the fewest.
func logVariance(pairs []map[int]float64) (mean, variance float64, fewest int) {
	blocks := map[int]bool{}
	for i, p := range pairs {
		for block := range p {
			blocks[block] = true
		}
		if i == 0 || len(p) < fewest {
			fewest = len(p)
		}
	}
	if fewest < 3 {
		return 0, 0, fewest
	}
	without := func(left int) (mean float64) {
		for _, p := range pairs {
			var xs []float64
			for _, block := range slices.Sorted(maps.Keys(p)) {
				if block != left {
					xs = append(xs, p[block])
				}
			}
			mean += 2 * math.Log(SD(xs)) / float64(len(pairs))
		}
		return mean
	}
	var partial []float64
	for _, block := range slices.Sorted(maps.Keys(blocks)) {
		partial = append(partial, without(block))
	}
	n := float64(len(partial))
	return without(-1), gonum.Variance(partial, nil) * (n - 1) * (n - 1) / n, fewest
}
