package main

import (
	"context"
	"fmt"
	"time"
)

const (
	spinTarget = 2
	spinSkip   = 200 * time.Millisecond // the start of a process is not its pace
)

// spinning compares the pace of a single connection when the engine polls and when it sleeps between
// two replies. A wake-up costs more than a server of this kind needs for a reply.
func spinning(ctx context.Context, b *bench, repeat int) (result, error) {
	s, err := b.serve("framed")
	if err != nil {
		return result{}, err
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
				return result{}, err
			}
			*turn.rates = append(*turn.rates, a.RatePerS)
		}
		b.progress("spin, repetition %d of %d: spinning %.0f/s, sleeping %.0f/s", i+1, repeat, awake[i], asleep[i])
	}
	return spinResult(b.loadLength(), awake, asleep), nil
}

// spinResult lays out rates per second, one of each kind a repetition.
func spinResult(length time.Duration, awake, asleep []float64) result {
	ratio := spreadRow("spinning ÷ sleeping, pair by pair", "", ratios(awake, asleep))
	ratio.target = &target{limit: spinTarget}
	return result{
		setting: fmt.Sprintf("verified round trips: 1 connection, one request in flight, %d B payload", payloadBytes),
		how:     fmt.Sprintf("%d repetitions of %s each, in turns, on the null framed server", len(awake), inWords(length)),
		heads:   [2]string{"median", "min … max"},
		rows: []row{
			spreadRow(fmt.Sprintf("dyno, spin %s", inWords(clientSpin)), "/s", awake),
			spreadRow("dyno, sleeping at once", "/s", asleep),
			ratio,
		},
	}
}
