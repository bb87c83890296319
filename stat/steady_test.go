package stat

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dyno"
)

func TestLevels(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	series := func(levels ...float64) []float64 { // ten values of each, with a standard deviation of 0.01
		var xs []float64
		for _, level := range levels {
			for range 10 {
				xs = append(xs, level+0.01*rng.NormFloat64())
			}
		}
		return xs
	}
	outlier := series(0)
	outlier[4] = -3
	for _, tt := range []struct {
		name   string
		values []float64
		want   []int
	}{
		{"nothing", nil, []int{0}},
		{"too few", []float64{0, 1, 1}, []int{0}},
		{"one level", series(0), []int{0}},
		{"two", series(0, 0.1), []int{0, 10}},
		{"there and back", series(0, 0.1, 0), []int{0, 10, 20}},
		{"an outlier is no level", outlier, []int{0}},
		{"two and two", []float64{0, 0.001, 0.1, 0.101}, []int{0, 2}},
	} {
		if got := levels(tt.values, 0.01); !slices.Equal(got, tt.want) {
			t.Errorf("%s: levels begin at %v, want %v", tt.name, got, tt.want)
		}
	}
	if got := levels(series(0, 1), 0); !slices.Equal(got, []int{0}) {
		t.Errorf("without a scatter: %v", got)
	}
}

// TestLevelsAreTheBest compares with all ways to cut a short series.
func TestLevelsAreTheBest(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	for range 200 {
		xs := make([]float64, 4+rng.IntN(6))
		for i := range xs {
			xs[i] = rng.NormFloat64() + 4*float64(rng.IntN(2))
		}
		got, want := costOf(xs, levels(xs, 1)), math.Inf(1)
		for cut := range 1 << (len(xs) - 1) {
			begins := []int{0}
			for i := 1; i < len(xs); i++ {
				if cut>>(i-1)&1 == 1 {
					begins = append(begins, i)
				}
			}
			want = min(want, costOf(xs, begins))
		}
		if math.Abs(got-want) > 1e-9 {
			t.Fatalf("%v: cost %v, and %v is possible", xs, got, want)
		}
	}
}

// costOf returns what levels minimises with a standard deviation of 1, +Inf for a level that is too short.
func costOf(xs []float64, begins []int) float64 {
	near := clipped(xs, outlierAt)
	z := math.Sqrt2 * math.Erfinv(1-changeAlpha/float64(len(xs)-2*levelLeast+1))
	cost := z * z * float64(len(begins)-1)
	for i, from := range begins {
		to := append(begins, len(xs))[i+1]
		if to-from < levelLeast {
			return math.Inf(1)
		}
		var mean float64
		for _, x := range near[from:to] {
			mean += x / float64(to-from)
		}
		for _, x := range near[from:to] {
			cost += (x - mean) * (x - mean)
		}
	}
	return cost
}

// trace is how a stationary server's log rate scatters from slice to slice.
type trace struct {
	name string
	draw func(rng *rand.Rand, before float64) float64
}

var traces = []trace{
	{"normal", func(rng *rand.Rand, _ float64) float64 { return rng.NormFloat64() }},
	{"heavy-tailed (t with 3 degrees of freedom)", func(rng *rand.Rand, _ float64) float64 { return shapes[1].draw(rng, 0, 1) }},
	{"every twentieth slice 10 SD slower", func(rng *rand.Rand, _ float64) float64 { return rng.NormFloat64() - slowMode(rng, 10, 0.05) }},
	{"remembering a fifth of the slice before", func(rng *rand.Rand, before float64) float64 { return 0.2*before + rng.NormFloat64() }},
}

// simulated returns the trials of a cell with four servers, the first of which changes its rate by step from the middle
// slice on. The machine itself moves all of them in each round, by two standard deviations of a slice.
func (x trace) simulated(rng *rand.Rand, blocks, rounds int, sd, step float64) []dyno.Trial {
	var trials []dyno.Trial
	for block := range blocks {
		machine := make([]float64, rounds)
		for i := range machine {
			machine[i] = 2 * sd * rng.NormFloat64()
		}
		for subject := range 4 {
			t := dyno.Trial{TrialKey: dyno.TrialKey{Block: block, Subject: fmt.Sprint(subject)}, WarmUp: dyno.WarmUp{Settled: true}}
			before := 0.0
			for round := range rounds {
				before = x.draw(rng, before)
				log := sd*before + machine[round]
				if subject == 0 && round >= (rounds+1)/2 {
					log += math.Log1p(step)
				}
				t.Slices = append(t.Slices, dyno.Slice{Round: round, DurationNs: 1e8, Replies: int64(1e6 * math.Exp(log))})
			}
			trials = append(trials, t)
		}
	}
	return trials
}

