package scenario

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"sync/atomic"
	"time"

	"dyno/hist"
	"dyno/load"
	"dyno/load/crowd"
)

// RunOptions is what a run needs from outside.
type RunOptions struct {
	// Resolve finds the address of a host and a port, and may refuse it. It is asked once for each origin
	// and event loop, and the loop waits for it.
	Resolve func(host, port string) (netip.AddrPort, error)
	Seed    uint64           // of every random choice
	Log     func(string)     // takes what the script logs, from several goroutines
	Period  func(Period)     // gets each period of 10 s when it is over; may be nil
	Fault   func(why string) // gets the first few expectations that were not met; may be nil
	Live    *Live            // is kept up to date while the run lasts; may be nil
	// From and To let in a stretch of the users only, those from index From to before To, by their share of the
	// schedule, which then begins at once. To 0 stands for the last.
	From, To int64
	Times    *Times // gets every time in ns; may be nil
}

// Times are distributions in ns. (Those of a report are in µs, so that hours fit.)
type Times struct {
	FirstByte *hist.Histogram // of a reply, since the send of its request
	Response  *hist.Histogram // from when a request was ready, connecting included, to the last byte of its reply
	Session   *hist.Histogram // of users who completed
}

// NewTimes returns empty distributions.
func NewTimes() *Times { return &Times{hist.New(), hist.New(), hist.New()} }

// Merge adds the values of other.
func (t *Times) Merge(other *Times) {
	t.FirstByte.Merge(other.FirstByte)
	t.Response.Merge(other.Response)
	t.Session.Merge(other.Session)
}

// Live is how far a run is. It may be read at any time.
type Live struct {
	Created, Completed, Failed, Skipped, Active, Responses atomic.Int64
}

// runner is one event loop's part of a run.
type runner struct {
	program *Program
	options *RunOptions
	loop    *crowd.Loop
	index   int // this loop, of
	loops   int
	stop    *atomic.Bool
	live    *Live
	rand    *rand.Rand
	js      *javascript
	flights flights
	pools   map[string]*pool
	poolMax int
	before  map[string]any // variables that the before hook left
	addrs   map[string]netip.AddrPort

	next    int64 // index of the next user
	end     int64 // index of the first who does not arrive any more
	shiftNs int64 // of the schedule: how much of it is left out
	lastNs  int64 // when the schedule ends
	nextAt  int   // its phase
	arrival *crowd.Timer
	active  int64
	weights float64
	failed  error // of a hook's only user
	quiet   bool  // a hook: it counts nothing

	base      time.Time
	nowMs     int64 // Unix time of the batch in work
	period    *period
	collector *collector
	times     *Times // nil: not asked for
	startNs   int64
	endNs     int64
}

// Run runs the whole program on the engine's loops: its before flow, its users, its after flow. When ctx ends, the run
// ends early, without the after flow, and the report covers what was done; its Partial says so. The error is of what
// kept it from running at all, such as a before flow that failed, or of the after flow: then there is a report.
func (p *Program) Run(ctx context.Context, engine *load.Engine, o RunOptions) (*Report, error) {
	vars, err := p.Before(ctx, o)
	if err != nil {
		return nil, err
	}
	report, err := p.LetIn(ctx, engine, o, vars)
	if err != nil || ctx.Err() != nil {
		return report, err
	}
	return report, p.After(ctx, o, vars)
}

// Before runs the script's before flow, if it has one: once, alone and uncounted. It returns the variables that the
// flow leaves to all users and to After.
func (p *Program) Before(ctx context.Context, o RunOptions) (map[string]any, error) {
	return p.alone(ctx, p.before, "before", o, nil)
}

// After runs the script's after flow, if it has one: once, alone and uncounted, with the variables of Before.
func (p *Program) After(ctx context.Context, o RunOptions, vars map[string]any) error {
	_, err := p.alone(ctx, p.after, "after", o, vars)
	return err
}

