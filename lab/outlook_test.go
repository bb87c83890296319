package lab

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"testing"

	"dyno"
	"dyno/stat"
)

// precisely returns a run that ends when everything is known to 50 %, or after so many blocks.
func precisely(blocks int, subjects ...string) dyno.Run {
	run := testRun(testSuite(blocks, 2, 4), subjects...)
	run.Suite.Method.Precision = 0.5
	return run
}

// TestBlocksMeasureWhatTheirOutlookNeeds holds whatever the machine does: which cells a block has follows
// from the trials of the blocks before it, also across an interruption.
func TestBlocksMeasureWhatTheirOutlookNeeds(t *testing.T) {
	b := newBench(t, map[string]func(net.Conn){"a": echo, "b": echo})
	run := precisely(7, "a", "b")
	ctx, interrupt := context.WithCancel(t.Context())
	b.store.after = func() {
		if len(b.store.trials) == 7*2 { // in the midst of the fourth block, if it has both cells
			interrupt()
		}
	}
	keys := done()
	if err := b.Measure(ctx, run, keys); err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	b.store.after, b.Earlier = nil, slices.Clone(b.store.trials)
	if err := b.Measure(t.Context(), run, b.store.keys(t)); err != nil {
		t.Fatal(err)
	}
	measured := map[int][]dyno.Cell{}
	for _, trial := range b.store.trials {
		if trial.Subject == "a" {
			measured[trial.Block] = append(measured[trial.Block], trial.Cell)
		}
	}
	for block := range run.Suite.Method.Blocks {
		needed := stat.Look(run, b.store.trials, block).Cells
		if len(needed) != len(measured[block]) || slices.ContainsFunc(needed, func(c dyno.Cell) bool { return !slices.Contains(measured[block], c) }) {
			t.Errorf("block %d measured %v and needs %v", block, measured[block], needed)
		}
	}
	if last := b.progress[len(b.progress)-1]; last.Phase != dyno.PhaseDone || last.TrialsDone != last.TrialsPlanned || last.TrialsDone != len(b.store.trials) {
		t.Errorf("last progress %+v", last)
	}
}

func TestARunWithAPrecisionEndsWhenNothingIsOpen(t *testing.T) {
	b := newBench(t, map[string]func(net.Conn){"a": func(c net.Conn) {}}) // hangs up: every trial is void
	if err := b.Measure(t.Context(), precisely(40, "a"), done()); err != nil {
		t.Fatal(err)
	}
	if len(b.store.trials) != 3*2 {
		t.Errorf("%d trials, want those of three blocks", len(b.store.trials))
	}
	var notes []string
	for _, p := range b.progress {
		if p.Note != "" && !strings.Contains(p.Note, "void") {
			notes = append(notes, p.Note)
		}
	}
	if len(notes) != 4 || !strings.HasPrefix(notes[0], "plan: until every comparison is decided or known to ±50 %, at most 40 blocks; probably 3 more blocks (about ") ||
		notes[3] != "0 of 0 comparisons settled: the run has what it wanted" {
		t.Errorf("notes %q", notes)
	}
}

func TestAResumedRunNeedsItsTrials(t *testing.T) {
	b := newBench(t, map[string]func(net.Conn){"a": echo})
	run := precisely(3, "a")
	keys := done()
	keys[dyno.TrialKey{Cell: run.Suite.Cells[0], Subject: "a"}] = true
	if err := b.Measure(t.Context(), run, keys); err == nil || !strings.Contains(err.Error(), "1 trials are stored and 0 were given") {
		t.Errorf("got %v", err)
	}
}
