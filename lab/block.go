package lab

import (
	"context"
	"fmt"
	"slices"

	"dyno"
)

// startAttempts is how often a subject may fail to start in one block before the rest of the block
// does without it: every attempt may cost the whole time that a start is given.
const startAttempts = 2

// block measures what is left of one block: a fresh process of every subject, all alive, loaded in
// turns. A subject that died gets another fresh process for the next cell.
func (e *execution) block(ctx context.Context, number int) error {
	b := &block{execution: e, number: number, alive: map[string]Process{}, failed: map[string]int{}}
	defer b.stopAll()
	cells := slices.DeleteFunc(e.plan.Cells(number), func(c dyno.Cell) bool {
		return !e.needs(c) || len(e.missing(number, c)) == 0
	})
	for i, cell := range cells {
		subjects := e.missing(number, cell)
		if e.overBudget(len(subjects)) {
			return ErrBudget
		}
		leave := func() {}
		if e.Neighbour != nil {
			leave = e.Neighbour(number, cell)
		}
		err := b.cell(ctx, cell, subjects)
		leave()
		if err != nil {
			return err
		}
		if i == len(cells)-1 {
			b.retire()
		}
		if err := e.save(ctx, b.trials()); err != nil {
			return err
		}
		b.report()
	}
	return nil
}

// block is the life of one block's processes.
type block struct {
	*execution
	number int
	alive  map[string]Process // by subject name
	failed map[string]int     // failed starts by subject name
	lanes  []*lane            // of the cell in work
}

// show completes a progress with the block, the cell in work and its latest figures.
func (b *block) show(p dyno.Progress) {
	p.Block = b.number
	for _, l := range b.lanes {
		p.Cell = l.trial.Cell
		p.Figures = append(p.Figures, l.figure())
	}
	b.execution.show(p)
}

// ensure returns the block's process of a subject, and starts it when there is none.
func (b *block) ensure(ctx context.Context, s dyno.Subject) (Process, error) {
	if p := b.alive[s.Name]; p != nil {
		return p, nil
	}
	if b.failed[s.Name] >= startAttempts {
		return nil, fmt.Errorf("failed to start %d times in this block", startAttempts)
	}
	b.show(dyno.Progress{Phase: dyno.PhaseStart, Subject: s.Title})
	p, err := b.Start(ctx, s)
	if err != nil {
		b.failed[s.Name]++
		return nil, err
	}
	b.alive[s.Name] = p
	return p, nil
}

// retire ends the block's processes while the last cell's trials can still be voided: a server that
// must be killed has not behaved to the end.
func (b *block) retire() {
	for _, l := range b.lanes {
		if err := b.stop(l.subject); err != nil && l.trial.Void == "" {
			l.trial.Void, l.trial.Stderr = err.Error(), l.process.Stderr()
		}
	}
}

// stop ends the process of a subject, if it has one.
func (b *block) stop(s dyno.Subject) error {
	p := b.alive[s.Name]
	if p == nil {
		return nil
	}
	delete(b.alive, s.Name)
	return p.Stop(context.Background()) // which must go on when the run was interrupted
}

// stopAll ends what is left when the block ends early; nothing is measured any more.
func (b *block) stopAll() {
	for _, s := range b.run.Subjects {
		_ = b.stop(s)
	}
}

// trials returns the trials of the cell in work.
func (b *block) trials() []dyno.Trial {
	trials := make([]dyno.Trial, len(b.lanes))
	for i, l := range b.lanes {
		trials[i] = l.trial
	}
	return trials
}

// report says that the cell in work is measured and stored, and tells of every void.
func (b *block) report() {
	b.show(dyno.Progress{Phase: dyno.PhaseMeasure, CellDone: true})
	for _, l := range b.lanes {
		if t := l.trial; t.Void != "" {
			b.show(dyno.Progress{
				Phase: dyno.PhaseMeasure,
				Note:  fmt.Sprintf("%s: void in block %d, %v: %s", l.subject.Title, b.number+1, t.Cell, t.Void),
			})
		}
	}
}

// figure is what a display shows of the lane's trial in the making.
func (l *lane) figure() dyno.Figure {
	t := l.trial
	return dyno.Figure{
		Subject: l.subject.Title, RatePerS: t.RatePerS(), P99Ns: t.Latency.QuantileNs(0.99),
		CPUNsPerReply: t.ServerCPUNsPerReply(), Void: t.Void,
	}
}
