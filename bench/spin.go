package main

import (
	"context"
	"fmt"
	"time"

	"dyno/bench/internal/table"
)

const (
	spinTarget = 2
	spinSkip   = 200 * time.Millisecond // the start of a process is not its pace
)

// spinning compares the pace of a single connection when the engine polls and when it sleeps between
// two replies. A wake-up costs more than a server of this kind needs for a reply.
func spinning(ctx context.Context, b *bench, repeat int) (table.Result, error) {
	s, err := b.serve("framed")
	if err != nil {
		return table.Result{}, err
	}
	defer s.stop()
	var awake, asleep []float64 // round trips per second
	for i := range repeat {
		for _, turn := range []struct {
			rates *[]float64
			spin  time.Duration
		}{{&awake, clientSpin}, {&asleep, 0}} {
			a, _, err := b.drive(ctx, order{Addr: s.addr, Connections: 1, Spin: turn.spin, Duration: b.loadLength(), Skip: spinSkip})
			if err != nil {
				return table.Result{}, err
			}
			*turn.rates = append(*turn.rates, a.RatePerS)
		}
		b.progress("spin, repetition %d of %d: spinning %.0f/s, sleeping %.0f/s", i+1, repeat, awake[i], asleep[i])
	}
	return spinResult(b.loadLength(), awake, asleep), nil
}

// spinResult lays out rates per second, one of each kind a repetition.
func spinResult(length time.Duration, awake, asleep []float64) table.Result {
	ratio := table.SpreadRow("spinning ÷ sleeping, pair by pair", "", table.Ratios(awake, asleep))
	ratio.Target = &table.Target{Limit: spinTarget}
	return table.Result{
		Setting: fmt.Sprintf("verified round trips: 1 connection, one request in flight, %d B payload", payloadBytes),
		How:     fmt.Sprintf("%d repetitions of %s each, in turns, on the null framed server", len(awake), table.InWords(length)),
		Heads:   [2]string{"median", "min … max"},
		Rows: []table.Row{
			table.SpreadRow(fmt.Sprintf("dyno, spin %s", table.InWords(clientSpin)), "/s", awake),
			table.SpreadRow("dyno, sleeping at once", "/s", asleep),
			ratio,
		},
	}
}
