package stat

import (
	"cmp"
	"math"
	"slices"

	"dyno"
)

// Judge returns everything that follows from the trials of a run. planned is the number of trials
// in the run's plan. Trials of cells that the suite does not have are ignored; cells without any
// trial are left out of the verdict. The order of trials does not matter.
func Judge(run dyno.Run, trials []dyno.Trial, planned int) dyno.Verdict {
	subjects := lineUp(run)
	by := ruleOf(run.Suite.Method)
	v := dyno.Verdict{Run: run, Trials: len(trials), Planned: planned}
	v.VoidTrials = voidTrials(run.Suite.Cells, subjects, trials)
	v.Voids = len(v.VoidTrials)
	squares := by.squaresOf(run.Suite.Cells, subjects, trials)
	by.besideCopies(squares)
	loaded := withoutSearches(run, trials)
	steadiness := steadinessOf(loaded)
	for _, s := range squares {
		s.countSteadiness(steadiness)
	}
	rated := ratedOf(squares)
	averages := by.averagesOf(rated)
	family := familyOf(squares, averages)
	correct(family)

	v.Compared = len(family)
	for _, s := range squares {
		v.Cells = append(v.Cells, s.verdict(len(family)))
	}
	for _, a := range averages {
		v.Averages = append(v.Averages, a.verdict(len(family)))
	}
	v.Scalings = by.scalingsOf(rated)
	v.Shares = by.sharesOf(rated, subjects)
	v.Noise = noiseOf(run.Suite.Method, loaded, squares)
	v.Claims = claimsOf(run.Suite.Claims, rated, averages)
	v.Capacity = capacityOf(run, subjects, trials)
	v.Clones = clonesOf(v)
	return v
}

// ratedOf returns the squares whose rates say something of the subjects: those without virtual users.
func ratedOf(squares []*square) []*square {
	return slices.DeleteFunc(slices.Clone(squares), func(s *square) bool { return s.cell.Load.Users > 0 })
}

// familyOf returns all tests of a report.
func familyOf(squares []*square, averages []*average) []*test {
	var family []*test
	for _, s := range squares {
		family = slices.Concat(family, s.tests, s.cpuTests)
	}
	for _, a := range averages {
		family = slices.Concat(family, a.tests, a.cpuTests)
	}
	return family
}

// voidTrials lists the trials that do not count, by block, then cell, then subject.
func voidTrials(cells []dyno.Cell, subjects []contender, trials []dyno.Trial) []dyno.VoidTrial {
	var voids []dyno.VoidTrial
	for _, t := range trials {
		if t.Void != "" {
			voids = append(voids, dyno.VoidTrial{TrialKey: t.TrialKey, Reason: t.Void, Stderr: t.Stderr})
		}
	}
	place := func(v dyno.VoidTrial) int {
		return slices.IndexFunc(subjects, func(c contender) bool { return c.name == v.Subject })
	}
	slices.SortStableFunc(voids, func(a, b dyno.VoidTrial) int {
		return cmp.Or(
			cmp.Compare(a.Block, b.Block),
			cmp.Compare(slices.Index(cells, a.Cell), slices.Index(cells, b.Cell)),
			cmp.Compare(place(a), place(b)))
	})
	return voids
}

// contender is a subject in table order.
type contender struct {
	name       string
	ceiling    bool
	baselineOf string
}

// lineUp returns the subjects in suite order, then those that only the run knows of (a null server
// that the lab added).
func lineUp(run dyno.Run) []contender {
	known := map[string]dyno.Subject{}
	names := slices.Clone(run.Suite.Subjects)
	for _, s := range run.Subjects {
		known[s.Name] = s
		if !slices.Contains(names, s.Name) {
			names = append(names, s.Name)
		}
	}
	subjects := make([]contender, len(names))
	for i, name := range names {
		subjects[i] = contender{name, known[name].Ceiling, known[name].BaselineOf}
	}
	return subjects
}

