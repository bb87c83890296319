package stat

import (
	"math"
	"testing"

	"dyno"
)

// matrix has two workloads under two loads, and rates without noise that each block scales.
func matrix() (dyno.Run, []dyno.Trial) {
	cells := []dyno.Cell{
		cellOf(8, oneConnection), cellOf(64, oneConnection),
		cellOf(8, fourConnections), cellOf(64, fourConnections),
	}
	rates := map[string][]int64{
		"deno": {100_000, 200_000, 300_000, 500_000},
		"bun":  {110_000, 180_000, 400_000, 600_000},
	}
	var trials []dyno.Trial
	for block, scale := range []int64{10, 11, 12} {
		for i, cell := range cells {
			for _, s := range []string{"deno", "bun"} {
				trials = append(trials, trialOf(block, cell, s, rates[s][i]*scale))
			}
		}
	}
	return runOf(cells, "deno", "bun"), trials
}

func TestAverageByHand(t *testing.T) {
	run, trials := matrix()
	v := Judge(run, trials, 0)
	if len(v.Averages) != 2 || v.Compared != 4+2 {
		t.Fatalf("%d averages, family of %d", len(v.Averages), v.Compared)
	}
	a := v.Averages[0]
	if a.Load != oneConnection || a.Cells != 2 {
		t.Errorf("got %+v", a)
	}
	// Arithmetic: (100 + 200)/2 thousand, times the geometric mean of the block scales.
	scale := math.Cbrt(10 * 11 * 12)
	deno, _ := a.Row("deno")
	bun, _ := a.Row("bun")
	if !near(deno.RatePerS.Value, 150_000*scale, 1) || !near(bun.RatePerS.Value, 145_000*scale, 1) || deno.RatePerS.N != 3 {
		t.Errorf("deno %+v, bun %+v", deno, bun)
	}
	// Geometric: √(1.1 × 0.9), the same in each block.
	c, ok := a.Compare("bun", "deno")
	if !ok || !near(c.Ratio.Value, math.Sqrt(0.99), 1e-9) || c.Ratio.N != 3 || c.Ratio.High-c.Ratio.Low > 1e-3 {
		t.Errorf("got %+v", c)
	}
}

func TestScalingByHand(t *testing.T) {
	run, trials := matrix()
	v := Judge(run, trials, 0)
	if len(v.Scalings) != 2 {
		t.Fatalf("got %+v", v.Scalings)
	}
	s := v.Scalings[1]
	want := math.Sqrt(400.0 / 110 * 600 / 180)
	if s.Subject != "bun" || s.From != oneConnection || s.To != fourConnections || s.Workloads != 2 ||
		!near(s.Ratio.Value, want, 1e-9) || s.Ratio.N != 3 {
		t.Errorf("got %+v, want ratio %v", s, want)
	}
}

func TestSummariesUseOnlyBlocksThatHaveAllCells(t *testing.T) {
	run, trials := matrix()
	trials[0].Void = "crashed" // deno, 8 B, 1 connection, block 0
	v := Judge(run, trials, 0)
	deno, _ := v.Averages[0].Row("deno")
	c, _ := v.Averages[0].Compare("bun", "deno")
	if deno.RatePerS.N != 2 || c.Ratio.N != 2 || v.Scalings[0].Ratio.N != 2 || v.Scalings[1].Ratio.N != 3 {
		t.Errorf("n: average %d, ratio %d, scaling %d and %d", deno.RatePerS.N, c.Ratio.N, v.Scalings[0].Ratio.N, v.Scalings[1].Ratio.N)
	}
}

func TestNoSummaryWithoutAFigureInEachCell(t *testing.T) {
	run, trials := matrix()
	for i := range trials {
		if trials[i].Subject == "deno" && trials[i].Cell == run.Suite.Cells[0] {
			trials[i].Void = "crashed"
		}
	}
	v := Judge(run, trials, 0)
	if _, ok := v.Averages[0].Row("deno"); ok || len(v.Averages[0].Comparisons) != 0 {
		t.Errorf("an average over a missing cell: %+v", v.Averages[0])
	}
	if _, ok := v.Averages[1].Row("deno"); !ok {
		t.Error("the other load lost its average")
	}
}

