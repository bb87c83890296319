package main

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"dyno"
	"dyno/bench/internal/table"
	"dyno/stat"
)

const (
	slicingTarget      = 0.5
	slicingConnections = 32
	slicingTurns       = 5 // measurements of each kind on one pair of processes
)

// pairRatios are the log ratios that were measured on one pair of processes, by both ways in turns.
type pairRatios struct{ interleaved, sequential []float64 }

// slicing measures what interleaved slices are worth: two clones of one server are compared again and
// again, by turns under interleaved slices and under one window each of the same total time. The clones
// do not change between turns, so the deviation of the ratios within a pair is the error of the method
// alone. Two processes of one server differ a little for good (where their memory lies, what was compiled
// when): every method must find that difference, so fresh pairs are drawn to show its size, and it enters
// neither side.
func slicing(ctx context.Context, b *bench, repeat int) (table.Result, error) {
	c, err := newClones(ctx, b)
	if err != nil {
		return table.Result{}, err
	}
	defer c.engine.Close()
	turns := slicingTurns
	if b.quick {
		turns = 2
	}
	var pairs []pairRatios
	for i := range repeat {
		p, err := c.pair(ctx, i, turns)
		if err != nil {
			return table.Result{}, err
		}
		pairs = append(pairs, p)
		b.progress("slicing, pair %d of %d: SD %.2f %% in slices, %.2f %% in windows",
			i+1, repeat, 100*deviation(p.interleaved), 100*deviation(p.sequential))
	}
	return slicingResult(c.method, c.subject, pairs), nil
}

// pair starts two fresh processes and compares them in turns, the order of which changes.
func (c *clones) pair(ctx context.Context, number, turns int) (pairRatios, error) {
	alive := newPen(c.start)
	defer alive.stopAll()
	var p pairRatios
	for turn := range 2 * turns {
		continuous := (turn+turn/2+number)%2 == 1 // A B B A A B B A …
		seed := uint64(number*2*turns + turn)     // of the random orders; new in every turn
		trials, err := c.block(ctx, alive.start, continuous, seed)
		if err != nil {
			return p, err
		}
		logRatio, err := cloneRatio(trials)
		if err != nil {
			return p, err
		}
		if continuous {
			p.sequential = append(p.sequential, logRatio)
		} else {
			p.interleaved = append(p.interleaved, logRatio)
		}
	}
	return p, nil
}

// cloneRatio returns the log of the rate of one clone over that of the other, as dyno's verdicts take it.
func cloneRatio(trials []dyno.Trial) (float64, error) {
	if len(trials) != 2 {
		return 0, fmt.Errorf("a block of two clones has %d trials; run the bench again", len(trials))
	}
	for _, t := range trials {
		if t.Void != "" {
			last := ""
			if n := len(t.Stderr); n > 0 {
				last = ": " + t.Stderr[n-1]
			}
			return 0, fmt.Errorf("%s is void: %s%s; run the bench again", t.Subject, t.Void, last)
		}
	}
	a, b := &trials[0], &trials[1]
	if a.Subject > b.Subject {
		a, b = b, a // the lab stores them in the order of their start
	}
	logRatio, ok := stat.LogRatio(a, b)
	if !ok {
		return 0, fmt.Errorf("a block of two clones has no quiet slices; run the bench again on a quieter machine")
	}
	return logRatio, nil
}

// The statistics of the table, each as a percentage of the ratio, which a small log ratio is.

func interleavedError(pairs []pairRatios) float64 {
	return 100 * pooled(pairs, func(p pairRatios) []float64 { return p.interleaved })
}

func sequentialError(pairs []pairRatios) float64 {
	return 100 * pooled(pairs, func(p pairRatios) []float64 { return p.sequential })
}

func errorQuotient(pairs []pairRatios) float64 {
	return interleavedError(pairs) / sequentialError(pairs)
}

// processDifference is the deviation of the pairs' mean ratios, all turns together.
func processDifference(pairs []pairRatios) float64 {
	var means []float64
	for _, p := range pairs {
		means = append(means, (mean(p.interleaved)+mean(p.sequential))/2)
	}
	return 100 * deviation(means)
}

// pooled returns the standard deviation within pairs: the root of their mean variance.
func pooled(pairs []pairRatios, of func(pairRatios) []float64) float64 {
	var variance float64
	for _, p := range pairs {
		d := deviation(of(p))
		variance += d * d / float64(len(pairs))
	}
	return math.Sqrt(variance)
}

// slicingResult lays out what the pairs say.
func slicingResult(m dyno.Method, s dyno.Subject, pairs []pairRatios) table.Result {
	total := time.Duration(m.Rounds) * m.Slice
	return table.Result{
		Setting: fmt.Sprintf("ratio of two clones of %s: %d connections, one request in flight on each, %d B payload",
			strings.TrimSpace(s.Title+" "+s.RuntimeVersion), slicingConnections, payloadBytes),
		How: fmt.Sprintf("%d pairs of fresh processes, each compared %d times by each way in turns; each clone is loaded for %s a time",
			len(pairs), len(pairs[0].interleaved), table.InWords(total)),
		Heads: [2]string{"SD", "95 % interval"},
		Rows: []table.Row{
			{Label: fmt.Sprintf("interleaved, %d slices of %s each", m.Rounds, table.InWords(m.Slice)), Unit: "%", Figure: bootstrap(pairs, interleavedError)},
			{Label: fmt.Sprintf("sequential, one window of %s each", table.InWords(total)), Unit: "%", Figure: bootstrap(pairs, sequentialError)},
			{Label: "interleaved ÷ sequential", Figure: bootstrap(pairs, errorQuotient), Target: &table.Target{AtMost: true, Limit: slicingTarget}},
			{Label: "the clones' own difference, for comparison", Unit: "%", Figure: bootstrap(pairs, processDifference)},
		},
	}
}
