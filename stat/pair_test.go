package stat

import (
	"math"
	"testing"

	"dyno"
)

func TestPairRounds(t *testing.T) {
	slice := func(round int, replies int64, flag string) dyno.Slice {
		return dyno.Slice{Round: round, DurationNs: 1e9, Replies: replies, Flag: flag}
	}
	for _, c := range []struct {
		name    string
		a, b    []dyno.Slice
		want    float64 // ratio of the block
		dropped int
		missing bool
	}{
		{name: "plain", a: []dyno.Slice{slice(0, 200, "")}, b: []dyno.Slice{slice(0, 100, "")}, want: 2},
		{name: "paired by round, not by position",
			a: []dyno.Slice{slice(0, 100, ""), slice(1, 400, "")}, b: []dyno.Slice{slice(1, 200, ""), slice(0, 50, "")}, want: 2},
		{name: "unlike durations",
			a: []dyno.Slice{{DurationNs: 5e8, Replies: 100}}, b: []dyno.Slice{slice(0, 100, "")}, want: 2},
		{name: "a flagged slice takes its round out",
			a: []dyno.Slice{slice(0, 200, ""), slice(1, 9000, "stolen")}, b: []dyno.Slice{slice(0, 100, ""), slice(1, 100, "")}, want: 2},
		{name: "most rounds of all blocks flagged: they count all the same",
			a: []dyno.Slice{slice(0, 200, ""), slice(1, 200, "stolen"), slice(2, 200, "")},
			b: []dyno.Slice{slice(0, 100, ""), slice(1, 100, ""), slice(2, 100, "rest was busy")}, want: 2},
		{name: "no round in common", a: []dyno.Slice{slice(0, 200, "")}, b: []dyno.Slice{slice(1, 100, "")}, missing: true},
		{name: "no slices", missing: true},
		{name: "no duration", a: []dyno.Slice{{Replies: 5}}, b: []dyno.Slice{slice(0, 100, "")}, missing: true},
		{name: "a slice without replies counts as half a reply",
			a: []dyno.Slice{slice(0, 0, "")}, b: []dyno.Slice{slice(0, 100, "")}, want: 0.005},
	} {
		a, b := &dyno.Trial{Slices: c.a}, &dyno.Trial{Slices: c.b}
		r := pairBlocks(map[int]*dyno.Trial{3: a, 4: a}, map[int]*dyno.Trial{3: b, 5: b})
		if r.dropped != c.dropped || (len(r.byBlock) == 0) != c.missing {
			t.Errorf("%s: %d blocks, %d dropped", c.name, len(r.byBlock), r.dropped)
		}
		if !c.missing && !near(math.Exp(r.byBlock[3]), c.want, 1e-9) {
			t.Errorf("%s: ratio %v, want %v", c.name, math.Exp(r.byBlock[3]), c.want)
		}
	}
}

// TestDisturbedBlocksAreDroppedWhileMostAreQuiet pairs blocks of which some were disturbed throughout.
func TestDisturbedBlocksAreDroppedWhileMostAreQuiet(t *testing.T) {
	trials := func(disturbed int) map[int]*dyno.Trial {
		byBlock := map[int]*dyno.Trial{}
		for block := range 6 {
			s := dyno.Slice{DurationNs: 1e9, Replies: 100}
			if block < disturbed {
				s.Flag = "stolen"
			}
			byBlock[block] = &dyno.Trial{Slices: []dyno.Slice{s}}
		}
		return byBlock
	}
	for disturbed, want := range map[int]struct{ blocks, dropped int }{0: {6, 0}, 1: {5, 1}, 3: {3, 3}, 4: {6, 0}, 6: {6, 0}} {
		if r := pairBlocks(trials(disturbed), trials(0)); len(r.byBlock) != want.blocks || r.dropped != want.dropped {
			t.Errorf("%d of 6 disturbed: %d blocks count and %d are dropped, want %+v", disturbed, len(r.byBlock), r.dropped, want)
		}
	}
}

// One stalled slice of eight must neither make the block infinite nor vanish from it.
func TestOneStalledSliceDoesNotMoveTheBlockFar(t *testing.T) {
	cell := cellOf(64, oneConnection)
	a := trialOf(0, cell, "a", 1000, 1010, 990, 0, 1005, 995, 1002, 998)
	b := trialOf(0, cell, "b", 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000)
	r := pairBlocks(map[int]*dyno.Trial{0: &a}, map[int]*dyno.Trial{0: &b})
	if got := math.Exp(r.byBlock[0]); !near(got, 1, 0.005) {
		t.Errorf("ratio %v, want 1 within 0.5 %%", got)
	}
}

func TestCountingSetsTheResolution(t *testing.T) {
	cell := cellOf(64, oneConnection)
	a, b := trialOf(0, cell, "a", 10), trialOf(0, cell, "b", 10)
	r := pairBlocks(map[int]*dyno.Trial{0: &a}, map[int]*dyno.Trial{0: &b})
	if want := math.Sqrt(2.0 / 100 / 12); !near(r.resolution, want, 1e-12) {
		t.Errorf("resolution %v, want %v: two counts of 10, each rounded", r.resolution, want)
	}
}
