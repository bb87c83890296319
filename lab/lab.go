// Package lab runs suites: it gates the subjects, measures them in randomised blocks of fresh
// processes and interleaved slices, and hands every trial to the store. It judges nothing.
//
// The store, the clock and the display are interfaces here, so that a test can replay a run.
package lab

import (
	"context"
	"errors"
	"fmt"
	"time"

	"dyno"
	"dyno/contract"
	"dyno/load"
	"dyno/stat"
)

// Store keeps trials. All trials of one call belong together: they are kept whole or not at all.
type Store interface {
	AddTrials(ctx context.Context, runID string, trials []dyno.Trial) error
}

// Lab is the bench. All fields must be set but Search, Watch, Neighbour, Budget and Earlier.
type Lab struct {
	Engine   *load.Engine
	Contract contract.Contract
	Start    Starter
	Store    Store
	Show     func(dyno.Progress)
	Now      func() time.Time
	Watch    Watcher  // looks for disturbances; nil means that nobody does
	Search   Searcher // only a suite that searches for capacities needs one
	// Neighbour disturbs a cell of a block on purpose, from before its warm-up until leave is called; nil means
	// that nobody does.
	Neighbour func(block int, cell dyno.Cell) (leave func())
	// Budget ends the run before a cell that would probably end later than this after the start;
	// 0 means no limit.
	Budget time.Duration
	// Earlier are the stored trials of a run that is resumed; only one with a precision needs them.
	Earlier []dyno.Trial
}

// ErrBudget says that a run ended because its time was over. What is stored can be resumed.
var ErrBudget = errors.New("the time budget is used up")

// Measure runs what is left of run's plan: everything but the trials whose keys are in done. It
// returns nil when the plan is complete, the context's error when it was interrupted, and ErrBudget
// when its time was over; in all three cases what was measured is in the store.
func (l *Lab) Measure(ctx context.Context, run dyno.Run, done map[dyno.TrialKey]bool) error {
	e := &execution{
		Lab: l, run: run, done: done,
		plan:    NewPlan(run.Suite, run.Seed),
		started: l.Now(),

		searchPlanned: plannedSearch(run.Suite.Capacity),
	}
	e.trialsDone = len(done)
	e.trialsAtStart = len(done)
	if e.stops() && len(l.Earlier) != len(done) {
		return fmt.Errorf("run %s: %d trials are stored and %d were given to judge by", run.ID, len(done), len(l.Earlier))
	}
	e.remember(l.Earlier)
	defer quietGC()()
	e.announceSearches()
	for block := range blocksOf(run.Suite) {
		if err := e.cells(ctx, block); err != nil {
			return err
		}
		if err := e.searches(ctx, block); err != nil {
			return err
		}
	}
	e.show(dyno.Progress{Phase: dyno.PhaseDone})
	return nil
}

// blocksOf returns how many blocks a suite has, those with searches alone included.
func blocksOf(s dyno.Suite) int {
	if s.Capacity == nil {
		return s.Method.Blocks
	}
	return max(s.Method.Blocks, s.Capacity.Blocks)
}

// cells measures the cells of a block, as long as something is left to be known of them.
func (e *execution) cells(ctx context.Context, block int) error {
	if block >= e.run.Suite.Method.Blocks || len(e.run.Suite.Cells) == 0 || e.settled {
		return nil
	}
	e.look(block)
	if e.settled = e.stops() && len(e.outlook.Cells) == 0; e.settled {
		return nil
	}
	return e.block(ctx, block)
}

// execution is one call of Measure.
type execution struct {
	*Lab
	run           dyno.Run
	plan          Plan
	done          map[dyno.TrialKey]bool
	started       time.Time
	trialsDone    int
	trialsAtStart int
	// Of a run with a precision: what is stored, and what it says about the rest.
	trials  []dyno.Trial
	outlook stat.Outlook
	looked  int  // the block that the outlook was made before
	planned int  // trials that the outlook expects altogether
	settled bool // the outlook expects no more

	searchesMade  int           // in this execution
	searching     time.Duration // what they took
	searchPlanned time.Duration // what one takes by the plan
}

// missing returns the subjects that have no trial in a cell of a block yet, in suite order.
func (e *execution) missing(block int, cell dyno.Cell) []dyno.Subject {
	var subjects []dyno.Subject
	for _, s := range e.run.Subjects {
		if !e.done[dyno.TrialKey{Block: block, Cell: cell, Subject: s.Name}] {
			subjects = append(subjects, s)
		}
	}
	return subjects
}

// show completes a progress with what is the same in all of them.
func (e *execution) show(p dyno.Progress) {
	p.RunID = e.run.ID
	p.Blocks = e.run.Suite.Method.Blocks
	p.TrialsDone, p.TrialsPlanned = e.trialsDone, e.plan.Trials(e.run.Subjects)
	if e.stops() {
		p.Blocks, p.TrialsPlanned = e.looked+e.outlook.BlocksLeft, max(e.planned, e.trialsDone)
	}
	if p.Phase == dyno.PhaseSearch {
		p.Blocks = e.run.Suite.Capacity.Blocks
	}
	p.Elapsed = e.Now().Sub(e.started)
	searches := e.searchesLeft()
	p.Left = e.left(p.TrialsPlanned-e.trialsDone-searches) + time.Duration(searches)*e.searchTime()
	e.Show(p)
}

// left estimates how long n more trials of cells take, from those of this execution; 0 when unknown.
func (e *execution) left(n int) time.Duration {
	measured := e.trialsDone - e.trialsAtStart - e.searchesMade
	if measured <= 0 {
		return 0
	}
	return (e.Now().Sub(e.started) - e.searching) / time.Duration(measured) * time.Duration(n)
}

// overBudget reports whether n more trials would probably end after the budget.
func (e *execution) overBudget(n int) bool {
	return e.Budget > 0 && e.Now().Sub(e.started)+e.left(n) > e.Budget
}

// save stores the trials of a cell, whole or not at all.
func (e *execution) save(ctx context.Context, trials []dyno.Trial) error {
	if err := e.Store.AddTrials(ctx, e.run.ID, trials); err != nil {
		return fmt.Errorf("store the trials of %v: %w", trials[0].Cell, err)
	}
	for _, t := range trials {
		e.done[t.TrialKey] = true
	}
	e.remember(trials)
	e.trialsDone += len(trials)
	return nil
}
