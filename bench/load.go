package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"dyno/bench/internal/table"
	"dyno/host"
)

// What the load engine must reach beside other load generators: CPU per reply, dyno ÷ peer, at most.
var loadTargets = map[shape]map[string]float64{
	{64, 1}:  {"bare epoll loop in C": 1.05, "wrk": 0.70, "h2load": 0.62, "autocannon": 0.32},
	{64, 16}: {"h2load": 0.5},
}

// And replies per second on one core, dyno ÷ peer, at least.
var loadRateTargets = map[shape]map[string]float64{
	{200, 50}: {"autocannon": 40},
}

var (
	loadShapes = []shape{{1, 1}, {64, 1}, {256, 1}, {64, 16}, {200, 50}}
	manyShapes = []shape{{10_000, 1}}
)

const (
	bulkLength     = 2 * time.Second
	manyLength     = 4 * time.Second // also with -quick: some need a second to connect
	openFilesWant  = 60_000          // by either side, each a process of its own
	openFilesSpare = 200
)

func loadCost(ctx context.Context, b *bench, repeat int) (table.Result, error) {
	return b.compareLoaders(ctx, loadShapes, bulkLength, repeat)
}

func loadMany(ctx context.Context, b *bench, repeat int) (table.Result, error) {
	if got, err := host.RaiseOpenFiles(openFilesWant); got < 10_000+openFilesSpare {
		return table.Result{}, err
	}
	return b.compareLoaders(ctx, manyShapes, manyLength, repeat)
}

// figures are one loader's repetitions at one shape.
type figures struct {
	cpuUs  []float64 // per reply
	ratePS []float64
}

// compareLoaders lets all loaders that are there take turns on one null HTTP server.
func (b *bench) compareLoaders(ctx context.Context, shapes []shape, length time.Duration, repeat int) (table.Result, error) {
	if b.quick && length == bulkLength {
		length = quickLoadLength
	}
	server, err := b.serve("http")
	if err != nil {
		return table.Result{}, err
	}
	defer server.stop()
	var present []loader
	var missing []string
	for _, l := range b.loaders() {
		if l.missing != "" {
			missing = append(missing, l.name+": "+l.missing)
			continue
		}
		present = append(present, l)
	}
	found := map[shape]map[string]*figures{}
	for i := range repeat {
		for _, s := range shapes {
			if found[s] == nil {
				found[s] = map[string]*figures{}
			}
			for _, l := range present {
				f := found[s][l.name]
				if f == nil {
					f = &figures{}
					found[s][l.name] = f
				}
				if s.depth > l.depth || len(f.cpuUs) < i {
					continue // it cannot, or could not
				}
				replies, cpu, err := l.run(ctx, server.addr, s, length)
				if err != nil && (l.name == "dyno" || ctx.Err() != nil) {
					return table.Result{}, err
				}
				if err != nil {
					missing = append(missing, fmt.Sprintf("%s with %v: %v", l.name, s, err))
					continue
				}
				f.cpuUs = append(f.cpuUs, float64(cpu.Nanoseconds())/1e3/float64(replies))
				f.ratePS = append(f.ratePS, float64(replies)/length.Seconds())
			}
			b.progress("repetition %d of %d, %v: dyno %.2f µs a reply", i+1, repeat, s, found[s]["dyno"].cpuUs[i])
		}
	}
	return loadResult(shapes, present, missing, length, repeat, found), nil
}

// loadResult lays out the ratios of dyno to each of the others, shape by shape.
func loadResult(shapes []shape, present []loader, missing []string, length time.Duration, repeat int, found map[shape]map[string]*figures) table.Result {
	r := table.Result{
		Setting: "dyno beside other load generators on the null HTTP server: CPU time of their processes, and their pace",
		How:     fmt.Sprintf("%d repetitions of %s each, in turns, one core; dyno verifies status and body of every reply", repeat, table.InWords(length)),
		Heads:   [2]string{"median", "min … max"},
	}
	if len(missing) > 0 {
		r.How += "\n  missing: " + strings.Join(missing, "\n  missing: ")
	}
	for _, s := range shapes {
		own := found[s]["dyno"]
		r.Rows = append(r.Rows,
			table.SpreadRow(fmt.Sprintf("%v: dyno, per reply", s), "µs", own.cpuUs),
			table.SpreadRow(fmt.Sprintf("%v: dyno, replies", s), "/s", own.ratePS))
		for _, l := range present {
			f := found[s][l.name]
			if l.name == "dyno" || f == nil || len(f.cpuUs) < repeat {
				continue
			}
			cost := table.SpreadRow("  CPU a reply, dyno ÷ "+l.name, "", table.Ratios(own.cpuUs, f.cpuUs))
			if limit, ok := loadTargets[s][l.name]; ok {
				cost.Target = &table.Target{AtMost: true, Limit: limit}
			}
			pace := table.SpreadRow("  replies/s, dyno ÷ "+l.name, "", table.Ratios(own.ratePS, f.ratePS))
			if limit, ok := loadRateTargets[s][l.name]; ok {
				pace.Target = &table.Target{Limit: limit}
			}
			r.Rows = append(r.Rows, cost, pace)
		}
	}
	return r
}

