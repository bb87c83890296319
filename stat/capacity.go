package stat

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"dyno"
)

// capacityOf returns what the searches of a run established; nil when there are none. They are a family of
// comparisons of their own, as each measure of a contrast is. How many there are was fixed beforehand in any run.
func capacityOf(run dyno.Run, subjects []contender, trials []dyno.Trial) *dyno.CapacityVerdict {
	plan := run.Suite.Capacity
	if plan == nil {
		return nil
	}
	found := map[string]map[int]*dyno.Capacity{} // by subject and block
	for _, t := range trials {
		if t.Cell == plan.Cell() && t.Void == "" && t.Capacity != nil {
			if found[t.Subject] == nil {
				found[t.Subject] = map[int]*dyno.Capacity{}
			}
			found[t.Subject][t.Block] = t.Capacity
		}
	}
	v := &dyno.CapacityVerdict{Plan: *plan}
	for _, s := range subjects {
		if len(found[s.name]) > 0 {
			v.Rows = append(v.Rows, capacityRow(s.name, found[s.name]))
		}
	}
	if len(v.Rows) == 0 {
		return nil
	}
	v.Comparisons = compareCapacities(v.Rows, found)
	for i := range v.Rows {
		if v.Rows[i].RatePerS.N > 0 {
			v.Rows[i].Rank = rank(v.Comparisons, v.Rows[i].Subject)
		}
	}
	return v
}

// withoutSearches returns the trials that have slices to judge by.
func withoutSearches(run dyno.Run, trials []dyno.Trial) []dyno.Trial {
	if run.Suite.Capacity == nil {
		return trials
	}
	cell := run.Suite.Capacity.Cell()
	return slices.DeleteFunc(slices.Clone(trials), func(t dyno.Trial) bool { return t.Cell == cell })
}

// capacityRow sums up the searches of one subject. Where one of them found no rate that kept the promise there is
// no capacity: leaving that one out would favour who fails now and then.
func capacityRow(subject string, byBlock map[int]*dyno.Capacity) dyno.CapacityRow {
	r := dyno.CapacityRow{Subject: subject}
	logs := logCapacities(byBlock)
	var probes []dyno.CapacityProbe
	for _, block := range slices.Sorted(maps.Keys(byBlock)) {
		c := byBlock[block]
		probes = append(probes, c.Probes...)
		r.Limits = append(r.Limits, c.Limit)
		r.LowerBound = r.LowerBound || c.Limit.LowerBound()
		if c.RatePerS.Value <= 0 {
			r.Broken++
		}
	}
	if r.Broken == 0 {
		r.RatePerS = fixedN.fit(inOrder(logs), searchSpread).ratio()
	}
	r.Curve = Curve(probes)
	if r.RatePerS.N > 0 {
		r.KneePerS, _ = Knee(r.Curve)
	}
	together := dyno.Capacity{Probes: probes, RatePerS: r.RatePerS}
	if p := together.FirstBroken(); p != nil {
		r.Witness = p.Broken
	}
	return r
}

// searchSpread is the standard deviation of a log capacity that is anywhere within the resolution of a search: it
// keeps searches that happen to meet the same rates from looking infinitely certain.
var searchSpread = math.Log1p(dyno.CapacityResolution) / math.Sqrt(12)

func logCapacities(byBlock map[int]*dyno.Capacity) map[int]float64 {
	logs := map[int]float64{}
	for block, c := range byBlock {
		if rate := c.RatePerS.Value; rate > 0 && !math.IsInf(rate, 1) {
			logs[block] = math.Log(rate)
		}
	}
	return logs
}

// compareCapacities compares all pairs of rows with a capacity, block by block.
func compareCapacities(rows []dyno.CapacityRow, found map[string]map[int]*dyno.Capacity) []dyno.Comparison {
	var tests []*test
	var pairs [][2]dyno.CapacityRow
	for i, a := range rows {
		for _, b := range rows[i+1:] {
			if a.RatePerS.N == 0 || b.RatePerS.N == 0 {
				continue
			}
			logsA, logsB := logCapacities(found[a.Subject]), logCapacities(found[b.Subject])
			paired := ratios{byBlock: map[int]float64{}, resolution: searchSpread * math.Sqrt2}
			for block, x := range logsA {
				if y, ok := logsB[block]; ok {
					paired.byBlock[block] = x - y
				}
			}
			tests = append(tests, fixedN.newTest(a.Subject, b.Subject, paired, a.LowerBound || b.LowerBound))
			pairs = append(pairs, [2]dyno.CapacityRow{a, b})
		}
	}
	correct(tests)
	comparisons := concludeAll(tests, len(tests))
	for i := range comparisons {
		withhold(&comparisons[i], pairs[i][0], pairs[i][1])
	}
	return comparisons
}

// withhold takes back a verdict against a subject whose capacity is only known to be at least so high.
func withhold(c *dyno.Comparison, a, b dyno.CapacityRow) {
	lower := b
	if c.Outcome == dyno.Slower {
		lower = a
	}
	if (c.Outcome == dyno.Faster || c.Outcome == dyno.Slower) && lower.LowerBound {
		c.Outcome, c.MoreBlocks = dyno.Undecided, 0
		c.Reason = fmt.Sprintf("undecided: the lower capacity, of %s, is a lower bound", lower.Subject)
	}
}
