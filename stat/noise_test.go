package stat

import (
	"math"
	"math/rand/v2"
	"testing"

	"dyno"
)

// TestDriftIsFoundAndCovered simulates runs with a known drift: the interval covers it in about 95 %.
func TestDriftIsFoundAndCovered(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	const runs, blocks, truth = 2000, 6, 1.08
	covered := 0
	for range runs {
		byBlock := map[int]float64{}
		for block := range blocks {
			byBlock[block] = 9 + math.Log(truth)*float64(block)/(blocks-1) + 0.01*rng.NormFloat64()
		}
		if d := driftOver(byBlock, Alpha); d.Low <= truth && truth <= d.High {
			covered++
		}
	}
	if share := float64(covered) / runs; share < 0.93 || share > 0.97 {
		t.Errorf("the interval covers the drift in %.1f %% of runs", share*100)
	}
	if d := driftOver(map[int]float64{0: 1, 1: 2}, Alpha); d.Known() {
		t.Errorf("a drift from two blocks: %+v", d)
	}
}

func TestNoiseOfARun(t *testing.T) {
	cell := cellOf(64, oneConnection)
	var trials []dyno.Trial
	for block := range 4 {
		for _, subject := range []string{"a", "b"} {
			trial := trialOf(block, cell, subject, 1000, 1000, 1000)
			trial.Noise = dyno.Noise{LoopNs: 100, LoopAfterNs: 100 + int64(block), ThrottleEvents: 2}
			if block == 3 && subject == "a" { // in two rounds of three somebody else ran
				trial.Slices[0].Flag, trial.Slices[2].Flag = "others", "others"
			}
			trials = append(trials, trial)
		}
	}
	n := noiseOf(dyno.Method{Rounds: 2}, trials, nil)
	want := dyno.RunNoise{Places: 4, Disturbed: 1, ExtraRounds: 4, LoopSpread: 0.03, ThrottleEvents: 8}
	if n.Places != want.Places || n.Disturbed != want.Disturbed || n.ExtraRounds != want.ExtraRounds || n.ThrottleEvents != want.ThrottleEvents || !near(n.LoopSpread, want.LoopSpread, 1e-9) {
		t.Errorf("got %+v, want %+v", n, want)
	}
	if n := noiseOf(dyno.Method{Rounds: 1, BlockError: 0.01}, trials, nil); n.AtLimit != 0 {
		t.Errorf("three rounds of up to ten: %+v", n)
	}
	ten := []dyno.Trial{trialOf(0, cell, "a", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10), trialOf(0, cell, "b", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)}
	if n := noiseOf(dyno.Method{Rounds: 1, BlockError: 0.01}, ten, nil); n.AtLimit != 1 || n.ExtraRounds != 9 {
		t.Errorf("ten rounds for one: %+v", n)
	}
}