const (
	pacingRatePerS    = 50_000
	lagTargetSpinUs   = 10
	lagTargetSleepUs  = 100
	heldConnections   = 50_000
	heldRatePerS      = 5_000
	heldHeapBytesEach = 512
)

// loadPacing measures by how much the engine itself sends late at a high rate.
func loadPacing(ctx context.Context, b *bench, repeat int) (table.Result, error) {
	server, err := b.serve("framed")
	if err != nil {
		return table.Result{}, err
	}
	defer server.stop()
	var spinning, sleeping []float64
	for i := range repeat {
		for _, turn := range []struct {
			lags *[]float64
			spin time.Duration
		}{{&spinning, clientSpin}, {&sleeping, 0}} {
			a, _, err := b.drive(ctx, order{Addr: server.addr, Connections: 64, Spin: turn.spin, Duration: b.loadLength(), RatePerS: pacingRatePerS})
			if err != nil {
				return table.Result{}, err
			}
			*turn.lags = append(*turn.lags, float64(a.LagP99Ns)/1e3)
		}
		b.progress("pacing, repetition %d of %d: lag p99 %.1f µs with spin, %.1f µs without", i+1, repeat, spinning[i], sleeping[i])
	}
	spun, slept := table.SpreadRow("lag p99, spin "+table.InWords(clientSpin), "µs", spinning), table.SpreadRow("lag p99, sleeping", "µs", sleeping)
	spun.Target = &table.Target{AtMost: true, Limit: lagTargetSpinUs}
	slept.Target = &table.Target{AtMost: true, Limit: lagTargetSleepUs}
	return table.Result{
		Setting: fmt.Sprintf("pacing of an open loop: %d requests/s on one core, 64 connections", pacingRatePerS),
		How:     fmt.Sprintf("%d repetitions of %s each, in turns, on the null framed server; lag is what the client itself sends late", repeat, table.InWords(b.loadLength())),
		Heads:   [2]string{"median", "min … max"},
		Rows:    []table.Row{spun, slept},
	}, nil
}

// loadHeld opens very many connections, measures what each takes while idle, and paces requests over
// them, so that each carries a request now and then.
func loadHeld(ctx context.Context, b *bench, repeat int) (table.Result, error) {
	limit, err := host.RaiseOpenFiles(openFilesWant)
	if err != nil && limit < 2*openFilesSpare {
		return table.Result{}, err
	}
	held := min(heldConnections, int(limit)-openFilesSpare)
	var each, sessions []float64
	for i := range repeat {
		server, err := b.serve("framed")
		if err != nil {
			return table.Result{}, err
		}
		a, _, err := b.drive(ctx, order{Addr: server.addr, Connections: held, Heap: true, Duration: b.loadLength(), RatePerS: heldRatePerS})
		server.stop()
		if err != nil {
			return table.Result{}, err
		}
		each = append(each, float64(a.HeapBytes-a.SessionsHeapBytes)/float64(held))
		sessions = append(sessions, float64(a.SessionsHeapBytes)/float64(held))
		b.progress("held, repetition %d of %d: %.0f B a connection, %d replies", i+1, repeat, each[i], a.Verified)
	}
	own := table.SpreadRow("engine, per idle connection", "B", each)
	own.Target = &table.Target{AtMost: true, Limit: heldHeapBytesEach}
	count := table.SpreadRow("connections held, in thousands", "", []float64{float64(held) / 1e3})
	count.Target = &table.Target{Limit: heldConnections / 1e3}
	return table.Result{
		Setting: fmt.Sprintf("%d connections held on loopback (the limit on open files is %d) while %d requests/s are sent over them", held, limit, heldRatePerS),
		How:     fmt.Sprintf("%d repetitions; live heap of the client, its fixed buffers and histograms included;\n  not the kernel's memory, nor what io_uring maps (7 MB, and 32 B a connection)", repeat),
		Heads:   [2]string{"median", "min … max"},
		Rows:    []table.Row{count, own, table.SpreadRow("framed session, per connection", "B", sessions)},
	}, nil
}
