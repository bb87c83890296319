package stat

import (
	"math"
	"math/rand/v2"

	"dyno"
	"dyno/hist"
)

var (
	oneConnection   = dyno.Load{Connections: 1, Depth: 1}
	fourConnections = dyno.Load{Connections: 4, Depth: 1}
)

func cellOf(bytes int, load dyno.Load) dyno.Cell {
	return dyno.Cell{Workload: dyno.Workload{PayloadBytes: bytes}, Load: load}
}

// runOf returns a run of the subjects in which the one called "null" is the ceiling.
func runOf(cells []dyno.Cell, subjects ...string) dyno.Run {
	r := dyno.Run{Suite: dyno.Suite{Subjects: subjects, Cells: cells}}
	for _, s := range subjects {
		r.Subjects = append(r.Subjects, dyno.Subject{Name: s, Title: s, Ceiling: s == "null"})
	}
	return r
}

// trialOf returns a trial with one slice of a second for each number of replies.
func trialOf(block int, cell dyno.Cell, subject string, replies ...int64) dyno.Trial {
	t := dyno.Trial{
		TrialKey: dyno.TrialKey{Block: block, Cell: cell, Subject: subject},
		WarmUp:   dyno.WarmUp{Settled: true},
		Server:   dyno.ServerCost{StartUpNs: 5e6, PeakRSSBytes: 1 << 20},
		Latency:  hist.New(),
	}
	for round, n := range replies {
		t.Slices = append(t.Slices, dyno.Slice{
			Round: round, DurationNs: 1e9, Replies: n,
			ServerCPUNs: 20 * n, ServerReplies: n, ClientBusyNs: 5e8,
		})
		t.Latency.Record(1e9 / max(n, 1))
	}
	return t
}

// world draws trials with a known truth: log-normal spread between processes and between slices.
type world struct {
	rng       *rand.Rand
	processSD float64
	sliceSD   float64
	blocks    int
	rounds    int
}

func (w world) trials(cell dyno.Cell, rates map[string]float64, subjects ...string) []dyno.Trial {
	var trials []dyno.Trial
	for block := range w.blocks {
		for _, s := range subjects {
			process := rates[s] * math.Exp(w.processSD*w.rng.NormFloat64())
			t := dyno.Trial{TrialKey: dyno.TrialKey{Block: block, Cell: cell, Subject: s}}
			for round := range w.rounds {
				t.Slices = append(t.Slices, dyno.Slice{
					Round: round, DurationNs: 1e8,
					Replies: int64(process / 10 * math.Exp(w.sliceSD*w.rng.NormFloat64())),
				})
			}
			trials = append(trials, t)
		}
	}
	return trials
}

func near(got, want, tolerance float64) bool { return math.Abs(got-want) <= tolerance }
