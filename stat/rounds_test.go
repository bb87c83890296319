package stat

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"dyno"
)

// series makes a trial with these log rates, a slice each.
func series(logs ...float64) *dyno.Trial {
	t := &dyno.Trial{}
	for round, x := range logs {
		t.Slices = append(t.Slices, dyno.Slice{Round: round, DurationNs: 1e9, Replies: int64(math.Round(1e6 * math.Exp(x)))})
	}
	return t
}

// By hand: the ratios of a and b are 0, ±0.01 and ±0.02, their median distance from 0 is 0.01, and 0.01 ÷ 0.6745 is
// 0.014826; π/3 times its square over 0.005² is 9.2.
func TestRoundsForByHand(t *testing.T) {
	a, b := series(0, 0.01, -0.01, 0.02, -0.02), series(0, 0, 0, 0, 0)
	for _, c := range []struct {
		name   string
		trials []*dyno.Trial
		wanted float64
		rounds int
	}{
		{"a pair", []*dyno.Trial{a, b}, 0.005, 10},
		{"half as closely", []*dyno.Trial{a, b}, 0.01, 3},
		{"three of which two are the same: two pairs scatter and one does not", []*dyno.Trial{a, b, b}, 0.005, 7},
		{"whatever all of them do in a round is no scatter", []*dyno.Trial{series(0, 0.2, -0.1), series(0.5, 0.7, 0.4)}, 0.005, 1},
		{"one", []*dyno.Trial{a}, 0.005, 0},
		{"none", nil, 0.005, 0},
		{"no slices", []*dyno.Trial{series(), series()}, 0.005, 0},
		{"a slice each", []*dyno.Trial{series(1), series(2)}, 0.005, 0},
	} {
		if got := RoundsFor(c.trials, c.wanted); got != c.rounds {
			t.Errorf("%s: %d rounds, want %d", c.name, got, c.rounds)
		}
	}
	flagged, stalled := series(0, 0.01, -0.01, 0.02, -0.02, 3), series(0, 0.01, -0.01, 0.02, -0.02)
	flagged.Slices[5].Flag = "others"
	if got := RoundsFor([]*dyno.Trial{flagged, series(0, 0, 0, 0, 0, 0)}, 0.005); got != 10 {
		t.Errorf("with a flagged slice: %d rounds, want 10", got)
	}
	stalled.Slices[4].Replies = 0
	if got := RoundsFor([]*dyno.Trial{stalled, b}, 0.005); got != 10 {
		t.Errorf("with a slice without replies: %d rounds, want 10: one of five says nothing about most", got)
	}
}

// slices of a process vary around its own rate in these ways, with a spread of about 1.
var sliceShapes = []struct {
	name string
	draw func(rng *rand.Rand) float64
}{
	{"normal", func(rng *rand.Rand) float64 { return rng.NormFloat64() }},
	{"heavy-tailed (t with 3 degrees of freedom)", func(rng *rand.Rand) float64 { return shapes[1].draw(rng, 0, 0) }},
	{"a neighbour in a third of the slices, who slows them down by up to 6 SD", func(rng *rand.Rand) float64 {
		x := 0.5 * rng.NormFloat64()
		if rng.Float64() < 1.0/3 {
			x -= 3 * rng.Float64()
		}
		return x
	}},
}

// TestSimulationRounds stops the rounds of each block when they scatter little enough, as the lab does, and counts how
// often the interval of a comparison after 14 blocks holds the truth, and what the ratio of equal servers comes to.
func TestSimulationRounds(t *testing.T) {
	const (
		blocks, servers = 14, 4
		sd, process     = 0.06, 0.003 // of the log rate of a slice, and of a fresh process
	)
	method := dyno.Method{Rounds: 14, BlockError: 0.01, Slice: time.Second}
	say("| slices are | rounds of a block | SD of a block's ratio | interval holds the truth |\n|---|---|---|---|\n")
	for _, shape := range sliceShapes {
		for _, goesOn := range []bool{false, true} {
			rng := rand.New(rand.NewPCG(17, 4))
			var held, of, rounds, made, spread float64
			for range repetitions(12, 500) {
				trials := make([]map[int]*dyno.Trial, servers)
				for i := range trials {
					trials[i] = map[int]*dyno.Trial{}
				}
				for block := range blocks {
					own, levels := make([]*dyno.Trial, servers), make([]float64, servers)
					for i := range own {
						own[i], levels[i] = &dyno.Trial{}, process*rng.NormFloat64()
					}
					wanted := method.Rounds
					for round := 0; round < wanted; round++ {
						for i := range own {
							x := levels[i] + sd*shape.draw(rng)
							own[i].Slices = append(own[i].Slices, dyno.Slice{Round: round, DurationNs: 1e9, Replies: int64(1e6 * math.Exp(x))})
						}
						if goesOn && round+1 >= method.Rounds {
							wanted = max(method.Rounds, min(RoundsFor(own, method.BlockError), method.RoundsMost()))
						}
					}
					for i := range own {
						trials[i][block] = own[i]
					}
					rounds, made = rounds+float64(len(own[0].Slices)), made+1
				}
				for i := 0; i < servers; i += 2 { // pairs that share nothing
					f := fixedN.fit(inOrder(pairBlocks(trials[i], trials[i+1]).byBlock), 0)
					spread += math.Pow(f.se, 2) * blocks
					of++
					if math.Abs(f.mean) <= f.halfWidth(Alpha) {
						held++
					}
				}
			}
			share, most := held/of, method.RoundsMost()
			say("| %s | %.0f | %.2f %% | %.1f %% |\n", shape.name, rounds/made, 100*math.Sqrt(spread/of), 100*share)
			if tolerance := 4 * math.Sqrt(0.05*0.95/of); math.Abs(share-0.95) > tolerance+0.01 {
				t.Errorf("%s, going on %v: %.1f %% of the intervals hold the truth", shape.name, goesOn, 100*share)
			}
			if mean := rounds / made; goesOn && (mean <= float64(method.Rounds) || mean > float64(most)) || !goesOn && mean != float64(method.Rounds) {
				t.Errorf("%s, going on %v: %s", shape.name, goesOn, fmt.Sprintf("%.1f rounds of %d to %d", mean, method.Rounds, most))
			}
		}
	}
}
