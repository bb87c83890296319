package main

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"dyno"
)

const (
	slicingTarget      = 0.5
	slicingConnections = 32
)

// slicing measures what interleaved slices are worth: blocks of two clones of one server, by turns
// under interleaved slices and under one window each of the same total time, in random order. The
// clones are equal, so whatever a block finds between them is the error of the method.
func slicing(ctx context.Context, b *bench, repeat int) (result, error) {
	c, err := newClones(ctx, b)
	if err != nil {
		return result{}, err
	}
	defer c.engine.Close()
	var interleaved, sequential []float64 // log ratios of the clones, one a block
	for i := range repeat {
		for _, turn := range []struct {
			logRatios  *[]float64
			continuous bool
		}{{&interleaved, false}, {&sequential, true}} {
			seed := uint64(len(interleaved) + len(sequential)) // of the random orders; new in every block
			trials, err := c.block(ctx, turn.continuous, seed)
			if err != nil {
				return result{}, err
			}
			logRatio, err := blockLogRatio(trials)
			if err != nil {
				return result{}, err
			}
			*turn.logRatios = append(*turn.logRatios, logRatio)
		}
		b.progress("slicing, block %d of %d: the clones differ by %+.2f %% in slices, by %+.2f %% in windows",
			i+1, repeat, 100*math.Expm1(interleaved[i]), 100*math.Expm1(sequential[i]))
	}
	return slicingResult(c.method, c.subject, interleaved, sequential), nil
}

// blockLogRatio returns the log of the rate of one clone over that of the other, as dyno's verdicts
// take it: paired round by round, and the robust centre over the rounds.
func blockLogRatio(trials []dyno.Trial) (float64, error) {
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
	rates := map[int]float64{} // of the second clone, by round
	for _, s := range trials[1].Slices {
		rates[s.Round] = s.RatePerS()
	}
	var logRatios []float64
	for _, s := range trials[0].Slices {
		other := rates[s.Round]
		if s.RatePerS() <= 0 || other <= 0 {
			return 0, fmt.Errorf("round %d has a clone without a reply; run the bench again on a quieter machine", s.Round+1)
		}
		logRatios = append(logRatios, math.Log(s.RatePerS()/other))
	}
	if len(logRatios) == 0 {
		return 0, fmt.Errorf("a block of two clones has no slices; run the bench again")
	}
	return dyno.Centre(logRatios), nil
}

// deviationPercent is the standard deviation of log ratios as a percentage of the ratio, which it is
// for the few percent in question.
func deviationPercent(logRatios []float64) float64 { return 100 * deviation(logRatios) }

// slicingResult lays out the log ratios of the blocks of each kind.
func slicingResult(m dyno.Method, s dyno.Subject, interleaved, sequential []float64) result {
	ofFirst := func(as, _ []float64) float64 { return deviationPercent(as) }
	quotient := func(as, bs []float64) float64 { return deviation(as) / deviation(bs) }
	total := time.Duration(m.Rounds) * m.Slice
	return result{
		setting: fmt.Sprintf("block ratio of two clones of %s: %d connections, one request in flight on each, %d B payload",
			strings.TrimSpace(s.Title+" "+s.RuntimeVersion), slicingConnections, payloadBytes),
		how:   fmt.Sprintf("%d blocks of each kind, in turns, every block with fresh processes; each clone is loaded for %s in all", len(interleaved), inWords(total)),
		heads: [2]string{"SD", "95 % interval"},
		rows: []row{
			{label: fmt.Sprintf("interleaved, %d slices of %s each", m.Rounds, inWords(m.Slice)), unit: "%", figure: bootstrap(interleaved, sequential, ofFirst)},
			{label: fmt.Sprintf("sequential, one window of %s each", inWords(total)), unit: "%", figure: bootstrap(sequential, interleaved, ofFirst)},
			{label: "interleaved ÷ sequential", figure: bootstrap(interleaved, sequential, quotient), target: &target{atMost: true, limit: slicingTarget}},
		},
	}
}
