package calibrate

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"dyno"
	"dyno/internal/golden"
	"dyno/lab"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == NeighbourCommand {
		NeighbourMain(os.Stdin)
		return
	}
	os.Exit(m.Run())
}

// Values from the tables of R's binom.test.
func TestIntervalIsExact(t *testing.T) {
	for _, tt := range []struct {
		rate      Rate
		low, high float64
	}{
		{Rate{0, 10}, 0, 0.3084971}, {Rate{10, 10}, 0.6915029, 1}, {Rate{5, 10}, 0.1870860, 0.8129140},
		{Rate{1, 100}, 0.000253146, 0.0544594}, {Rate{0, 0}, 0, 1},
	} {
		low, high := tt.rate.Interval()
		if math.Abs(low-tt.low) > 1e-6 || math.Abs(high-tt.high) > 1e-6 {
			t.Errorf("%d of %d: %.7f to %.7f, want %.7f to %.7f", tt.rate.Hits, tt.rate.Of, low, high, tt.low, tt.high)
		}
	}
}

func TestCountKnowsTheTruth(t *testing.T) {
	clones := append(Clones(dyno.Subject{Name: "go", Title: "Go"}, 2), Slowed(dyno.Subject{Name: "go"}, 0.1, 7), dyno.Subject{Name: "other"})
	compare := func(a, b string, outcome dyno.Outcome) dyno.Comparison {
		return dyno.Comparison{A: a, B: b, Outcome: outcome, Ratio: dyno.Estimate{Value: 0.9, N: 3}}
	}
	comparisons := []dyno.Comparison{
		compare("go#1", "go#2", dyno.Faster),
		compare("go#2", "go#1", dyno.Undecided),
		compare("go#1", "go#slow", dyno.Faster),
		compare("go#slow", "go#1", dyno.Slower),
		compare("go#slow", "go#2", dyno.Faster),
		compare("go#2", "go#slow", dyno.Undecided),
		compare("go#1", "other", dyno.Faster), // whose truth nobody knows
	}
	bound := dyno.CellVerdict{Comparisons: comparisons[2:4], Rows: []dyno.Row{{ClientBound: true}}}
	v := dyno.Verdict{
		Run: dyno.Run{Subjects: clones}, Compared: 6,
		Cells: []dyno.CellVerdict{{Comparisons: comparisons[:3]}, bound}, Averages: []dyno.Average{{Comparisons: comparisons[3:]}},
	}
	got := Count(v)
	got.logSum = 0
	if want := (Tally{False: Rate{1, 2}, Missed: Rate{2, 4}, Wrong: Rate{1, 4}, Slowdown: 0.1, Compared: 6}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// world measures servers that do not exist: every slice has the rate that the truth says, and some noise.
type world struct {
	t      *testing.T
	rng    *rand.Rand
	runs   int
	budget int          // runs until lab.ErrBudget
	stepNs float64      // of arithmetic
	touch  map[int]bool // blocks that had a neighbour, of the run in work
	seen   []dyno.Subject
}

const trueRatePerS = 50_000

func (w *world) measure(_ context.Context, suite dyno.Suite, subjects []dyno.Subject, seed uint64, neighbour func(int) func()) (dyno.Run, []dyno.Trial, error) {
	w.runs++
	w.seen = subjects
	if w.runs > w.budget {
		return dyno.Run{}, nil, lab.ErrBudget
	}
	run := dyno.Run{Suite: suite, Subjects: subjects, Seed: seed}
	var trials []dyno.Trial
	for block := range suite.Method.Blocks {
		if neighbour != nil {
			leave := neighbour(block)
			defer leave()
		}
		for _, cell := range suite.Cells {
			for _, s := range subjects {
				trials = append(trials, w.trial(block, cell, s, neighbour != nil && w.touch[block]))
			}
		}
	}
	return run, trials, nil
}

func (w *world) trial(block int, cell dyno.Cell, s dyno.Subject, disturbed bool) dyno.Trial {
	steps, _ := strconv.Atoi(s.Env[BusyStepsEnv])
	rate := 1e9 / (1e9/trueRatePerS + float64(steps)*w.stepNs)
	t := dyno.Trial{TrialKey: dyno.TrialKey{Block: block, Cell: cell, Subject: s.Name}}
	for round := range 8 {
		slice := dyno.Slice{Round: round, DurationNs: 1e9, Replies: int64(rate * math.Exp(0.003*w.rng.NormFloat64()))}
		if disturbed {
			slice.Flag = "others"
		}
		t.Slices = append(t.Slices, slice)
	}
	return t
}

func newWorld(t *testing.T, budget int) (*world, Experiment) {
	w := &world{t: t, rng: rand.New(rand.NewPCG(8, 8)), budget: budget, stepNs: 1.3, touch: map[int]bool{}}
	suite := dyno.Suite{Name: "s", Title: "S", Method: dyno.Method{Blocks: 6, Rounds: 8}, Claims: []dyno.Claim{{A: "a"}}}
	for connections := 1; connections <= 3; connections++ {
		suite.Cells = append(suite.Cells, dyno.Cell{Load: dyno.Load{Connections: connections, Depth: 1}})
	}
	subjects := []dyno.Subject{{Name: "a", Title: "A"}, {Name: "b", Title: "B"}, {Name: "c", Title: "C"}}
	return w, Experiment{Suite: suite, Subjects: subjects, Seed: 3, Measure: w.measure, Say: func(string) {}}
}

func TestPowerFindsWhatItPutIn(t *testing.T) {
	w, x := newWorld(t, 13)
	tally, err := x.Power(t.Context(), 0.03, w.stepNs)
	if err != nil {
		t.Fatal(err)
	}
	if tally.Missed.Of != 12*3 || tally.Missed.Hits > 1 || tally.Wrong.Hits != 0 || tally.False.Of != 12*3 || tally.False.Hits > 3 {
		t.Errorf("%+v", tally)
	}
	if reached := math.Exp(tally.logSum / float64(tally.Missed.Of)); math.Abs(reached-1/1.03) > 0.002 {
		t.Errorf("the slowed server reached %.4f of the others' rate, want %.4f", reached, 1/1.03)
	}
	var text strings.Builder
	if err := (Tally{Rate{1, 180}, Rate{2, 36}, Rate{0, 36}, 0.03, 72, 36 * math.Log(0.97)}).Write(&text); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "tally.golden", text.String())
}

func TestNoiseCountsByTruth(t *testing.T) {
	w, x := newWorld(t, 5)
	started, left := 0, 0
	for seed := range uint64(5) {
		for block := range 10 {
			w.touch[block] = w.touch[block] || Touched(x.Seed+seed, block)
		}
	}
	tally, err := x.Noise(t.Context(), func() (func(), error) { started++; return func() { left++ }, nil })
	if err != nil {
		t.Fatal(err)
	}
	if started == 0 || started != left || tally.Touched.Of != started || tally.Touched.Hits != started || tally.Quiet.Of != 50-started {
		t.Errorf("%d neighbours came and %d left: %+v", started, left, tally)
	}
	if _, err := x.Noise(t.Context(), func() (func(), error) { return nil, errors.New("no right to pin") }); err == nil {
		t.Error("a neighbour that cannot start was not told of")
	}
}

func TestSlicingWithoutBias(t *testing.T) {
	w, x := newWorld(t, 40)
	pairs, err := x.Slicing(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(pairs) != 3 || pairs[0].A != "a" || pairs[0].Sliced.N != 40 || pairs[0].Continuous.N != 40 {
		t.Fatalf("%+v", pairs)
	}
	for _, p := range pairs {
		if p.Bias.Low > 1.002 || p.Bias.High < 0.998 || p.Bias.High-p.Bias.Low > 0.01 || p.SlicedSD <= 0 {
			t.Errorf("%+v", p)
		}
	}
	if w.seen[0].CloneOf != "" {
		t.Error("slicing compares real subjects")
	}
}

func TestBudgetsTooSmall(t *testing.T) {
	for _, budget := range []int{0, 1} {
		_, x := newWorld(t, budget)
		if _, err := x.Power(t.Context(), 0.03, 1); err == nil {
			t.Errorf("power with %d runs", budget)
		}
		_, x = newWorld(t, budget)
		if _, err := x.Slicing(t.Context()); err == nil {
			t.Errorf("slicing with %d runs", budget)
		}
	}
	_, x := newWorld(t, 0)
	if _, err := x.Noise(t.Context(), nil); err == nil {
		t.Error("noise without a run")
	}
}

func TestNeighbourEndsWithItsHold(t *testing.T) {
	n, err := StartNeighbour([]int{0})
	if err != nil {
		t.Skip(err)
	}
	ended := make(chan struct{})
	go func() { n.Leave(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Fatal("the neighbour stays")
	}
}

func TestOutlook(t *testing.T) {
	w, _ := newWorld(t, 1)
	run := OutlookRun(dyno.Subject{Name: "null", Contract: "framed", Ceiling: true}, dyno.Machine{}, 1)
	_, trials, err := w.measure(t.Context(), run.Suite, run.Subjects, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range trials {
		trials[i].Noise = dyno.Noise{LoopNs: 100, LoopAfterNs: 110}
	}
	trials[0].Slices[0].Flag = "others"
	o := Look(run, trials, 10*time.Second)
	if o.Blocks != 5 || o.BlockNs != int64(2*time.Second) || math.Abs(o.LoopSpread-0.1) > 1e-9 || math.Abs(o.Flagged-1.0/80) > 1e-9 {
		t.Errorf("%+v", o)
	}
	minute, hour := o.Resolves(time.Minute), o.Resolves(time.Hour)
	if !(minute > hour && hour > 0 && minute < 0.01) {
		t.Errorf("%v in a minute, %v in an hour", minute, hour)
	}
	if (Outlook{}).Resolves(time.Hour) != 0 || Look(run, nil, time.Second).Blocks != 0 {
		t.Error("something is known from nothing")
	}
}
