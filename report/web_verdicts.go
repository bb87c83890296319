package report

import (
	"fmt"
	"slices"

	"dyno"
	"dyno/report/html"
	"dyno/report/internal/typeset"
)

// verdictID is the id of the row with a verdict. A cell without a workload stands for all workloads of its load.
func verdictID(cell dyno.Cell, a, b string) string {
	if a > b {
		a, b = b, a
	}
	return html.Anchor(cell.Workload.String(), cell.Load.String(), a, b)
}

// told reports whether the page has a row for a verdict: each where subjects are few, else those with the leader of a
// load, since a table of all pairs would be read by nobody.
func (p web) told(cell dyno.Cell, a, b string) bool {
	if _, ok := p.average(cell.Load); !ok && cell.Workload == (dyno.Workload{}) {
		return false
	}
	if len(p.ranked()) <= pairsMax {
		return true
	}
	leader := p.byRate(cell.Load)
	return len(leader) > 0 && (a == leader[0].subject || b == leader[0].subject)
}

// verdicts is the section with every comparison that findings can lead to, with its p-value.
func (p web) verdicts(d *document) {
	if p.v.Compared == 0 {
		return
	}
	d.add(heading{2, "Verdicts"}, paragraph(fmt.Sprintf(
		"Each line is a comparison of rates, with its p-value corrected for all %s of this report.", typeset.Counted(p.v.Compared, "comparison"))))
	if len(p.ranked()) > pairsMax {
		d.add(note("Where there are so many subjects, those with the highest rate of each load against the others are shown; verdict.json has all."))
	}
	for _, load := range p.loads() {
		t := &table{columns: []column{left("Of"), left("against"), left("at"), right("Difference"), left("Verdict"), right("corrected p"), right("n")}}
		for _, a := range p.v.Averages {
			if a.Load == load {
				p.verdictRows(t, dyno.Cell{Load: load}, "all "+p.words.Workloads, a.Comparisons)
			}
		}
		for _, c := range p.v.Cells {
			if c.Cell.Load == load {
				p.verdictRows(t, c.Cell, c.Cell.Workload.String(), c.Comparisons)
			}
		}
		if len(t.rows) > 0 {
			d.add(html.Fold{Summary: typeset.Counted(len(t.rows), "comparison") + " " + p.under(load), Blocks: []html.Block{webTable(t)}})
		}
	}
}

// under says which load, e.g. "with 4 connections".
func (p web) under(load dyno.Load) string { return "with " + load.String() }

func (p web) verdictRows(t *table, cell dyno.Cell, at string, comparisons []dyno.Comparison) {
	for _, x := range comparisons {
		if p.told(cell, x.A, x.B) {
			t.rows = append(t.rows, row{id: verdictID(cell, x.A, x.B), cells: []string{
				p.title(x.A), p.title(x.B), at, difference(x.Ratio), string(x.Outcome), probability(x.PFamily), fmt.Sprint(x.Ratio.N),
			}})
		}
	}
}

// probability writes a p-value.
func probability(x float64) string {
	if x < 0.0001 {
		return "<0.0001"
	}
	return fmt.Sprintf("%.4f", x)
}

// instrument is what the client says about itself, and what disturbed it.
func (p web) instrument(d *document) {
	t := &table{columns: []column{
		left("Subject"), left("poller"), right("client busy, most"), right("of ceiling, most"), right("flagged slices"), right("no steady state"),
		right("after a warm-up"), right("after a slowdown"),
		right("warm-up s, most"), right("client GC ms, most"), right("reconnects"), right("scatter of slices, median"),
	}}
	for _, s := range p.allMeasured() {
		if cells := p.account(s); cells != nil {
			t.add(append([]string{p.title(s)}, cells...)...)
		}
	}
	if len(t.rows) > 0 {
		d.add(heading{2, "Instrument and noise"}, t, note(
			"poller: what the client asked the kernel with. client busy: the share of counted time in which the client was not waiting. of ceiling: the rate ÷ that of the null server in the same cell. most: the largest of all cells, or of all trials. "+
				"scatter of slices: the standard deviation of a cell's single slices ÷ their mean; half of the cells have less."))
	}
}

// allMeasured returns the subjects with evidence: the ranked ones, baselines and the ceiling.
func (p web) allMeasured() []string {
	var all []string
	for _, c := range p.evidence.Cells {
		for _, s := range c.Subjects {
			if !slices.Contains(all, s.Subject) {
				all = append(all, s.Subject)
			}
		}
	}
	return all
}

