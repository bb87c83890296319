package main

import (
	"math"
	"testing"
	"time"

	"dyno"
	"dyno/lab"
)

func TestBlockLogRatio(t *testing.T) {
	slice := func(round int, replies int64) dyno.Slice {
		return dyno.Slice{Round: round, DurationNs: 1e9, Replies: replies}
	}
	trial := func(slices ...dyno.Slice) dyno.Trial {
		return dyno.Trial{TrialKey: dyno.TrialKey{Subject: "clone-1"}, Slices: slices}
	}
	// Paired by round, not by place: 2, 2, 2 and a disturbed round that the middle half leaves out.
	a := trial(slice(0, 200), slice(1, 400), slice(2, 600), slice(3, 9000))
	b := trial(slice(3, 1), slice(2, 300), slice(1, 200), slice(0, 100))
	got, err := blockLogRatio([]dyno.Trial{a, b})
	if err != nil || math.Abs(got-math.Log(2)) > 1e-12 {
		t.Errorf("%v, %v; want %v", got, err, math.Log(2))
	}
	void := trial()
	void.Void, void.Stderr = "1 × eof", []string{"first", "last words"}
	for _, test := range []struct {
		trials []dyno.Trial
		fault  string
	}{
		{nil, "a block of two clones has 0 trials; run the bench again"},
		{[]dyno.Trial{a, void}, "clone-1 is void: 1 × eof: last words; run the bench again"},
		{[]dyno.Trial{trial(), trial()}, "a block of two clones has no slices; run the bench again"},
		{[]dyno.Trial{a, trial(slice(0, 1))}, "round 2 has a clone without a reply; run the bench again on a quieter machine"},
		{[]dyno.Trial{trial(slice(0, 0)), b}, "round 1 has a clone without a reply; run the bench again on a quieter machine"},
	} {
		if _, err := blockLogRatio(test.trials); message(err) != test.fault {
			t.Errorf("%v, want %q", err, test.fault)
		}
	}
}

func TestSlicingMethodIsQuickOrWhole(t *testing.T) {
	whole, quick := slicingMethod(false), slicingMethod(true)
	if total := time.Duration(whole.Rounds) * whole.Slice; total != 2*time.Second {
		t.Errorf("a clone is loaded for %v in a block, want 2 s", total)
	}
	if quick.Slice*time.Duration(quick.Rounds) >= whole.Slice*time.Duration(whole.Rounds) || quick.Skip >= quick.Slice {
		t.Errorf("quick: %+v", quick)
	}
}

// The random orders decide which clone is loaded first. They must differ from block to block, or a
// drift of the machine would look like a difference of the clones.
func TestOrderOfWindowsIsRandom(t *testing.T) {
	const blocks = 40
	first := 0
	for seed := range uint64(blocks) {
		plan := lab.NewPlan(dyno.Suite{Method: slicingMethod(false)}, seed)
		first += plan.Round(0, slicingCell, 0, 2)[0]
	}
	if first < blocks/4 || first > blocks*3/4 {
		t.Errorf("the second clone comes first in %d of %d blocks", first, blocks)
	}
}
