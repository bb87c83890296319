package stat

import (
	"math"

	"dyno"
)

// claimsOf answers the claims of a suite, load by load.
func claimsOf(claims []dyno.Claim, squares []*square, averages []*average) []dyno.ClaimAnswer {
	var answers []dyno.ClaimAnswer
	var fits []fit
	for _, c := range claims {
		for _, load := range loadsOf(squares) {
			f, ok := fitOf(c.A, c.B, load, squares, averages)
			if !ok {
				continue
			}
			fits = append(fits, f)
			answers = append(answers, dyno.ClaimAnswer{Claim: c, Load: load, Found: f.ratio()})
		}
	}
	for i, f := range fits {
		half := f.halfWidth(Alpha / float64(len(fits))) // Bonferroni: all of them hold together
		answers[i].Low, answers[i].High = math.Exp(f.mean-half), math.Exp(f.mean+half)
	}
	return answers
}

// fitOf finds the log rate ratio of a to b under a load: over all cells where there are several.
func fitOf(a, b string, load dyno.Load, squares []*square, averages []*average) (fit, bool) {
	var tests []*test
	for _, s := range under(load, squares) {
		tests = s.tests
	}
	for _, avg := range averages {
		if avg.load == load {
			tests = avg.tests
		}
	}
	for _, t := range tests {
		switch {
		case t.a == a && t.b == b:
			return t.fit, t.fit.n > 0
		case t.a == b && t.b == a:
			f := t.fit
			f.mean = -f.mean
			return f, f.n > 0
		}
	}
	return fit{}, false
}
