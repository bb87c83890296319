package stat

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dyno"
)

// Three blocks with ratios 1.10, 1.10·e^0.01 and 1.10·e^-0.01: the mean log ratio is ln 1.1, its
// standard deviation 0.01, the 95 % half width 4.302653·0.01/√3 = 0.0248414.
func TestComparisonByHand(t *testing.T) {
	cell := cellOf(64, oneConnection)
	var trials []dyno.Trial
	for block, e := range []float64{0, 0.01, -0.01} {
		trials = append(trials,
			trialOf(block, cell, "bun", int64(math.Round(1.1e9*math.Exp(e)))),
			trialOf(block, cell, "deno", 1e9))
	}
	v := Judge(runOf([]dyno.Cell{cell}, "bun", "deno"), trials, 6)
	c, ok := v.Cells[0].Compare("bun", "deno")
	if !ok || !near(c.Ratio.Value, 1.1, 1e-6) || c.Ratio.N != 3 ||
		!near(c.Ratio.Low, 1.1*math.Exp(-0.0248414), 1e-5) || !near(c.Ratio.High, 1.1*math.Exp(0.0248414), 1e-5) {
		t.Fatalf("got %+v", c)
	}
	// t = ln 1.1 ÷ (0.01/√3) = 16.508 with 2 degrees of freedom: p = 1 − t/√(t²+2) = 0.003649.
	if !near(c.P, 0.003649, 1e-6) || c.PFamily != c.P || v.Compared != 1 {
		t.Errorf("p %v, family %v of %d", c.P, c.PFamily, v.Compared)
	}
	if c.Outcome != dyno.Faster || c.Reason != "+10.0 % ± 2.7 % over 3 blocks" {
		t.Errorf("outcome %s: %s", c.Outcome, c.Reason)
	}
	if v.Cells[0].Winner != "bun" || v.Cells[0].Outcome != dyno.Faster || v.Trials != 6 || v.Planned != 6 {
		t.Errorf("winner %q (%s), %d of %d trials", v.Cells[0].Winner, v.Cells[0].Outcome, v.Trials, v.Planned)
	}
}

func TestOutcomes(t *testing.T) {
	cell := cellOf(64, oneConnection)
	for _, c := range []struct {
		name    string
		blocks  [][2]int64 // replies of a and b
		busy    float64
		outcome dyno.Outcome
		reason  string
	}{
		{"one block", [][2]int64{{2000, 1000}}, 0, dyno.Undecided, "1 block: no interval, no verdict"},
		{"two blocks that disagree", [][2]int64{{1100, 1000}, {1000, 1100}}, 0, dyno.Undecided, "undecided: ±153.0 % after 2 blocks"},
		{"tie", [][2]int64{{100_000, 100_100}, {100_100, 100_000}, {100_000, 100_000}}, 0, dyno.Tie, "equal within 0.2 % over 3 blocks"},
		{"tie at the client's limit", [][2]int64{{100_000, 100_100}, {100_100, 100_000}, {100_000, 100_000}}, 0.97,
			dyno.Undecided, "undecided: equal within 0.4 %, but client-bound: the client may have set both rates"},
		{"clear but within 1 % is a tie", [][2]int64{{100_500, 100_000}, {100_501, 100_000}, {100_499, 100_000}}, 0,
			dyno.Tie, "equal within 0.5 % over 3 blocks"},
		{"identical small counts know little", [][2]int64{{3, 3}, {3, 3}}, 0, dyno.Undecided, "undecided: ±155.1 % after 2 blocks"},
		{"identical large counts", [][2]int64{{100_000, 100_000}, {100_000, 100_000}, {100_000, 100_000}}, 0,
			dyno.Tie, "equal within 0.0 % over 3 blocks"},
		{"slower", [][2]int64{{1000, 2000}, {1001, 2000}, {1000, 2002}}, 0, dyno.Slower, "+100.0 % ± 0.5 % over 3 blocks"},
	} {
		var trials []dyno.Trial
		for block, replies := range c.blocks {
			for i, subject := range []string{"a", "b"} {
				trial := trialOf(block, cell, subject, replies[i])
				trial.Slices[0].ClientBusyNs = int64(c.busy * 1e9)
				trials = append(trials, trial)
			}
		}
		got := Judge(runOf([]dyno.Cell{cell}, "a", "b"), trials, 0).Cells[0].Comparisons[0]
		if got.Outcome != c.outcome || got.Reason != c.reason {
			t.Errorf("%s: %s, %q; want %s, %q", c.name, got.Outcome, got.Reason, c.outcome, c.reason)
		}
	}
}

