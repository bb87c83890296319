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
	"unicode/utf8"

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

// world measures servers that do not exist: every slice has the rate that the truth says, and some noise.
type world struct {
	t      *testing.T
	rng    *rand.Rand
	runs   int
	budget int  // runs until lab.ErrBudget
	busy   bool // whether the client is the limit
	now    time.Time
	seen   []dyno.Subject
}

const trueRatePerS = 50_000

func (w *world) measure(_ context.Context, suite dyno.Suite, subjects []dyno.Subject, seed uint64, neighbour Disturb) (dyno.Run, []dyno.Trial, error) {
	w.runs++
	w.now = w.now.Add(time.Minute)
	w.seen = subjects
	if w.runs > w.budget {
		return dyno.Run{}, nil, lab.ErrBudget
	}
	run := dyno.Run{Suite: suite, Subjects: subjects, Seed: seed}
	var trials []dyno.Trial
	for block := range suite.Method.Blocks {
		for _, cell := range suite.Cells {
			if neighbour != nil {
				neighbour(block, cell)()
			}
			for _, s := range subjects {
				trials = append(trials, w.trial(block, cell, s, neighbour != nil && Touched(seed, block, cell)))
			}
		}
	}
	return run, trials, nil
}

// stepNs is what a step of arithmetic takes in the world.
const stepNs = 1.3

func timeStep() (float64, error) { return stepNs, nil }

func (w *world) trial(block int, cell dyno.Cell, s dyno.Subject, disturbed bool) dyno.Trial {
	steps, _ := strconv.Atoi(s.Env[BusyStepsEnv])
	rate := 1e9 / (1e9/trueRatePerS + float64(steps)*stepNs)
	t := dyno.Trial{TrialKey: dyno.TrialKey{Block: block, Cell: cell, Subject: s.Name}}
	var busyNs int64
	if w.busy {
		busyNs = 1e9
	}
	for round := range 8 {
		slice := dyno.Slice{Round: round, DurationNs: 1e9, ClientBusyNs: busyNs, Replies: int64(rate * math.Exp(0.003*w.rng.NormFloat64()))}
		if disturbed {
			slice.Flag = "others"
		}
		t.Slices = append(t.Slices, slice)
	}
	return t
}

func newWorld(t *testing.T, budget int) (*world, Experiment) {
	w := &world{t: t, rng: rand.New(rand.NewPCG(8, 8)), budget: budget}
	suite := dyno.Suite{Name: "s", Title: "S", Method: dyno.Method{Blocks: 6, Rounds: 8}, Claims: []dyno.Claim{{A: "a"}}}
	for connections := 1; connections <= 3; connections++ {
		suite.Cells = append(suite.Cells, dyno.Cell{Load: dyno.Load{Connections: connections, Depth: 1}})
	}
	subjects := []dyno.Subject{{Name: "a", Title: "A"}, {Name: "b", Title: "B"}, {Name: "c", Title: "C"}}
	return w, Experiment{Suite: suite, Subjects: subjects, Seed: 3, Measure: w.measure,
		Say: func(string) {}, Now: func() time.Time { return w.now }}
}

// TestDelayIsWhatIsTimed holds the two copies of the arithmetic together: the servers under test may not import dyno's own.
func TestDelayIsWhatIsTimed(t *testing.T) {
	var works [2]string
	for i, path := range []string{"../../host/speed.go", "../../subjects/shared/delay/delay.go"} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, works[i], _ = strings.Cut(string(text), "//go:noinline\nfunc work(")
	}
	if works[0] == "" || works[0] != works[1] {
		t.Errorf("host times\n%s\nand servers are slowed down by\n%s", works[0], works[1])
	}
}

