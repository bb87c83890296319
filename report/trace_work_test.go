package report

import (
	"fmt"
	"math"
	"strings"

	"dyno"
	"dyno/report/internal/typeset"
)

// copies reports whether a cell is a ceiling for others and no work: sums over cells leave it out.
func copies(c dyno.Cell) bool { return strings.HasPrefix(c.Workload.Name, dyno.CopyPrefix) }

// work says what operations cost that a subject timed itself, and what share of a copy's speed they have.
func (tr *tracer) work(cell dyno.Cell, subject string) {
	own := tr.trialsOf(cell, subject)
	if len(own) == 0 || own[0].Work.Operations == 0 {
		return
	}
	tr.figure(geometric(tr.each(cell, subject, func(t dyno.Trial) float64 { return 1e9 / rateOf(t) })), 1)
	var operations, allocations, allocatedBytes int64
	for _, t := range own {
		operations, allocations, allocatedBytes = operations+t.Work.Operations, allocations+t.Work.Allocations, allocatedBytes+t.Work.AllocatedBytes
	}
	tr.say(fmt.Sprintf("%.0f", float64(allocatedBytes)/float64(operations)), fmt.Sprintf("%.2f", float64(allocations)/float64(operations)))
	if own[0].Work.Bytes == 0 {
		return
	}
	moved := geometric(tr.each(cell, subject, movedPerS))
	tr.figure(moved, 1e9/8)
	for _, gbit := range []float64{1, 10, 100} {
		tr.say(cores(dyno.Row{Work: &dyno.WorkRow{BytesPerS: moved}}, gbit))
	}
	for _, other := range tr.run.Suite.Cells {
		if other.Workload.Name != cell.Workload.CopyName() || copies(cell) {
			continue
		}
		ofCopy := tr.each(cell, subject, movedPerS)
		for block, x := range tr.each(other, subject, movedPerS) {
			ofCopy[block] /= x
		}
		e := geometric(ofCopy)
		tr.say(fmt.Sprintf("%.0f%% %s", 100*e.Value, doubt(e)))
	}
}

func movedPerS(t dyno.Trial) float64 {
	return float64(t.Work.Bytes) / (float64(t.Work.DurationNs) / 1e9)
}

// claims says what was published, and what the ratios over all cells are.
func (tr *tracer) claims() {
	for _, c := range tr.run.Suite.Claims {
		over := make([]float64, tr.run.Suite.Method.Blocks)
		n := float64(len(tr.run.Suite.Cells))
		for _, cell := range tr.run.Suite.Cells {
			second := tr.trialsOf(cell, c.B)
			for block, t := range tr.trialsOf(cell, c.A) {
				var logs []float64
				for round, s := range t.Slices {
					logs = append(logs, math.Log(s.RatePerS()/second[block].Slices[round].RatePerS()))
				}
				over[block] += dyno.Centre(logs) / n
			}
		}
		for block := range over {
			over[block] = math.Exp(over[block])
		}
		tr.say("×"+typeset.Figure(c.Ratio), "×"+measured(geometric(over), 1))
	}
}

// bracketSD is the standard deviation of the logarithm of a capacity that lies anywhere between a rate that was kept
// and one 2 % above it.
var bracketSD = math.Log(1.02) / math.Sqrt(12)

// capacities says what searches found, and how many players that makes of each type.
func (tr *tracer) capacities() {
	plan := tr.run.Suite.Capacity
	if plan == nil {
		return
	}
	found := func(subject string) []float64 {
		return tr.each(plan.Cell(), subject, func(t dyno.Trial) float64 { return t.Capacity.RatePerS.Value })
	}
	for _, a := range tr.run.Subjects {
		if len(found(a.Name)) == 0 {
			continue
		}
		e := geometricOf(found(a.Name), bracketSD)
		players := func(perS float64) string { return typeset.Thousands(int64(perS / plan.PlayerPerS)) }
		tr.say(players(e.Value)+" "+doubt(e), players(e.Low), players(e.High))
		tr.figure(e, plan.PlayerPerS)
		for _, kind := range serverTypes {
			down := float64(10*kind.inView) + 16*kind.chunksPerS + 1.0/15
			tr.say(fmt.Sprintf("%.0f", plan.PlayerPerS), fmt.Sprintf("%.0f", down), typeset.Thousands(int64(kind.players)))
			tr.say(typeset.Thousands(int64(e.Low / max(plan.PlayerPerS, down))))
		}
		for _, b := range tr.run.Subjects {
			ratios := found(a.Name)
			for block, x := range found(b.Name) {
				ratios[block] /= x
			}
			tr.ratio(geometricOf(ratios, math.Sqrt2*bracketSD))
		}
	}
}
