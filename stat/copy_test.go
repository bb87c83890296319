package stat

import (
	"math"
	"testing"

	"dyno"
)

// Two blocks in which a subject reaches 40 % and 60 % of its copy, although the second runs ten times slower.
func TestShareOfTheCopyIsPairedByBlock(t *testing.T) {
	cellNamed := func(name string) dyno.Cell {
		return dyno.Cell{Workload: dyno.Workload{Name: name}, Load: oneConnection}
	}
	cells := []dyno.Cell{cellNamed("Throughput 64 B"), cellNamed("Copy 64 B"), cellNamed("WriteByte"), cellNamed("Realistic mix")}
	var trials []dyno.Trial
	moved := func(block int, cell dyno.Cell, bytes int64) {
		replies := int64(1000)
		if cell == cells[1] {
			replies = 9000
		}
		trial := trialOf(block, cell, "codec-go", replies)
		trial.Work = dyno.Work{Operations: 1000, DurationNs: 1e9, Bytes: bytes}
		trials = append(trials, trial)
	}
	for block, bytes := range []int64{1_000_000, 100_000} {
		moved(block, cells[0], bytes*int64(4+2*block)/10)
		moved(block, cells[1], bytes)
		moved(block, cells[2], 0)
		moved(block, cells[3], bytes)
	}
	v := Judge(runOf(cells, "codec-go"), trials, len(trials))
	share := v.Cells[0].Rows[0].Work.OfCopy
	if !near(share.Value, math.Sqrt(0.4*0.6), 1e-9) || share.N != 2 || share.Low >= 0.4 || share.High <= 0.6 {
		t.Errorf("share of the copy is %+v, want 49 %% over 2 blocks", share)
	}
	if a := v.Averages[0]; !near(a.Rows[0].RatePerS.Value, 1000, 1e-6) {
		t.Errorf("the average over operations is %+v, want 1000/s: copies are no operations", a.Rows[0].RatePerS)
	}
	for i, what := range map[int]string{1: "a copy", 2: "an operation that moves nothing", 3: "a mix without its copy"} {
		if share := v.Cells[i].Rows[0].Work.OfCopy; share.N != 0 {
			t.Errorf("%s has %+v of a copy", what, share)
		}
	}
}
