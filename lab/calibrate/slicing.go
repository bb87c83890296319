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
	"dyno/internal/words"
	"dyno/lab"
	"dyno/stat"
)

const (
	slicingBlocks = 2  // of each kind before the other has its turn
	slicingMost   = 4  // subjects, which make six pairs
	slicingEnough = 40 // blocks of each kind
)

// Slicing measures the same subjects in slices and in continuous windows of as much time, in turns, and
// compares their ratios. With an error comes what was measured until then, which may be no pair.
func (e Experiment) Slicing(ctx context.Context) (SlicingCheck, error) {
	subjects := e.Subjects[:min(len(e.Subjects), slicingMost)]
	suite := Of(e.Suite, "slicing", "slices and continuous windows in turns", subjects)
	suite.Cells = []dyno.Cell{suite.Cells[len(suite.Cells)/2]}
	suite.Method.Blocks, suite.Method.BlockError = slicingBlocks, 0 // both kinds in the same time
	e.announce(fmt.Sprintf("%d blocks in slices and as many in continuous windows, of %d subjects in %v", slicingEnough, len(subjects), suite.Cells[0]),
		lasts(suite, len(subjects)*2*slicingEnough/slicingBlocks))
	var sliced, continuous []dyno.Trial
	err := e.turns(func() bool { return blocksOf(sliced) >= slicingEnough && blocksOf(continuous) >= slicingEnough }, func(k int) error {
		suite.Method.Continuous = k%2 == 1
		_, trials, err := e.Measure(ctx, suite, subjects, e.runSeed(k), nil)
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
	check := compareSlices(suite.Subjects, sliced, continuous)
	if !check.Gain.Known() {
		return SlicingCheck{}, cmp.Or(err, tooShort("both kinds had three blocks"))
	}
	return check, err
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
	A          string        `json:"a"`
	B          string        `json:"b"`
	Sliced     dyno.Estimate `json:"sliced"` // rate of A ÷ rate of B
	Continuous dyno.Estimate `json:"continuous"`
	Bias       dyno.Estimate `json:"bias"` // of the sliced ratio, as a factor: sliced ÷ continuous
	// SlicedSD and ContinuousSD are standard deviations of a block's log ratio.
	SlicedSD     float64 `json:"sliced_sd"`
	ContinuousSD float64 `json:"continuous_sd"`
}

// SlicingCheck is what slices and continuous windows say about the same subjects.
type SlicingCheck struct {
	Pairs []Pair `json:"pairs"`
	// Gain is how many times as many blocks continuous windows take for the same precision, over all pairs.
	Gain dyno.Estimate `json:"gain"`
}

// compareSlices compares the trials of sliced runs with those of continuous runs of as much time, for every pair
// of subjects. The gain is without N where either kind has fewer than three blocks. Trials of different runs must
// differ in their blocks.
func compareSlices(subjects []string, sliced, continuous []dyno.Trial) SlicingCheck {
	var pairs []Pair
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
	return SlicingCheck{pairs, stat.VarianceRatio(inWindows, inSlices)}
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

// Write prints what slices and continuous windows say, titles naming the subjects. There must be a pair.
func (c SlicingCheck) Write(w io.Writer, title func(subject string) string) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "PAIR\tSLICES\tWINDOWS\tBIAS (95 % INTERVAL)\tSD SLICES\tSD WINDOWS")
	apart := 0
	for _, p := range c.Pairs {
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
Slices, windows: ratio of the two rates in slices, and in continuous windows of as much time.
SD: standard deviation of a block's log ratio, over %d blocks in slices and %d in windows.
Bias: %d of %s without 0; by chance alone, %.2g would be.
Precision: windows take %.1f times as many blocks (95 %% interval %.1f to %.1f).
`, c.Pairs[0].Sliced.N, c.Pairs[0].Continuous.N, apart, words.Count(len(c.Pairs), "interval"), stat.Alpha*float64(len(c.Pairs)), c.Gain.Value, c.Gain.Low, c.Gain.High)
	return err
}

// percent turns a ratio into a percentage to a tenth, which is never -0.
func percent(ratio float64) float64 { return math.Round((ratio-1)*1000)/10 + 0 }
