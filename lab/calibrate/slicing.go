package calibrate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"text/tabwriter"

	"dyno"
	"dyno/lab"
	"dyno/stat"
)

const (
	slicingBlocks = 2  // of each kind before the other has its turn
	slicingMost   = 4  // subjects, which make six pairs
	slicingEnough = 40 // blocks of each kind
)

// Slicing measures the same subjects in slices and in continuous windows of as much time, in turns, and
// compares their ratios. With an error comes what was measured until then, which may be nothing.
func (e Experiment) Slicing(ctx context.Context) ([]Pair, dyno.Estimate, error) {
	subjects := e.Subjects[:min(len(e.Subjects), slicingMost)]
	suite := Of(e.Suite, "slicing", "slices and continuous windows in turns", subjects)
	suite.Cells = []dyno.Cell{suite.Cells[len(suite.Cells)/2]}
	suite.Method.Blocks = slicingBlocks
	e.announce(fmt.Sprintf("%d blocks in slices and as many in continuous windows, of %d subjects in %v", slicingEnough, len(subjects), suite.Cells[0]),
		lasts(suite, len(subjects)*2*slicingEnough/slicingBlocks))
	var sliced, continuous []dyno.Trial
	err := e.turns(func() bool { return blocksOf(sliced) >= slicingEnough && blocksOf(continuous) >= slicingEnough }, func(k int) error {
		suite.Method.Continuous = k%2 == 1
		_, trials, err := e.Measure(ctx, suite, subjects, e.Seed+uint64(k), nil)
		if err != nil && !errors.Is(err, lab.ErrBudget) && ctx.Err() == nil {
			return err
		}
		for _, t := range trials {
			t.Block += k * slicingBlocks
			if suite.Method.Continuous {
				continuous = append(continuous, t)
			} else {
				sliced = append(sliced, t)
			}
		}
		if suite.Method.Continuous {
			e.Say(fmt.Sprintf("%d blocks in slices and %d in continuous windows", blocksOf(sliced), blocksOf(continuous)))
		}
		return err
	})
	pairs, gain := Slicing(suite.Subjects, sliced, continuous)
	if !gain.Known() {
		return nil, gain, cmp.Or(err, tooShort("both kinds had three blocks"))
	}
	return pairs, gain, err
}

func blocksOf(trials []dyno.Trial) int {
	blocks := map[int]bool{}
	for _, t := range trials {
		blocks[t.Block] = true
	}
	return len(blocks)
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
// of subjects. gain is how many times as many blocks continuous windows take for the same precision, over all
// pairs; it is without N where either kind has fewer than three blocks. Trials of different runs must differ in
// their blocks.
func Slicing(subjects []string, sliced, continuous []dyno.Trial) (pairs []Pair, gain dyno.Estimate) {
	var inSlices, inWindows []map[int]float64
	for i, a := range subjects {
		for _, b := range subjects[i+1:] {
			ofSlices, ofWindows := logRatios(a, b, sliced), logRatios(a, b, continuous)
			inSlices, inWindows = append(inSlices, ofSlices), append(inWindows, ofWindows)
			s, c := inOrder(ofSlices), inOrder(ofWindows)
			pairs = append(pairs, Pair{
				A: a, B: b, Sliced: stat.MeanRatio(s), Continuous: stat.MeanRatio(c), Bias: stat.Difference(s, c),
				SlicedSD: stat.SD(s), ContinuousSD: stat.SD(c),
			})
		}
	}
	return pairs, stat.VarianceRatio(inWindows, inSlices)
}

// logRatios returns the log ratio of two subjects in each block that has both, from trials of one cell.
func logRatios(a, b string, trials []dyno.Trial) map[int]float64 {
	of := map[string]map[int]*dyno.Trial{a: {}, b: {}}
	for i := range trials {
		t := &trials[i]
		if t.Void == "" && of[t.Subject] != nil {
			of[t.Subject][t.Block] = t
		}
	}
	logs := map[int]float64{}
	for block, t := range of[a] {
		if other := of[b][block]; other != nil {
			if x, ok := stat.LogRatio(t, other); ok {
				logs[block] = x
			}
		}
	}
	return logs
}

// inOrder returns the values in block order: sums of floats depend on their order.
func inOrder(byBlock map[int]float64) []float64 {
	var xs []float64
	for _, block := range slices.Sorted(maps.Keys(byBlock)) {
		xs = append(xs, byBlock[block])
	}
	return xs
}

// WritePairs prints what slices and continuous windows say, titles naming the subjects.
func WritePairs(w io.Writer, pairs []Pair, gain dyno.Estimate, title func(subject string) string) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "PAIR\tRATIO, SLICED\tRATIO, CONTINUOUS\tBIAS (95 %)\tSD, SLICED\tSD, CONTINUOUS")
	apart := 0
	for _, p := range pairs {
		if p.Bias.Low > 1 || p.Bias.High < 1 {
			apart++
		}
		fmt.Fprintf(t, "%s : %s\t%.3f\t%.3f\t%+.1f %% (%+.1f to %+.1f %%)\t%.1f %%\t%.1f %%\n", title(p.A), title(p.B), p.Sliced.Value, p.Continuous.Value,
			percent(p.Bias.Value), percent(p.Bias.Low), percent(p.Bias.High), p.SlicedSD*100, p.ContinuousSD*100)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, `
SD: of a block's log ratio, over %d blocks in slices and %d in continuous windows of as much time.
Bias: %d of %s without 0; by chance alone, %.2g would be.
Precision: continuous windows take %.1f times as many blocks (95 %% interval %.1f to %.1f).
`, pairs[0].Sliced.N, pairs[0].Continuous.N, apart, counted(len(pairs), "interval"), stat.Alpha*float64(len(pairs)), gain.Value, gain.Low, gain.High)
	return err
}

// percent turns a ratio into a percentage to a tenth, which is never -0.
func percent(ratio float64) float64 { return math.Round((ratio-1)*1000)/10 + 0 }
