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
	// ballastNs of work are in every reply of all clones. Without them the Go server answers about as fast as dyno asks: then
	// a slowdown of the server is no slowdown of the pair of them by as much. And what comes on top of so much other work
	// takes as long as it should, while a few steps on their own are partly done beside what a processor does anyway.
	ballastNs = 5_000
)

// Power slows half of the clones of a server down by a known amount and counts how often verdicts find it, one
// cell at a time, in an order that the seed draws. timeStep tells what one step of arithmetic takes on the servers'
// CPU now, in ns. With an error comes what was counted until then.
func (e Experiment) Power(ctx context.Context, slowdown float64, timeStep func() (float64, error)) (dyno.CloneCheck, error) {
	var sum dyno.CloneCheck
	stepNs, err := timeStep()
	if err != nil {
		return sum, err
	}
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
	ballast := int(ballastNs / stepNs)
	useless := 0 // cells in a row in which no slowdown could be seen
	err = e.turns(func() bool { return sum.Missed.Of >= powerEnough }, func(k int) error {
		cell := e.Suite.Cells[cells[k%len(cells)]]
		ratePerS, err := e.pilot(ctx, cell, Busy(e.Subjects[0], ballast), e.runSeed(2*k))
		if err != nil {
			return err
		}
		if ratePerS == 0 {
			e.Say(fmt.Sprintf("%v: the client is the limit, so that no slowdown of the server could be seen", cell))
			if useless++; useless == len(cells) {
				return fmt.Errorf("the client is the limit in all cells of %s, so that no slowdown of %s could be seen; use another suite", e.Suite.Name, e.Subjects[0].Name)
			}
			return nil
		}
		useless = 0
		if stepNs, err = timeStep(); err != nil {
			return err
		}
		slower := Busy(e.Subjects[0], ballast+BusySteps(ratePerS, slowdown, stepNs))
		clones := append(Clones(Busy(e.Subjects[0], ballast), powerClones), Slowed(slower, powerClones, slowdown)...)
		check, err := e.powerIn(ctx, cell, slowdown, clones, e.runSeed(2*k+1))
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
func (e Experiment) powerIn(ctx context.Context, cell dyno.Cell, slowdown float64, clones []dyno.Subject, seed uint64) (dyno.CloneCheck, error) {
	suite := Of(e.Suite, "power", fmt.Sprintf("%d of %d clones are %.3g %% slower", powerClones, len(clones), slowdown*100), clones)
	suite.Cells = []dyno.Cell{cell}
	run, trials, err := e.Measure(ctx, suite, clones, seed, nil)
	if err != nil {
		return dyno.CloneCheck{}, err
	}
	return *stat.Judge(run, trials, len(trials)).Clones, nil
}

// pilot measures a subject alone, to know how fast it is in a cell. It is 0 where the client is the limit.
func (e Experiment) pilot(ctx context.Context, cell dyno.Cell, subject dyno.Subject, seed uint64) (ratePerS float64, err error) {
	alone := Clones(subject, 1)
	suite := Of(e.Suite, "power-pilot", "how long a reply takes", alone)
	suite.Cells, suite.Method.Blocks, suite.Method.Precision, suite.Method.BlockError = []dyno.Cell{cell}, pilotBlocks, 0, 0
	_, trials, err := e.Measure(ctx, suite, alone, seed, nil)
	var rates []float64
	for _, t := range trials {
		if t.Void == "" && t.ClientBusyShare() < stat.ClientBusyMax {
			rates = append(rates, t.RatePerS())
		}
	}
	return dyno.Centre(rates), err
}
