package calibrate

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"dyno"
	"dyno/lab"
)

// memory keeps what a world measured: by name and seed, as a store does.
type memory struct {
	*world
	trials map[string][]dyno.Trial
	asked  map[string]bool // since the experiment was resumed
	end    int             // runs that are measured before it is interrupted
}

func (m *memory) key(suite dyno.Suite, seed uint64) string {
	return suite.Name + " " + time.Duration(seed).String()
}

func (m *memory) measure(ctx context.Context, suite dyno.Suite, subjects []dyno.Subject, seed uint64, neighbour Disturb) (dyno.Run, []dyno.Trial, error) {
	key := m.key(suite, seed)
	m.asked[key] = true
	if stored, ok := m.trials[key]; ok {
		return dyno.Run{Suite: suite, Subjects: subjects, Seed: seed}, stored, nil
	}
	if m.runs == m.end {
		return dyno.Run{}, nil, context.Canceled
	}
	m.rng = rand.New(rand.NewPCG(seed, 8)) // so that a run says the same whenever it is measured
	run, trials, err := m.world.measure(ctx, suite, subjects, seed, neighbour)
	m.trials[key] = trials
	return run, trials, err
}

func (m *memory) left() bool { return len(m.asked) < len(m.trials) }

// does are the experiments, each with a result that can be compared.
var does = map[string]func(ctx context.Context, x Experiment) (any, error){
	"power": func(ctx context.Context, x Experiment) (any, error) { return x.Power(ctx, 0.03, timeStep) },
	"noise": func(ctx context.Context, x Experiment) (any, error) {
		return x.Noise(ctx, func() (func(), error) { return func() {}, nil })
	},
	"slicing": func(ctx context.Context, x Experiment) (any, error) { return x.Slicing(ctx) },
}

// TestResumedIsAsIfItHadNeverEnded interrupts each experiment after each of its runs.
func TestResumedIsAsIfItHadNeverEnded(t *testing.T) {
	for name, do := range does {
		t.Run(name, func(t *testing.T) {
			whole := newMemory(t, 1000)
			want, err := do(t.Context(), whole.experiment())
			if err != nil {
				t.Fatal(err)
			}
			for end := range whole.runs {
				m := newMemory(t, end)
				if _, err := do(t.Context(), m.experiment()); !errors.Is(err, context.Canceled) {
					t.Fatalf("interrupted after %d runs: %v", end, err)
				}
				m.end, m.asked = 1000, map[string]bool{}
				got, err := do(t.Context(), m.experiment())
				if err != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("after %d runs: %v\ngot  %+v\nwant %+v", end, err, got, want)
				}
				if m.runs != whole.runs {
					t.Errorf("after %d runs: %d were measured altogether, want %d", end, m.runs, whole.runs)
				}
			}
		})
	}
}

// TestAllThatIsStoredCounts: also when it is more than enough, and when no time is left.
func TestAllThatIsStoredCounts(t *testing.T) {
	for name, do := range does {
		m := newMemory(t, 1000)
		x := m.experiment()
		ends := m.now.Add(time.Hour)
		x.Left = func() time.Duration { return ends.Sub(m.now) }
		long, err := do(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		for what, left := range map[string]func() time.Duration{"enough": nil, "no time": func() time.Duration { return -1 }} {
			m.asked = map[string]bool{}
			before := m.runs
			x := m.experiment()
			x.Left = left
			again, err := do(t.Context(), x)
			if err != nil || !reflect.DeepEqual(again, long) || m.runs != before {
				t.Errorf("%s, %s: %d more runs; %v\ngot  %+v\nwant %+v", name, what, m.runs-before, err, again, long)
			}
		}
	}
}

func newMemory(t *testing.T, end int) *memory {
	w, _ := newWorld(t, 1000)
	return &memory{world: w, trials: map[string][]dyno.Trial{}, asked: map[string]bool{}, end: end}
}

func (m *memory) experiment() Experiment {
	_, x := newWorld(m.t, 0)
	x.Measure, x.Now, x.Earlier = m.measure, func() time.Time { return m.now }, m.left
	return x
}

// TestSeedsTellWhereTheyBelong: the seeds of all runs of all experiments differ, and lead back.
func TestSeedsTellWhereTheyBelong(t *testing.T) {
	for _, seed := range []uint64{1, 2, 3, 1 << 51, SeedsEnd - 1} {
		for _, number := range []int{0, 1, 2, 2*turnsMost - 1} {
			of := Experiment{Seed: seed}.runSeed(number)
			if ExperimentSeed(of) != seed || RunNumber(of) != number {
				t.Errorf("run %d of seed %d has %d, which says run %d of seed %d", number, seed, of, RunNumber(of), ExperimentSeed(of))
			}
		}
	}
}

func TestTooShortCanBeTold(t *testing.T) {
	_, x := newWorld(t, 0)
	x.Measure = func(context.Context, dyno.Suite, []dyno.Subject, uint64, Disturb) (dyno.Run, []dyno.Trial, error) {
		return dyno.Run{}, nil, lab.ErrBudget
	}
	for name, do := range does {
		if _, err := do(t.Context(), x); !errors.Is(err, ErrTooShort) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
