package main

import (
	"math"
	"testing"
	"time"

	"dyno"
	"dyno/lab"
)

func TestCloneRatio(t *testing.T) {
	trial := func(subject string, replies ...int64) dyno.Trial {
		one := dyno.Trial{TrialKey: dyno.TrialKey{Subject: subject}}
		for round, n := range replies {
			one.Slices = append(one.Slices, dyno.Slice{Round: round, DurationNs: 1e9, Replies: n})
		}
		return one
	}
	one, other := trial("clone-1", 200, 400, 600), trial("clone-2", 100, 200, 300)
	for _, trials := range [][]dyno.Trial{{one, other}, {other, one}} { // the order of the start is random
		if got, err := cloneRatio(trials); err != nil || math.Abs(got-math.Log(2)) > 1e-12 {
			t.Errorf("%v, %v; want %v", got, err, math.Log(2))
		}
	}
	void := trial("clone-2")
	void.Void, void.Stderr = "1 × eof", []string{"first", "last words"}
	for _, test := range []struct {
		trials []dyno.Trial
		fault  string
	}{
		{nil, "a block of two clones has 0 trials; run the bench again"},
		{[]dyno.Trial{one, void}, "clone-2 is void: 1 × eof: last words; run the bench again"},
		{[]dyno.Trial{trial("clone-1"), trial("clone-2")}, "a block of two clones has no quiet slices; run the bench again on a quieter machine"},
	} {
		if _, err := cloneRatio(test.trials); message(err) != test.fault {
			t.Errorf("%v, want %q", err, test.fault)
		}
	}
}

// What differs between the pairs enters neither error; what differs within them is all of it.
func TestErrorsAreThoseWithinPairs(t *testing.T) {
	pairs := []pairRatios{
		{interleaved: []float64{0.50, 0.52}, sequential: []float64{0.50, 0.56}},
		{interleaved: []float64{-0.10, -0.12}, sequential: []float64{-0.10, -0.16}},
	}
	if got, want := interleavedError(pairs), 2/math.Sqrt2; math.Abs(got-want) > 1e-9 {
		t.Errorf("interleaved: %v, want %v", got, want)
	}
	if got := errorQuotient(pairs); math.Abs(got-1.0/3) > 1e-9 {
		t.Errorf("quotient: %v, want 1/3", got)
	}
	if got, want := processDifference(pairs), 100*(0.52+0.12)/math.Sqrt2; math.Abs(got-want) > 1e-9 {
		t.Errorf("the clones differ by %v, want %v", got, want)
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

// The random orders decide which clone is loaded first. They must differ from turn to turn, or a
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