func TestScalingKeepsToOneDepth(t *testing.T) {
	deep := dyno.Load{Connections: 4, Depth: 16}
	cells := []dyno.Cell{cellOf(8, oneConnection), cellOf(8, deep)}
	trials := []dyno.Trial{trialOf(0, cells[0], "a", 100), trialOf(0, cells[1], "a", 900)}
	if v := Judge(runOf(cells, "a"), trials, 0); len(v.Scalings) != 0 || len(v.Averages) != 0 {
		t.Errorf("scaling %+v, averages %+v", v.Scalings, v.Averages)
	}
}

func TestCPUSharesByHand(t *testing.T) {
	run, trials := matrix()
	run.Subjects = append(run.Subjects, dyno.Subject{Name: "raw", BaselineOf: "bun"}, dyno.Subject{Name: "lost", BaselineOf: "gone"})
	// The baseline needs 90 % of bun's 20 ns in one cell and 95 % in the other, on one connection only.
	for block := range 3 {
		for bytes, ns := range map[int]int64{8: 180, 64: 190} {
			raw := trialOf(block, cellOf(bytes, oneConnection), "raw", 1000)
			raw.Slices[0].ServerCPUNs, raw.Slices[0].ServerReplies = ns*(1000+int64(block)), 10*(1000+int64(block))
			trials = append(trials, raw)
		}
	}
	v := Judge(run, trials, 0)
	if len(v.Shares) != 1 {
		t.Fatalf("got %+v", v.Shares)
	}
	s := v.Shares[0]
	if want := 1 - math.Sqrt(0.9*0.95); s.Subject != "bun" || s.Baseline != "raw" || s.Load != oneConnection || s.Workloads != 2 || !near(s.Share(), want, 1e-9) || s.Ratio.N != 3 {
		t.Errorf("%+v, share %v, want %v", s, s.Share(), want)
	}
	for limit, want := range map[float64][2]bool{0.05: {false, true}, 0.1: {true, true}} {
		if below, decided := s.Below(limit); below != want[0] || decided != want[1] {
			t.Errorf("below %v: %v, decided %v", limit, below, decided)
		}
	}
	if c := v.Cells[0]; len(c.Rows) != 2 || len(c.Baselines) != 1 || len(c.Comparisons) != 1 {
		t.Errorf("a baseline must not be ranked: %+v", c)
	}
}

func TestClaimsByHand(t *testing.T) {
	run, trials := matrix()
	run.Suite.Claims = []dyno.Claim{
		{Said: "equal", A: "bun", B: "deno", Ratio: 1},
		{Said: "half", A: "deno", B: "bun", Ratio: 0.5},
		{Said: "nobody", A: "deno", B: "gone", Ratio: 1},
	}
	v := Judge(run, trials, 0)
	if len(v.Claims) != 4 { // two claims under two loads
		t.Fatalf("got %+v", v.Claims)
	}
	for i, want := range []struct {
		found float64
		holds bool
	}{
		{math.Sqrt(1.1 * 0.9), true}, {math.Sqrt(4.0 / 3 * 1.2), false},
		{1 / math.Sqrt(1.1*0.9), false}, {1 / math.Sqrt(4.0/3*1.2), false},
	} {
		c := v.Claims[i]
		if holds, decided := c.Holds(); !near(c.Found.Value, want.found, 1e-9) || holds != want.holds || !decided {
			t.Errorf("%s: found %v, holds %v, decided %v; want %+v", c.Said, c.Found.Value, holds, decided, want)
		}
	}
	wide := dyno.ClaimAnswer{Claim: dyno.Claim{Ratio: 1}, Found: dyno.Estimate{Value: 1, N: 2}, Low: 0.8, High: 1.2}
	if _, decided := wide.Holds(); decided {
		t.Error("a wide interval decides nothing")
	}
}
