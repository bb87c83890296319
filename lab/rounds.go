package lab

import (
	"context"
	"slices"
	"time"

	"dyno"
	"dyno/load"
)

// rounds loads the lanes in turns: every round in a new random order, one lane at a time. Each round with
// a flagged slice is made up for by another at the end, up to half as many as were planned: flags never
// look at the outcome, so neither does this.
func (b *block) rounds(ctx context.Context, cell dyno.Cell, lanes []*lane) error {
	planned, slice := b.plan.Rounds()
	rounds, most := planned, planned+(planned+1)/2
	for round := 0; round < rounds; round++ {
		for position, i := range b.plan.Round(b.number, cell, round, len(lanes)) {
			l := lanes[i]
			if l.trial.Void != "" {
				continue
			}
			b.show(dyno.Progress{Phase: dyno.PhaseMeasure, Round: round, Rounds: rounds, Subject: l.subject.Title})
			s := dyno.Slice{Round: round, Position: position}
			if err := b.slice(ctx, l, lanes, slice, s); err != nil {
				return err
			}
		}
		if rounds < most && flagged(lanes, round) && !b.overBudget(0) {
			rounds++
		}
	}
	return nil
}

// flagged reports whether a slice of the round is suspect.
func flagged(lanes []*lane, round int) bool {
	return slices.ContainsFunc(lanes, func(l *lane) bool {
		last := len(l.trial.Slices) - 1
		return last >= 0 && l.trial.Slices[last].Round == round && l.trial.Slices[last].Flag != ""
	})
}

// slice loads one lane for one slice and appends what happened to its trial.
func (b *block) slice(ctx context.Context, l *lane, lanes []*lane, length time.Duration, s dyno.Slice) error {
	resting := slices.DeleteFunc(slices.Clone(lanes), func(o *lane) bool { return o == l || o.process == nil })
	restNs := cpuTime(resting...)
	cpuNs := cpuTime(l)
	disturbance := b.watch()
	r, err := l.client.Run(ctx, load.Window{Duration: length, Skip: b.run.Suite.Method.Skip, Bucket: length})
	if err != nil {
		return err
	}
	s.ServerCPUNs = cpuTime(l) - cpuNs
	s.RestCPUNs = cpuTime(resting...) - restNs
	s.Disturbance = disturbance(s.ServerCPUNs + s.RestCPUNs)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	t := &l.trial
	t.Client.Sent += r.Sent
	t.Client.Verified += r.Verified
	t.Client.Reconnects += r.Reconnects
	t.Client.Poller = string(r.Poller)
	if l.failed(r) {
		return nil
	}
	s.DurationNs, s.Replies, s.ServerReplies = r.DurationNs, r.Counted, r.Verified
	if work, ok := l.work(); ok {
		s.DurationNs, s.Replies, s.ServerReplies = work.DurationNs, work.Operations, work.Operations
		t.Work = t.Work.Plus(work)
	}
	if l.guests != nil { // the turn ends when the last of them has left
		length = time.Duration(r.DurationNs)
		l.guests.note(t)
	}
	s.ClientBusyNs, s.BytesRead = r.BusyNs, r.BytesRead
	s.Flag = suspicion(length, len(resting), s.RestCPUNs, s.Disturbance)
	s.Latency = r.Latency.Bands()
	t.Latency.Merge(r.Latency)
	t.Slices = append(t.Slices, s)
	return nil
}

// cpuTime sums the CPU time of the lanes' processes in ns. A process that has just died counts as 0:
// its death is found by other means.
func cpuTime(lanes ...*lane) int64 {
	var sum int64
	for _, l := range lanes {
		if ns, err := l.process.CPUTime(); err == nil {
			sum += ns
		}
	}
	return sum
}
