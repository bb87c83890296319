package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"dyno"
	"dyno/contract"
	"dyno/lab/calibrate"
	"dyno/store"
)

// labRuns are the runs of an experiment: it measures them, and takes those that are stored instead.
type labRuns struct {
	*workbench
	flags    runFlags
	store    *store.Store
	deadline time.Time                  // zero when there is no budget
	gated    map[string]dyno.GateResult // of programs that were checked before
	stderr   io.Writer

	earlier map[uint64]dyno.Run // of the experiment that is resumed, by seed
	counted []string            // ids of the runs that were measured or taken
}

// find looks for a stored experiment on a suite, the latest one or that of a seed, and returns its seed.
func (r *labRuns) find(ctx context.Context, suite dyno.Suite, kind string, seed uint64) (uint64, error) {
	name := suite.Name + "-" + kind
	all, err := r.store.Runs(ctx)
	if err != nil {
		return 0, err
	}
	// An experiment may have runs of several kinds, such as minecraft-power and minecraft-power-pilot.
	all = slices.DeleteFunc(all, func(run dyno.Run) bool {
		ours := run.Suite.Name == name || strings.HasPrefix(run.Suite.Name, name+"-")
		return !ours || run.Suite.Quick != suite.Quick || seed != 0 && calibrate.ExperimentSeed(run.Seed) != seed
	})
	if len(all) == 0 {
		wanted := name
		if suite.Quick {
			wanted += " --quick"
		}
		if seed != 0 {
			wanted += fmt.Sprintf(" with seed %d", seed)
		}
		return 0, usagef("no experiment %s in %s; start one without --resume", wanted, r.flags.out)
	}
	seed = calibrate.ExperimentSeed(all[len(all)-1].Seed) // the oldest run comes first
	r.earlier = latestSitting(all, seed)
	return seed, nil
}

// latestSitting returns the runs that were measured when an experiment with a seed was last begun, by their seeds; who
// begins it twice does not mean both together. runs are in the order in which they began.
func latestSitting(runs []dyno.Run, seed uint64) map[uint64]dyno.Run {
	latest := map[int]dyno.Run{}
	for _, run := range runs {
		if calibrate.ExperimentSeed(run.Seed) == seed {
			latest[calibrate.RunNumber(run.Seed)] = run
		}
	}
	sitting := map[uint64]dyno.Run{}
	var began time.Time
	for _, number := range slices.Sorted(maps.Keys(latest)) {
		if run := latest[number]; !run.StartedAt.Before(began) {
			sitting[run.Seed], began = run, run.StartedAt
		}
	}
	return sitting
}

// left tells whether a stored run was not taken yet.
func (r *labRuns) left() bool { return len(r.earlier) > 0 }

// measure measures and stores one run of the experiment, finishes it, or returns it as it is stored.
func (r *labRuns) measure(ctx context.Context, suite dyno.Suite, subjects []dyno.Subject, seed uint64, neighbour calibrate.Disturb) (dyno.Run, []dyno.Trial, error) {
	j := &job{
		runFlags: r.flags, workbench: r.workbench, store: r.store, suite: suite, deadline: r.deadline, neighbour: neighbour, gated: r.gated,
		stdout: io.Discard, stderr: r.stderr,
	}
	j.seed = seed
	var err error
	if j.contract, err = contract.ByName(suite.Contract); err != nil {
		return dyno.Run{}, nil, usage(err)
	}
	run, done, err := r.begin(ctx, j, subjects)
	if err != nil {
		return run, nil, err
	}
	r.counted = append(r.counted, run.ID)
	if run.State != dyno.RunComplete {
		err = j.measure(ctx, &run, done)
		run.State, run.EndedAt = dyno.RunComplete, time.Now()
		if err != nil {
			run.State = dyno.RunPartial
		}
		err = errors.Join(err, r.store.FinishRun(context.WithoutCancel(ctx), run.ID, run.State, run.EndedAt))
	}
	trials, readErr := r.store.Trials(context.WithoutCancel(ctx), run.ID) // what is done counts even after an interruption
	return run, trials, errors.Join(err, readErr)
}

// begin stores a new run, or takes the stored one with the keys of its trials where it is not complete.
func (r *labRuns) begin(ctx context.Context, j *job, subjects []dyno.Subject) (dyno.Run, map[dyno.TrialKey]bool, error) {
	run, stored := r.earlier[j.seed]
	maps.DeleteFunc(r.earlier, func(seed uint64, _ dyno.Run) bool {
		return calibrate.RunNumber(seed) <= calibrate.RunNumber(j.seed) // the experiment does not ask for them again
	})
	if !stored {
		run, err := j.enter(ctx, subjects)
		return run, map[dyno.TrialKey]bool{}, err
	}
	if err := sameFlags(run, j.suite); err != nil {
		return run, nil, err
	}
	var err error
	if run.Subjects, err = j.unchanged(run, asOfNow(subjects)); err != nil || run.State == dyno.RunComplete {
		return run, nil, err
	}
	done, err := j.takeUp(ctx, run)
	return run, done, err
}

// asOfNow finds what a stored subject of an experiment is now: it starts with the environment that it began with,
// because how fast this machine is at arithmetic is measured anew each time.
func asOfNow(subjects []dyno.Subject) func(was dyno.Subject) (dyno.Subject, error) {
	return func(was dyno.Subject) (dyno.Subject, error) {
		i := slices.IndexFunc(subjects, func(s dyno.Subject) bool { return s.Name == was.Name })
		if i < 0 {
			return was, fmt.Errorf("%s is no subject of this experiment any more; repeat the flags with which it began, or leave --resume out", was.Name)
		}
		now := subjects[i]
		now.Env = was.Env
		return now, nil
	}
}

// sameFlags refuses to count a stored run in an experiment that would measure it in another way.
func sameFlags(stored dyno.Run, suite dyno.Suite) error {
	was := stored.Suite
	differs := func(a, b any) bool {
		textA, errA := json.Marshal(a)
		textB, errB := json.Marshal(b)
		return errors.Join(errA, errB) != nil || string(textA) != string(textB)
	}
	var what string
	switch {
	case was.Name != suite.Name:
		what = "the order of its runs"
	case differs(was.Subjects, suite.Subjects):
		what = "the subjects"
	case was.Title != suite.Title: // which says what the experiment does, a slowdown for one
		what = "what it does (" + was.Title + ")"
	case differs(was.Cells, suite.Cells):
		what = "the cells"
	case differs(was.Method, suite.Method):
		what = "the method"
	default:
		return nil
	}
	return usagef("%s cannot be counted: %s differed then; repeat the flags and the suite with which it began, or leave --resume out", stored.ID, what)
}
