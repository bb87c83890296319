package stat

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"dyno"
)

// searched is a run whose subjects a and b have these capacities in each block; 0 for none.
func searched(a, b []float64, limitOfB dyno.CapacityLimit) dyno.Verdict {
	plan := &dyno.CapacityPlan{Promises: []string{"p99<50ms"}, Workload: dyno.Workload{Name: "players"}, Blocks: len(a), Probe: time.Second}
	run := dyno.Run{Suite: dyno.Suite{Subjects: []string{"a", "b"}, Capacity: plan}}
	var trials []dyno.Trial
	for block := range a {
		for _, s := range []struct {
			name  string
			rate  float64
			limit dyno.CapacityLimit
		}{{"a", a[block], dyno.LimitServerCPU}, {"b", b[block], limitOfB}} {
			c := &dyno.Capacity{Limit: s.limit, Probes: []dyno.CapacityProbe{{RatePerS: max(s.rate, 1) * 1.01, Broken: "p99 was 61 ms"}}}
			if s.rate > 0 {
				c.RatePerS = dyno.Estimate{Value: s.rate, N: 1}
			}
			trials = append(trials, dyno.Trial{TrialKey: dyno.TrialKey{Block: block, Cell: plan.Cell(), Subject: s.name}, Capacity: c})
		}
	}
	return Judge(run, trials, len(trials))
}

func TestCapacitiesAreCompared(t *testing.T) {
	for name, c := range map[string]struct {
		a, b    []float64
		limit   dyno.CapacityLimit
		outcome dyno.Outcome
		reason  string
	}{
		"more":                         {[]float64{1000, 1010, 990, 1005, 995}, []float64{800, 810, 790, 805, 795}, dyno.LimitPromise, dyno.Faster, "+25.0 %"},
		"less":                         {[]float64{800, 810, 790, 805, 795}, []float64{1000, 1010, 990, 1005, 995}, dyno.LimitPromise, dyno.Slower, "+25.0 %"},
		"more than at least so many":   {[]float64{1000, 1010, 990, 1005, 995}, []float64{800, 810, 790, 805, 795}, dyno.LimitInstrument, dyno.Undecided, "of b, is a lower bound"},
		"less than at least so many":   {[]float64{800, 810, 790, 805, 795}, []float64{1000, 1010, 990, 1005, 995}, dyno.LimitHighest, dyno.Slower, "+25.0 %"},
		"the same by chance in a grid": {[]float64{1000, 1000, 1000}, []float64{1000, 1000, 1000}, dyno.LimitPromise, dyno.Undecided, "undecided"},
		"one block":                    {[]float64{1000}, []float64{500}, dyno.LimitPromise, dyno.Undecided, "1 block"},
	} {
		t.Run(name, func(t *testing.T) {
			v := searched(c.a, c.b, c.limit).Capacity
			x, ok := v.Compare("a", "b")
			if !ok || x.Outcome != c.outcome || !strings.Contains(x.Reason, c.reason) {
				t.Errorf("%s: %s", x.Outcome, x.Reason)
			}
			if r, _ := v.Row("b"); r.LowerBound != c.limit.LowerBound() || r.RatePerS.N != len(c.b) || r.Witness != "p99 was 61 ms" {
				t.Errorf("%+v", r)
			}
		})
	}
}

// Who kept the promise at no rate in one of the searches has no capacity, and is compared with nobody.
func TestABrokenSearchLeavesNoCapacity(t *testing.T) {
	v := searched([]float64{1000, 1000, 1000}, []float64{2000, 0, 2000}, dyno.LimitPromise).Capacity
	r, _ := v.Row("b")
	if r.Broken != 1 || r.RatePerS.N != 0 || r.Rank != 0 || len(v.Comparisons) != 0 || len(r.Limits) != 3 {
		t.Errorf("%+v, %+v", r, v.Comparisons)
	}
	if a, _ := v.Row("a"); a.Rank != 1 {
		t.Errorf("%+v", a)
	}
}

func TestRunsWithoutSearchesHaveNoCapacity(t *testing.T) {
	if v := Judge(dyno.Run{Suite: dyno.Suite{Capacity: &dyno.CapacityPlan{}}}, nil, 0); v.Capacity != nil {
		t.Errorf("%+v", v.Capacity)
	}
	if v := searched([]float64{1000}, []float64{1000}, dyno.LimitPromise); v.Compared != 0 || v.Noise.Places != 0 {
		t.Errorf("searches are among the rates: %d comparisons, %d places", v.Compared, v.Noise.Places)
	}
}

// Equal subjects whose searches scatter by 2 % are called different in at most 5 % of runs, give or take.
func TestEqualCapacitiesAreSeldomCalledDifferent(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	scatter := func() []float64 {
		xs := make([]float64, 5)
		for i := range xs {
			xs[i] = 1000 * math.Exp(0.02*rng.NormFloat64())
		}
		return xs
	}
	wrong := 0
	const runs = 1000
	for range runs {
		if x, _ := searched(scatter(), scatter(), dyno.LimitPromise).Capacity.Compare("a", "b"); x.Outcome == dyno.Faster || x.Outcome == dyno.Slower {
			wrong++
		}
	}
	if wrong > 70 {
		t.Errorf("%d of %d runs", wrong, runs)
	}
}
