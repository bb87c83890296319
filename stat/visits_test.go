package stat

import (
	"math"
	"math/rand/v2"
	"testing"

	"dyno"
	"dyno/hist"
)

// visitTrial is a trial of users who take scale times as long and cost scale times as much as those of others.
func visitTrial(rng *rand.Rand, block int, cell dyno.Cell, subject string, scale float64) dyno.Trial {
	t := trialOf(block, cell, subject, 1000, 1000)
	t.Latency, t.FirstByte, t.Session = hist.New(), hist.New(), hist.New()
	process := scale * math.Exp(0.01*rng.NormFloat64())
	for i := range 1000 {
		ns := 1e6 * process * (1 + float64(i)/1000)
		t.Latency.Record(int64(ns))
		t.FirstByte.Record(int64(ns / 2))
		t.Session.Record(int64(10 * ns))
	}
	for i := range t.Slices {
		t.Slices[i].ServerCPUNs = int64(float64(t.Slices[i].ServerCPUNs) * 1000 * process)
	}
	t.Visits = dyno.Visits{Created: 1000, Completed: 1000, Requests: 2000, BodyBytes: 5, Codes: map[int]int64{200: 2000}}
	return t
}

// Users set the rate, so what is judged is how long they wait and what they cost.
func TestVisitsAreJudgedByTimeAndCost(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	cell := dyno.Cell{Workload: dyno.Workload{Name: "visits.yml"}, Load: dyno.Load{Users: 1000}}
	closed := cellOf(8, oneConnection)
	run := runOf([]dyno.Cell{closed, cell}, "quick", "slow", "same")
	var trials []dyno.Trial
	for block := range 8 {
		for subject, scale := range map[string]float64{"quick": 1, "slow": 1.5, "same": 1.5} {
			trials = append(trials, visitTrial(rng, block, cell, subject, scale), trialOf(block, closed, subject, 1000, 1000+int64(block)))
		}
	}
	v := Judge(run, trials, len(trials))
	if v.Compared != 3 || len(v.Averages) != 0 || len(v.Scalings) != 0 {
		t.Errorf("users are mixed with closed loops: %d comparisons, %v, %v", v.Compared, v.Averages, v.Scalings)
	}
	c := v.Cells[1]
	if c.Winner != "quick" || c.RankedBy != dyno.ByTime || len(c.Comparisons) != 0 || len(c.ByMeasure) != len(visitMeasures) {
		t.Fatalf("got %+v", c)
	}
	for _, m := range c.ByMeasure {
		x, ok := dyno.CellVerdict{Comparisons: m.Comparisons}.Compare("quick", "slow")
		want := dyno.Faster
		if m.Measure == dyno.CPUCost {
			want = dyno.Cheaper
		}
		if !ok || m.Winner != "quick" || x.Outcome != want || !near(x.Ratio.Value, 1.5, 0.03) {
			t.Errorf("%s: winner %q, %+v", m.Measure, m.Winner, x)
		}
		if x, _ := (dyno.CellVerdict{Comparisons: m.Comparisons}).Compare("slow", "same"); x.Outcome == dyno.Faster || x.Outcome == dyno.Slower {
			t.Errorf("%s: equals are told apart: %+v", m.Measure, x)
		}
	}
	row := c.Rows[0].Visits
	if row == nil || row.Sum.Created != 8000 || row.Sum.Codes[200] != 16000 || !near(row.P95Ns.Value, 1.95e6, 3e4) || !near(row.SessionNs.Value, 1.5e7, 3e5) || row.ResponseSeenNs.P95 == 0 {
		t.Errorf("got %+v", row)
	}
	if c.Rows[0].Rank != 1 || c.Rows[1].Rank != 2 || c.Rows[2].Rank != 2 {
		t.Errorf("ranks %d, %d, %d", c.Rows[0].Rank, c.Rows[1].Rank, c.Rows[2].Rank)
	}
	o := Look(withPrecision(run), trials, 8)
	for _, open := range o.Cells {
		if open == cell && o.Settled == 0 {
			t.Errorf("nothing is settled: %+v", o)
		}
	}
}

// withPrecision makes a run one that ends when it knows enough.
func withPrecision(run dyno.Run) dyno.Run {
	run.Suite.Method.Precision, run.Suite.Method.Blocks = 0.02, 40
	return run
}

// The rate of users does not change when the server does.
func TestAContrastOfVisitsHasNoThroughput(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	cell := dyno.Cell{Workload: dyno.Workload{Name: "visits.yml"}, Load: dyno.Load{Users: 1000}}
	sides := [2]dyno.Side{}
	var trials [2][]dyno.Trial
	for i := range sides {
		sides[i].Run = runOf([]dyno.Cell{cell}, "a")
		sides[i].Run.ID = []string{"before", "after"}[i]
		for block := range 6 {
			trials[i] = append(trials[i], visitTrial(rng, block, cell, "a", 1+0.2*float64(i)))
		}
	}
	found := map[dyno.Measure]dyno.Outcome{}
	for _, change := range Contrast(sides[0], sides[1], trials[0], trials[1]).Changes {
		found[change.Measure] = change.Outcome
	}
	if _, told := found[dyno.Throughput]; told || found[dyno.SessionTime] != dyno.Worse || found[dyno.P95Time] != dyno.Worse {
		t.Errorf("got %v", found)
	}
}
