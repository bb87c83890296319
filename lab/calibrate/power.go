package calibrate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"dyno"
	"dyno/internal/words"
	"dyno/stat"
)

const (
	pilotBlocks = 3
	// powerClones are equal, and as many are slowed: each of the latter is compared with each of the former,
	// all of them fresh processes of their own.
	powerClones = 5
	powerEnough = 40 // comparisons that a promise about one in twenty takes at least
	// leastSteps of arithmetic are put in, some 80 ns. A processor does fewer of them beside what the server does anyway: of
	// 12 steps that were to make replies of half a microsecond 3 % longer, half were seen.
	leastSteps = 64
)

// Power slows half of the clones of a server down by a known amount and counts how often verdicts find it, one
// cell at a time, in an order that the seed draws. stepNs is what one step of arithmetic takes on the servers'
// CPU. With an error comes what was counted until then.
func (e Experiment) Power(ctx context.Context, slowdown, stepNs float64) (dyno.CloneCheck, error) {
	var sum dyno.CloneCheck
	cells := rand.New(rand.NewPCG(e.Seed, 0)).Perm(len(e.Suite.Cells))
	one := e.Suite
	one.Cells = one.Cells[:1]
	cellLasts := lasts(one, 2*powerClones)
	blocks := words.Count(e.Suite.Method.Blocks, "block")
	if e.Suite.Method.Precision > 0 {
		blocks = "at most " + blocks
	}
	e.announce(fmt.Sprintf("each of %d slowed clones against each of %d equal ones, %s, in at least %d verdicts",
		powerClones, powerClones, blocks, powerEnough), cellLasts*((powerEnough-1)/(powerClones*powerClones)+1))
	useless := 0 // cells in a row in which no slowdown could be seen
	err := e.turns(func() bool { return sum.Missed.Of >= powerEnough }, func(k int) error {
		cell := e.Suite.Cells[cells[k%len(cells)]]
		ratePerS, err := e.pilot(ctx, cell, e.runSeed(2*k))
		if err != nil {
			return err
		}
		steps, why := 0, "the client is the limit, so that no slowdown of the server could be seen"
		if ratePerS > 0 {
			steps, why = BusySteps(ratePerS, slowdown, stepNs), "so little of a reply is too short to be put in exactly"
		}
		if steps < leastSteps {
			e.Say(fmt.Sprintf("%v: %s", cell, why))
			if useless++; useless == len(cells) {
				return fmt.Errorf("%s cannot be slowed down so that it shows in any cell of %s: %s; use another suite or a larger slowdown", e.Subjects[0].Name, e.Suite.Name, why)
			}
			return nil
		}
		useless = 0
		check, err := e.powerIn(ctx, cell, slowdown, steps, e.runSeed(2*k+1))
		if err != nil {
			return err
		}
		sum = stat.SumClones(sum, check)
		e.Say(fmt.Sprintf("%v: missed so far %v", cell, sum.Missed))
		return nil
	})
	if err == nil && sum.Missed.Of == 0 {
		err = tooShort("a single verdict, which takes about " + cellLasts.Round(time.Second).String())
	}
	return sum, err
}

// powerIn measures slowed clones beside equal ones in a cell.
func (e Experiment) powerIn(ctx context.Context, cell dyno.Cell, slowdown float64, steps int, seed uint64) (dyno.CloneCheck, error) {
	subject := e.Subjects[0]
	clones := append(Clones(subject, powerClones), Slowed(subject, powerClones, slowdown, steps)...)
	suite := Of(e.Suite, "power", fmt.Sprintf("%d of %d clones are %.3g %% slower", powerClones, len(clones), slowdown*100), clones)
	suite.Cells = []dyno.Cell{cell}
	run, trials, err := e.Measure(ctx, suite, clones, seed, nil)
	if err != nil {
		return dyno.CloneCheck{}, err
	}
	return *stat.Judge(run, trials, len(trials)).Clones, nil
}

// pilot measures the subject alone, to know how fast it is in a cell. It is 0 where the client is the limit.
func (e Experiment) pilot(ctx context.Context, cell dyno.Cell, seed uint64) (ratePerS float64, err error) {
	alone := Clones(e.Subjects[0], 1)
	suite := Of(e.Suite, "power-pilot", "how long a reply takes", alone)
	suite.Cells, suite.Method.Blocks, suite.Method.Precision = []dyno.Cell{cell}, pilotBlocks, 0
	_, trials, err := e.Measure(ctx, suite, alone, seed, nil)
	for _, t := range trials {
		if t.Void != "" || t.ClientBusyShare() >= stat.ClientBusyMax {
			continue
		}
		for _, s := range t.Slices { // the least disturbed: what others take makes a reply seem longer than it is
			ratePerS = max(ratePerS, s.RatePerS())
		}
	}
	return ratePerS, err
}
