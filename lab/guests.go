package lab

import (
	"context"
	"fmt"
	"net/netip"
	"runtime"
	"slices"

	"dyno"
	"dyno/hist"
	"dyno/load"
	"dyno/scenario"
)

// guests load a lane with the virtual users of a scenario. Each turn lets in the next stretch of them, by their part
// of the script's schedule, and ends when the last has left: the rounds of a trial are the script once.
type guests struct {
	program *scenario.Program
	engine  *load.Engine
	seed    uint64
	users   int64 // of the trial
	rounds  int64 // that they are spread over
	warm    bool  // the warm-up is over
	turns   int64 // since then, or since it began

	times  *scenario.Times  // of the last turn
	report *scenario.Report // of the last turn

	vars  map[string]any   // what the script's before flow left to the users
	whole *scenario.Report // of all turns since the warm-up; nil before the first
}

// invite prepares the users of a scenario for a lane, and runs the script's before flow: once for the trial, before
// anything is timed. A flow that fails voids the lane.
func (b *block) invite(ctx context.Context, cell dyno.Cell, l *lane, addr netip.AddrPort) error {
	i := slices.IndexFunc(b.run.Suite.Scripts, func(s dyno.Script) bool { return s.Name == cell.Workload.Name })
	if i < 0 {
		return fmt.Errorf("the suite has no script %s; put it beside the suite's file", cell.Workload.Name)
	}
	program, err := scenario.Read(b.run.Suite.Scripts[i].Path, scenario.Options{Target: "http://" + addr.String()})
	if err != nil {
		return err
	}
	rounds, _ := b.plan.Rounds()
	l.guests = &guests{
		program: program, engine: b.Engine, seed: b.plan.TrafficSeed(b.number, cell),
		users: int64(cell.Load.Users), rounds: int64(rounds),
	}
	l.client = l.guests
	if l.guests.vars, err = program.Before(ctx, l.guests.options()); err != nil {
		l.void("%v", err)
	}
	return nil
}

// seeOut ends the trial of a lane: the script's after flow runs, and what the script promises is judged. Promises void
// nothing: a trial that was thrown away because it was slow would be missing where it counts.
func (g *guests) seeOut(ctx context.Context, l *lane) {
	if g.whole == nil {
		return
	}
	if err := g.program.After(ctx, g.options(), g.vars); err != nil {
		l.void("%v", err)
	}
	l.trial.Visits.Promises = g.program.Promises(g.whole)
}

// options are what holds for all that the guests do.
func (g *guests) options() scenario.RunOptions {
	return scenario.RunOptions{Resolve: resolveLiteral, Seed: g.seed}
}

// stretch returns which users a turn lets in, and the seed of what they choose. A warm-up takes the first round's
// again and again, and a round that makes up for a disturbed one those of an earlier one.
func (g *guests) stretch() (from, to int64, seed uint64) {
	round, seed := g.turns%g.rounds, g.seed+uint64(g.turns)
	if !g.warm {
		round, seed = 0, ^seed
	}
	return g.users * round / g.rounds, g.users * (round + 1) / g.rounds, seed
}

// Run implements traffic. Only the users say how long it takes.
func (g *guests) Run(ctx context.Context, _ load.Window) (*load.Result, error) {
	g.times = scenario.NewTimes()
	o := g.options()
	o.Times = g.times
	o.From, o.To, o.Seed = g.stretch()
	g.turns++
	runtime.GC() // not while they are there
	report, err := g.program.LetIn(ctx, g.engine, o, g.vars)
	if err != nil {
		return nil, fmt.Errorf("script %s: %w", g.program.Path, err)
	}
	g.report = report
	visits, replies := report.Visits(), int64(0)
	for _, n := range visits.Codes {
		replies += n
	}
	return &load.Result{
		DurationNs: report.EndedAt.Sub(report.StartedAt).Nanoseconds(),
		Counted:    replies, Verified: replies, Sent: visits.Requests, Latency: g.times.Response,
		BytesRead: report.BytesRead, BytesSent: report.BytesSent, BusyNs: report.BusyNs, Loops: report.EventLoops,
	}, nil
}

// errors are what went wrong in the last turn, by kind; nil when nothing did.
func (g *guests) errors() map[string]int64 {
	errors := g.report.Errors()
	if skipped := g.report.Visits().Skipped; skipped > 0 && errors == nil {
		return map[string]int64{"user kept out by maxVusers": skipped}
	}
	return errors
}

// resolveLiteral takes addresses of this machine only: a script of a suite loads its subject and nobody else.
func resolveLiteral(host, port string) (netip.AddrPort, error) {
	addr, err := netip.ParseAddrPort(host + ":" + port)
	if err != nil || !addr.Addr().IsLoopback() {
		return addr, fmt.Errorf("%s is not the subject; write URLs that begin with a slash", host)
	}
	return addr, nil
}

// note adds the last turn to the trial.
func (g *guests) note(t *dyno.Trial) {
	if t.FirstByte == nil {
		t.FirstByte, t.Session = hist.New(), hist.New()
	}
	t.Visits = t.Visits.Plus(g.report.Visits())
	t.FirstByte.Merge(g.times.FirstByte)
	t.Session.Merge(g.times.Session)
	if g.whole == nil {
		g.whole = g.report
	} else {
		g.whole.Add(g.report)
	}
}

// ready ends the warm-up.
func (g *guests) ready() { g.turns, g.warm = 0, true }

// Close implements traffic. Users take their connections with them.
func (g *guests) Close() {}