// TestSimulationSteadyState: at most 5 % of the trials of a stationary server are said to have no steady state, whatever its
// noise is like, and a step of 5 % in the middle of a trial is found.
func TestSimulationSteadyState(t *testing.T) {
	const blocks = 12
	alarmsMost, foundLeast := 0.10, 0.75 // of a few hundred trials, whose scatter is shared
	if *simulate {
		alarmsMost, foundLeast = 0.05, 0.85
	}
	runs := repetitions(25, 1_000)
	for _, x := range traces {
		say("\n| %s |", x.name)
		for _, rounds := range []int{4, 6, 10} {
			rng := rand.New(rand.NewPCG(77, uint64(rounds)))
			alarms := x.share(rng, runs, blocks, rounds, 0.01, 0)
			found := x.share(rng, runs, blocks, rounds, 0.01, 0.05)
			foundWide := x.share(rng, runs, blocks, rounds, 0.02, 0.05)
			say(" %.1f %%, %.0f %%, %.0f %% |", alarms*100, found*100, foundWide*100)
			if alarms > alarmsMost {
				t.Errorf("%s, %d slices: %.1f %% of the trials raise a false alarm", x.name, rounds, alarms*100)
			}
			if x.name == "normal" && found < foundLeast {
				t.Errorf("%s, %d slices: a step of 5 %% is found in %.0f %% of the trials", x.name, rounds, found*100)
			}
		}
	}
	say("\n")
}

// share returns the share of trials of the first server that have no steady state.
func (x trace) share(rng *rand.Rand, runs, blocks, rounds int, sd, step float64) float64 {
	n := 0
	for range runs {
		for key, s := range steadinessOf(x.simulated(rng, blocks, rounds, sd, step)) {
			if key.Subject == "0" && s == dyno.NoSteadyState {
				n++
			}
		}
	}
	return float64(n) / float64(runs*blocks)
}

func TestTheWayToASteadyState(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	rates := func(levels ...float64) []float64 {
		var xs []float64
		for _, level := range levels {
			for range 8 {
				xs = append(xs, 50_000*level*math.Exp(0.01*rng.NormFloat64()))
			}
		}
		return xs
	}
	var trials []dyno.Trial
	want := map[dyno.TrialKey]dyno.Steadiness{}
	add := func(s dyno.Steadiness, w dyno.WarmUp) {
		w.WindowNs = 15e6
		trial := traces[0].simulated(rng, 1, 4, 0.01, 0)[0]
		trial.Block, trial.WarmUp = len(trials), w
		trials = append(trials, trial)
		want[trial.TrialKey] = s
	}
	for range 4 {
		add(dyno.Flat, dyno.WarmUp{Settled: true, RatesPerS: rates(1)})
		add(dyno.WarmedUp, dyno.WarmUp{Settled: true, RatesPerS: rates(0.5, 0.8, 1)})
		add(dyno.SlowedDown, dyno.WarmUp{Settled: true, RatesPerS: rates(0.5, 1.1, 1)})
		add(dyno.NoSteadyState, dyno.WarmUp{RatesPerS: rates(0.5, 1.1, 0.9)})
		add(dyno.Flat, dyno.WarmUp{Settled: true}) // of before the windows were kept
	}
	got := steadinessOf(trials)
	for key, s := range want {
		if got[key] != s {
			t.Errorf("block %d: %s, want %s", key.Block, got[key], s)
		}
	}
	void := dyno.Trial{Void: "it crashed"}
	if s := steadinessOf([]dyno.Trial{void}); len(s) != 0 {
		t.Errorf("a void trial is %v", s)
	}
}

// TestTrendsWithinTrials: what every process of a server does alike is found though no trial shows it, and
// a server whose rate stays where it is has an interval that holds no change in most runs.
func TestTrendsWithinTrials(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	run := dyno.Run{Suite: dyno.Suite{Subjects: []string{"0", "1", "2", "3"}, Cells: []dyno.Cell{{}}, Method: dyno.Method{Rounds: 4}}}
	alarms, found, runs := 0, 0, repetitions(100, 2_000)
	for range runs {
		trends := Judge(run, traces[0].simulated(rng, 12, 4, 0.02, 0.08), 48).Noise.Trends
		if len(trends) != 4 || trends[0].Ratio.N != 12 {
			t.Fatalf("%+v", trends)
		}
		if trends[0].Found() {
			found++
		}
		for _, d := range trends[1:] {
			if d.Ratio.Low > 1 || d.Ratio.High < 1 {
				alarms++
				break
			}
		}
	}
	if alarmed, seen := float64(alarms)/float64(runs), float64(found)/float64(runs); alarmed > 0.09 || seen < 0.9 {
		t.Errorf("%.1f %% of the runs have a trend that is not there, %.1f %% show the step of 8 %% in each trial", alarmed*100, seen*100)
	}
}
