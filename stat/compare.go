package stat

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"dyno"
	"dyno/internal/words"
)

// test is one comparison on its way to a verdict: A's log rate over B's, or B's log CPU cost over A's.
type test struct {
	a, b        string
	fit         fit
	dropped     int
	ofCPU       bool
	clientBound bool // the rate of A or B is only a lower bound
	pFamily     float64
}

func (by rule) newTest(a, b string, x ratios, clientBound bool) *test {
	return &test{a: a, b: b, fit: by.fit(inOrder(x.byBlock), x.resolution), dropped: x.dropped, clientBound: clientBound}
}

func (by rule) newCPUTest(a, b string, byBlock map[int]float64) *test {
	return &test{a: a, b: b, fit: by.fit(inOrder(byBlock), 0), ofCPU: true}
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
	if c.Outcome == dyno.Undecided {
		c.MoreBlocks = t.moreBlocks(family)
		c.Reason += outlook(c.MoreBlocks)
	}
	if t.ofCPU {
		c.Outcome = inCPU(c.Outcome)
	}
	if t.dropped > 0 {
		c.Reason += fmt.Sprintf("; %s dropped: more than half of the rounds flagged", words.Count(t.dropped, "block"))
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
	spread := percent(lead * math.Sinh(t.fit.halfWidth(Alpha)))
	difference := fmt.Sprintf("+%s ± %s", percent(lead-1), spread)

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
	if lead*math.Sinh(t.fit.halfWidth(Alpha)) > percentMax {
		return dyno.Undecided, fmt.Sprintf("undecided: no useful interval after %d blocks", t.fit.n)
	}
	return dyno.Undecided, fmt.Sprintf("undecided: ±%s after %d blocks", spread, t.fit.n)
}

// inCPU turns the outcome of a test of CPU cost into its own words.
func inCPU(o dyno.Outcome) dyno.Outcome {
	switch o {
	case dyno.Faster:
		return dyno.Cheaper
	case dyno.Slower:
		return dyno.Dearer
	}
	return o
}

// decided reports whether the fit decides a comparison whatever the others of the family do: a difference
// by Bonferroni's bound, which Holm's never exceeds, or a tie.
func (f fit) decided(family int) bool {
	if f.n < 2 || f.se == 0 {
		return false
	}
	half := f.halfWidth(Alpha / float64(family))
	return half < math.Abs(f.mean) || math.Abs(f.mean)+half <= math.Log(TieRatio)
}

// blocksMax is the number of blocks beyond which nobody waits for a decision.
const blocksMax = 1000

// forecastMin is the number of blocks below which a standard deviation says too little for a forecast.
const forecastMin = 3

// moreBlocks returns how many more blocks would decide if mean and spread stayed as they are, 0 when
// that is unknown or more than blocksMax altogether.
func (t *test) moreBlocks(family int) int {
	if t.fit.n < forecastMin || t.clientBound {
		return 0
	}
	return t.fit.moreUntil(func(f fit) bool { return f.decided(family) })
}

// moreUntil returns how many more blocks make a fit that is not enough satisfy enough if mean and spread stay as they are,
// 0 when not even blocksMax altogether would.
func (f fit) moreUntil(enough func(fit) bool) int {
	if f.n >= blocksMax || !enough(f.after(blocksMax)) {
		return 0
	}
	return 1 + sort.Search(blocksMax-f.n, func(more int) bool { return enough(f.after(f.n + 1 + more)) })
}

func outlook(moreBlocks int) string {
	if moreBlocks == 0 {
		return ""
	}
	digits := 1
	for moreBlocks/digits >= 100 {
		digits *= 10 // more than two figures would be pretence
	}
	return fmt.Sprintf("; about %d more would decide", (moreBlocks+digits-1)/digits*digits)
}

// percentMax is the share beyond which a percentage says no more.
const percentMax = 9.99

// percent writes a share, e.g. 0.0234 as "2.3 %".
func percent(share float64) string {
	if share > percentMax {
		return ">999 %"
	}
	return fmt.Sprintf("%.1f %%", share*100)
}
