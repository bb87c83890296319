package stat

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dyno"
)

// simulate makes the simulations long and has them print the tables that docs/METHOD.md shows:
//
//	go test ./stat -run Simulation -v -simulate
var simulate = flag.Bool("simulate", false, "run the long simulations and print their tables (minutes)")

// repetitions returns how often a simulation is repeated: quick is enough to notice a mistake.
func repetitions(quick, long int) int {
	if *simulate {
		return long
	}
	return quick
}

// say prints a line of a table of docs/METHOD.md.
func say(format string, args ...any) {
	if *simulate {
		fmt.Printf(format, args...)
	}
}

const drifting = "drifting by 1 SD over the run"

// shape draws the log ratio of one block, with mean 0 and a spread of about 1, that of `block` among n.
type shape struct {
	name string
	draw func(rng *rand.Rand, block, n int) float64
}

// gauss is what normal theory supposes; the others break it in a way that machines and runtimes do.
var shapes = []shape{
	{"normal", func(rng *rand.Rand, _, _ int) float64 { return rng.NormFloat64() }},
	{"heavy-tailed (t with 3 degrees of freedom)", func(rng *rand.Rand, _, _ int) float64 {
		var chi2 float64
		for range 3 {
			chi2 += math.Pow(rng.NormFloat64(), 2)
		}
		return rng.NormFloat64() / math.Sqrt(chi2/3)
	}},
	{drifting, func(rng *rand.Rand, block, n int) float64 {
		return rng.NormFloat64() + (float64(block)+0.5)/float64(n) - 0.5
	}},
	{"bimodal (both subjects slow by 3 SD in 30 %)", func(rng *rand.Rand, _, _ int) float64 {
		return rng.NormFloat64() + slowMode(rng, 3, 0.3) - slowMode(rng, 3, 0.3)
	}},
}

// skewed are shapes of which no method keeps its word after a few blocks. They are in the table only.
var skewed = []shape{
	{"one subject slow by 3 SD in 30 %", func(rng *rand.Rand, _, _ int) float64 {
		return rng.NormFloat64() + slowMode(rng, 3, 0.3) - 0.9
	}},
	{"one subject slow by 5 SD in 10 %", func(rng *rand.Rand, _, _ int) float64 {
		return rng.NormFloat64() + slowMode(rng, 5, 0.1) - 0.5
	}},
}

func isSkewed(s shape) bool {
	return slices.ContainsFunc(skewed, func(x shape) bool { return x.name == s.name })
}

// truth is the mean of the first blocks of a run of n, which drift moves.
func (s shape) truth(first, n int) float64 {
	if s.name == drifting {
		return float64(first)/float64(2*n) - 0.5
	}
	return 0
}

func slowMode(rng *rand.Rand, by, chance float64) float64 {
	if rng.Float64() < chance {
		return by
	}
	return 0
}

func (s shape) blocks(rng *rand.Rand, n int) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = s.draw(rng, i, n)
	}
	return xs
}

// TestSimulationCoverage holds the t-interval to 93 to 97 % for a number of blocks fixed beforehand, and
// shows in its table why no bootstrap takes its place.
func TestSimulationCoverage(t *testing.T) {
	runs := repetitions(1_500, 20_000)
	for _, s := range slices.Concat(shapes, skewed) {
		say("\n| %s |", s.name)
		for _, n := range []int{3, 4, 5, 8, 12, 20, 40} {
			rng := rand.New(rand.NewPCG(31, uint64(n)))
			covered, percentile, studentised := 0, 0, 0
			for i := range runs {
				xs := s.blocks(rng, n)
				f := fixedN.fit(xs, 0)
				if math.Abs(f.mean) <= f.halfWidth(Alpha) {
					covered++
				}
				if *simulate && i < 4_000 {
					inPercentile, inStudentised := bootstrap(rng, xs, f)
					percentile += inPercentile
					studentised += inStudentised
				}
			}
			share := 100 * float64(covered) / float64(runs)
			say(" %.1f (%.0f, %.0f) |", share, float64(percentile)/40, float64(studentised)/40)
			if !isSkewed(s) && (share < 92.5 || share > 98) {
				t.Errorf("%s, %d blocks: %.1f %% of the intervals cover the truth, want 93 to 97 and half a point of chance", s.name, n, share)
			}
		}
	}
	say("\n")
}

// bootstrap returns 1 for each kind of hierarchical bootstrap interval that covers 0, the truth: it draws
// blocks, and within each of them its four rounds, which have half of a block's variance.
//
// Source: Kalibera and Jones, "Rigorous benchmarking in reasonable time", 2013.
func bootstrap(rng *rand.Rand, xs []float64, f fit) (percentile, studentised int) {
	const resamples, rounds = 199, 4
	within := make([][rounds]float64, len(xs))
	for i := range within {
		for j := range rounds {
			within[i][j] = math.Sqrt(rounds/2) * rng.NormFloat64()
		}
		centre := (within[i][0] + within[i][1] + within[i][2] + within[i][3]) / rounds
		for j := range rounds {
			within[i][j] -= centre
		}
	}
	var means, ts []float64
	again := make([]float64, len(xs))
	for range resamples {
		for i := range again {
			block := rng.IntN(len(xs))
			again[i] = xs[block]
			for range rounds {
				again[i] += within[block][rng.IntN(rounds)] / rounds
			}
		}
		b := fixedN.fit(again, 1e-9)
		means, ts = append(means, b.mean), append(ts, (b.mean-f.mean)/b.se)
	}
	slices.Sort(means)
	slices.Sort(ts)
	low, high := 4, resamples-5 // 2.5 and 97.5 %
	if means[low] <= 0 && means[high] >= 0 {
		percentile = 1
	}
	if f.mean-ts[high]*f.se <= 0 && f.mean-ts[low]*f.se >= 0 {
		studentised = 1
	}
	return percentile, studentised
}

