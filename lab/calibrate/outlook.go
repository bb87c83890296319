package calibrate

import (
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat/distuv"

	"dyno"
	"dyno/stat"
)

// Outlook says how noisy a machine is, from blocks of two clones of a steady server.
type Outlook struct {
	Blocks  int
	BlockNs int64   // what a block takes
	BlockSD float64 // standard deviation of a block's log ratio, e.g. 0.008
	Flagged float64 // share of slices that were flagged
	// Foreign and Stolen are shares of the time of the slices: CPU time of other programs on the CPUs in use,
	// and time that the hypervisor took.
	Foreign, Stolen float64
	LoopSpread      float64 // the slowest fixed loop took so much longer than the quickest
}

// outlookMethod is short: doctor must not take longer than a person waits.
var outlookMethod = dyno.Method{
	Blocks: 5, Rounds: 8, Slice: 60 * time.Millisecond, Skip: 5 * time.Millisecond,
	WarmUpMax: 300 * time.Millisecond, ReplyWithin: 2 * time.Second,
}

// OutlookRun returns the run that shows how noisy a machine is: clones of a server in one cell.
func OutlookRun(server dyno.Subject, machine dyno.Machine, seed uint64) dyno.Run {
	server.Ceiling = false // it is measured, here
	clones := Clones(server, 2)
	cell := dyno.Cell{Workload: dyno.Workload{PayloadBytes: 64}, Load: dyno.Load{Connections: 4, Depth: 1}}
	suite := Of(dyno.Suite{Name: "doctor", Contract: server.Contract, Cells: []dyno.Cell{cell}, Method: outlookMethod}, "noise", "", clones)
	return dyno.Run{ID: suite.Name, Suite: suite, Seed: seed, Subjects: clones, Machine: machine}
}

// Look sums up the trials of an OutlookRun that took so long.
func Look(run dyno.Run, trials []dyno.Trial, took time.Duration) Outlook {
	logs := inOrder(logRatios(run.Subjects[0].Name, run.Subjects[1].Name, trials))
	o := Outlook{Blocks: len(logs), BlockSD: stat.SD(logs), BlockNs: int64(took) / int64(run.Suite.Method.Blocks)}
	var loops []int64
	var sliced int
	for _, t := range trials {
		loops = append(loops, t.Noise.LoopNs, t.Noise.LoopAfterNs)
		for _, s := range t.Slices {
			sliced++
			if s.Flag != "" {
				o.Flagged++
			}
			o.Foreign += float64(s.Disturbance.ForeignCPUNs) / float64(run.Suite.Method.Slice)
			o.Stolen += float64(s.Disturbance.StealNs) / float64(run.Suite.Method.Slice)
		}
	}
	if sliced == 0 {
		return o
	}
	o.Flagged, o.Foreign, o.Stolen = o.Flagged/float64(sliced), o.Foreign/float64(sliced), o.Stolen/float64(sliced)
	if quickest := slices.Min(loops); quickest > 0 {
		o.LoopSpread = float64(slices.Max(loops))/float64(quickest) - 1
	}
	return o
}

// resolvePower is the chance with which a difference that Resolves names is found.
const resolvePower = 0.8

// Resolves returns the smallest difference between two servers in one cell that is found with 80 % in a time,
// as a share, e.g. 0.02; 0 when nobody knows.
func (o Outlook) Resolves(in time.Duration) float64 {
	if o.Blocks < 2 || o.BlockNs <= 0 {
		return 0
	}
	n := float64(max(int64(in)/o.BlockNs, 2))
	student := distuv.StudentsT{Sigma: 1, Nu: n - 1}
	return math.Expm1((student.Quantile(1-stat.Alpha/2) + student.Quantile(resolvePower)) * o.BlockSD / math.Sqrt(n))
}