func TestClearAloneIsNotClearAmongMany(t *testing.T) {
	cells := []dyno.Cell{cellOf(8, oneConnection), cellOf(16, fourConnections)}
	var trials []dyno.Trial
	for block, e := range []int64{0, 25, -25} {
		for _, cell := range cells {
			trials = append(trials, trialOf(block, cell, "a", 1080+e), trialOf(block, cell, "b", 1000))
		}
	}
	v := Judge(runOf(cells, "a", "b"), trials, 0)
	c := v.Cells[0].Comparisons[0]
	if v.Compared != 2 || c.P >= Alpha || c.PFamily < Alpha || c.Outcome != dyno.Undecided ||
		!strings.Contains(c.Reason, "would do alone, but not as one of 2 comparisons") {
		t.Errorf("got %+v of %d", c, v.Compared)
	}
}

func TestVoidTrialsCountForNothingButTheirReason(t *testing.T) {
	cell := cellOf(64, oneConnection)
	var trials []dyno.Trial
	for block := range 3 {
		for _, s := range []string{"a", "b", "broken"} {
			trial := trialOf(block, cell, s, 1000+int64(block))
			if s == "broken" || s == "a" && block == 1 {
				trial.Void = "1 wrong reply"
			}
			trials = append(trials, trial)
		}
	}
	v := Judge(runOf([]dyno.Cell{cell}, "a", "b", "broken"), trials, 9)
	rows := v.Cells[0].Rows
	if v.Voids != 4 || rows[0].RatePerS.N != 2 || rows[1].RatePerS.N != 3 || len(rows[0].Voids) != 1 {
		t.Errorf("voids %d, rows %+v", v.Voids, rows)
	}
	var voids []string
	for _, x := range v.VoidTrials {
		voids = append(voids, fmt.Sprint(x.Block, x.Subject, x.Reason))
	}
	if want := []string{"0broken1 wrong reply", "1a1 wrong reply", "1broken1 wrong reply", "2broken1 wrong reply"}; !slices.Equal(voids, want) {
		t.Errorf("void trials %q, want %q", voids, want)
	}
	if rows[2].RatePerS != (dyno.Estimate{}) || len(rows[2].Voids) != 3 {
		t.Errorf("broken has figures: %+v", rows[2])
	}
	if _, ok := v.Cells[0].Compare("a", "broken"); ok {
		t.Error("a subject without any valid trial was compared")
	}
	if c, _ := v.Cells[0].Compare("a", "b"); c.Ratio.N != 2 {
		t.Errorf("paired over %d blocks, want 2", c.Ratio.N)
	}
}

func TestLimits(t *testing.T) {
	cell := cellOf(64, oneConnection)
	trials := []dyno.Trial{
		trialOf(0, cell, "fast", 950), trialOf(0, cell, "middle", 600),
		trialOf(0, cell, "slow", 100), trialOf(0, cell, "busy", 100), trialOf(0, cell, "null", 1000),
	}
	trials[3].Slices[0].ClientBusyNs = 96e7
	v := Judge(runOf([]dyno.Cell{cell}, "fast", "middle", "slow", "busy", "null"), trials, 5)
	c := v.Cells[0]
	if c.Ceiling == nil || c.Ceiling.Subject != "null" || len(c.Rows) != 4 {
		t.Fatalf("the ceiling is ranked: %+v", c)
	}
	want := []struct{ clientBound, nearCeiling bool }{{true, true}, {false, true}, {false, false}, {true, false}}
	for i, w := range want {
		if r := c.Rows[i]; r.ClientBound != w.clientBound || r.NearCeiling != w.nearCeiling {
			t.Errorf("%s: client-bound %v, near the ceiling %v (%.2f of it)", r.Subject, r.ClientBound, r.NearCeiling, r.OfCeiling)
		}
	}
	if len(c.Comparisons) != 6 {
		t.Errorf("%d comparisons, want the 6 pairs of ranked subjects", len(c.Comparisons))
	}
}

func TestCrown(t *testing.T) {
	const f, s, tie, u = dyno.Faster, dyno.Slower, dyno.Tie, dyno.Undecided
	for _, c := range []struct {
		name       string
		ab, ac, bc dyno.Outcome
		winner     string
		outcome    dyno.Outcome
	}{
		{"faster than all", f, f, tie, "a", f},
		{"last in the table", u, s, s, "c", f},
		{"two tie above the third", tie, f, f, "", tie},
		{"all tie", tie, tie, tie, "", tie},
		{"the second is open", f, u, f, "", u},
		{"a circle", f, s, f, "", u},
		{"nothing known", u, u, u, "", u},
	} {
		v := dyno.CellVerdict{
			Rows: []dyno.Row{{Subject: "a"}, {Subject: "b"}, {Subject: "c"}, {Subject: "void"}},
			Comparisons: []dyno.Comparison{
				{A: "a", B: "b", Outcome: c.ab}, {A: "a", B: "c", Outcome: c.ac}, {A: "b", B: "c", Outcome: c.bc}},
		}
		for i := range v.Rows[:3] {
			v.Rows[i].RatePerS.N = 5
		}
		if winner, outcome := crown(v.Rows, v.Comparisons); winner != c.winner || outcome != c.outcome {
			t.Errorf("%s: %q, %s; want %q, %s", c.name, winner, outcome, c.winner, c.outcome)
		}
	}
	alone := dyno.CellVerdict{Rows: []dyno.Row{{Subject: "a", RatePerS: dyno.Estimate{N: 5}}}}
	if winner, outcome := crown(alone.Rows, nil); winner != "" || outcome != u {
		t.Errorf("a subject without rivals: %q, %s", winner, outcome)
	}
}

