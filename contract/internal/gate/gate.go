// Package gate runs the cases of a contract against one server. It knows connections, time and how
// to tell a dead server from a wrong one, and no protocol: what is sent and what must come back is
// the business of the contract that it runs for. It never starts a server.
package gate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"dyno"
)

// settle is how long the gate waits after a case before it asks whether the server still lives, so
// that a crash that the case caused has happened by then and is not blamed on the next one.
const settle = 3 * time.Millisecond

// Case is a promise and the check that finds out whether it is kept.
type Case struct {
	dyno.Case
	Check func(*Probe) error
}

// Promises returns what a person reads of the cases.
func Promises(cases []Case) []dyno.Case {
	promises := make([]dyno.Case, len(cases))
	for i, c := range cases {
		promises[i] = c.Case
	}
	return promises
}

// Gate checks one server.
type Gate struct {
	Addr   string             // "127.0.0.1:port"
	Seed   uint64             // every value that a case sends follows from it
	Within time.Duration      // bound of one case
	Ping   func(*Probe) error // makes one round trip; a wrong reply is reported by Wrong
}

// Run checks the cases one after the other and returns a result for each. When the server stops
// answering, the case that stopped it fails and the rest is reported as not run, as it is when ctx
// ends.
func (g Gate) Run(ctx context.Context, cases []Case) []dyno.CaseResult {
	results := make([]dyno.CaseResult, len(cases))
	notRun := "" // why nothing more is checked
	for i, c := range cases {
		results[i] = dyno.CaseResult{Case: c.Name, Reason: notRun}
		if notRun != "" {
			continue
		}
		start := time.Now()
		err := g.probe(ctx, c.Name, c.Check)
		var dead error
		if ctx.Err() == nil {
			dead = g.alive(ctx, c.Name)
		}
		switch {
		case ctx.Err() != nil:
			notRun = "not run: " + context.Cause(ctx).Error()
			err = fmt.Errorf("interrupted: %w", context.Cause(ctx))
		case dead != nil:
			notRun = "not run: the server has not answered since case " + c.Name
			err = killed(err, dead)
		}
		results[i].OK = err == nil
		if err != nil {
			results[i].Reason = err.Error()
		}
		results[i].DurationNs = time.Since(start).Nanoseconds()
	}
	return results
}

// killed says that the server is dead since a case that ended with err.
func killed(err, dead error) error {
	if err == nil {
		return fmt.Errorf("a new connection after this case: %w", dead)
	}
	return fmt.Errorf("%w; the server has not answered since", err)
}

// probe runs one check and closes every connection that it opened.
func (g Gate) probe(ctx context.Context, name string, check func(*Probe) error) error {
	p := newProbe(ctx, g.Addr, NewSource(g.Seed, name), g.Within)
	p.ping = g.Ping
	defer p.close()
	return check(p)
}

// alive asks whether a new connection still gets some answer. What it says is the business of the
// cases: a server that answers wrongly is alive.
func (g Gate) alive(ctx context.Context, after string) error {
	time.Sleep(settle)
	err := g.probe(ctx, "alive after "+after, g.Ping)
	if wrong := (*wrongReply)(nil); errors.As(err, &wrong) {
		return nil
	}
	return err
}

// CheckPing makes one round trip with the server, for a contract's Ping.
func (g Gate) CheckPing(ctx context.Context) error { return g.probe(ctx, "ping", g.Ping) }

// wrongReply says that the server did answer, but not as it must.
type wrongReply struct{ reason string }

func (w *wrongReply) Error() string { return w.reason }

// Wrong is the error for a reply that came and is not the one that was owed.
func Wrong(format string, args ...any) error { return &wrongReply{fmt.Sprintf(format, args...)} }
