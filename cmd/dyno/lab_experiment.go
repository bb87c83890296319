package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dyno"
	"dyno/host"
	"dyno/lab"
	"dyno/lab/calibrate"
	"dyno/report"
	"dyno/store"
)

// unslowable is the contract whose subjects do no work for a single request, so that none can be slowed down.
const unslowable = "codec"

// experiment is one of them at work.
type experiment struct {
	calibrate.Experiment
	slowdown  float64
	placement host.Placement
	found     calibrate.Result
}

// run does an experiment on the suite that the user called name, and says what came of it.
func (f experimentFlags) run(cmd *cobra.Command, name string, do func(ctx context.Context, x *experiment) error) error {
	var slowdown float64
	if cmd.Flag("slowdown") != nil { // of an experiment that has one
		var err error
		if slowdown, err = share(f.slowdown); err != nil {
			return err
		}
	}
	h, w, release, err := openBench(cmd, nil)
	if err != nil {
		return err
	}
	defer release()
	suite, subjects, err := w.material(cmd.Context(), h, name, f)
	if err != nil {
		return err
	}
	f.until(&suite.Method)
	f.precision = 0 // the suite has it now: what an experiment measures beside it, such as a pilot, is as long as it says
	results, err := store.Open(f.out)
	if err != nil {
		return err
	}
	defer results.Close()
	runs := &labRuns{workbench: w, flags: f.runFlags, store: results, gated: map[string]dyno.GateResult{}, stderr: cmd.ErrOrStderr()}
	if f.goOn {
		if f.seed, err = runs.find(cmd.Context(), suite, cmd.Name(), f.seed); err != nil {
			return err
		}
	} else if f.seed == 0 {
		f.seed = rand.Uint64N(calibrate.SeedsEnd) | 1
	}
	x := &experiment{slowdown: slowdown, placement: w.placement}
	x.Suite, x.Subjects, x.Seed, x.Now, x.Measure, x.Earlier = suite, subjects, f.seed, time.Now, runs.measure, runs.left
	x.Say = func(line string) { fmt.Fprintln(cmd.ErrOrStderr(), line) }
	if f.budget > 0 {
		runs.deadline = time.Now().Add(f.budget)
		x.Left = func() time.Duration { return time.Until(runs.deadline) }
	}
	x.found = calibrate.Result{
		Experiment: cmd.Name(), Suite: suite.Name, Quick: suite.Quick, Seed: f.seed, Dyno: version, Machine: host.Fingerprint(w.placement),
	}
	err = do(cmd.Context(), x)
	x.found.Runs, x.found.EndedAt, x.found.Ended = runs.counted, time.Now(), f.ended(err)
	if printErr := x.print(cmd.OutOrStdout(), f.json); printErr != nil {
		return printErr
	}
	return x.status(err, f.command(cmd, name))
}

// material is what an experiment is made of: a suite, and its subjects that can run here.
func (w *workbench) material(ctx context.Context, h home, name string, f experimentFlags) (dyno.Suite, []dyno.Subject, error) {
	suites, err := lab.LoadSuites(h.suites(), name, f.quick, w.fits)
	if err != nil {
		return dyno.Suite{}, nil, usage(err)
	}
	if len(suites) != 1 {
		return dyno.Suite{}, nil, usagef("%s stands for several suites; name one of them", name)
	}
	suite := suites[0]
	// Virtual users set the rate themselves, so that it shows neither a slowdown nor a ratio.
	suite.Cells = slices.DeleteFunc(suite.Cells, func(c dyno.Cell) bool { return c.Load.Users > 0 })
	suite.Scripts = nil
	if len(suite.Cells) == 0 {
		return suite, nil, usagef("%s has virtual users only, who set the rate themselves; name a suite with loads", suite.Name)
	}
	names, err := w.pick(suite.Subjects, f.only)
	if err != nil {
		return suite, nil, err
	}
	subjects, err := w.resolve(ctx, names)
	if err != nil {
		return suite, nil, err
	}
	subjects = slices.DeleteFunc(subjects, func(s dyno.Subject) bool { return s.Unavailable != "" })
	if len(subjects) == 0 {
		return suite, nil, fmt.Errorf("no subject of %s can run here; dyno doctor says what each needs", suite.Name)
	}
	return suite, subjects, nil
}

