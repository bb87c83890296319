package lab

import (
	"context"
	"fmt"
	"slices"
	"time"

	"dyno"
	"dyno/internal/threshold"
	"dyno/internal/words"
)

// Searcher searches for the capacity of a subject, in its running process, by the suite's plan. show sees every
// probe when it is done. With an error comes what was found until then; it may be nil.
type Searcher func(ctx context.Context, s dyno.Subject, p Process, seed uint64, show func(dyno.CapacityProbe)) (*dyno.Capacity, error)

// searches makes what is left of a block's searches for capacities, one fresh process after the other: a search
// wants the whole machine. Each is stored at once, since it takes long.
func (e *execution) searches(ctx context.Context, block int) error {
	plan := e.run.Suite.Capacity
	if plan == nil || block >= plan.Blocks {
		return nil
	}
	cell := plan.Cell()
	subjects := rankedOf(e.run.Subjects)
	for _, i := range e.plan.Searches(block, len(subjects)) {
		key := dyno.TrialKey{Block: block, Cell: cell, Subject: subjects[i].Name}
		if e.done[key] {
			continue
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if e.Budget > 0 && e.Now().Sub(e.started)+e.searchTime() > e.Budget {
			return ErrBudget
		}
		if err := e.search(ctx, key, subjects[i]); err != nil {
			return err
		}
	}
	return nil
}

// announceSearches tells what the searches of the plan add to it.
func (e *execution) announceSearches() {
	if left := e.searchesLeft(); left > 0 {
		plan := e.run.Suite.Capacity
		e.show(dyno.Progress{Phase: dyno.PhaseMeasure, Note: fmt.Sprintf("plan: %s, after the cells of the first %s, about %s altogether",
			words.Count(left, "search")+" for capacities", words.Count(plan.Blocks, "block"), lasting(time.Duration(left)*e.searchTime()))})
	}
}

// search makes one search and stores its trial. What goes wrong with the subject voids it; an error means that
// the run was interrupted.
func (e *execution) search(ctx context.Context, key dyno.TrialKey, s dyno.Subject) error {
	e.show(dyno.Progress{Phase: dyno.PhaseSearch, Block: key.Block, Cell: key.Cell, Subject: s.Title})
	t := dyno.Trial{TrialKey: key, StartedAt: e.Now()}
	err := e.searchIn(ctx, &t, s)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		t.Void = err.Error()
	}
	e.searchesMade++
	e.searching += e.Now().Sub(t.StartedAt)
	if err := e.save(ctx, []dyno.Trial{t}); err != nil {
		return err
	}
	figure := dyno.Figure{Subject: s.Title, Void: t.Void}
	if t.Capacity != nil {
		figure.RatePerS = t.Capacity.RatePerS.Value
	}
	e.show(dyno.Progress{Phase: dyno.PhaseSearch, Block: key.Block, Cell: key.Cell, Figures: []dyno.Figure{figure}, CellDone: true})
	return nil
}

// searchIn searches in a fresh process of its own, and completes the trial.
func (e *execution) searchIn(ctx context.Context, t *dyno.Trial, s dyno.Subject) error {
	p, err := e.Start(ctx, s)
	if err != nil {
		t.Stderr = lastWords(err)
		return err
	}
	p.Refresh()
	t.Capacity, err = e.Search(ctx, s, p, e.plan.TrafficSeed(t.Block, t.Cell), func(probe dyno.CapacityProbe) {
		e.show(dyno.Progress{
			Phase: dyno.PhaseSearch, Block: t.Block, Cell: t.Cell, Subject: s.Title,
			Figures: []dyno.Figure{{Subject: s.Title, RatePerS: probe.RatePerS, P99Ns: probe.P99Ns}},
		})
	})
	t.Server.StartUpNs = int64(p.StartUp())
	t.Server.PeakRSSBytes, t.Server.Threads = p.Footprint()
	stopErr := p.Stop(context.WithoutCancel(ctx))
	if err == nil {
		err = stopErr // a server that must be killed has not behaved to the end
	}
	if err != nil {
		t.Stderr = p.Stderr()
	}
	return err
}

// searchTime estimates how long one search takes: from those made, before that from the plan.
func (e *execution) searchTime() time.Duration {
	if e.searchesMade > 0 {
		return e.searching / time.Duration(e.searchesMade)
	}
	return e.searchPlanned
}

// plannedSearch is how long one search of a plan takes, 0 without one.
func plannedSearch(plan *dyno.CapacityPlan) time.Duration {
	if plan == nil {
		return 0
	}
	promises, _ := threshold.ParsePromises(plan.Promises) // those of a suite were checked when it was read
	_, longest := threshold.Limits(promises)
	return plan.SearchTime(longest)
}

// searchesLeft returns how many searches of the plan are not stored yet.
func (e *execution) searchesLeft() int {
	left := e.plan.SearchTrials(e.run.Subjects)
	if left > 0 {
		cell := e.run.Suite.Capacity.Cell()
		for key := range e.done {
			if key.Cell == cell {
				left--
			}
		}
	}
	return left
}

// rankedOf returns the subjects that compete, whose capacity is of interest.
func rankedOf(subjects []dyno.Subject) []dyno.Subject {
	return slices.DeleteFunc(slices.Clone(subjects), func(s dyno.Subject) bool { return !s.Ranked() })
}