func TestSeenFromTheOtherSide(t *testing.T) {
	w := world{rng: rand.New(rand.NewPCG(3, 3)), processSD: 0.01, sliceSD: 0.02, blocks: 6, rounds: 8}
	for _, rate := range []float64{100_000, 100_050, 103_000, 150_000} {
		cell := cellOf(64, oneConnection)
		trials := w.trials(cell, map[string]float64{"a": rate, "b": 100_000}, "a", "b")
		ab, _ := Judge(runOf([]dyno.Cell{cell}, "a", "b"), trials, 0).Cells[0].Compare("a", "b")
		ba, _ := Judge(runOf([]dyno.Cell{cell}, "b", "a"), trials, 0).Cells[0].Compare("a", "b")
		if ab.Outcome != ba.Outcome || ab.Reason != ba.Reason || !near(ab.P, ba.P, 1e-12) ||
			!near(ab.Ratio.Value, ba.Ratio.Value, 1e-12) || !near(ab.Ratio.Low, ba.Ratio.Low, 1e-12) ||
			!near(ab.Ratio.High, ba.Ratio.High, 1e-12) {
			t.Errorf("rate %v:\n%+v\n%+v", rate, ab, ba)
		}
	}
}

func TestOrderOfTrialsDoesNotMatter(t *testing.T) {
	w := world{rng: rand.New(rand.NewPCG(4, 4)), processSD: 0.02, sliceSD: 0.02, blocks: 5, rounds: 6}
	cells := []dyno.Cell{cellOf(8, oneConnection), cellOf(64, oneConnection), cellOf(8, fourConnections)}
	var trials []dyno.Trial
	for _, c := range cells {
		trials = append(trials, w.trials(c, map[string]float64{"a": 5e4, "b": 6e4, "c": 5e4}, "a", "b", "c")...)
	}
	run := runOf(cells, "a", "b", "c")
	want, err := json.Marshal(Judge(run, trials, 0))
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		w.rng.Shuffle(len(trials), func(i, j int) { trials[i], trials[j] = trials[j], trials[i] })
		if got, _ := json.Marshal(Judge(run, trials, 0)); string(got) != string(want) {
			t.Fatal("another order gave another verdict")
		}
	}
}

// TestNonsenseIsSafe feeds numbers that no lab would write: JSON refuses NaN and infinities, so
// that marshalling proves there are none.
func TestNonsenseIsSafe(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	odd := []int64{math.MinInt64, -1, 0, 0, 1, 2, 1e9, math.MaxInt64}
	pick := func() int64 { return odd[rng.IntN(len(odd))] }
	cells := []dyno.Cell{cellOf(8, oneConnection), cellOf(64, oneConnection), cellOf(8, fourConnections), {}}
	subjects := []string{"a", "b", "null"}
	for range 500 {
		var trials []dyno.Trial
		for range rng.IntN(30) {
			trial := trialOf(rng.IntN(3), cells[rng.IntN(len(cells))], subjects[rng.IntN(3)])
			for range rng.IntN(4) {
				trial.Slices = append(trial.Slices, dyno.Slice{
					Round: rng.IntN(3), DurationNs: pick(), Replies: pick(),
					ServerCPUNs: pick(), ServerReplies: pick(), ClientBusyNs: pick(),
				})
			}
			trial.Server = dyno.ServerCost{StartUpNs: pick(), PeakRSSBytes: pick()}
			if rng.IntN(2) == 0 {
				trial.Latency = nil
			}
			trials = append(trials, trial)
		}
		if _, err := json.Marshal(Judge(runOf(cells, subjects...), trials, 0)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestNothingAtAll(t *testing.T) {
	v := Judge(dyno.Run{}, nil, 96)
	if v.Planned != 96 || len(v.Cells) != 0 || v.Compared != 0 {
		t.Errorf("got %+v", v)
	}
	foreign := trialOf(0, cellOf(9, oneConnection), "a", 5)
	if v := Judge(runOf([]dyno.Cell{cellOf(8, oneConnection)}, "a"), []dyno.Trial{foreign}, 1); len(v.Cells) != 0 {
		t.Errorf("a cell outside of the suite was judged: %+v", v.Cells)
	}
}

func TestLineUpEndsWithTheLabsOwnSubjects(t *testing.T) {
	run := runOf(nil, "a", "b")
	run.Subjects = slices.Insert(run.Subjects, 0, dyno.Subject{Name: "null", Ceiling: true})
	want := []contender{{name: "a"}, {name: "b"}, {name: "null", ceiling: true}}
	if got := lineUp(run); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
