package lab

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"dyno"
	"dyno/internal/words"
	"dyno/stat"
)

// stops reports whether the run ends when it knows enough.
func (e *execution) stops() bool { return e.run.Suite.Method.Precision > 0 }

// remember keeps what decides which cells go on. Latencies do not, and would fill the memory.
func (e *execution) remember(trials []dyno.Trial) {
	if !e.stops() {
		return
	}
	for _, t := range trials {
		t.Latency = nil
		e.trials = append(e.trials, t)
	}
}

// needs reports whether the block in work measures a cell.
func (e *execution) needs(c dyno.Cell) bool { return !e.stops() || slices.Contains(e.outlook.Cells, c) }

// look finds out what a run with a precision needs in a block, and tells the user what to expect.
func (e *execution) look(block int) {
	if !e.stops() {
		return
	}
	e.outlook, e.looked = stat.Look(e.run, e.trials, block), block
	left := e.outlook.BlocksLeft * e.blockTrials()
	for _, t := range e.trials {
		if t.Block >= block && t.Capacity == nil { // of a block that a resumed run finishes, or has finished
			left--
		}
	}
	e.planned = e.trialsDone + max(left, 0) + e.searchesLeft()
	if last := len(e.outlook.Cells) == 0; last || slices.ContainsFunc(e.outlook.Cells, func(c dyno.Cell) bool { return len(e.missing(block, c)) > 0 }) {
		e.show(dyno.Progress{Phase: dyno.PhaseMeasure, Block: block, Note: e.forecast(block)})
	}
}

// blockTrials returns how many trials the outlook expects in each block.
func (e *execution) blockTrials() int { return len(e.outlook.Cells) * len(e.run.Subjects) }

// forecast puts the outlook before a block into words.
func (e *execution) forecast(block int) string {
	o, m := e.outlook, e.run.Suite.Method
	settled := fmt.Sprintf("%d of %d comparisons settled", o.Settled, o.Comparisons)
	if len(o.Cells) == 0 {
		return settled + ": the run has what it wanted"
	}
	blockTime := e.blockTime()
	parts := []string{fmt.Sprintf("%s, %d of %d cells go on", settled, len(o.Cells), len(e.run.Suite.Cells))}
	if o.Comparisons == 0 && block == 0 {
		parts[0] = fmt.Sprintf("plan: until every comparison is decided or known to ±%g %%, at most %s", m.Precision*100, words.Count(m.Blocks, "block"))
	}
	wait := fmt.Sprintf("%s (about %s)", words.Count(o.BlocksLeft, "more block"), lasting(blockTime*time.Duration(o.BlocksLeft)))
	if o.BlocksLeft < m.Blocks-block || o.PrecisionAfter(o.BlocksLeft) <= m.Precision {
		parts = append(parts, "probably "+wait)
	} else {
		parts = append(parts, wait+" until the plan ends"+e.reached(o.BlocksLeft))
	}
	if e.Budget > 0 {
		left := e.Budget - e.Now().Sub(e.started)
		switch affordable := int(max(left, 0) / max(blockTime, 1)); {
		case affordable >= o.BlocksLeft:
		case affordable == 0:
			parts = append(parts, "the budget ends before the next block does")
		default:
			parts = append(parts, "the budget is for "+words.Count(affordable, "block")+e.reached(affordable))
		}
	}
	return strings.Join(parts, "; ")
}

// reached says how closely everything will be known after so many more blocks, where that is worth a word.
func (e *execution) reached(blocks int) string {
	precision := e.outlook.PrecisionAfter(blocks)
	if precision == 0 || precision >= 1 {
		return ""
	}
	return fmt.Sprintf(", all known to ±%.1f %% then", precision*100)
}

// blockTime estimates how long a block of what the outlook needs takes: from what was measured, before
// that from the method alone.
func (e *execution) blockTime() time.Duration {
	if measured := e.left(e.blockTrials()); measured > 0 {
		return measured
	}
	rounds, slice := e.plan.Rounds()
	loaded := time.Duration(rounds)*slice + settleWindows*laterWarmUpWindow
	first := time.Duration(len(e.run.Subjects)) * settleWindows * firstWarmUpWindow
	return first + time.Duration(e.blockTrials())*loaded
}

func lasting(d time.Duration) string {
	if d < time.Minute {
		return max(d.Round(time.Second), time.Second).String()
	}
	return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
}
