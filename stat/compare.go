package stat

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"dyno"
)

// test is one comparison on its way to a verdict: A's log rate over B's.
type test struct {
	a, b        string
	fit         fit
	dropped     int
	clientBound bool // the rate of A or B is only a lower bound
	pFamily     float64
}

func newTest(a, b string, r ratios, clientBound bool) *test {
	return &test{a: a, b: b, fit: fitMean(inOrder(r.byBlock), r.resolution), dropped: r.dropped, clientBound: clientBound}
}

// Holm returns the p-values corrected for their number by Holm's step-down method: rejecting all
// below Alpha makes a false rejection with at most that probability, however they depend on each
// other.
func Holm(ps []float64) []float64 {
	order := make([]int, len(ps))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(ps[i], ps[j]) })
	corrected := make([]float64, len(ps))
	var largest float64
	for rank, i := range order {
		largest = max(largest, ps[i]*float64(len(ps)-rank))
		corrected[i] = min(largest, 1)
	}
	return corrected
}

// correct gives every test of the family its corrected p-value.
func correct(family []*test) {
	ps := make([]float64, len(family))
	for i, t := range family {
		ps[i] = t.fit.p()
	}
	for i, p := range Holm(ps) {
		family[i].pFamily = p
	}
}

// conclude turns the test into a comparison. family is the number of tests made.
func (t *test) conclude(family int) dyno.Comparison {
	c := dyno.Comparison{
		A: t.a, B: t.b,
		Ratio:         t.fit.ratio(),
		P:             t.fit.p(),
		PFamily:       t.pFamily,
		DroppedBlocks: t.dropped,
	}
	c.Outcome, c.Reason = t.outcome(family)
	if t.dropped > 0 {
		c.Reason += fmt.Sprintf("; %s dropped: more than half of the rounds flagged", count(t.dropped, "block"))
	}
	return c
}

// outcome judges, and says why in words that hold from A's side and from B's.
func (t *test) outcome(family int) (dyno.Outcome, string) {
	switch t.fit.n {
	case 0:
		return dyno.Undecided, "undecided: no block has both"
	case 1:
		return dyno.Undecided, "1 block: no interval, no verdict"
	}
	// Tie limits and percentages are those of the ratio that is above 1, from whichever side.
	lead := math.Exp(math.Abs(t.fit.mean))
	spread := lead * math.Sinh(t.fit.halfWidth(Alpha)) * 100
	difference := fmt.Sprintf("+%.1f %% ± %.1f %%", (lead-1)*100, spread)

	farthest := math.Abs(t.fit.mean) + t.fit.halfWidth(Alpha/float64(family))
	switch {
	case farthest <= math.Log(TieRatio) && t.clientBound:
		return dyno.Undecided, fmt.Sprintf("undecided: equal within %.1f %%, but client-bound: the client may have set both rates",
			math.Expm1(farthest)*100)
	case farthest <= math.Log(TieRatio):
		return dyno.Tie, fmt.Sprintf("equal within %.1f %% over %d blocks", math.Expm1(farthest)*100, t.fit.n)
	case t.pFamily < Alpha && t.fit.mean > 0:
		return dyno.Faster, fmt.Sprintf("%s over %d blocks", difference, t.fit.n)
	case t.pFamily < Alpha:
		return dyno.Slower, fmt.Sprintf("%s over %d blocks", difference, t.fit.n)
	case t.fit.p() < Alpha:
		return dyno.Undecided, fmt.Sprintf("undecided: %s after %d blocks would do alone, but not as one of %d comparisons",
			difference, t.fit.n, family)
	}
	return dyno.Undecided, fmt.Sprintf("undecided: ±%.1f %% after %d blocks", spread, t.fit.n)
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