// fits tells of lines that terminals break.
func fits(t *testing.T, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if n := utf8.RuneCountInString(line) - 1; n > 100 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

func TestPowerFindsWhatItPutIn(t *testing.T) {
	w, x := newWorld(t, 100)
	var said []string
	x.Say = func(line string) { said = append(said, line) }
	check, err := x.Power(t.Context(), 0.03, timeStep)
	if err != nil {
		t.Fatal(err)
	}
	// Two cells are enough for 40 verdicts, each with a pilot.
	if w.runs != 4 || check.Missed.Of != 2*25 || check.Missed.Hits > 1 || check.Wrong.Hits != 0 || check.Equal.Of != 2*20 || check.Equal.Hits > 3 {
		t.Errorf("%d runs: %+v", w.runs, check)
	}
	if math.Abs(check.Reached-1/1.03) > 0.002 {
		t.Errorf("the slowed clones reached %.4f of the others' rate, want %.4f", check.Reached, 1/1.03)
	}
	if want := "plan: each of 5 slowed clones against each of 5 equal ones, 6 blocks, in at least 40 verdicts; about 2m0s; seed 3"; said[0] != want {
		t.Errorf("said %q, want %q", said[0], want)
	}
}

// TestPowerGoesOnForItsBudget: it stops before a run that the time is not left for.
func TestPowerGoesOnForItsBudget(t *testing.T) {
	w, x := newWorld(t, 100)
	ends := w.now.Add(9 * time.Minute)
	x.Left = func() time.Duration { return ends.Sub(w.now) }
	check, err := x.Power(t.Context(), 0.03, timeStep)
	if err != nil || w.runs != 8 || check.Missed.Of != 4*25 {
		t.Errorf("%d runs, %+v, %v", w.runs, check, err)
	}
}

func TestPowerNeedsAServerThatIsTheLimit(t *testing.T) {
	w, x := newWorld(t, 100)
	w.busy = true
	if _, err := x.Power(t.Context(), 0.03, timeStep); err == nil || !strings.Contains(err.Error(), "the client is the limit") || w.runs != 3 {
		t.Errorf("%d runs, %v", w.runs, err)
	}
}

func TestNoiseCountsByTruth(t *testing.T) {
	w, x := newWorld(t, 1000)
	started, left := 0, 0
	tally, err := x.Noise(t.Context(), func() (func(), error) { started++; return func() { left++ }, nil })
	if err != nil {
		t.Fatal(err)
	}
	if started < 300 || started != left || tally.Touched.Of != started || tally.Touched.Hits != started ||
		tally.Quiet.Of < 300 || tally.Quiet.Of+started != 30*w.runs || tally.TouchedSlices.Hits != started*2*8 {
		t.Errorf("%d neighbours came and %d left in %d runs: %+v", started, left, w.runs, tally)
	}
	var text strings.Builder
	if err := tally.Write(&text); err != nil {
		t.Fatal(err)
	}
	fits(t, text.String())
	golden.Check(t, "noise.golden", text.String())
}

func TestSlicingWithoutBias(t *testing.T) {
	w, x := newWorld(t, 1000)
	check, err := x.Slicing(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	pairs, gain := check.Pairs, check.Gain
	if len(pairs) != 3 || pairs[0].A != "a" || pairs[0].Sliced.N != 40 || pairs[0].Continuous.N != 40 {
		t.Fatalf("%+v", pairs)
	}
	for _, p := range pairs {
		if p.Bias.Low > 1.002 || p.Bias.High < 0.998 || p.Bias.High-p.Bias.Low > 0.01 || p.SlicedSD <= 0 {
			t.Errorf("%+v", p)
		}
	}
	if gain.Low > 1.2 || gain.High < 1 || gain.High > 3 {
		t.Errorf("both kinds have the same spread here, and the gain is %+v", gain)
	}
	if w.seen[0].CloneOf != "" {
		t.Error("slicing compares real subjects")
	}
	var text strings.Builder
	if err := check.Write(&text, strings.ToUpper); err != nil {
		t.Fatal(err)
	}
	fits(t, text.String())
	golden.Check(t, "slicing.golden", text.String())
}

func TestBudgetsTooSmall(t *testing.T) {
	for _, budget := range []int{0, 1} {
		_, x := newWorld(t, budget)
		if _, err := x.Power(t.Context(), 0.03, timeStep); err == nil {
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

// TestInterruptedKeepsWhatWasCounted ends each experiment in its fourth run.
func TestInterruptedKeepsWhatWasCounted(t *testing.T) {
	interrupt := func() (*world, Experiment) {
		w, x := newWorld(t, 100)
		x.Measure = func(ctx context.Context, suite dyno.Suite, subjects []dyno.Subject, seed uint64, neighbour Disturb) (dyno.Run, []dyno.Trial, error) {
			if w.runs == 3 {
				return dyno.Run{}, nil, context.Canceled
			}
			return w.measure(ctx, suite, subjects, seed, neighbour)
		}
		return w, x
	}
	_, x := interrupt()
	if check, err := x.Power(t.Context(), 0.03, timeStep); !errors.Is(err, context.Canceled) || check.Missed.Of != 25 {
		t.Errorf("power: %+v, %v", check, err)
	}
	_, x = interrupt()
	if tally, err := x.Noise(t.Context(), func() (func(), error) { return func() {}, nil }); !errors.Is(err, context.Canceled) || tally.Quiet.Of == 0 {
		t.Errorf("noise: %+v, %v", tally, err)
	}
	_, x = interrupt()
	if _, err := x.Slicing(t.Context()); !errors.Is(err, context.Canceled) {
		t.Errorf("slicing: %v", err)
	}
}

// TestNoNeighbourEndsTheExperiment: it goes on with nothing that would be taken for a measurement with a neighbour.
func TestNoNeighbourEndsTheExperiment(t *testing.T) {
	_, x := newWorld(t, 0)
	began := 0
	x.Measure = func(ctx context.Context, suite dyno.Suite, _ []dyno.Subject, seed uint64, neighbour Disturb) (dyno.Run, []dyno.Trial, error) {
		for block := range suite.Method.Blocks {
			for _, cell := range suite.Cells {
				began++
				neighbour(block, cell)()
				if (ctx.Err() != nil) != Touched(seed, block, cell) {
					t.Errorf("block %d, %v: %v", block, cell, ctx.Err())
				}
				if ctx.Err() != nil {
					return dyno.Run{}, nil, ctx.Err()
				}
			}
		}
		t.Error("the run went on without its neighbours")
		return dyno.Run{}, nil, nil
	}
	nowhere := []int{4095}
	_, err := x.Noise(t.Context(), func() (func(), error) {
		n, err := StartNeighbour(nowhere)
		if err != nil {
			return nil, err
		}
		return n.Leave, nil
	})
	if err == nil || errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "\n") || began == 0 ||
		!strings.HasPrefix(err.Error(), "no neighbour on the servers' CPUs [4095]: ") || !strings.Contains(err.Error(), "works only where") {
		t.Errorf("after %d measurements: %v", began, err)
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
