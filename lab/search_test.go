package lab

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"dyno"
)

// searching is a suite with searches after its cells.
func searching(blocks, searchBlocks int) dyno.Suite {
	s := testSuite(blocks, 1, 2)
	s.Capacity = &dyno.CapacityPlan{
		Promises: []string{"p99<50ms"}, Workload: dyno.Workload{PayloadBytes: 8}, Connections: 2, Depth: 1,
		Probe: time.Second, Blocks: searchBlocks, Arrivals: dyno.Poisson, MostPerS: 1000,
	}
	return s
}

// answers makes a bench whose searches find the same rate in every process; asked says of whom, and with what seed.
func answers(t *testing.T, asked *[]string) *bench {
	b := newBench(t, map[string]func(net.Conn){"a": echo, "b": echo, "null": echo})
	b.Search = func(_ context.Context, s dyno.Subject, p Process, seed uint64, show func(dyno.CapacityProbe)) (*dyno.Capacity, error) {
		if p.Addr() == "" {
			t.Error("no process")
		}
		*asked = append(*asked, fmt.Sprint(s.Name, " ", seed))
		show(dyno.CapacityProbe{RatePerS: 500, P99Ns: 1})
		return &dyno.Capacity{RatePerS: dyno.Estimate{Value: 700, N: 1}}, nil
	}
	return b
}

func TestSearchesFollowTheCells(t *testing.T) {
	var asked []string
	b := answers(t, &asked)
	run := testRun(searching(2, 3), "a", "b", "null")
	run.Subjects[2].Ceiling = true
	if err := b.Measure(t.Context(), run, done()); err != nil {
		t.Fatal(err)
	}
	cell := run.Suite.Capacity.Cell()
	found := 0
	for i, trial := range b.store.trials {
		if trial.Cell != cell {
			continue
		}
		found++
		if trial.Subject == "null" || trial.Capacity == nil || trial.Void != "" || len(trial.Slices) > 0 || trial.Server.StartUpNs == 0 {
			t.Errorf("%+v", trial)
		}
		if trial.Block < 2 && i < 3 {
			t.Error("a search came before the cells of its block")
		}
	}
	if found != 6 || b.started["a"] != 2+3 || b.started["null"] != 2 {
		t.Errorf("%d searches, processes %v", found, b.started)
	}
	if asked[0][2:] != asked[1][2:] {
		t.Errorf("the subjects of a block had different arrivals: %v", asked[:2])
	}
	last := b.progress[len(b.progress)-1]
	if last.TrialsDone != 12 || last.TrialsPlanned != 12 {
		t.Errorf("last progress %+v", last)
	}
	if !slices.ContainsFunc(b.progress, func(p dyno.Progress) bool { return strings.Contains(p.Note, "plan: 6 searches for capacities") }) {
		t.Error("nobody was told how long the searches take")
	}
}

func TestSearchesAreResumed(t *testing.T) {
	var asked []string
	b := answers(t, &asked)
	run := testRun(searching(1, 2), "a", "b")
	keys := done()
	for executions := 1; ; executions++ {
		ctx, cancel := context.WithCancel(t.Context())
		b.store.after = cancel // interrupt after every cell and every search
		err := b.Measure(ctx, run, keys)
		cancel()
		keys = b.store.keys(t)
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) || executions > 10 {
			t.Fatal(err)
		}
	}
	straight := []string{}
	c := answers(t, &straight)
	if err := c.Measure(t.Context(), run, done()); err != nil {
		t.Fatal(err)
	}
	if len(keys) != 6 || !slices.Equal(asked, straight) {
		t.Errorf("%d trials; in pieces %v, straight %v", len(keys), asked, straight)
	}
}

func TestAFailedSearchVoidsItsTrialAlone(t *testing.T) {
	var asked []string
	b := answers(t, &asked)
	b.Search = func(_ context.Context, s dyno.Subject, _ Process, _ uint64, _ func(dyno.CapacityProbe)) (*dyno.Capacity, error) {
		if s.Name == "a" {
			return nil, errors.New("the process ended: exit code 3")
		}
		return &dyno.Capacity{RatePerS: dyno.Estimate{Value: 700, N: 1}}, nil
	}
	if err := b.Measure(t.Context(), testRun(searching(1, 1), "a", "b"), done()); err != nil {
		t.Fatal(err)
	}
	for _, trial := range b.store.trials[2:] {
		if (trial.Subject == "a") != (trial.Void == "the process ended: exit code 3") || trial.Void != "" && len(trial.Stderr) == 0 {
			t.Errorf("%+v", trial)
		}
	}
}

func TestSearchesKeepToTheBudget(t *testing.T) {
	var asked []string
	b := answers(t, &asked)
	b.Budget = 10 * time.Second // less than the plan expects of a single search
	if err := b.Measure(t.Context(), testRun(searching(1, 1), "a"), done()); !errors.Is(err, ErrBudget) || len(asked) > 0 {
		t.Errorf("%v after %v", err, asked)
	}
}

func TestARunWithAPrecisionIsSearchedToo(t *testing.T) {
	var asked []string
	b := answers(t, &asked)
	suite := searching(4, 2)
	suite.Method.Precision = 0.5
	if err := b.Measure(t.Context(), testRun(suite, "a", "b"), done()); err != nil {
		t.Fatal(err)
	}
	if len(asked) != 4 {
		t.Errorf("searched %v", asked)
	}
}
