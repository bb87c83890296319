package load

import (
	"context"
	"fmt"
	"math"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"dyno/hist"
)

// Client is a set of open connections to one server, spread over the engine's loops. It is loaded
// in windows; between them its connections stay open and silent.
type Client struct {
	engine  *Engine
	workers []*worker
	stop    atomic.Bool
}

// Open connects. It fails when any of the connections cannot be opened.
func (e *Engine) Open(ctx context.Context, cfg Config) (*Client, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	loops := min(len(e.loops), cfg.Connections)
	poller := e.poller.resolve(&cfg, cfg.Connections/loops, e.spin > 0)
	c, err := e.prepare(&cfg, poller, loops)
	if err != nil && poller == IOUring && e.poller != IOUring { // e.g. little memory may be locked
		c, err = e.prepare(&cfg, Epoll, loops)
	}
	if err != nil {
		return nil, err
	}
	errs := make([]error, loops)
	c.onLoops(ctx, func(i int, w *worker) { errs[i] = w.connectAll() })
	if err := ctx.Err(); err != nil {
		c.Close()
		return nil, err
	}
	for _, err := range errs {
		if err != nil {
			c.Close()
			return nil, fmt.Errorf("connect to %s: %w", cfg.target(), err)
		}
	}
	return c, nil
}

// prepare makes a client whose connections are still closed.
func (e *Engine) prepare(cfg *Config, poller Poller, loops int) (*Client, error) {
	c := &Client{engine: e}
	for i := range loops {
		w, err := newWorker(cfg, poller, share(cfg.Connections, loops, i), i, loops, e.spin, &c.stop)
		if err != nil {
			c.Close()
			return nil, err
		}
		c.workers = append(c.workers, w)
	}
	return c, nil
}

// share returns the i-th of n nearly equal parts of total.
func share(total, n, i int) int {
	return (total*(i+1))/n - (total*i)/n
}

// onLoops runs f for every worker on the thread of its loop, and waits. When ctx ends, the workers
// are told to stop early.
func (c *Client) onLoops(ctx context.Context, f func(i int, w *worker)) {
	c.stop.Store(false)
	undo := context.AfterFunc(ctx, func() { c.stop.Store(true) })
	defer undo()
	var wg sync.WaitGroup
	for i, w := range c.workers {
		wg.Add(1)
		c.engine.loops[i] <- func() {
			defer wg.Done()
			f(i, w)
		}
	}
	wg.Wait()
}

// Run loads the server for one window and returns what happened. When ctx ends, the window ends
// early, in good order, and its result covers what was done.
func (c *Client) Run(ctx context.Context, win Window) (*Result, error) {
	if err := win.check(); err != nil {
		return nil, err
	}
	var before, after debug.GCStats
	debug.ReadGCStats(&before)
	c.onLoops(ctx, func(i int, w *worker) {
		quota := int64(math.MaxInt64)
		if win.Count > 0 {
			quota = int64(share(int(win.Count), len(c.workers), i))
		}
		w.run(win, quota)
	})
	debug.ReadGCStats(&after)
	sum := &Result{
		Latency:   hist.New(),
		GCs:       after.NumGC - before.NumGC,
		GCPauseNs: int64(after.PauseTotal - before.PauseTotal),
	}
	for _, w := range c.workers {
		if w.failure != nil {
			return nil, w.failure
		}
		sum.merge(&w.result)
	}
	return sum, nil
}

// Close closes the connections.
func (c *Client) Close() {
	for _, w := range c.workers {
		w.io.close()
	}
	c.workers = nil
}
