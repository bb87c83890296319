package stat

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"dyno"
)

// fit is the mean of n independent values, its standard error, and the rule for intervals about it.
type fit struct {
	n    int
	mean float64
	se   float64 // 0 with n < 2, when it is unknown
	rule rule
	// freedom replaces n−1 as the degrees of freedom of a difference of two means; 0 in the mean of one sample.
	freedom float64
}

// widest bounds half an interval on the log scale: beyond a factor of a million to each side it says no
// more, and JSON knows no infinity.
var widest = math.Log(1e6)

// fit fits xs. sdFloor is a standard deviation known to be there even if xs happen to agree.
func (by rule) fit(xs []float64, sdFloor float64) fit {
	f := fit{n: len(xs), rule: by}
	if f.n == 0 {
		return f
	}
	for _, x := range xs {
		f.mean += x / float64(f.n)
	}
	if f.n < 2 {
		return f
	}
	var squares float64
	for _, x := range xs {
		squares += (x - f.mean) * (x - f.mean)
	}
	sd := max(math.Sqrt(squares/float64(f.n-1)), sdFloor)
	f.se = sd / math.Sqrt(float64(f.n))
	return f
}

// after returns the fit as it would be after n blocks if its mean and its spread stayed as they are.
func (f fit) after(n int) fit {
	f.se *= math.Sqrt(float64(f.n) / float64(n))
	f.n = n
	return f
}

// halfWidth returns half the width of the interval that misses with probability alpha, 0 when n < 2.
func (f fit) halfWidth(alpha float64) float64 {
	if f.n < 2 || f.se == 0 {
		return 0
	}
	critical := f.rule.critical(f.n, alpha)
	if f.freedom > 0 {
		critical = -f.welch().Quantile(alpha / 2)
	}
	return min(critical*f.se, widest)
}

// p returns the two-sided p-value of mean = 0, 1 when nothing can be said.
func (f fit) p() float64 {
	if f.n < 2 || f.se == 0 {
		return 1
	}
	if f.freedom > 0 {
		return 2 * f.welch().Survival(math.Abs(f.mean)/f.se)
	}
	return f.rule.p(f.n, f.mean/f.se)
}

func (f fit) welch() distuv.StudentsT { return distuv.StudentsT{Sigma: 1, Nu: f.freedom} }

// ratio turns a fit of logarithms into an estimate.
func (f fit) ratio() dyno.Estimate {
	switch f.n {
	case 0:
		return dyno.Estimate{}
	case 1:
		return dyno.Estimate{Value: math.Exp(f.mean), N: 1}
	}
	half := f.halfWidth(Alpha)
	return dyno.Estimate{
		Value: math.Exp(f.mean),
		Low:   math.Exp(f.mean - half),
		High:  math.Exp(f.mean + half),
		N:     f.n,
	}
}

// estimate returns the geometric mean of values, one for each fresh process, with its 95 % interval on
// the log scale: figures of servers spread by factors, not by amounts. Values that are not positive and
// finite are unknown, not small, and do not count. With one value there is no interval, with none N is 0.
func (by rule) estimate(values []float64) dyno.Estimate {
	return by.fit(logsOf(values), 0).ratio()
}

// logsOf returns the logarithms of the values that are positive and finite.
func logsOf(values []float64) []float64 {
	logs := make([]float64, 0, len(values))
	for _, v := range values {
		if v > 0 && !math.IsInf(v, 1) {
			logs = append(logs, math.Log(v))
		}
	}
	return logs
}
