package calibrate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"dyno"
	"dyno/lab"
)

// Measure measures subjects as a suite says, under a seed, and stores the run. neighbour, if there is one,
// is called when a cell of a block begins, and what it returns when that ends. lab.ErrBudget means that the
// time was over; the trials until then come with it. A run that is stored already may be returned instead, whole, or
// be finished.
type Measure func(ctx context.Context, suite dyno.Suite, subjects []dyno.Subject, seed uint64,
	neighbour Disturb) (dyno.Run, []dyno.Trial, error)

// Disturb disturbs a cell of a block on purpose until leave is called.
type Disturb func(block int, cell dyno.Cell) (leave func())

// Experiment is what all experiments need. All fields must be set but Left and Earlier.
//
// An experiment ends when it has counted as much as it takes to hold dyno to its promise, a number fixed
// beforehand; with Left it goes on for that long instead. Neither looks at what came out.
type Experiment struct {
	Suite    dyno.Suite
	Subjects []dyno.Subject // of the suite that can run here
	Seed     uint64         // below SeedsEnd
	Measure  Measure
	Say      func(line string)    // tells how far the experiment is
	Now      func() time.Time     // the clock
	Left     func() time.Duration // of the budget; nil when there is none
	// Earlier tells whether stored runs are left that Measure has not returned yet, of an experiment that is resumed: all
	// of them are counted, whatever the budget, because leaving some out would be a choice. nil means that there are none.
	Earlier func() bool
}

// SeedsEnd is above every seed of an experiment. Its runs carry it in the lower bits of theirs, and their own number
// above it: so no two experiments share a run, and a stored run tells which experiment it belongs to.
const SeedsEnd = 1 << seedBits

const seedBits = 52

// turnsMost bounds what a budget of any length can make: two runs each have a seed of 64 bits.
const turnsMost = 1 << (64 - seedBits - 1)

// runSeed is the seed of the experiment's run with that number, from 0.
func (e Experiment) runSeed(number int) uint64 { return e.Seed | uint64(number)<<seedBits }

// ExperimentSeed is the seed of the experiment to which the run with a seed belongs.
func ExperimentSeed(runSeed uint64) uint64 { return runSeed % SeedsEnd }

// RunNumber is the number of the run with a seed in its experiment, from 0, in the order in which they are measured.
func RunNumber(runSeed uint64) int { return int(runSeed >> seedBits) }

// turns calls do for one run of the experiment after the other, until it has enough or the time for
// another run like the last is not left. An error of do ends it: lab.ErrBudget in good order.
func (e Experiment) turns(enough func() bool, do func(k int) error) error {
	var longest time.Duration
	for k := range turnsMost {
		earlier := e.Earlier != nil && e.Earlier()
		if !earlier && (e.Left == nil && enough() || e.Left != nil && e.Left() < longest) {
			return nil
		}
		began := e.Now()
		if err := do(k); errors.Is(err, lab.ErrBudget) {
			return nil
		} else if err != nil {
			return err
		}
		if !earlier { // what is stored takes no time
			longest = max(longest, e.Now().Sub(began))
		}
	}
	return nil
}

// startAllowance stands for the start and the first warm-up of a process, before anybody has measured them.
const startAllowance = 900 * time.Millisecond

// lasts estimates how long a run takes, before there was one like it.
func lasts(suite dyno.Suite, subjects int) time.Duration {
	rounds, slice := lab.NewPlan(suite, 1).Rounds()
	trial := time.Duration(rounds) * slice
	return time.Duration(suite.Method.Blocks*subjects) * (startAllowance + time.Duration(len(suite.Cells))*trial)
}

// announce tells in advance what the experiment will do, and how long that takes.
func (e Experiment) announce(what string, all time.Duration) {
	until := "about " + max(all.Round(time.Minute), time.Minute).String()
	if e.Left != nil {
		until = "as many as " + e.Left().Round(time.Second).String() + " are enough for"
	}
	e.Say(fmt.Sprintf("plan: %s; %s; seed %d", what, until, e.Seed))
}

// ErrTooShort says that a budget ended before anything was known. What is stored can be resumed.
var ErrTooShort = errors.New("the budget was over before")

func tooShort(what string) error { return fmt.Errorf("%w %s", ErrTooShort, what) }
