package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"dyno"
	"dyno/bench/internal/table"
	"dyno/internal/queueing"
)

const (
	capacityLimit       = 10 * time.Millisecond // of the p99 of the response time
	capacityShare       = 0.99
	capacityConnections = 256
	capacityProbe       = 2 * time.Second
	capacityWithin      = 5 * time.Minute // for one command
	capacityOffMax      = 0.05
)

// capacityTruth lets `dyno capacity` search a server whose capacity is known by arithmetic, several times.
func capacityTruth(ctx context.Context, b *bench, repeat int) (table.Result, error) {
	if missing := fileMissing(dynoPath, "run `make bench-capacity`, which builds it"); missing != "" {
		return table.Result{}, fmt.Errorf("%s", missing)
	}
	s, err := b.serve(workerServer)
	if err != nil {
		return table.Result{}, err
	}
	defer s.stop()
	probe, searches := capacityProbe, 5
	if b.quick {
		probe, searches = capacityProbe/4, 2
	}
	known := queueing.Capacity(workerService.Seconds(), capacityLimit.Seconds(), capacityShare)
	var found []dyno.Estimate
	for i := range repeat {
		c, err := b.searchCapacity(ctx, s, probe, searches, i+1)
		if err != nil {
			return table.Result{}, err
		}
		found = append(found, c.RatePerS)
		b.progress("capacity, command %d of %d: %.0f/s (%.0f to %.0f), arithmetic %.0f/s", i+1, repeat, c.RatePerS.Value, c.RatePerS.Low, c.RatePerS.High, known)
	}
	return capacityResult(known, probe, searches, found), nil
}

// searchCapacity runs one command and reads what it found.
func (b *bench) searchCapacity(ctx context.Context, s *server, probe time.Duration, searches, seed int) (c dyno.Capacity, err error) {
	done, err := b.children.runToEnd(ctx, b.placement.ClientCPUs, capacityWithin, dynoPath, "capacity", s.addr.String(),
		"--slo", fmt.Sprintf("p99<%v", capacityLimit), "--size", "8", "-c", fmt.Sprint(capacityConnections),
		"-d", probe.String(), "--searches", fmt.Sprint(searches), "--seed", fmt.Sprint(seed), "--json")
	if err == nil {
		err = json.Unmarshal(done.stdout, &c)
	}
	if err == nil && c.RatePerS.N < 2 {
		err = fmt.Errorf("it found no capacity; run the bench again on a quieter machine")
	}
	if err != nil {
		err = fmt.Errorf("dyno capacity: %w", err)
	}
	return c, err
}

// capacityResult lays out capacities that were found beside the one that is known.
func capacityResult(known float64, probe time.Duration, searches int, found []dyno.Estimate) table.Result {
	var rows []table.Row
	var off []float64
	apart := 0.0
	for i, e := range found {
		rows = append(rows, table.Row{
			Label: fmt.Sprintf("found ÷ arithmetic, command %d", i+1), Figure: table.Spread{Value: e.Value / known, Low: e.Low / known, High: e.High / known},
		})
		off = append(off, math.Abs(e.Value/known-1))
		for _, other := range found[:i] {
			if e.Low > other.High || other.Low > e.High {
				apart++
			}
		}
	}
	distance := table.SpreadRow("distance from arithmetic, as a share", "", off)
	distance.Figure.Value = distance.Figure.High // the worst counts
	distance.Target = &table.Target{AtMost: true, Limit: capacityOffMax}
	return table.Result{
		Setting: fmt.Sprintf("a worker, %s a request: p99 below %s up to %.0f/s by arithmetic (M/D/1, %.0f %% busy)",
			table.InWords(workerService), table.InWords(capacityLimit), known, 100*known*workerService.Seconds()),
		How:   fmt.Sprintf("dyno capacity, %d times: %d searches each, probes of %s, %d connections", len(found), searches, table.InWords(probe), capacityConnections),
		Heads: [2]string{"value", "low … high"},
		Rows: append(rows, distance, table.Row{
			Label: "pairs of intervals that do not overlap", Figure: table.Spread{Value: apart, Low: apart, High: apart}, Target: &table.Target{AtMost: true},
		}),
	}
}
