package lab

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"time"

	"dyno"
	"dyno/contract"
	"dyno/hist"
	"dyno/load"
)

// Warm-up windows. The first cell of a process compiles its code; later ones only change the load.
const (
	firstWarmUpWindow = 100 * time.Millisecond
	laterWarmUpWindow = 15 * time.Millisecond
)

// crashShowsWithin is how long a failed window waits for the news of a crash, which explains it better.
const crashShowsWithin = 500 * time.Millisecond

// traffic loads a lane: the connections of a closed loop, or the users of a scenario.
type traffic interface {
	// Run loads the lane for a window and says what happened.
	Run(ctx context.Context, w load.Window) (*load.Result, error)
	Close()
}

// lane is one subject's part of a cell: its process, its connections, its trial in the making.
type lane struct {
	subject dyno.Subject
	process Process
	client  traffic
	guests  *guests           // the client where it is made of virtual users; else nil
	workers []contract.Worker // the sessions, where the subject keeps the time of its own work
	trial   dyno.Trial
}

// work returns what the subject did by its own clock since the last call, if it keeps one.
func (l *lane) work() (sum dyno.Work, ok bool) {
	for _, w := range l.workers {
		sum = sum.Plus(w.Work())
	}
	return sum, len(l.workers) > 0
}

// cell measures one cell of a block for the given subjects and leaves one trial for each in b.lanes.
// An error means that the cell was interrupted and nothing of it counts.
func (b *block) cell(ctx context.Context, cell dyno.Cell, subjects []dyno.Subject) error {
	lanes := make([]*lane, len(subjects))
	b.lanes = lanes
	for i, s := range subjects {
		lanes[i] = &lane{subject: s, trial: dyno.Trial{
			TrialKey:  dyno.TrialKey{Block: b.number, Cell: cell, Subject: s.Name},
			StartedAt: b.Now(),
			Latency:   hist.New(),
		}}
	}
	defer func() {
		for _, l := range lanes {
			if l.client != nil {
				l.client.Close()
			}
		}
	}()
	for _, i := range b.plan.Starts(b.number, len(lanes)) {
		if err := b.prepare(ctx, cell, lanes[i]); err != nil {
			return err
		}
	}
	account := collect()
	noise := b.listen(lanes)
	if err := b.rounds(ctx, cell, lanes); err != nil {
		return err
	}
	noise.end()
	for _, l := range lanes {
		if l.guests != nil {
			l.guests.seeOut(ctx, l)
		}
		l.trial.Client.GCPauses, l.trial.Client.GCPauseNs = account.since()
		if l.process != nil {
			l.trial.Server.StartUpNs = int64(l.process.StartUp())
			l.trial.Server.PeakRSSBytes, l.trial.Server.Threads = l.process.Footprint()
		}
		if l.trial.Void != "" {
			_ = b.stop(l.subject) // the next cell begins with a fresh process
		}
	}
	return nil
}

// void ends a lane's trial with a reason.
func (l *lane) void(format string, args ...any) {
	if l.trial.Void != "" {
		return
	}
	l.trial.Void = fmt.Sprintf(format, args...)
	if l.process != nil {
		if fault := l.process.Fault(); fault != "" {
			l.trial.Void = fault
		}
		l.trial.Stderr = l.process.Stderr()
	}
}

// prepare brings a lane to its steady state: process, connections, warm-up. What goes wrong with the
// subject voids the lane; an error means that the run was interrupted.
func (b *block) prepare(ctx context.Context, cell dyno.Cell, l *lane) error {
	fresh := b.alive[l.subject.Name] == nil
	process, err := b.ensure(ctx, l.subject)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		l.void("%v", err)
		l.trial.Stderr = lastWords(err)
		return nil
	}
	l.process = process
	process.Refresh()
	addr, err := netip.ParseAddrPort(process.Addr())
	if err != nil {
		return fmt.Errorf("address of %s: %w", l.subject.Name, err)
	}
	if cell.Load.Users > 0 {
		err = b.invite(ctx, cell, l, addr)
	} else {
		err = b.connect(ctx, cell, l, addr)
	}
	if err != nil || ctx.Err() != nil || l.trial.Void != "" {
		return cmp.Or(ctx.Err(), err)
	}
	b.show(dyno.Progress{Phase: dyno.PhaseWarmUp, Subject: l.subject.Title})
	window := laterWarmUpWindow
	if fresh {
		window = firstWarmUpWindow
	}
	err = b.warmUp(ctx, l, window)
	if l.guests != nil {
		l.guests.ready()
	}
	return err
}

// connect opens the connections of a closed loop.
func (b *block) connect(ctx context.Context, cell dyno.Cell, l *lane, addr netip.AddrPort) error {
	sessions, err := b.Contract.Traffic(cell.Workload, cell.Load.Depth, b.plan.TrafficSeed(b.number, cell))
	if err != nil {
		return fmt.Errorf("traffic of %v: %w", cell, err)
	}
	client, err := b.Engine.Open(ctx, load.Config{
		Addr: addr, Connections: cell.Load.Connections, Depth: cell.Load.Depth,
		NewSession: l.noteWorkers(sessions), ReplyWithin: b.run.Suite.Method.ReplyWithin,
	})
	if err != nil {
		l.void("%v", err)
		return nil
	}
	l.client = client // not before: a nil client must not become a traffic
	return nil
}

// noteWorkers returns a function that makes sessions and keeps those that are workers.
func (l *lane) noteWorkers(sessions func(conn int) load.Session) func(conn int) load.Session {
	return func(conn int) load.Session {
		s := sessions(conn)
		if w, ok := s.(contract.Worker); ok {
			l.workers = append(l.workers, w)
		}
		return s
	}
}

// failed voids the lane when anything at all went wrong in a window, and says so.
func (l *lane) failed(r *load.Result) bool {
	errors := r.Errors()
	if l.guests != nil {
		errors = l.guests.errors()
	}
	for kind, n := range errors {
		if l.trial.Errors == nil {
			l.trial.Errors = map[string]int64{}
		}
		l.trial.Errors[kind] += n
	}
	patience := time.Duration(0)
	if len(errors) > 0 {
		patience = crashShowsWithin
	}
	select {
	case <-l.process.Exited():
		l.void("the process ended")
	case <-time.After(patience):
		if l.process.Fault() != "" {
			l.void("the process misbehaved")
		}
	}
	switch {
	case r.FirstFault != "":
		l.void("wrong reply: %s", r.FirstFault)
	case len(errors) > 0:
		l.void("%s", firstError(errors))
	}
	return l.trial.Void != ""
}

// firstError puts the most frequent failure into words.
func firstError(errors map[string]int64) string {
	worst := ""
	for kind, n := range errors {
		if worst == "" || n > errors[worst] || n == errors[worst] && kind < worst {
			worst = kind
		}
	}
	return fmt.Sprintf("%d × %s", errors[worst], worst)
}
