package stat

import (
	"math/rand/v2"
	"testing"

	"dyno"
)

// TestPairedIntervalCoversTheTruth checks the whole way from slices to the interval of a ratio.
func TestPairedIntervalCoversTheTruth(t *testing.T) {
	const repetitions, truth = 2_000, 1.1
	w := world{rng: rand.New(rand.NewPCG(11, 1)), processSD: 0.03, sliceSD: 0.04, blocks: 5, rounds: 8}
	cell := cellOf(64, oneConnection)
	run := runOf([]dyno.Cell{cell}, "a", "b")
	covered := 0
	for range repetitions {
		trials := w.trials(cell, map[string]float64{"a": truth * 1e6, "b": 1e6}, "a", "b")
		r := Judge(run, trials, 0).Cells[0].Comparisons[0].Ratio
		if r.Low <= truth && truth <= r.High {
			covered++
		}
	}
	if share := float64(covered) / repetitions; share < 0.92 || share > 0.975 {
		t.Errorf("%.1f %% of the intervals cover the true ratio, want 92 to 97.5", share*100)
	}
}

// TestEqualServersRarelyGetAWinner makes many comparisons between equal servers in each verdict.
func TestEqualServersRarelyGetAWinner(t *testing.T) {
	const repetitions = 150
	w := world{rng: rand.New(rand.NewPCG(12, 1)), processSD: 0.02, sliceSD: 0.04, blocks: 5, rounds: 4}
	subjects := []string{"a", "b", "c", "d"}
	rates := map[string]float64{"a": 1e6, "b": 1e6, "c": 1e6, "d": 1e6}
	cells := []dyno.Cell{cellOf(8, oneConnection), cellOf(64, oneConnection), cellOf(8, fourConnections)}
	run := runOf(cells, subjects...)
	wrong := 0
	for range repetitions {
		var trials []dyno.Trial
		for _, c := range cells {
			trials = append(trials, w.trials(c, rates, subjects...)...)
		}
		if claims(Judge(run, trials, 0)) > 0 {
			wrong++
		}
	}
	if share := float64(wrong) / repetitions; share > Alpha {
		t.Errorf("%.1f %% of the verdicts on equal servers claim a difference, want at most 5", share*100)
	}
}

func claims(v dyno.Verdict) int {
	n := 0
	count := func(comparisons []dyno.Comparison) {
		for _, c := range comparisons {
			if c.Outcome == dyno.Faster || c.Outcome == dyno.Slower {
				n++
			}
		}
	}
	for _, c := range v.Cells {
		count(c.Comparisons)
	}
	for _, a := range v.Averages {
		count(a.Comparisons)
	}
	return n
}

func TestATrueDifferenceIsFound(t *testing.T) {
	const repetitions = 200
	w := world{rng: rand.New(rand.NewPCG(13, 1)), processSD: 0.01, sliceSD: 0.03, blocks: 6, rounds: 16}
	cell := cellOf(64, oneConnection)
	run := runOf([]dyno.Cell{cell}, "a", "b")
	found := 0
	for range repetitions {
		v := Judge(run, w.trials(cell, map[string]float64{"a": 1.1e6, "b": 1e6}, "a", "b"), 0)
		switch v.Cells[0].Winner {
		case "a":
			found++
		case "b":
			t.Fatal("the verdict is reversed")
		}
	}
	if found < repetitions*99/100 {
		t.Errorf("a true difference of 10 %% was found in %d of %d runs", found, repetitions)
	}
}

func TestTrueTiesAreFound(t *testing.T) {
	w := world{rng: rand.New(rand.NewPCG(14, 1)), processSD: 0.001, sliceSD: 0.005, blocks: 10, rounds: 16}
	cell := cellOf(64, oneConnection)
	v := Judge(runOf([]dyno.Cell{cell}, "a", "b"), w.trials(cell, map[string]float64{"a": 1e6, "b": 1e6}, "a", "b"), 0)
	if v.Cells[0].Outcome != dyno.Tie {
		t.Errorf("two equal and steady servers: %s", v.Cells[0].Comparisons[0].Reason)
	}
}
