package calibrate

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"time"

	"dyno"
	"dyno/stat"
)

const (
	noiseBlocks = 10  // of a run
	noiseEnough = 300 // measurements of each kind: when all of them are flagged, the interval ends at 1.2 %
	// Flags do not ask how fast a server is, so it need not be warm, and beside a neighbour it hardly settles.
	noiseWarmUp = 200 * time.Millisecond

	// What dyno promises: so few measurements with a neighbour go unnoticed, and so few without are flagged.
	missedMost  = 0.01
	flaggedMost = 0.02
)

// Touched says whether a cell of a block has the neighbour: about half of them, by the run's seed alone.
func Touched(seed uint64, block int, cell dyno.Cell) bool {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %v", block, cell)
	return rand.New(rand.NewPCG(seed, h.Sum64())).IntN(2) == 1
}

// Noise runs a neighbour on the servers' CPU in a random half of the measurements, each of a cell in a block,
// and counts which are flagged. With an error comes what was counted until then.
func (e Experiment) Noise(ctx context.Context, start func() (leave func(), err error)) (NoiseTally, error) {
	clones := Clones(e.Subjects[0], 2)
	suite := Of(e.Suite, "noise", "a neighbour in a random half of the measurements", clones)
	suite.Method.Blocks, suite.Method.BlockError = noiseBlocks, 0 // rates do not matter
	suite.Method.WarmUpMax = min(suite.Method.WarmUpMax, noiseWarmUp)
	runs := 2*noiseEnough/(noiseBlocks*len(suite.Cells)) + 1
	e.announce(fmt.Sprintf("at least %d measurements with a neighbour and %d without", noiseEnough, noiseEnough),
		lasts(suite, len(clones)*runs))
	var sum NoiseTally
	err := e.turns(func() bool { return sum.Touched.Of >= noiseEnough && sum.Quiet.Of >= noiseEnough }, func(k int) error {
		seed := e.runSeed(k)
		// Without its neighbour a measurement must not be stored as if it had one.
		running, stop := context.WithCancelCause(ctx)
		defer stop(nil)
		_, trials, err := e.Measure(running, suite, clones, seed, func(block int, cell dyno.Cell) func() {
			if !Touched(seed, block, cell) {
				return func() {}
			}
			leave, err := start()
			if err != nil {
				stop(err)
				return func() {}
			}
			return leave
		})
		sum = sum.Plus(CountNoise(seed, trials)) // of an interrupted run, too: each measurement is whole
		if running.Err() != nil && ctx.Err() == nil {
			return context.Cause(running)
		}
		if len(trials) > 0 {
			e.Say(fmt.Sprintf("flagged so far: with a neighbour %v, without %v", sum.Touched, sum.Quiet))
		}
		return err
	})
	if err == nil && sum.Touched.Of+sum.Quiet.Of == 0 {
		err = tooShort("a single measurement")
	}
	return sum, err
}

// NoiseTally counts how measurements with and without an injected neighbour were flagged.
type NoiseTally struct {
	// Measurements that were flagged, with the neighbour and without it: a slice is, in most of their rounds.
	Touched dyno.Rate `json:"touched"`
	Quiet   dyno.Rate `json:"quiet"`
	// Single slices that were flagged.
	TouchedSlices dyno.Rate `json:"touched_slices"`
	QuietSlices   dyno.Rate `json:"quiet_slices"`
}

// Plus adds up two tallies.
func (t NoiseTally) Plus(o NoiseTally) NoiseTally {
	return NoiseTally{
		stat.SumRates(t.Touched, o.Touched), stat.SumRates(t.Quiet, o.Quiet),
		stat.SumRates(t.TouchedSlices, o.TouchedSlices), stat.SumRates(t.QuietSlices, o.QuietSlices),
	}
}

// CountNoise tallies the measurements of a run. One is flagged when most of its rounds are, which is when
// verdicts drop it.
func CountNoise(seed uint64, trials []dyno.Trial) NoiseTally {
	type place struct {
		block int
		cell  dyno.Cell
	}
	measured := map[place][]dyno.Trial{}
	for _, t := range trials {
		at := place{t.Block, t.Cell}
		measured[at] = append(measured[at], t)
	}
	var t NoiseTally
	for at, of := range measured {
		whole, single := &t.Quiet, &t.QuietSlices
		if Touched(seed, at.block, at.cell) {
			whole, single = &t.Touched, &t.TouchedSlices
		}
		whole.Of++
		if stat.Disturbed(of) {
			whole.Hits++
		}
		for _, trial := range of {
			for _, s := range trial.Slices {
				single.Of++
				if s.Flag != "" {
					single.Hits++
				}
			}
		}
	}
	return t.Plus(NoiseTally{}) // which works the intervals out
}

// Promises holds dyno to what it promises about neighbours.
func (t NoiseTally) Promises() []dyno.PromisedRate {
	missed := stat.RateOf(t.Touched.Of-t.Touched.Hits, t.Touched.Of)
	return []dyno.PromisedRate{
		missed.Promise("a measurement with a neighbour on the servers' CPU was not flagged", missedMost),
		t.Quiet.Promise("a measurement without a neighbour was flagged", flaggedMost),
	}
}

// Write says in a few lines what the tally shows.
func (t NoiseTally) Write(w io.Writer) error {
	missed := stat.RateOf(t.Touched.Of-t.Touched.Hits, t.Touched.Of)
	_, err := fmt.Fprintf(w, `A measurement, a cell in a block, is flagged when most of its rounds are: then verdicts drop it.
With a neighbour on the servers' CPU, not flagged: %v;
  %s.
Without one, flagged all the same: %v;
  %s.
Single slices flagged: with a neighbour %d of %d, without %d of %d.
What else ran on this machine was flagged, too: on a quiet one the second figure is dyno's own.
`, missed, missed.Against(missedMost), t.Quiet, t.Quiet.Against(flaggedMost),
		t.TouchedSlices.Hits, t.TouchedSlices.Of, t.QuietSlices.Hits, t.QuietSlices.Of)
	return err
}
