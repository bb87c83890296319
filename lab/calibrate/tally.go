package calibrate

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	"dyno"
	"dyno/stat"
)

// Tally counts how verdicts on clones came out, where the truth is known.
type Tally struct {
	False  Rate `json:"false"`  // faster or slower between clones that are equal
	Missed Rate `json:"missed"` // slowed clones that were not found slower
	Wrong  Rate `json:"wrong"`  // slowed clones that were found faster; Missed counts them too
	// Slowdown is the known size of the slowdown, 0 when nobody was slowed.
	Slowdown float64 `json:"slowdown"`
	Compared int     `json:"compared"` // size of the largest family that p-values were corrected for
	logSum   float64 // over slowed clones, of the log of their rate ÷ that of an equal one
}

// Plus adds up two tallies.
func (t Tally) Plus(o Tally) Tally {
	return Tally{
		t.False.Plus(o.False), t.Missed.Plus(o.Missed), t.Wrong.Plus(o.Wrong),
		max(t.Slowdown, o.Slowdown), max(t.Compared, o.Compared), t.logSum + o.logSum,
	}
}

// Of returns how many verdicts were counted.
func (t Tally) Of() int { return t.False.Of + t.Missed.Of }

// Count tallies every comparison of clones in a verdict: of single cells and of averages. A cell in which the
// client was the limit says nothing about a slowdown, and is left out of what could be missed.
func Count(v dyno.Verdict) Tally {
	subjects := map[string]dyno.Subject{}
	for _, s := range v.Run.Subjects {
		subjects[s.Name] = s
	}
	t := Tally{Compared: v.Compared}
	count := func(comparisons []dyno.Comparison, clientBound bool) {
		for _, c := range comparisons {
			a, b := subjects[c.A], subjects[c.B]
			if a.CloneOf == "" || a.CloneOf != b.CloneOf {
				continue
			}
			if b.Slowdown > a.Slowdown {
				a, b, c = b, a, c.Flip()
			}
			t.add(a.Slowdown, b.Slowdown, c, clientBound)
		}
	}
	for _, cell := range v.Cells {
		count(cell.Comparisons, slices.ContainsFunc(cell.Rows, func(r dyno.Row) bool { return r.ClientBound }))
	}
	for _, average := range v.Averages {
		count(average.Comparisons, false)
	}
	return t
}

// add counts a comparison of A with B, which was slowed down no more than A.
func (t *Tally) add(slowA, slowB float64, c dyno.Comparison, clientBound bool) {
	switch {
	case slowA == slowB:
		t.False.Of++
		if c.Outcome == dyno.Faster || c.Outcome == dyno.Slower {
			t.False.Hits++
		}
	case !clientBound && c.Ratio.Value > 0:
		t.Slowdown = slowA
		t.Missed.Of++
		t.Wrong.Of++
		t.logSum += math.Log(c.Ratio.Value)
		if c.Outcome != dyno.Slower {
			t.Missed.Hits++
		}
		if c.Outcome == dyno.Faster {
			t.Wrong.Hits++
		}
	}
}

// Write says in a few lines what the tally shows.
func (t Tally) Write(w io.Writer) error {
	var err error
	line := func(format string, args ...any) {
		if err == nil {
			_, err = fmt.Fprintf(w, format+"\n", args...)
		}
	}
	if t.False.Of > 0 {
		line("Between equal clones, faster or slower was claimed in %v.", t.False)
	}
	if t.Missed.Of > 0 {
		line("A slowdown of %.3g %% was missed in %v,", t.Slowdown*100, t.Missed)
		line("and taken for a gain in %v.", t.Wrong)
		line("The slowed server reached %.1f %% of the others' rate; %.1f %% is what was put in.",
			math.Exp(t.logSum/float64(t.Missed.Of))*100, 100/(1+t.Slowdown))
	}
	if t.Of() > 0 {
		line("Each verdict was corrected for up to %d comparisons. Those of one report share processes, so", t.Compared)
		line("that the intervals, which take them for independent, are somewhat too narrow.")
	}
	return err
}

// NoiseTally counts how blocks with and without an injected neighbour were flagged.
type NoiseTally struct {
	Touched Rate `json:"touched"` // flagged, of the blocks in which the neighbour ran
	Quiet   Rate `json:"quiet"`   // flagged, of the others
}

// Plus adds up two tallies.
func (t NoiseTally) Plus(o NoiseTally) NoiseTally {
	return NoiseTally{t.Touched.Plus(o.Touched), t.Quiet.Plus(o.Quiet)}
}

// CountNoise tallies the blocks of a run. A block is flagged when most of its rounds are.
func CountNoise(seed uint64, trials []dyno.Trial) NoiseTally {
	byBlock := map[int][]dyno.Trial{}
	for _, trial := range trials {
		byBlock[trial.Block] = append(byBlock[trial.Block], trial)
	}
	var t NoiseTally
	for block, of := range byBlock {
		rate := &t.Quiet
		if Touched(seed, block) {
			rate = &t.Touched
		}
		rate.Of++
		if stat.Disturbed(of) {
			rate.Hits++
		}
	}
	return t
}

// Write says in a few lines what the tally shows.
func (t NoiseTally) Write(w io.Writer) error {
	_, err := fmt.Fprintf(w, "Blocks with a neighbour on the servers' CPU: flagged %v.\nBlocks without it: flagged %v.\n", t.Touched, t.Quiet)
	return err
}

// Pair is what slices and continuous windows say about the same two subjects.
type Pair struct {
	A, B               string
	Sliced, Continuous dyno.Estimate // rate of A ÷ rate of B
	Bias               dyno.Estimate // of the sliced ratio, as a factor: sliced ÷ continuous
	// SlicedSD and ContinuousSD are standard deviations of a block's log ratio.
	SlicedSD, ContinuousSD float64
}

// Slicing compares the trials of sliced runs with those of continuous runs of as much time, for every pair
// of subjects. Trials of different runs must differ in their blocks.
func Slicing(subjects []string, sliced, continuous []dyno.Trial) []Pair {
	var pairs []Pair
	for i, a := range subjects {
		for _, b := range subjects[i+1:] {
			s, c := logRatios(a, b, sliced), logRatios(a, b, continuous)
			pairs = append(pairs, Pair{
				A: a, B: b, Sliced: stat.MeanRatio(s), Continuous: stat.MeanRatio(c), Bias: stat.Difference(s, c),
				SlicedSD: stat.SD(s), ContinuousSD: stat.SD(c),
			})
		}
	}
	return pairs
}

// logRatios returns the log ratio of two subjects in each block and cell that has both.
func logRatios(a, b string, trials []dyno.Trial) []float64 {
	type place struct {
		block int
		cell  dyno.Cell
	}
	of := map[string]map[place]*dyno.Trial{a: {}, b: {}}
	var places []place
	for i := range trials {
		t := &trials[i]
		if t.Void != "" || of[t.Subject] == nil {
			continue
		}
		at := place{t.Block, t.Cell}
		of[t.Subject][at] = t
		if t.Subject == a {
			places = append(places, at)
		}
	}
	slices.SortStableFunc(places, func(x, y place) int { return cmp.Compare(x.block, y.block) })
	var logs []float64
	for _, at := range places {
		if other := of[b][at]; other != nil {
			if x, ok := stat.LogRatio(of[a][at], other); ok {
				logs = append(logs, x)
			}
		}
	}
	return logs
}
