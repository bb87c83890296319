package calibrate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"dyno"
	"dyno/lab"
	"dyno/stat"
)

// Measure measures subjects as a suite says, under a seed, and stores the run. neighbour, if there is one,
// is called when a block begins, and what it returns when the block ends. lab.ErrBudget means that the time
// was over; the trials until then come with it.
type Measure func(ctx context.Context, suite dyno.Suite, subjects []dyno.Subject, seed uint64,
	neighbour func(block int) (leave func())) (dyno.Run, []dyno.Trial, error)

// Experiment is what all experiments need. All fields must be set.
type Experiment struct {
	Suite    dyno.Suite
	Subjects []dyno.Subject // of the suite that can run here
	Seed     uint64
	Measure  Measure
	Say      func(line string) // tells how far the experiment is
}

const (
	pilotBlocks   = 2
	powerClones   = 3 // equal ones beside the slowed one
	slicingBlocks = 2 // of each kind before the other has its turn
	slicingMost   = 4 // subjects, which make six pairs
	runsMost      = 10_000
)

// Power slows one of four clones down by a known amount and counts how often verdicts find it, one cell at a
// time, until the budget is used up. stepNs is what one step of arithmetic takes on the servers' CPU.
func (e Experiment) Power(ctx context.Context, slowdown, stepNs float64) (Tally, error) {
	subject := e.Subjects[0]
	rates, err := e.pilot(ctx, subject)
	if err != nil {
		return Tally{}, err
	}
	var sum Tally
	for k := range runsMost {
		cell := rates[k%len(rates)]
		clones := append(Clones(subject, powerClones), Slowed(subject, slowdown, BusySteps(cell.ratePerS, slowdown, stepNs)))
		suite := Of(e.Suite, "power", fmt.Sprintf("one of %d clones is %.3g %% slower", len(clones), slowdown*100), clones)
		suite.Cells = []dyno.Cell{cell.cell}
		run, trials, err := e.Measure(ctx, suite, clones, e.Seed+uint64(k)+1, nil)
		if errors.Is(err, lab.ErrBudget) {
			break
		}
		if err != nil {
			return sum, err
		}
		sum = sum.Plus(Count(stat.Judge(run, trials, len(trials))))
		e.Say(fmt.Sprintf("%v: missed so far %v", cell.cell, sum.Missed))
	}
	if sum.Of() == 0 {
		return sum, errors.New("the budget was over before a single verdict; give more with --budget, or use --quick")
	}
	return sum, nil
}

// cellRate is how fast the subject is in a cell.
type cellRate struct {
	cell     dyno.Cell
	ratePerS float64
}

// pilot measures the subject alone, to know how long a reply takes in each cell. Cells in which the client
// is the limit cannot show a slowdown of the server, and are left out.
func (e Experiment) pilot(ctx context.Context, subject dyno.Subject) ([]cellRate, error) {
	alone := Clones(subject, 1)
	suite := Of(e.Suite, "power-pilot", "how long a reply takes", alone)
	suite.Method.Blocks = pilotBlocks
	_, trials, err := e.Measure(ctx, suite, alone, e.Seed, nil)
	if err != nil && !errors.Is(err, lab.ErrBudget) {
		return nil, err
	}
	var rates []cellRate
	for _, cell := range e.Suite.Cells {
		var fastest float64 // the least disturbed: what others take makes a reply seem longer than it is
		for _, t := range trials {
			if t.Cell == cell && t.Void == "" && t.ClientBusyShare() < stat.ClientBusyMax {
				fastest = max(fastest, t.RatePerS())
			}
		}
		if fastest > 0 {
			rates = append(rates, cellRate{cell, fastest})
		}
	}
	if len(rates) == 0 {
		return nil, fmt.Errorf("%s is limited by the client in every cell of %s, so that no slowdown could be seen; use another suite", subject.Name, e.Suite.Name)
	}
	return rates, nil
}

// Noise runs a neighbour on the servers' CPU in a random half of the blocks, and counts which blocks are
// flagged, until the budget is used up.
func (e Experiment) Noise(ctx context.Context, start func() (leave func(), err error)) (NoiseTally, error) {
	clones := Clones(e.Subjects[0], 2)
	suite := Of(e.Suite, "noise", "a neighbour in a random half of the blocks", clones)
	suite.Cells = suite.Cells[:1]
	suite.Method.Blocks = 10
	var sum NoiseTally
	for k := range runsMost {
		seed := e.Seed + uint64(k)
		var failed error
		_, trials, err := e.Measure(ctx, suite, clones, seed, func(block int) func() {
			if !Touched(seed, block) || failed != nil {
				return func() {}
			}
			leave, err := start()
			if err != nil {
				failed = err
				return func() {}
			}
			return leave
		})
		if failed != nil {
			return sum, failed
		}
		if err != nil && !errors.Is(err, lab.ErrBudget) {
			return sum, err
		}
		sum = sum.Plus(CountNoise(seed, trials))
		if err != nil {
			break
		}
		e.Say(fmt.Sprintf("flagged so far: with a neighbour %v, without %v", sum.Touched, sum.Quiet))
	}
	if sum.Touched.Of+sum.Quiet.Of == 0 {
		return sum, errors.New("the budget was over before a single block; give more with --budget")
	}
	return sum, nil
}

// Slicing measures the same subjects in slices and in continuous windows of as much time, in turns, until
// the budget is used up, and compares their ratios.
func (e Experiment) Slicing(ctx context.Context) ([]Pair, error) {
	subjects := e.Subjects[:min(len(e.Subjects), slicingMost)]
	suite := Of(e.Suite, "slicing", "slices and continuous windows in turns", subjects)
	suite.Cells = []dyno.Cell{suite.Cells[len(suite.Cells)/2]}
	suite.Method.Blocks = slicingBlocks
	var sliced, continuous []dyno.Trial
	for k := range runsMost {
		suite.Method.Continuous = k%2 == 1
		_, trials, err := e.Measure(ctx, suite, subjects, e.Seed+uint64(k), nil)
		if err != nil && !errors.Is(err, lab.ErrBudget) {
			return nil, err
		}
		for _, t := range trials {
			t.Block += k * slicingBlocks
			if suite.Method.Continuous {
				continuous = append(continuous, t)
			} else {
				sliced = append(sliced, t)
			}
		}
		if err != nil {
			break
		}
	}
	names := slices.Clone(suite.Subjects)
	pairs := Slicing(names, sliced, continuous)
	if len(pairs) == 0 || !pairs[0].Bias.Known() {
		return nil, errors.New("the budget was over before both kinds had two blocks; give more with --budget")
	}
	return pairs, nil
}
