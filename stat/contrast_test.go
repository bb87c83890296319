package stat

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"dyno"
	"dyno/hist"
)

// side makes a run of n blocks in which each subject's rate is its mean, spread log-normally by sd. noise
// is common to the subjects of a block, as what the machine does is.
func side(id string, n int, means map[string]float64, sd, noise float64, random *rand.Rand) (dyno.Side, []dyno.Trial) {
	cell := dyno.Cell{Workload: dyno.Workload{PayloadBytes: 64}, Load: dyno.Load{Connections: 4, Depth: 1}}
	run := dyno.Run{ID: id, Suite: dyno.Suite{Name: "s", Cells: []dyno.Cell{cell}}, Dyno: "1"}
	var trials []dyno.Trial
	for _, name := range []string{"a", "b", "c"} {
		if means[name] == 0 {
			continue
		}
		run.Suite.Subjects = append(run.Suite.Subjects, name)
		run.Subjects = append(run.Subjects, dyno.Subject{Name: name, Runtime: "node", RuntimeVersion: "24"})
	}
	for block := range n {
		common := noise * random.NormFloat64()
		for _, name := range run.Suite.Subjects {
			rate := means[name] * math.Exp(common+sd*random.NormFloat64())
			latency := hist.New()
			for range 1000 {
				latency.Record(int64(4e9 / rate))
			}
			trials = append(trials, dyno.Trial{
				TrialKey: dyno.TrialKey{Block: block, Cell: cell, Subject: name}, Latency: latency,
				Slices: []dyno.Slice{{DurationNs: 1e9, Replies: int64(rate), ServerCPUNs: 1e9, ServerReplies: int64(rate)}},
				Server: dyno.ServerCost{PeakRSSBytes: 50 << 20, StartUpNs: 40e6 + int64(random.IntN(1e6))},
			})
		}
	}
	return dyno.Side{Run: run}, trials
}

func change(t *testing.T, c dyno.Contrast, m dyno.Measure, subject string) dyno.Change {
	t.Helper()
	for _, x := range c.Changes {
		if x.Measure == m && x.SubjectB == subject {
			return x
		}
	}
	t.Fatalf("no %s of %s in %+v", m, subject, c.Changes)
	return dyno.Change{}
}

func TestContrastOfTwoRuns(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	a, trialsA := side("one", 10, map[string]float64{"a": 100_000, "b": 50_000}, 0.01, 0, random)
	b, trialsB := side("two", 10, map[string]float64{"a": 90_000, "b": 50_050, "c": 7}, 0.01, 0, random)
	b.Run.Machine.Hostname, b.Run.Suite.Quick, b.Run.Subjects[0].RuntimeVersion = "other", true, "26"
	c := Contrast(a, b, trialsA, trialsB)
	worse := change(t, c, dyno.Throughput, "a")
	if worse.Outcome != dyno.Worse || math.Abs(worse.Share()+0.1) > 0.02 || worse.Paired || !(worse.Ratio.Low < 0.9 && worse.Ratio.High > 0.9) {
		t.Errorf("%+v", worse)
	}
	if dearer := change(t, c, dyno.CPUCost, "a"); dearer.Outcome != dyno.Worse || dearer.Ratio.Value < 1.05 {
		t.Errorf("%+v", dearer)
	}
	if same := change(t, c, dyno.Throughput, "b"); same.Outcome == dyno.Worse || same.Outcome == dyno.Better {
		t.Errorf("%+v", same)
	}
	if len(c.Missing) != 1 || c.Missing[0] != "only in B: c, 64 B × 4 connections" {
		t.Errorf("%q", c.Missing)
	}
	for _, want := range []string{"the machine differs:  in A, other in B", "the suite differs: s in A, s, quick in B", "runtime of a differs: node 24 in A, node 26 in B", "different times"} {
		if !strings.Contains(strings.Join(c.Warnings, "\n"), want) {
			t.Errorf("no %q in %q", want, c.Warnings)
		}
	}
}

// Within a run the noise of the blocks cancels out, so that a difference is found which the spread of the
// rates alone would hide.
func TestContrastWithinARunIsPaired(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	s, trials := side("one", 10, map[string]float64{"a": 100_000, "b": 95_000}, 0.003, 0.2, random)
	a, b := s, s
	a.Subject, b.Subject = "a", "b"
	c := Contrast(a, b, trials, trials)
	x := change(t, c, dyno.Throughput, "b")
	if x.SubjectA != "a" || !x.Paired || x.Outcome != dyno.Worse || math.Abs(x.Share()+0.05) > 0.01 || len(c.Warnings) > 0 {
		t.Errorf("%+v, %q", x, c.Warnings)
	}
}

// Two runs of one subject differ by chance alone: at most 5 % of the comparisons may call it a change.
func TestContrastOfEqualsIsSeldomWrong(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	const runs = 600
	wrong := 0
	for range runs {
		a, trialsA := side("one", 4, map[string]float64{"a": 100_000}, 0.02, 0, random)
		b, trialsB := side("two", 7, map[string]float64{"a": 100_000}, 0.005, 0, random)
		if x := change(t, Contrast(a, b, trialsA, trialsB), dyno.Throughput, "a"); x.Outcome != dyno.Undecided && x.Outcome != dyno.Tie {
			wrong++
		}
	}
	if wrong > runs*7/100 { // 5 %, and two standard errors
		t.Errorf("%d of %d equal sides are told apart", wrong, runs)
	}
}

func TestContrastOfTooLittle(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	a, trialsA := side("one", 1, map[string]float64{"a": 100_000}, 0.01, 0, random)
	b, trialsB := side("two", 5, map[string]float64{"a": 50_000}, 0.01, 0, random)
	x := change(t, Contrast(a, b, trialsA, trialsB), dyno.Throughput, "a")
	if x.Outcome != dyno.Undecided || x.Ratio.Known() || x.P != 1 {
		t.Errorf("%+v", x)
	}
	if c := Contrast(a, b, nil, trialsB); len(c.Changes) != 0 || len(c.Missing) != 1 {
		t.Errorf("%+v", c)
	}
	x = change(t, Contrast(a, b, []dyno.Trial{trialsB[0], trialsB[0]}, trialsB), dyno.PeakMemory, "a")
	if x.Outcome != dyno.Undecided { // memory that never varies has no spread to judge by
		t.Errorf("%+v", x)
	}
}

// TestTooFewRepliesOfOneProcessTellNoP99 is the rule of Judge: leaving out the one process would favour the fast ones.
func TestTooFewRepliesOfOneProcessTellNoP99(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	a, trialsA := side("one", 6, map[string]float64{"a": 100_000, "b": 50_000}, 0.01, 0, random)
	b, trialsB := side("two", 6, map[string]float64{"a": 90_000, "b": 50_050}, 0.01, 0, random)
	few := hist.New()
	for range RepliesFor(0.99) - 1 {
		few.Record(40_000)
	}
	trialsB[0].Latency = few
	c := Contrast(a, b, trialsA, trialsB)
	for _, x := range c.Changes {
		if x.Measure == dyno.P99Time && x.SubjectB == "a" {
			t.Errorf("a p99 of too few replies is compared: %+v", x)
		}
	}
	change(t, c, dyno.P99Time, "b")
	change(t, c, dyno.P50Time, "a")
	if !strings.Contains(strings.Join(c.Warnings, "\n"), "not compared in 1 of 2 places") {
		t.Errorf("%q", c.Warnings)
	}
}