// ended says why an experiment came to its end.
func (f experimentFlags) ended(err error) calibrate.Ended {
	switch {
	case err != nil && !errors.Is(err, calibrate.ErrTooShort):
		return calibrate.EndedInterrupted
	case f.budget > 0:
		return calibrate.EndedBudget
	}
	return calibrate.EndedEnough
}

// counted tells whether the experiment came to know anything.
func (x *experiment) counted() bool {
	return x.found.Clones != nil || x.found.Noise != nil || x.found.Slicing != nil
}

// print says what was found out, if anything was.
func (x *experiment) print(w io.Writer, asJSON bool) error {
	switch found := x.found; {
	case !x.counted():
		return nil
	case asJSON:
		return found.WriteJSON(w)
	case found.Clones != nil:
		return report.Clones(w, *found.Clones)
	case found.Noise != nil:
		return found.Noise.Write(w)
	default:
		return found.Slicing.Write(w, func(subject string) string {
			return x.Subjects[slices.IndexFunc(x.Subjects, func(s dyno.Subject) bool { return s.Name == subject })].Title
		})
	}
}

// status turns the outcome of an experiment into an error, with the command that goes on with it.
func (x *experiment) status(err error, goOn string) error {
	switch {
	case errors.Is(err, context.Canceled):
		counted := "nothing was counted until then"
		if x.counted() {
			counted = "what was counted until then is above"
		}
		return &statusError{exitInterrupted, fmt.Errorf("interrupted; %s; `%s` goes on", counted, goOn)}
	case errors.Is(err, calibrate.ErrTooShort):
		return fmt.Errorf("%w; `%s` goes on, without a budget until enough is counted", err, goOn)
	case err != nil:
		return err
	}
	if x.found.Ended == calibrate.EndedBudget {
		x.Say(fmt.Sprintf("the budget is over; `%s` goes on", goOn))
	}
	return brokenPromises(x.found.Promises)
}

// brokenPromises names the promises that are shown to be broken, if any are.
func brokenPromises(promises []dyno.PromisedRate) error {
	var broken []string
	for _, p := range promises {
		if p.State == dyno.PromiseBroken {
			broken = append(broken, p.String())
		}
	}
	if len(broken) == 0 {
		return nil
	}
	return &statusError{exitFailed, fmt.Errorf("a promise is shown to be broken: %s; dyno doctor says how noisy this machine is", strings.Join(broken, ", and "))}
}

func power(ctx context.Context, x *experiment) error {
	x.Subjects = slices.DeleteFunc(goPrograms(x.Subjects), func(s dyno.Subject) bool { return s.Contract == unslowable })
	if len(x.Subjects) == 0 {
		return usagef("%s has no Go server that can run here, and only those can be slowed down by a known amount; use minecraft or frameworks", x.Suite.Name)
	}
	check, err := x.Power(ctx, x.slowdown, func() (float64, error) { return host.StepNs(x.placement.ServerCPUs[0]) })
	if check.Of() > 0 {
		x.found.Clones, x.found.Promises = &check, check.Promises()
	}
	return err
}

func noise(ctx context.Context, x *experiment) error {
	if quickToStart := goPrograms(x.Subjects); len(quickToStart) > 0 {
		x.Subjects = quickToStart
	}
	tally, err := x.Noise(ctx, func() (func(), error) {
		n, err := calibrate.StartNeighbour(x.placement.ServerCPUs)
		if err != nil {
			return nil, err
		}
		return n.Leave, nil
	})
	if tally.Touched.Of+tally.Quiet.Of > 0 {
		x.found.Noise, x.found.Promises = &tally, tally.Promises()
	}
	return err
}

func slicing(ctx context.Context, x *experiment) error {
	if len(x.Subjects) < 2 {
		return usagef("a ratio needs two subjects that can run here; name more with --only")
	}
	check, err := x.Slicing(ctx)
	if len(check.Pairs) > 0 {
		x.found.Slicing = &check
	}
	return err
}

func goPrograms(subjects []dyno.Subject) []dyno.Subject {
	return slices.DeleteFunc(slices.Clone(subjects), func(s dyno.Subject) bool { return s.Runtime != "go" })
}
