package lab

import (
	"context"
	"slices"
	"time"

	"dyno"
	"dyno/load"
	"dyno/stat"
)

// rounds loads the lanes in turns: every round in a new random order, one lane at a time, until enough is known or the
// time is over.
func (b *block) rounds(ctx context.Context, cell dyno.Cell, lanes []*lane) error {
	planned, slice := b.plan.Rounds()
	rounds, flags := planned, 0
	for round := 0; round < rounds; round++ {
		began, cpuNs, disturbance := b.Now(), cpuTime(lanes...), b.watch()
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
		flags += flagRound(lanes, round, b.Now().Sub(began), disturbance(cpuTime(lanes...)-cpuNs))
		rounds = planned
		if round+1 >= planned && !b.overBudget(0) {
			rounds = b.roundsWanted(cell, planned, (flags+len(lanes)-1)/len(lanes), lanes)
		}
	}
	return nil
}

// roundsWanted returns how many rounds a cell of a block takes. Flagged slices are made up for, by a round for as many of
// them as there are lanes, up to half as many rounds as were planned: flags never look at the outcome, so neither does
// this. And the rounds go on until they tell ratios closely enough, which looks at how they scatter, not at what they
// come to; not so with virtual users, who set the rate themselves.
func (b *block) roundsWanted(cell dyno.Cell, planned, disturbed int, lanes []*lane) int {
	wanted := min(planned+disturbed, planned+(planned+1)/2)
	m := b.run.Suite.Method
	if m.RoundsMost() == planned || cell.Load.Users > 0 {
		return wanted
	}
	var compared []*dyno.Trial
	for _, l := range lanes {
		if l.trial.Void == "" && !l.subject.Ceiling {
			compared = append(compared, &l.trial)
		}
	}
	return max(wanted, min(stat.RoundsFor(compared, m.BlockError), m.RoundsMost()))
}

// flagRound returns how many slices of a round are suspect. Where none is by itself but the round as a whole is, all
// of them are: what the kernel counts in ticks cannot be told of one short slice.
func flagRound(lanes []*lane, round int, length time.Duration, d dyno.Disturbance) (flags int) {
	var quiet []*dyno.Slice
	for _, l := range lanes {
		last := len(l.trial.Slices) - 1
		switch {
		case last < 0 || l.trial.Slices[last].Round != round:
		case l.trial.Slices[last].Flag != "":
			flags++
		default:
			quiet = append(quiet, &l.trial.Slices[last])
		}
	}
	why := suspicion(length, 0, 0, d)
	if flags > 0 || why == "" {
		return flags
	}
	for _, s := range quiet {
		s.Flag = why + " of this round"
	}
	return len(quiet)
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

// cpuTime sums the CPU time of the lanes' processes in ns. A process that is not there or has just died counts as 0:
// its death is found by other means.
func cpuTime(lanes ...*lane) int64 {
	var sum int64
	for _, l := range lanes {
		if l.process == nil {
			continue
		}
		if ns, err := l.process.CPUTime(); err == nil {
			sum += ns
		}
	}
	return sum
}