// account sums up what a subject's trials say about the instrument.
func (p web) account(subject string) []string {
	var busy, ofCeiling float64
	var flagged, turns, unsettled, warmed, slowed, trials int
	var warmUpNs, gcNs, reconnects int64
	var scatter []float64
	var pollers []string
	for _, c := range p.v.Cells {
		r, ok := rowIn(c, subject)
		if !ok || r.RatePerS.N == 0 {
			continue
		}
		busy, ofCeiling = max(busy, r.BusyShare), max(ofCeiling, r.OfCeiling)
		for _, p := range r.Pollers {
			if !slices.Contains(pollers, p) {
				pollers = append(pollers, p)
			}
		}
		flagged, turns, unsettled = flagged+r.Flagged, turns+r.Slices, unsettled+r.Unsettled
		warmed, slowed = warmed+r.WarmedUp, slowed+r.SlowedDown
		if x := r.Seen.RatePerS; x.Mean > 0 {
			scatter = append(scatter, x.SD/x.Mean)
		}
		own, _ := p.evidence.Find(c.Cell, subject)
		for _, t := range own.Trials {
			if t.Void == "" {
				trials++
				warmUpNs, gcNs, reconnects = max(warmUpNs, t.WarmUpNs), max(gcNs, t.GCPauseNs), reconnects+t.Reconnects
			}
		}
	}
	if trials == 0 {
		return nil
	}
	slices.Sort(scatter)
	middle := absent
	if len(scatter) > 0 {
		middle = ofHundred(scatter[len(scatter)/2])
	}
	return []string{
		firstOf(listed(pollers), absent), ofHundred(busy), share(ofCeiling), fmt.Sprintf("%d of %s", flagged, typeset.Thousands(int64(turns))), fmt.Sprintf("%d of %d", unsettled, trials),
		typeset.Thousands(int64(warmed)), typeset.Thousands(int64(slowed)),
		typeset.Figure(float64(warmUpNs) / 1e9), typeset.Figure(float64(gcNs) / nsPerMs), typeset.Thousands(reconnects), middle,
	}
}

// rowIn finds the row of any subject of a cell, ranked or not.
func rowIn(c dyno.CellVerdict, subject string) (dyno.Row, bool) {
	if c.Ceiling != nil && c.Ceiling.Subject == subject {
		return *c.Ceiling, true
	}
	for _, r := range c.Baselines {
		if r.Subject == subject {
			return r, true
		}
	}
	return rowOf(c, subject)
}

// everyTrial is the appendix with the figures of each single trial.
func (p web) everyTrial(d *document) {
	if len(p.evidence.Cells) == 0 {
		return
	}
	d.add(heading{2, "Every trial"}, paragraph("One line is one fresh process. Nothing is left out; void trials have their reason instead of figures."))
	for _, c := range p.evidence.Cells {
		t := &table{columns: []column{
			left("Subject"), right("Block"), right(p.words.Replies + "/s"), right("CPU µs"), right("p50 µs"), right("p99 µs"), right("max µs"),
			right("RSS MiB"), right("start-up ms"), right("client busy"), left("Remark"),
		}}
		for _, s := range c.Subjects {
			for _, x := range s.Trials {
				t.add(append([]string{p.title(s.Subject), fmt.Sprint(x.Block + 1)}, trialCells(x)...)...)
			}
		}
		d.add(html.Fold{Summary: c.Cell.String() + ": " + typeset.Counted(len(t.rows), "trial"), Blocks: []html.Block{webTable(t)}})
	}
}

func trialCells(x dyno.TrialFigures) []string {
	if x.Void != "" {
		return []string{absent, absent, absent, absent, absent, absent, absent, absent, "void: " + x.Void}
	}
	remark := ""
	if x.Steadiness != dyno.Flat {
		remark = string(x.Steadiness)
	}
	us := func(ns int64) string { return typeset.Figure(float64(ns) / nsPerUs) }
	return []string{
		typeset.Figure(x.RatePerS), typeset.Figure(x.CPUNs / nsPerUs), us(x.P50Ns), quantileText(x.P99Ns), us(x.MaxNs),
		typeset.Figure(float64(x.PeakRSSBytes) / (1 << 20)), typeset.Figure(float64(x.StartUpNs) / nsPerMs), ofHundred(x.BusyShare), remark,
	}
}