// LetIn runs the users, who begin with vars beside their own variables, and neither Before nor After.
func (p *Program) LetIn(ctx context.Context, engine *load.Engine, o RunOptions, vars map[string]any) (*Report, error) {
	o.complete()
	stop := &atomic.Bool{}
	defer context.AfterFunc(ctx, func() { stop.Store(true) })()
	loops := engine.Loops()
	c := newCollector(loops, o.Period)
	began := time.Now()
	runners := make([]*runner, loops)
	errs := make([]error, loops)
	for i := range loops {
		runners[i], errs[i] = p.newRunner(&o, i, loops, stop, began)
		if errs[i] == nil {
			runners[i].collector, runners[i].before = c, vars
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	engine.Each(func(i int) {
		runners[i].loop.Spin = engine.Spin()
		runners[i].run()
	})
	report := c.report(runners)
	if o.Times != nil {
		for _, r := range runners {
			o.Times.Merge(r.times)
		}
	}
	report.StartedAt, report.EndedAt = began, time.Now()
	if ctx.Err() != nil {
		report.Partial = fmt.Sprintf("interrupted after %v of %v", time.Since(began).Round(100*time.Millisecond), time.Duration(p.arrivals.endNs))
	}
	return report, nil
}

// complete fills in what may be left out.
func (o *RunOptions) complete() {
	if o.Live == nil {
		o.Live = &Live{}
	}
	if o.Log == nil {
		o.Log = func(string) {}
	}
}

func (p *Program) newRunner(o *RunOptions, i, loops int, stop *atomic.Bool, base time.Time) (*runner, error) {
	loop, err := crowd.New(base)
	if err != nil {
		return nil, err
	}
	r := &runner{
		program: p, options: o, loop: loop, index: i, loops: loops, stop: stop, live: o.Live, base: base,
		rand: rand.New(rand.NewPCG(o.Seed, uint64(i)+1)), pools: map[string]*pool{}, addrs: map[string]netip.AddrPort{},
		next: o.From + int64(i),
	}
	r.end, r.lastNs = p.arrivals.users, p.arrivals.endNs
	if o.From > 0 {
		r.shiftNs, _ = p.arrivals.at(o.From-1, 0)
	}
	if o.To > 0 && o.To < r.end {
		r.end = o.To
		r.lastNs, _ = p.arrivals.at(o.To-1, 0)
	}
	if o.Times != nil {
		r.times = NewTimes()
	}
	if p.pool > 0 {
		r.poolMax = max((p.pool*(i+1))/loops-(p.pool*i)/loops, 1)
	}
	for _, f := range p.flows {
		r.weights += f.weight
	}
	if p.processor != nil {
		if r.js, err = p.processor.start(r); err != nil {
			loop.Close()
			return nil, err
		}
	}
	return r, nil
}

// alone runs the flow of before or after, and returns the variables that it left.
func (p *Program) alone(ctx context.Context, f *flow, name string, o RunOptions, vars map[string]any) (map[string]any, error) {
	if f == nil {
		return nil, nil
	}
	stop := &atomic.Bool{}
	defer context.AfterFunc(ctx, func() { stop.Store(true) })()
	o.Live = nil // it counts no users
	o.complete()
	r, err := p.newRunner(&o, 0, 1, stop, time.Now())
	if err != nil {
		return nil, err
	}
	defer r.loop.Close()
	r.quiet, r.before, r.period = true, vars, newPeriod(0)
	u := r.newUser(f, 0)
	u.run()
	r.loop.Run(func() bool { return r.active == 0 || stop.Load() })
	if r.failed != nil {
		return nil, fmt.Errorf("the %s hook failed: %w; nothing more was run", name, r.failed)
	}
	return u.vars, nil
}

// run is the whole life of a loop.
func (r *runner) run() {
	defer r.loop.Close()
	r.startNs = r.loop.ClockNs()
	r.tickPeriod()
	r.arrival = r.loop.NewTimer(r.arrive)
	r.plan()
	endNs := r.startNs + r.lastNs - r.shiftNs
	r.loop.Run(func() bool {
		r.tickPeriod()
		return r.stop.Load() || r.active == 0 && r.next >= r.end && r.loop.NowNs() >= endNs
	})
	r.endNs = r.loop.ClockNs()
	r.handOver()
}

// plan sets the clock for the next arrival.
func (r *runner) plan() {
	if r.next < r.end {
		due, at := r.due(r.next)
		r.nextAt = at
		r.arrival.Set(due)
	}
}

// due returns when a user arrives by the loop's clock, and in which phase.
func (r *runner) due(i int64) (dueNs int64, inPhase int) {
	dueNs, inPhase = r.program.arrivals.at(i, r.nextAt)
	return r.startNs + dueNs - r.shiftNs, inPhase
}

// arrivalsPerTurn is how many users arrive before the loop looks for replies again.
const arrivalsPerTurn = 64

// arrive lets in who is due.
func (r *runner) arrive() {
	for range arrivalsPerTurn {
		if r.next >= r.end {
			return
		}
		due, at := r.due(r.next)
		nowNs := r.loop.ClockNs()
		if due > nowNs {
			break
		}
		r.nextAt = at
		r.time(metricLag, float64(nowNs-due)/1e3)
		i := r.next
		r.next += int64(r.loops)
		if r.live.Active.Load() >= r.program.arrivals.phases[at].usersMax {
			r.count(metricSkipped, 1)
			r.live.Skipped.Add(1)
			continue
		}
		f := r.pick()
		r.count(metricByName+f.name, 1)
		r.count(metricCreated, 1)
		r.live.Created.Add(1)
		r.newUser(f, i).run()
	}
	r.plan()
}

// metricLag is by how much users arrived late: the instrument's own account.
const metricLag = "dyno.arrival_lag"

// pick chooses a scenario by weight.
func (r *runner) pick() *flow {
	flows := r.program.flows
	if len(flows) == 1 {
		return flows[0]
	}
	at := r.rand.Float64() * r.weights
	for _, f := range flows {
		if at -= f.weight; at < 0 {
			return f
		}
	}
	return flows[len(flows)-1]
}

// newUser makes user i (from 0) with its variables.
func (r *runner) newUser(f *flow, i int64) *user {
	u := &user{runner: r, flow: f, beganNs: r.loop.ClockNs()}
	for _, t := range r.program.tables {
		t.give(u, i)
	}
	for name, list := range r.program.lists {
		u.set(name, list[r.rand.IntN(len(list))])
	}
	r.active++
	r.live.Active.Add(1)
	return u
}

// finished takes a user off the books.
func (r *runner) finished(u *user, completed bool) {
	r.active--
	r.live.Active.Add(-1)
	if !completed {
		r.count(metricFailed, 1)
		r.live.Failed.Add(1)
		return
	}
	r.count(metricFailed, 0) // so that the counter is there
	r.count(metricCompleted, 1)
	r.live.Completed.Add(1)
	lengthNs := max(r.loop.NowNs()-u.beganNs, 0)
	r.time(metricSession, float64(lengthNs)/1e3)
	if r.times != nil {
		r.times.Session.Record(lengthNs)
	}
}

// failure keeps the error of a hook's only user.
func (r *runner) failure(err error) {
	if r.quiet {
		r.failed = err
	}
}

func (r *runner) log(text string) { r.options.Log(text) }

// unexpected tells about an expectation that was not met.
func (r *runner) unexpected(f *flight, name string, got *reply) {
	if r.options.Fault != nil {
		r.options.Fault(fmt.Sprintf("%s %s: %s is not as expected (status %d, content-type %s)",
			f.hop.method, f.hop.url.RequestURI(), name, got.status, got.headers["content-type"]))
	}
}

// resolve finds an origin's address, once.
func (r *runner) resolve(host, port string) (netip.AddrPort, error) {
	key := host + " " + port
	if addr, known := r.addrs[key]; known {
		return addr, nil
	}
	addr, err := r.options.Resolve(host, port)
	if err == nil {
		r.addrs[key] = addr
	}
	return addr, err
}

// unixMs is the time of the batch in work.
func (r *runner) unixMs() int64 {
	return r.base.UnixMilli() + (r.loop.NowNs())/1e6
}

// tickPeriod hands over the period when the next one has begun.
func (r *runner) tickPeriod() {
	r.nowMs = r.unixMs()
	startMs := r.nowMs - r.nowMs%periodMs
	switch {
	case r.period == nil:
		r.period = newPeriod(startMs)
	case r.period.startMs != startMs:
		r.handOver()
		r.period = newPeriod(startMs)
	}
}

func (r *runner) handOver() { r.collector.hand(r.period) }

func (r *runner) count(name string, n int64)   { r.period.count(name, n, r.nowMs) }
func (r *runner) time(name string, us float64) { r.period.time(name, us, r.nowMs) }
func (r *runner) event(name string)            { r.period.event(name, r.nowMs) }
