package main

import (
	"context"
	"fmt"
	"syscall"
	"time"

	"dyno/bench/internal/table"
	"dyno/load"
)

// comparison is what a client found that let both pollers take turns.
type comparison struct {
	Auto         load.Poller // which of them the engine chooses by itself
	EpollUs      []float64   // per reply, pair by pair: CPU time, or time where a thread that spins is always busy
	RingUs       []float64
	Verified     int64
	UnusableHere string // why there is no io_uring; "" when there is
}

const (
	pollerWindow = 50 * time.Millisecond
	pollerSkip   = 5 * time.Millisecond
)

// compare carries out an order of pairs: a short window on each poller in turns, in alternating order, on
// connections that stay open, so that what disturbs the machine hits both.
func (o order) compare(ctx context.Context) (c comparison, err error) {
	engine, err := load.New(load.Options{Poller: load.IOUring})
	if err != nil {
		return comparison{UnusableHere: err.Error()}, nil
	}
	engine.Close()
	var clients [3]*load.Client
	for i, poller := range []load.Poller{load.Epoll, load.IOUring, load.Auto} {
		client, shut, err := o.open(ctx, poller, new(answer))
		if err != nil {
			return c, err
		}
		defer shut()
		clients[i] = client
	}
	chosen, err := clients[2].Run(ctx, load.Window{Count: int64(o.Connections)})
	if err != nil {
		return c, err
	}
	c.Auto = chosen.Poller
	for i := range o.Pairs + 1 {
		var us [2]float64
		for j := range us {
			k := (i + j) % 2
			verified, costUs, err := windowCost(ctx, clients[k], o.Spin > 0)
			if err != nil {
				return c, err
			}
			us[k], c.Verified = costUs, c.Verified+verified
		}
		if i > 0 && us[0] > 0 && us[1] > 0 { // the first pair warms up
			c.EpollUs, c.RingUs = append(c.EpollUs, us[0]), append(c.RingUs, us[1])
		}
	}
	return c, nil
}

// windowCost loads a server for one window and returns what a reply took; 0 when the machine was too busy
// with other things for a single one.
func windowCost(ctx context.Context, c *load.Client, spins bool) (verified int64, us float64, err error) {
	from := processCPU()
	r, err := c.Run(ctx, load.Window{Duration: pollerWindow, Skip: pollerSkip})
	if err != nil {
		return 0, 0, err
	}
	switch {
	case len(r.Errors()) > 0:
		return 0, 0, fmt.Errorf("failures %v; run the bench again on a quieter machine", r.Errors())
	case r.Counted == 0:
		return 0, 0, nil
	case spins:
		return r.Verified, 1e6 / r.RatePerS(), nil
	}
	return r.Verified, float64((processCPU() - from).Nanoseconds()) / 1e3 / float64(r.Verified), nil
}

// processCPU returns the CPU time of this process.
func processCPU() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // it fails for a bad pointer only
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// By how much the poller that auto takes may be dearer than the other one before the rule is wrong: less than
// that no run on a noisy machine can tell.
const (
	ringRatioMax = 1.05 // where auto takes io_uring
	ringRatioMin = 0.95 // where it takes epoll
)

// loadPollers compares the pollers over connections, depth and spin. The engine's choice follows from it.
func loadPollers(ctx context.Context, b *bench, repeat int) (table.Result, error) {
	server, err := b.serve("http")
	if err != nil {
		return table.Result{}, err
	}
	defer server.stop()
	pairs := 16
	if b.quick {
		pairs = 4
	}
	var found []pollerCell
	for _, spin := range []time.Duration{0, clientSpin} {
		for _, depth := range []int{1, 16} {
			for _, connections := range []int{1, 4, 16, 64, 256} {
				cell := pollerCell{shape: shape{connections, depth}, spin: spin}
				for range repeat {
					o := order{Addr: server.addr, HTTP: true, Connections: connections, Depth: depth, Spin: spin, Pairs: pairs,
						Duration: 2 * pollerWindow * time.Duration(pairs+1)}
					a, _, err := b.drive(ctx, o)
					if err != nil {
						return table.Result{}, err
					}
					if a.Pollers.UnusableHere != "" {
						return table.Result{}, fmt.Errorf("there is nothing to compare: %s", a.Pollers.UnusableHere)
					}
					cell.auto = a.Pollers.Auto
					if len(a.Pollers.RingUs) == 0 {
						return table.Result{}, fmt.Errorf("%v: no pair of windows with replies; run the bench again on a quieter machine", cell.shape)
					}
					cell.ratios = append(cell.ratios, table.Ratios(a.Pollers.RingUs, a.Pollers.EpollUs)...)
				}
				found = append(found, cell)
				b.progress("%v, spin %v: io_uring ÷ epoll %.3f", cell.shape, spin, table.MinMax(cell.ratios).Value)
			}
		}
	}
	return pollerResult(found, repeat*pairs), nil
}

// pollerCell is one kind of load.
type pollerCell struct {
	shape
	spin   time.Duration
	auto   load.Poller
	ratios []float64 // cost of a reply, io_uring ÷ epoll, pair by pair
}

func pollerResult(cells []pollerCell, pairs int) table.Result {
	r := table.Result{
		Setting: "cost of a reply to dyno's client on the null HTTP server: io_uring ÷ epoll",
		How: fmt.Sprintf("%d pairs of %s windows in turns on connections that stay open, one core; CPU time, or time where the\n"+
			"  client spins; auto has to take the cheaper poller where they differ by more than 5 %%", pairs, table.InWords(pollerWindow)),
		Heads: [2]string{"median", "quartiles"},
	}
	for _, c := range cells {
		waiting := "sleeping"
		if c.spin > 0 {
			waiting = "spinning"
		}
		row := table.Row{Label: fmt.Sprintf("%d × depth %d, %s; auto: %s", c.connections, c.depth, waiting, c.auto), Figure: table.Quartiles(c.ratios)}
		row.Target = &table.Target{Limit: ringRatioMin}
		if c.auto == load.IOUring {
			row.Target = &table.Target{AtMost: true, Limit: ringRatioMax}
		}
		r.Rows = append(r.Rows, row)
	}
	return r
}
