package stat

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"dyno"
)

// rule says for which looks at the trials an interval holds.
type rule int

const (
	fixedN    rule = iota // for one look, after a number of blocks that nobody chose by what they showed
	everyLook             // for all looks together: a run may stop on what it sees
)

// ruleOf returns the rule that a run was measured under. It follows from the stored method alone, so that
// every report of a run gives the same verdicts.
func ruleOf(m dyno.Method) rule {
	if m.Precision > 0 {
		return everyLook
	}
	return fixedN
}

// effectPriorSD is the standard deviation that the mixture of everyLook gives to the true mean ÷ the
// standard deviation of a block. With 3 the sequence is narrowest after 4 to 10 blocks at the levels that a
// family of 1 to 200 comparisons asks for, and at most a twentieth wider than the best choice afterwards
// (docs/METHOD.md has the table).
const effectPriorSD = 3

// critical returns how many standard errors the interval reaches to each side after n values, +Inf when it
// is unbounded.
func (by rule) critical(n int, alpha float64) float64 {
	if n < 2 {
		return math.Inf(1)
	}
	if by == fixedN {
		return -student(n).Quantile(alpha / 2)
	}
	k := mixtureScale(n)
	root := math.Pow(math.Sqrt(k)/alpha, 2/float64(n))
	if root >= k {
		return math.Inf(1)
	}
	return math.Sqrt(float64(n-1) * (root - 1) / (1 - root/k))
}

// p returns the two-sided p-value of a mean that lies t standard errors from 0. Under everyLook the chance
// that it is ever at or below alpha is at most alpha.
func (by rule) p(n int, t float64) float64 {
	if n < 2 {
		return 1
	}
	if by == fixedN {
		return 2 * student(n).Survival(math.Abs(t))
	}
	return min(1, 1/evidence(n, t))
}

func student(n int) distuv.StudentsT { return distuv.StudentsT{Sigma: 1, Nu: float64(n - 1)} }

// evidence is the likelihood of the t statistic when the mean ÷ the standard deviation is spread normally
// about 0 with effectPriorSD, over its likelihood when the mean is 0. With independent normal values of
// any variance it is a non-negative martingale under the latter, so that by Ville's inequality it ever
// reaches 1/alpha with a chance of at most alpha.
//
// Source: Lai, "On confidence sequences", 1976; Wang and Ramdas, "Anytime-valid t-tests and confidence
// sequences for Gaussian means with unknown variance", 2024.
func evidence(n int, t float64) float64 {
	k, square := mixtureScale(n), t*t/float64(n-1)
	return math.Pow((1+square)/(1+square/k), float64(n)/2) / math.Sqrt(k)
}

func mixtureScale(n int) float64 { return 1 + float64(n)*effectPriorSD*effectPriorSD }