// TestSimulationEveryLook looks at every run after each of its blocks: the share of runs in which an interval
// ever misses the truth must not exceed 5 %, however the blocks are distributed. The same with t-intervals
// shows what looking often would cost.
func TestSimulationEveryLook(t *testing.T) {
	const blocks = 40
	runs := repetitions(4_000, 100_000)
	for _, s := range slices.Concat(shapes, skewed) {
		rng := rand.New(rand.NewPCG(32, 1))
		sequence, fixed := 0, 0
		for range runs {
			xs := s.blocks(rng, blocks)
			missed, missedFixed := false, false
			for n := 2; n <= blocks; n++ {
				f := everyLook.fit(xs[:n], 0)
				off := math.Abs(f.mean - s.truth(n, blocks))
				missed = missed || off > f.halfWidth(Alpha)
				missedFixed = missedFixed || off > tables[n]*f.se
			}
			sequence += one(missed)
			fixed += one(missedFixed)
		}
		missed := 100 * float64(sequence) / float64(runs)
		say("| %s | %.1f %% | %.0f %% |\n", s.name, missed, 100*float64(fixed)/float64(runs))
		if !isSkewed(s) && missed > 100*Alpha {
			t.Errorf("%s: %.1f %% of the runs ever miss the truth, want at most 5", s.name, missed)
		}
		if s.name == "normal" && 100*float64(fixed)/float64(runs) < 20 {
			t.Errorf("t-intervals at every look miss in %d of %d runs: the simulation shows nothing", fixed, runs)
		}
	}
}

// tables holds the critical values of the t-interval by n.
var tables = func() (c [64]float64) {
	for n := 2; n < len(c); n++ {
		c[n] = fixedN.critical(n, Alpha)
	}
	return c
}()

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestSimulationFamilyWise makes every comparison of four equal subjects in three cells after every block,
// and stops as soon as anything is claimed: at most 5 % of the runs may end so.
func TestSimulationFamilyWise(t *testing.T) {
	const subjects, cells, blocks = 4, 3, 20
	runs := repetitions(400, 20_000)
	for _, s := range shapes {
		rng := rand.New(rand.NewPCG(33, 1))
		claimed := 0
		for range runs {
			var figures [cells][subjects][]float64
			for c := range figures {
				for i := range figures[c] {
					figures[c][i] = s.blocks(rng, blocks)
				}
			}
			for n := StopMin; n <= blocks; n++ {
				var ps []float64
				for _, cell := range figures {
					for i, a := range cell {
						for _, b := range cell[i+1:] {
							ps = append(ps, everyLook.fit(minus(a[:n], b[:n]), 0).p())
						}
					}
				}
				if slices.Min(Holm(ps)) < Alpha {
					claimed++
					break
				}
			}
		}
		share := 100 * float64(claimed) / float64(runs)
		say("| %s | %.1f %% |\n", s.name, share)
		if share > 100*Alpha {
			t.Errorf("%s: %.1f %% of the runs on equal subjects claim a difference, want at most 5", s.name, share)
		}
	}
}

func minus(a, b []float64) []float64 {
	d := make([]float64, len(a))
	for i := range a {
		d[i] = a[i] - b[i]
	}
	return d
}

// TestSimulationWholeRuns goes the whole way from slices through the dropping of cells to the verdict: equal
// subjects, measured until the run has what it wants.
func TestSimulationWholeRuns(t *testing.T) {
	cells := []dyno.Cell{cellOf(8, oneConnection), cellOf(64, oneConnection)}
	run := precise(runOf(cells, "a", "b", "c"), 0.01, 30)
	rates := map[string]float64{"a": 1e6, "b": 1e6, "c": 1.05e6}
	runs := repetitions(20, 2_000)
	wrong, missed, measured := 0, 0, 0
	for i := range runs {
		w := world{rng: rand.New(rand.NewPCG(34, uint64(i))), processSD: 0.007, sliceSD: 0.015, blocks: 1, rounds: 4}
		var trials []dyno.Trial
		for block := range run.Suite.Method.Blocks {
			needed := Look(run, trials, block).Cells
			for _, c := range needed {
				for _, trial := range w.trials(c, rates, "a", "b", "c") {
					trial.Block = block
					trials = append(trials, trial)
				}
			}
		}
		measured += len(trials) / 3
		for _, c := range Judge(run, trials, 0).Cells {
			equal, _ := c.Compare("a", "b")
			unequal, _ := c.Compare("c", "a")
			if equal.Outcome == dyno.Faster || equal.Outcome == dyno.Slower || unequal.Outcome == dyno.Slower {
				wrong++
				break
			}
			missed += one(unequal.Outcome != dyno.Faster)
		}
	}
	share := 100 * float64(wrong) / float64(runs)
	say("| %.1f %% | %.1f %% | %.1f of 30 |\n", share, 100*float64(missed)/float64(2*runs), float64(measured)/float64(2*runs))
	if share > 100*Alpha || missed > max(runs/20, 1) {
		t.Errorf("%.1f %% of the runs name a wrong winner, %d of %d differences of 5 %% were missed", share, missed, 2*runs)
	}
}

