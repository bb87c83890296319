package stat

import (
	"math/rand/v2"
	"slices"
	"testing"

	"dyno"
)

func precise(run dyno.Run, precision float64, blocks int) dyno.Run {
	run.Suite.Method.Precision, run.Suite.Method.Blocks = precision, blocks
	return run
}

func TestLookBeforeTheFirstBlocks(t *testing.T) {
	cells := []dyno.Cell{cellOf(8, oneConnection), cellOf(64, oneConnection)}
	run := precise(runOf(cells, "a", "b"), 0.01, 100)
	o := Look(run, nil, 0)
	if !slices.Equal(o.Cells, cells) || o.Settled != 0 || o.BlocksLeft < 30 || o.BlocksLeft > 40 {
		t.Errorf("got %+v; ±1 %% at a spread of 1.5 %% takes about 34 blocks", o)
	}
	if p := o.PrecisionAfter(o.BlocksLeft); p > 0.01 || p < 0.009 {
		t.Errorf("the blocks that are left reach %v, want just below 0.01", p)
	}
	if few := Look(precise(run, 0.01, 10), nil, 0); few.BlocksLeft != 10 || few.PrecisionAfter(10) < 0.015 {
		t.Errorf("the plan bounds the blocks: %+v", few)
	}
}

// One cell is clear after four blocks, the other one is equal but noisy.
func TestSettledCellsAreDroppedAndStayDecided(t *testing.T) {
	clear, noisy := cellOf(8, oneConnection), cellOf(8, fourConnections)
	run := precise(runOf([]dyno.Cell{clear, noisy}, "a", "b"), 0.005, 40)
	rng := rand.New(rand.NewPCG(21, 1))
	var trials []dyno.Trial
	measure := func(block int, cell dyno.Cell, rate, sd float64) {
		w := world{rng: rng, processSD: sd, blocks: 1, rounds: 4}
		for _, trial := range w.trials(cell, map[string]float64{"a": rate, "b": 1e6}, "a", "b") {
			trial.Block = block
			trials = append(trials, trial)
		}
	}
	droppedAfter := 0
	for block := range 20 {
		o := Look(run, trials, block)
		if slices.Contains(o.Cells, clear) {
			measure(block, clear, 1.3e6, 0.01)
		} else if droppedAfter == 0 {
			droppedAfter = block
		}
		if !slices.Contains(o.Cells, noisy) {
			t.Fatalf("the noisy cell was dropped after %d blocks: %+v", block, o)
		}
		measure(block, noisy, 1e6, 0.05)
		if later := Look(run, trials, block); !slices.Equal(later.Cells, o.Cells) {
			t.Fatalf("block %d: what was measured in it changed what it needs", block)
		}
	}
	if droppedAfter < StopMin || droppedAfter > 6 {
		t.Errorf("the clear cell was dropped after %d blocks", droppedAfter)
	}
	v := Judge(run, trials, 0)
	if c := v.Cells[0].Comparisons[0]; c.Outcome != dyno.Faster || c.Ratio.N != droppedAfter {
		t.Errorf("got %+v", c)
	}
	if c := v.Cells[1].Comparisons[0]; c.Outcome != dyno.Undecided || c.Ratio.N != 20 {
		t.Errorf("got %+v", c)
	}
}

// An average over cells keeps all of them alive until it is settled itself.
func TestACellIsNeededAsLongAsItsAverageIs(t *testing.T) {
	cells := []dyno.Cell{cellOf(8, oneConnection), cellOf(64, oneConnection)}
	run := precise(runOf(cells, "a", "b"), 0.002, 40)
	var trials []dyno.Trial
	for block := range 6 { // clear in both cells, in opposite directions, so that the average is near 1
		e := int64(block*9000 - 22_500)
		trials = append(trials,
			trialOf(block, cells[0], "a", 2_000_000+e), trialOf(block, cells[0], "b", 1_000_000),
			trialOf(block, cells[1], "a", 1_000_000+e), trialOf(block, cells[1], "b", 2_000_000))
	}
	o := Look(run, trials, 6)
	if len(o.Cells) != 2 || o.Settled != 2 || o.Comparisons != 3 || o.BlocksLeft < 1 {
		t.Errorf("got %+v", o)
	}
}

func TestWithoutRivalsTheRateIsWhatCounts(t *testing.T) {
	cell := cellOf(8, oneConnection)
	run := precise(runOf([]dyno.Cell{cell}, "a"), 0.05, 40)
	steady := []dyno.Trial{trialOf(0, cell, "a", 100_000), trialOf(1, cell, "a", 100_100), trialOf(2, cell, "a", 99_900)}
	if o := Look(run, steady, 3); len(o.Cells) != 0 {
		t.Errorf("steady: %+v", o)
	}
	unsteady := []dyno.Trial{trialOf(0, cell, "a", 100_000), trialOf(1, cell, "a", 130_000), trialOf(2, cell, "a", 90_000)}
	if o := Look(run, unsteady, 3); len(o.Cells) != 1 || o.BlocksLeft != 37 {
		t.Errorf("unsteady: %+v", o)
	}
	for i := range unsteady {
		unsteady[i].Void = "crashed"
	}
	if o := Look(run, unsteady, 3); len(o.Cells) != 0 {
		t.Errorf("a subject without a valid trial keeps the run going: %+v", o)
	}
}

func TestForecastsAreInTheReason(t *testing.T) {
	cell := cellOf(64, oneConnection)
	var trials []dyno.Trial
	for block, e := range []int64{25, 0, -25} {
		trials = append(trials, trialOf(block, cell, "a", 1_030+e), trialOf(block, cell, "b", 1_000))
	}
	c := Judge(runOf([]dyno.Cell{cell}, "a", "b"), trials, 0).Cells[0].Comparisons[0]
	// The standard deviation is 2.4 %: with n blocks, 2.96 % > t(n−1)·2.43 %/√n first at n = 6.
	if c.MoreBlocks != 3 || c.Reason != "undecided: ±6.2 % after 3 blocks; about 3 more would decide" {
		t.Errorf("%d more: %s", c.MoreBlocks, c.Reason)
	}
}

func TestTwoLooksBoundNothing(t *testing.T) {
	cell := cellOf(64, oneConnection)
	trials := []dyno.Trial{trialOf(0, cell, "a", 1100), trialOf(0, cell, "b", 1000), trialOf(1, cell, "a", 1101), trialOf(1, cell, "b", 1000)}
	c := Judge(precise(runOf([]dyno.Cell{cell}, "a", "b"), 0.01, 40), trials, 0).Cells[0].Comparisons[0]
	if c.Outcome != dyno.Undecided || c.Reason != "undecided: no useful interval after 2 blocks" {
		t.Errorf("%s: %s", c.Outcome, c.Reason)
	}
}
