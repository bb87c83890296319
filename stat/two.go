package stat

import (
	"math"

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
