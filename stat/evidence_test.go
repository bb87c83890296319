package stat

import (
	"testing"

	"dyno"
	"dyno/hist"
)

func TestGatherKeepsEveryTrialAndNoUnsupportedQuantile(t *testing.T) {
	cell := dyno.Cell{Workload: dyno.Workload{PayloadBytes: 8}, Load: dyno.Load{Connections: 1, Depth: 1}}
	run := dyno.Run{Suite: dyno.Suite{Subjects: []string{"b", "a"}, Cells: []dyno.Cell{cell}}}
	var trials []dyno.Trial
	for _, block := range []int{1, 0} {
		for _, subject := range []string{"a", "b"} {
			h := hist.New()
			for ns := range int64(100) {
				h.Record(ns + 1)
			}
			x := dyno.Trial{
				TrialKey: dyno.TrialKey{Block: block, Cell: cell, Subject: subject}, Latency: h,
				Slices: []dyno.Slice{{DurationNs: 1e9, Replies: 100, ServerReplies: 100, ServerCPUNs: 500}},
			}
			if subject == "a" && block == 1 {
				x.Void = "1 wrong reply"
			}
			trials = append(trials, x)
		}
	}
	e := Gather(run, trials)
	if len(e.Cells) != 1 || len(e.Cells[0].Subjects) != 2 || e.Cells[0].Subjects[0].Subject != "b" {
		t.Fatalf("order lost: %+v", e)
	}
	b, _ := e.Find(cell, "b")
	if len(b.Trials) != 2 || b.Trials[0].Block != 0 || b.Trials[0].RatePerS != 100 || b.Trials[0].CPUNs != 5 || b.Trials[0].MaxNs != 100 {
		t.Errorf("b: %+v", b.Trials)
	}
	last := b.LatencyNs[len(b.LatencyNs)-1]
	if last.Share != 0.995 { // 200 values: one of them lies beyond
		t.Errorf("the last quantile of 200 values is %v", last)
	}
	a, _ := e.Find(cell, "a")
	if a.Trials[1].Void == "" || a.Trials[1].RatePerS != 0 {
		t.Errorf("a void trial has figures: %+v", a.Trials[1])
	}
	if _, found := e.Find(cell, "c"); found {
		t.Error("found a subject that is not there")
	}
}