// square is one cell of the matrix on its way to a verdict.
type square struct {
	cell    dyno.Cell
	valid   map[string]map[int]*dyno.Trial // by subject and block, void and empty ones left out
	rows    []dyno.Row
	ceiling *dyno.Row
	beside  []dyno.Row // baselines
	tests   []*test
	// cpuTests rank the subjects of a cell whose rates say as much about the client; else there are none.
	cpuTests []*test
	// byMeasure has the tests where virtual users are the load; there are no others then.
	byMeasure []measured
}

func (by rule) squaresOf(cells []dyno.Cell, subjects []contender, trials []dyno.Trial) []*square {
	var squares []*square
	for _, cell := range cells {
		if s := by.newSquare(cell, subjects, trials); s != nil {
			squares = append(squares, s)
		}
	}
	return squares
}

// newSquare gathers the trials of a cell; nil when there are none.
func (by rule) newSquare(cell dyno.Cell, subjects []contender, trials []dyno.Trial) *square {
	s := &square{cell: cell, valid: map[string]map[int]*dyno.Trial{}}
	all := map[string][]*dyno.Trial{}
	for i := range trials {
		t := &trials[i]
		if t.Cell != cell {
			continue
		}
		all[t.Subject] = append(all[t.Subject], t)
		if t.Void == "" && ratePerS(t) > 0 {
			if s.valid[t.Subject] == nil {
				s.valid[t.Subject] = map[int]*dyno.Trial{}
			}
			s.valid[t.Subject][t.Block] = t
		}
	}
	if len(all) == 0 {
		return nil
	}
	for _, subject := range subjects {
		if len(all[subject.name]) == 0 {
			continue
		}
		// In block order, because sums of floats depend on their order.
		slices.SortFunc(all[subject.name], func(a, b *dyno.Trial) int { return cmp.Compare(a.Block, b.Block) })
		row := by.newRow(subject.name, all[subject.name])
		switch {
		case subject.ceiling:
			s.ceiling = &row
		case subject.baselineOf != "":
			s.beside = append(s.beside, row)
		default:
			s.rows = append(s.rows, row)
		}
	}
	if cell.Load.Users > 0 {
		s.compareVisits(by)
		return s
	}
	s.markLimits()
	s.compare(by)
	return s
}

// markLimits says which rates are bounded by the client or near to the null server's.
func (s *square) markLimits() {
	for i := range s.rows {
		r := &s.rows[i]
		if s.ceiling != nil && s.ceiling.RatePerS.Value > 0 {
			r.OfCeiling = r.RatePerS.Value / s.ceiling.RatePerS.Value
		}
		r.ClientBound = r.BusyShare >= ClientBusyMax || r.OfCeiling >= ClientBoundShare
		r.NearCeiling = r.OfCeiling > NearCeilingShare
	}
}

// countSteadiness notes in every row of the cell what its trials came to.
func (s *square) countSteadiness(of map[dyno.TrialKey]dyno.Steadiness) {
	for _, rows := range [][]dyno.Row{s.rows, s.beside} {
		for i := range rows {
			countSteadiness(&rows[i], s.cell, of)
		}
	}
	if s.ceiling != nil {
		countSteadiness(s.ceiling, s.cell, of)
	}
}

// compare tests every pair of subjects with a rate. A subject whose trials are all void is not
// ranked, so that it cannot keep the others from a verdict.
func (s *square) compare(by rule) {
	limited := s.limited()
	for i, a := range s.rows {
		for _, b := range s.rows[i+1:] {
			if a.RatePerS.N == 0 || b.RatePerS.N == 0 {
				continue
			}
			paired := pairBlocks(s.valid[a.Subject], s.valid[b.Subject])
			s.tests = append(s.tests, by.newTest(a.Subject, b.Subject, paired, a.ClientBound || b.ClientBound))
			if limited {
				s.cpuTests = append(s.cpuTests, by.newCPUTest(a.Subject, b.Subject, s.cpuRatios(b.Subject, a.Subject)))
			}
		}
	}
}

