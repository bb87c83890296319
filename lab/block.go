package lab

import (
	"context"
	"fmt"

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
	for _, cell := range e.plan.Cells(number) {
		subjects := e.missing(number, cell)
		if len(subjects) == 0 {
			continue
		}
		if e.overBudget(len(subjects)) {
			return ErrBudget
		}
		trials, err := b.cell(ctx, cell, subjects)
		if err != nil {
			return err
		}
		if err := e.save(ctx, trials); err != nil {
			return err
		}
		b.report(cell, trials)
	}
	return nil
}

// block is the life of one block's processes.
type block struct {
	*execution
	number int
	alive  map[string]Process // by subject name
	failed map[string]int     // failed starts by subject name
}

// ensure returns the block's process of a subject, and starts it when there is none.
func (b *block) ensure(ctx context.Context, s dyno.Subject) (Process, error) {
	if p := b.alive[s.Name]; p != nil {
		return p, nil
	}
	if b.failed[s.Name] >= startAttempts {
		return nil, fmt.Errorf("failed to start %d times in this block", startAttempts)
	}
	b.show(dyno.Progress{Phase: dyno.PhaseStart, Block: b.number, Subject: s.Title})
	p, err := b.Start(ctx, s)
	if err != nil {
		b.failed[s.Name]++
		return nil, err
	}
	b.alive[s.Name] = p
	return p, nil
}

// stop ends the process of a subject. A subject that must be killed has not failed: its trials were
// over before.
func (b *block) stop(s dyno.Subject) {
	p := b.alive[s.Name]
	if p == nil {
		return
	}
	delete(b.alive, s.Name)
	// Stopping must go on when the run was interrupted.
	if err := p.Stop(context.Background()); err != nil {
		b.show(dyno.Progress{Phase: dyno.PhaseMeasure, Block: b.number, Note: fmt.Sprintf("%s: %v", s.Title, err)})
	}
}

func (b *block) stopAll() {
	for _, s := range b.run.Subjects {
		b.stop(s)
	}
}

// report shows the final figures of a cell, and every void.
func (b *block) report(cell dyno.Cell, trials []dyno.Trial) {
	p := dyno.Progress{Phase: dyno.PhaseMeasure, Block: b.number, Cell: cell, CellDone: true}
	for _, t := range trials {
		p.Figures = append(p.Figures, b.figure(t))
	}
	b.show(p)
	for _, t := range trials {
		if t.Void != "" {
			b.show(dyno.Progress{
				Phase: dyno.PhaseMeasure, Block: b.number, Cell: cell,
				Note: fmt.Sprintf("%s: void in block %d, %v: %s", b.title(t.Subject), b.number+1, cell, t.Void),
			})
		}
	}
}

func (b *block) figure(t dyno.Trial) dyno.Figure {
	f := dyno.Figure{Subject: b.title(t.Subject), RatePerS: t.RatePerS(), CPUNsPerReply: t.ServerCPUNsPerReply(), Void: t.Void}
	if t.Latency != nil {
		f.P99Ns = t.Latency.QuantileNs(0.99)
	}
	return f
}

func (b *block) title(name string) string {
	for _, s := range b.run.Subjects {
		if s.Name == name {
			return s.Title
		}
	}
	return name
}
