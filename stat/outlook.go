package stat

import (
	"math"
	"slices"

	"dyno"
)

// StopMin is the number of blocks before which a run with a precision cannot end: below it no sequence
// of intervals says anything.
const StopMin = 3

// assumedSD is the standard deviation of a block's log ratio that a forecast assumes before there are any:
// the upper end of what two clones showed on a shared machine with two CPUs.
const assumedSD = 0.015

// Outlook is what the blocks so far say about the rest of a run that ends at its precision.
type Outlook struct {
	Cells       []dyno.Cell // that the next block needs, in suite order; none when everything is settled
	Comparisons int         // of two subjects, those over all workloads of a load included
	Settled     int         // of them: decided, or known to the precision
	BlocksLeft  int         // until all are settled, if they go on as they are; at most those of the plan
	precision   float64     // of the run, e.g. 0.01
	ready       int         // blocks so far
	widest      fit         // of the unsettled ones the one with the largest half width
}

// Look says what a run needs in a block, from the trials of the blocks before it; later ones are ignored,
// so that a resumed run decides as it would have. A comparison is settled when it is decided by
// Bonferroni's bound, which does not depend on the others, or when its interval is as narrow as the
// precision; with it, the cell may be dropped without any verdict changing later, because intervals hold
// at every look and a dropped cell has no further ones. A cell is needed as long as any comparison that
// uses it is not settled.
func Look(run dyno.Run, trials []dyno.Trial, block int) Outlook {
	by := ruleOf(run.Suite.Method)
	o := Outlook{precision: run.Suite.Method.Precision, ready: block}
	before := slices.DeleteFunc(slices.Clone(trials), func(t dyno.Trial) bool { return t.Block >= block })
	squares := by.squaresOf(run.Suite.Cells, lineUp(run), before)
	averages := by.averagesOf(ratedOf(squares))
	o.Comparisons = len(familyOf(squares, averages)) + rankingTests(squares)
	if block < StopMin || o.Comparisons == 0 && len(squares) == 0 {
		o.early(run, by)
		return o
	}
	open := map[dyno.Cell]bool{}
	for _, s := range squares {
		if len(s.byMeasure) > 0 {
			open[s.cell] = o.count(s.byMeasure[0].tests)
			continue
		}
		open[s.cell] = o.count(s.tests, s.cpuTests) || len(s.tests) == 0 && o.countRows(s.rows)
	}
	for _, a := range averages {
		if o.count(a.tests, a.cpuTests) {
			for _, s := range a.squares {
				open[s.cell] = true
			}
		}
	}
	o.Cells = slices.DeleteFunc(slices.Clone(run.Suite.Cells), func(c dyno.Cell) bool {
		isOpen, measured := open[c]
		return measured && !isOpen
	})
	o.BlocksLeft = min(o.BlocksLeft, run.Suite.Method.Blocks-block)
	return o
}

// rankingTests counts the comparisons by which cells with virtual users are ranked.
func rankingTests(squares []*square) (n int) {
	for _, s := range squares {
		if len(s.byMeasure) > 0 {
			n += len(s.byMeasure[0].tests)
		}
	}
	return n
}

// early fills in what can be said before the blocks have told anything.
func (o *Outlook) early(run dyno.Run, by rule) {
	o.Cells = slices.Clone(run.Suite.Cells)
	o.widest = fit{n: StopMin, se: assumedSD / math.Sqrt(StopMin), rule: by}
	needed := StopMin
	if !o.precise(o.widest) {
		needed += o.widest.moreUntil(o.precise)
	}
	o.BlocksLeft = min(max(needed-o.ready, 1), run.Suite.Method.Blocks-o.ready)
}

// count adds tests to the outlook and reports whether any of them is still open.
func (o *Outlook) count(families ...[]*test) (open bool) {
	for _, t := range slices.Concat(families...) {
		settled := func(f fit) bool { return f.decided(o.Comparisons) || o.precise(f) }
		if settled(t.fit) {
			o.Settled++
			continue
		}
		open = true
		o.wait(t.fit, settled)
	}
	return open
}

// countRows does the same for a cell without rivals, whose rates are all there is to know.
func (o *Outlook) countRows(rows []dyno.Row) (open bool) {
	for _, r := range rows {
		e, more := r.RatePerS, blocksMax
		if e.Known() {
			excess := math.Log(e.High/e.Low) / 2 / math.Log1p(o.precision)
			if excess <= 1 {
				continue
			}
			more = int(min(float64(e.N)*(excess*excess-1), blocksMax)) + 1 // widths shrink with the root of n
		}
		if e.N > 0 {
			open = true
			o.BlocksLeft = max(o.BlocksLeft, more)
		}
	}
	return open
}

// wait notes how long an open fit takes to be settled. One that even blocksMax would not settle, or that
// has too few blocks to tell, takes all blocks that the plan has.
func (o *Outlook) wait(f fit, settled func(fit) bool) {
	more := blocksMax
	if f.n >= 2 {
		if n := f.moreUntil(settled); n > 0 {
			more = n
		}
		if o.widest.n == 0 || f.halfWidth(Alpha) > o.widest.halfWidth(Alpha) {
			o.widest = f
		}
	}
	o.BlocksLeft = max(o.BlocksLeft, more)
}

// precise reports whether an interval is as narrow as the run asks for.
func (o *Outlook) precise(f fit) bool {
	return f.n >= 2 && f.halfWidth(Alpha) <= math.Log1p(o.precision)
}

// PrecisionAfter returns the half width that the least known comparison has after so many more blocks, if
// it goes on as it is, as a share of the ratio; 0 when everything is settled.
func (o Outlook) PrecisionAfter(blocks int) float64 {
	if o.widest.n == 0 {
		return 0
	}
	if o.ready < StopMin {
		return math.Expm1(o.widest.after(max(o.ready+blocks, 2)).halfWidth(Alpha))
	}
	return math.Expm1(o.widest.after(o.widest.n + blocks).halfWidth(Alpha))
}
