package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"dyno"
	"dyno/contract/http1"
	"dyno/host"
	"dyno/load"
)

// adhocLoad is one ad-hoc load: where to, what, and how hard.
type adhocLoad struct {
	*loadFlags
	protocol   string // "http" or "framed"
	target     target
	options    dyno.LoadOptions
	newSession func(conn int) load.Session
	sessions   []load.Session
}

// run makes the load, prints what came of it and judges it.
func (l *adhocLoad) run(cmd *cobra.Command) error {
	ctx := cmd.Context()
	if _, err := host.RaiseOpenFiles(uint64(l.connections + spareFiles)); err != nil {
		return fmt.Errorf("%w, or use fewer connections", err)
	}
	var warnings []string
	if l.target.local() {
		alone, release := claimMachine()
		defer release()
		if !alone {
			warnings = append(warnings, "another dyno was measuring on this machine when this load began: both disturb each other")
		}
	}
	s, err := l.seat(l.target)
	if err != nil {
		return err
	}
	s.warnings = append(s.warnings, warnings...)
	r, err := l.measure(ctx, s, newTicker(cmd.ErrOrStderr()))
	if err != nil {
		return err
	}
	if err := l.print(cmd.OutOrStdout(), r); err != nil {
		return err
	}
	return l.judge(ctx, r)
}

// measure opens the connections, warms up and loads.
func (l *adhocLoad) measure(ctx context.Context, s seat, progress *ticker) (*dyno.LoadReport, error) {
	engine, err := s.engine(load.Options{Loops: l.loops, Spin: s.spin, Poller: load.Poller(l.poller)})
	if err != nil {
		return nil, err
	}
	defer engine.Close()
	client, err := l.open(ctx, engine)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	if l.warmUp > 0 {
		w := load.Window{Duration: time.Duration(l.warmUp), Schedule: l.warmUpSchedule()}
		if _, err := l.window(ctx, client, progress, w, "warming up"); err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	before := l.codes()
	quietGC()
	began := time.Now()
	w := load.Window{Duration: time.Duration(l.duration), Count: l.requests, Schedule: l.schedule(time.Duration(l.duration))}
	result, err := l.window(ctx, client, progress, w, "loading")
	if err != nil {
		return nil, err
	}
	r := l.report(result, s)
	r.StartedAt, r.EndedAt = began, time.Now()
	if r.DurationNs == 0 { // a number of requests, none of them answered right
		r.DurationNs = int64(r.EndedAt.Sub(began))
	}
	r.Codes = less(l.codes(), before)
	r.Partial = l.partial(ctx, r)
	return r, nil
}

// clientMemoryMax lets the collector run all the same when the client grows beyond reason.
const clientMemoryMax = 2 << 30

// quietGC collects now, and turns the collector off so that no pause falls into the window: it allocates
// next to nothing (TLS a little), and dyno ends after it.
func quietGC() {
	runtime.GC()
	debug.SetMemoryLimit(clientMemoryMax)
	debug.SetGCPercent(-1)
}

// open connects, and keeps the sessions for what they count.
func (l *adhocLoad) open(ctx context.Context, engine *load.Engine) (*load.Client, error) {
	client, err := engine.Open(ctx, load.Config{
		Addr: l.target.addr, UnixPath: l.target.unixPath, TLS: l.target.tls,
		Connections: l.connections, Depth: l.depth, ReplyWithin: time.Duration(l.timeout),
		NewSession: func(conn int) load.Session {
			session := l.newSession(conn)
			l.sessions = append(l.sessions, session)
			return session
		},
	})
	if err != nil {
		return nil, connectError(err)
	}
	return client, nil
}

// window runs one window and shows how far it is.
func (l *adhocLoad) window(ctx context.Context, c *load.Client, progress *ticker, w load.Window, what string) (*load.Result, error) {
	stop := progress.follow(c, w, what, l.target.shown)
	defer stop()
	return c.Run(ctx, w)
}

// report turns the engine's result into plain data.
func (l *adhocLoad) report(result *load.Result, s seat) *dyno.LoadReport {
	r := &dyno.LoadReport{
		Protocol: l.protocol, Target: l.target.shown, Address: l.target.address(), Options: l.options,
		DurationNs: result.DurationNs,
		Counts: dyno.LoadCounts{
			Sent: result.Sent, Verified: result.Verified, Counted: result.Counted, Wrong: result.Wrong,
			InFlight: result.InFlight, Unsent: result.Unsent, Dropped: result.Dropped,
			BytesRead: result.BytesRead, BytesSent: result.BytesSent,
		},
		Seconds: []dyno.LoadSecond{}, Errors: result.Errors(), FirstFault: result.FirstFault,
		Latency: result.Latency, Service: result.Service,
		Instrument: dyno.LoadInstrument{
			Dyno: version, Poller: string(result.Poller), Loops: result.Loops, CPUs: s.cpus,
			SpinNs: int64(s.spin), SpinWhy: s.spinWhy, BusyShare: result.BusyShare(),
			GCPauses: result.GCs, GCPauseNs: result.GCPauseNs, Reconnects: result.Reconnects,
			Lag: result.Lag, Late: result.Late, QueueMax: result.QueueMax,
			Warnings: append(s.warnings, result.Warnings()...),
		},
	}
	for _, lost := range result.Lost {
		r.Counts.Lost += lost
	}
	if result.Dropped > 0 {
		if r.Errors == nil {
			r.Errors = map[string]int64{}
		}
		r.Errors["dropped"] = result.Dropped
	}
	whole := int(result.DurationNs / int64(time.Second))
	for _, b := range result.Series[:min(whole, len(result.Series))] {
		r.Seconds = append(r.Seconds, dyno.LoadSecond{
			Verified: b.Verified, BytesRead: b.BytesRead, P50Ns: b.Latency.QuantileNs(.5), P99Ns: b.Latency.QuantileNs(.99),
		})
	}
	return r
}

// partial says why a load ended before its time; "" when it did not.
func (l *adhocLoad) partial(ctx context.Context, r *dyno.LoadReport) string {
	lasted := time.Duration(r.DurationNs).Round(time.Millisecond)
	switch {
	case errors.Is(ctx.Err(), context.Canceled) && l.requests > 0:
		return fmt.Sprintf("interrupted after %v and %d of %d requests", lasted, r.Due(), l.requests)
	case errors.Is(ctx.Err(), context.Canceled):
		return fmt.Sprintf("interrupted after %v of %v", lasted, &l.duration)
	case l.requests > 0 && l.duration == 0 && r.Due() < l.requests:
		return fmt.Sprintf("given up after %d of %d requests: no connection brought a right reply any more", r.Due(), l.requests)
	}
	return ""
}

// codes sums up the replies by status over all connections, since they were opened. Not while a window
// runs.
func (l *adhocLoad) codes() map[int]int64 {
	codes := map[int]int64{}
	for _, session := range l.sessions {
		if counter, counts := session.(http1.CodeCounter); counts {
			counter.AddCodes(codes)
		}
	}
	return codes
}

// less takes earlier counts away; what is 0 then is left out.
func less(codes, earlier map[int]int64) map[int]int64 {
	for code, n := range earlier {
		if codes[code] -= n; codes[code] == 0 {
			delete(codes, code)
		}
	}
	return codes
}