// TestSimulationStopping compares ways to look after every block from the third to the fortieth: what the
// mixture was chosen over, and by how much.
func TestSimulationStopping(t *testing.T) {
	const blocks = 40
	for _, family := range []float64{1, 20, 100} {
		level := Alpha / family
		ways := []struct {
			name     string
			critical func(n int) float64
		}{
			{"alpha spent evenly over the looks (Bonferroni)", func(n int) float64 { return fixedN.critical(n, level/(blocks-2)) }},
			{"alpha spent evenly over 12 looks at 3, 4, 5, 6, 8 … 40 blocks", func(n int) float64 {
				if !slices.Contains([]int{3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 32, 40}, n) {
					return math.Inf(1)
				}
				return fixedN.critical(n, level/12)
			}},
			{"t-mixture", func(n int) float64 { return everyLook.critical(n, level) }},
		}
		var needed [3][4]float64 // mean number of blocks by way and effect
		effects := []float64{1, 2, 3, 5}
		for w, way := range ways {
			var limits [blocks + 1]float64
			for n := StopMin; n <= blocks; n++ {
				limits[n] = way.critical(n)
			}
			for e, effect := range effects {
				needed[w][e] = meanBlocks(limits[:], effect, repetitions(300, 20_000))
			}
			say("| %s, family of %.0f |", way.name, family)
			for e := range effects {
				say(" %.1f |", needed[w][e])
			}
			say("\n")
		}
		for e := range effects {
			if needed[2][e] > 1.1*needed[0][e] {
				t.Errorf("effect of %v SD in a family of %v: the mixture needs %.1f blocks, even spending %.1f", effects[e], family, needed[2][e], needed[0][e])
			}
		}
	}
}

// meanBlocks returns after how many blocks a difference is found, on the average, with those that are not
// found by the end counted as found there.
func meanBlocks(limits []float64, effect float64, runs int) float64 {
	rng := rand.New(rand.NewPCG(35, 1))
	total := 0
	for range runs {
		xs := make([]float64, 0, len(limits))
		n := 0
		for n = 1; n < len(limits)-1; n++ {
			xs = append(xs, effect+rng.NormFloat64())
			if n < StopMin {
				continue
			}
			if f := fixedN.fit(xs, 0); math.Abs(f.mean) > limits[n]*f.se {
				break
			}
		}
		total += n
	}
	return float64(total) / float64(runs)
}

// TestSimulationPower asks how many blocks find a difference in 95 % of the comparisons when it is the only
// one in a family. The suites' block counts rest on it.
func TestSimulationPower(t *testing.T) {
	runs := repetitions(300, 5_000)
	families := []int{1, 15, 72, 216, 3_960}
	for _, percent := range []float64{3, 10} {
		for _, sd := range []float64{0.0075, 0.01, 0.015, 0.02, 0.03} {
			say("| %g %% | %.2f %% |", percent, 100*sd)
			for _, family := range families {
				if *simulate {
					say(" %d |", blocksFor(math.Log1p(percent/100)/sd, family, runs))
				}
			}
			say("\n")
		}
	}
	for _, c := range []struct {
		name           string
		percent, sd    float64
		family, blocks int
	}{
		{"minecraft", 3, 0.015, 216, 14},
		{"runtimes", 3, 0.015, 15, 12},
		{"minecraft --quick", 10, 0.025, 72, 8},
	} {
		if need := blocksFor(math.Log1p(c.percent/100)/c.sd, c.family, runs); need > c.blocks {
			t.Errorf("%s: %d blocks find %g %% at a spread of %g, and the suite has %d", c.name, need, c.percent, c.sd, c.blocks)
		}
	}
}

// blocksFor returns the least number of blocks that finds an effect, in standard deviations of a block, in 95 %.
func blocksFor(effect float64, family, runs int) int {
	for n := 3; ; n++ {
		rng := rand.New(rand.NewPCG(36, uint64(n)))
		critical, found := fixedN.critical(n, Alpha/float64(family)), 0
		xs := make([]float64, n)
		for range runs {
			for i := range xs {
				xs[i] = effect + rng.NormFloat64()
			}
			f := fixedN.fit(xs, 0)
			found += one(math.Abs(f.mean) > critical*f.se)
		}
		if float64(found) >= 0.95*float64(runs) {
			return n
		}
	}
}
