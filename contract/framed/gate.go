package framed

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"dyno"
)

// settle is how long the gate waits after a case before it asks whether the server still lives, so
// that a crash that the case caused has happened by then and is not blamed on the next one.
const settle = 3 * time.Millisecond

// gateCase is a promise and the probe that checks it.
type gateCase struct {
	dyno.Case
	check func(*probe) error
}

// gate runs cases against one server.
type gate struct {
	addr   string
	seed   uint64
	within time.Duration // bound of one case
}

// run checks the cases one after the other and returns a result for each.
func (g gate) run(ctx context.Context, cases []gateCase) []dyno.CaseResult {
	results := make([]dyno.CaseResult, len(cases))
	notRun := "" // why nothing more is checked
	for i, c := range cases {
		results[i] = dyno.CaseResult{Case: c.Name, Reason: notRun}
		if notRun != "" {
			continue
		}
		start := time.Now()
		err := g.check(ctx, c)
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

// check runs one case and closes every connection that it opened.
func (g gate) check(ctx context.Context, c gateCase) error {
	p := newProbe(ctx, g.addr, newSource(g.seed, c.Name), g.within)
	defer p.close()
	return c.check(p)
}

// alive asks whether a new connection still gets some answer. What it says is the business of the
// cases: a server that answers wrongly is alive.
func (g gate) alive(ctx context.Context, after string) error {
	time.Sleep(settle)
	err := ping(ctx, g.addr, newSource(g.seed, "alive after "+after), g.within)
	if wrong := (*wrongReply)(nil); errors.As(err, &wrong) {
		return nil
	}
	return err
}

// ping makes one verified round trip on a connection of its own.
func ping(ctx context.Context, addr string, values *source, within time.Duration) error {
	p := newProbe(ctx, addr, values, within)
	defer p.close()
	return p.fresh()
}

// probe is what a case works with: values made at run time, and connections that end with it.
type probe struct {
	*source
	addr   string
	within time.Duration
	ctx    context.Context // ends after within, or when a part of the case has failed
	cancel context.CancelCauseFunc
	stop   context.CancelFunc

	mu    sync.Mutex
	peers []*peer
	parts sync.WaitGroup // goroutines that the case started
}

func newProbe(ctx context.Context, addr string, values *source, within time.Duration) *probe {
	p := &probe{source: values, addr: addr, within: within}
	ctx, p.stop = context.WithTimeout(ctx, within)
	p.ctx, p.cancel = context.WithCancelCause(ctx)
	return p
}

// close ends all connections and waits for all goroutines of the case.
func (p *probe) close() {
	p.cancel(nil)
	p.stop()
	p.mu.Lock()
	for _, c := range p.peers {
		c.close()
	}
	p.mu.Unlock()
	p.parts.Wait()
}

// together runs part(0) to part(n-1) at the same time and returns the first error. The first
// failure ends the others, so that the cause is named and not what followed from it.
func (p *probe) together(n int, part func(i int) error) error {
	var wait sync.WaitGroup
	var once sync.Once
	var first error
	for i := range n {
		wait.Go(func() {
			if err := part(i); err != nil {
				once.Do(func() { first = err })
				p.cancel(err)
			}
		})
	}
	wait.Wait()
	return first
}

// fresh makes a verified round trip on a new connection.
func (p *probe) fresh() error {
	c, err := p.dial()
	if err != nil {
		return err
	}
	defer c.close()
	return c.roundTrip(p.payload(pingBytes))
}

// pause lets the server read what was sent so far, so that the next write reaches it separately.
func (p *probe) pause() { time.Sleep(time.Millisecond) }
