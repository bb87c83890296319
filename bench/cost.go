package main

import (
	"context"
	"fmt"
	"time"

	"dyno/bench/internal/table"
)

const (
	costConnections = 64
	costTarget      = 0.8
	loadLength      = 2 * time.Second
	quickLoadLength = time.Second // the shortest that wrk knows
)

func (b *bench) loadLength() time.Duration {
	if b.quick {
		return quickLoadLength
	}
	return loadLength
}

// clientCost compares what a request costs the client: dyno's engine on the null framed server, wrk on
// the null HTTP server. Each is charged for the whole life of its process, start-up included, which is
// stricter for dyno: it makes its payloads and verifies every byte that comes back, wrk does not.
func clientCost(ctx context.Context, b *bench, repeat int) (table.Result, error) {
	wrk, err := findWrk()
	if err != nil {
		return table.Result{}, err
	}
	framed, err := b.serve("framed")
	if err != nil {
		return table.Result{}, err
	}
	defer framed.stop()
	http, err := b.serve("http")
	if err != nil {
		return table.Result{}, err
	}
	defer http.stop()

	var sleeping, peer, spinning []float64 // CPU in µs per request
	for i := range repeat {
		for _, turn := range []struct {
			costs   *[]float64
			measure func() (int64, time.Duration, error)
		}{
			{&sleeping, func() (int64, time.Duration, error) { return b.dynoCost(ctx, framed, 0) }},
			{&peer, func() (int64, time.Duration, error) {
				return b.runWrk(ctx, wrk, http.addr, costConnections, b.loadLength())
			}},
			{&spinning, func() (int64, time.Duration, error) { return b.dynoCost(ctx, framed, clientSpin) }},
		} {
			requests, cpu, err := turn.measure()
			if err != nil {
				return table.Result{}, err
			}
			*turn.costs = append(*turn.costs, float64(cpu.Nanoseconds())/1e3/float64(requests))
		}
		b.progress("client-cost, repetition %d of %d: dyno %.2f µs, wrk %.2f µs", i+1, repeat, sleeping[i], peer[i])
	}
	return costResult(b.loadLength(), sleeping, peer, spinning), nil
}

// dynoCost returns the verified round trips of dyno's client and the CPU time of its process.
func (b *bench) dynoCost(ctx context.Context, s *server, spin time.Duration) (int64, time.Duration, error) {
	a, cpu, err := b.drive(ctx, order{Addr: s.addr, Connections: costConnections, Spin: spin, Duration: b.loadLength()})
	return a.Verified, cpu, err
}

// costResult lays out CPU costs in µs, one of each kind a repetition.
func costResult(length time.Duration, sleeping, wrk, spinning []float64) table.Result {
	ratio := table.SpreadRow("dyno, no spin ÷ wrk, pair by pair", "", table.Ratios(sleeping, wrk))
	ratio.Target = &table.Target{AtMost: true, Limit: costTarget}
	return table.Result{
		Setting: fmt.Sprintf("CPU time of the client's process: %d connections, one request in flight on each, %d B payload", costConnections, payloadBytes),
		How:     fmt.Sprintf("%d repetitions of %s each, in turns; dyno verifies every byte, on the null framed server; wrk -t1 on the null HTTP server", len(wrk), table.InWords(length)),
		Heads:   [2]string{"median", "min … max"},
		Rows: []table.Row{
			table.SpreadRow("dyno, no spin, per verified round trip", "µs", sleeping),
			table.SpreadRow("wrk, per request", "µs", wrk),
			ratio,
			table.SpreadRow(fmt.Sprintf("dyno, spin %s, per verified round trip", table.InWords(clientSpin)), "µs", spinning),
			table.SpreadRow("dyno, spin ÷ wrk, pair by pair", "", table.Ratios(spinning, wrk)),
		},
	}
}