// limited reports whether the client or the ceiling weighs on any rate of the cell.
func (s *square) limited() bool {
	return slices.ContainsFunc(s.rows, func(r dyno.Row) bool { return r.ClientBound || r.NearCeiling })
}

// cpuRatios returns the log of subject x's CPU time per reply over that of y, block by block.
func (s *square) cpuRatios(x, y string) map[int]float64 {
	logs := map[int]float64{}
	for block, trial := range s.valid[x] {
		if other, ok := s.valid[y][block]; ok {
			if ratio := trial.ServerCPUNsPerReply() / other.ServerCPUNsPerReply(); ratio > 0 && !math.IsInf(ratio, 1) {
				logs[block] = math.Log(ratio)
			}
		}
	}
	return logs
}

func (s *square) verdict(family int) dyno.CellVerdict {
	c := dyno.CellVerdict{
		Cell: s.cell, Rows: s.rows, Ceiling: s.ceiling, Baselines: s.beside,
		Comparisons: concludeAll(s.tests, family), CPUComparisons: concludeAll(s.cpuTests, family),
	}
	if len(s.byMeasure) > 0 {
		s.visitVerdict(&c)
		return c
	}
	c.Winner, c.Outcome = crown(c.Rows, c.Comparisons)
	var ranked []dyno.Comparison
	c.RankedBy, ranked = ranking(c.Comparisons, c.CPUComparisons)
	for i := range c.Rows {
		if c.Rows[i].RatePerS.N > 0 {
			c.Rows[i].Rank = rank(ranked, c.Rows[i].Subject)
		}
	}
	return c
}

func concludeAll(tests []*test, family int) []dyno.Comparison {
	var comparisons []dyno.Comparison
	for _, t := range tests {
		comparisons = append(comparisons, t.conclude(family))
	}
	return comparisons
}

// ranking returns what ranks are made by, and from which comparisons.
func ranking(ofRate, ofCPU []dyno.Comparison) (dyno.Ranking, []dyno.Comparison) {
	if len(ofCPU) > 0 {
		return dyno.ByCPU, ofCPU
	}
	return dyno.ByRate, ofRate
}

// rank returns one more than the number of subjects that are faster or cheaper by verdict. Those that
// cannot be told apart from the best share the first rank.
func rank(comparisons []dyno.Comparison, subject string) int {
	n := 1
	for _, x := range comparisons {
		if x.B == subject {
			x = x.Flip()
		}
		if x.A == subject && (x.Outcome == dyno.Slower || x.Outcome == dyno.Dearer) {
			n++
		}
	}
	return n
}

// crown names the subject that is faster than every other, if there is one. Else it says whether
// those that nobody beats are known to be equal.
func crown(rows []dyno.Row, comparisons []dyno.Comparison) (winner string, outcome dyno.Outcome) {
	c := dyno.CellVerdict{Comparisons: comparisons}
	is := func(a, b string, outcome dyno.Outcome) bool {
		x, ok := c.Compare(a, b)
		return ok && (x.Outcome == outcome || x.Outcome == inCPU(outcome))
	}
	var ranked, unbeaten []string
	for _, r := range rows {
		if r.RatePerS.N > 0 {
			ranked = append(ranked, r.Subject)
		}
	}
	for _, a := range ranked {
		beats, beaten := 0, false
		for _, b := range ranked {
			if is(a, b, dyno.Faster) {
				beats++
			}
			beaten = beaten || is(a, b, dyno.Slower)
		}
		if beats > 0 && beats == len(ranked)-1 {
			return a, dyno.Faster
		}
		if !beaten {
			unbeaten = append(unbeaten, a)
		}
	}
	for i, a := range unbeaten {
		for _, b := range unbeaten[i+1:] {
			if !is(a, b, dyno.Tie) {
				return "", dyno.Undecided
			}
		}
	}
	if len(unbeaten) < 2 {
		return "", dyno.Undecided
	}
	return "", dyno.Tie
}
