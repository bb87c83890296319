package report

import (
	"fmt"
	"slices"
	"strings"

	"dyno"
	"dyno/report/internal/typeset"
)

// Finding is one sentence that a verdict backs.
type Finding struct {
	Text string
	// Section is the heading under which that verdict stands in every report.
	Section string
	// pair and cell are the comparison that says it, where it is one; a workload without a name and a size
	// stands for all of them.
	pair [2]string
	cell dyno.Cell
}

const (
	scalingTitle   = "Throughput scaling"
	latencyTitle   = "Latency characteristics: service time (closed loop)"
	undecidedTitle = "What could not be decided"
	pairsTitle     = "Every pair"
)

// Findings says in sentences what the verdict established, the most important first. Each rests on a comparison or
// on estimates with intervals that the report shows, and none has an adjective without a number.
func Findings(v dyno.Verdict) []Finding {
	e := newEditor(v)
	if len(e.ranked()) == 0 {
		return nil
	}
	var all []Finding
	for _, load := range e.loads() {
		all = append(all, e.whoWins(load)...)
	}
	all = append(all, e.crossovers()...)
	all = append(all, e.growthFound()...)
	all = append(all, e.latencyFound()...)
	all = append(all, e.slowestFound()...)
	all = append(all, e.costFound()...)
	return append(all, e.openFound()...)
}

// findings is the section of the report that tells them.
func (e editor) findings(d *document) {
	all := Findings(e.v)
	if len(all) == 0 {
		return
	}
	var lines bullets
	for _, f := range all {
		lines = append(lines, bullet{text: f.Text, link: f})
	}
	d.add(heading{2, "Findings"}, lines)
}

// sentence begins with the load under which something holds, e.g. "With 32 connections, …". A codec's one
// connection carries orders, not the work, and is not told.
func (e editor) sentence(load dyno.Load, format string, args ...any) string {
	said := fmt.Sprintf(format, args...)
	if e.v.Run.Suite.Contract != codecContract {
		return "With " + load.String() + ", " + said
	}
	return capital(said)
}

// section returns the heading under which the verdicts of a load stand.
func (e editor) section(load dyno.Load) string {
	if e.v.Run.Suite.Contract == codecContract {
		return "Operations"
	}
	return load.String()
}

// duellists returns the two subjects that the report is about, if it is about two.
func (e editor) duellists() (first, second string, ok bool) {
	first, second, ok = e.versus()
	if subjects := e.ranked(); !ok && len(subjects) == 2 {
		return subjects[0], subjects[1], true
	}
	return first, second, ok
}

// whoWins says who is faster under a load: of two where the report is about two, and of all.
func (e editor) whoWins(load dyno.Load) []Finding {
	var all []Finding
	first, second, ok := e.duellists()
	if ok {
		all = append(all, e.duelFound(load, first, second)...)
	}
	if len(e.ranked()) > 2 {
		all = append(all, e.fieldFound(load, ok)...)
	}
	return all
}

// duelFound compares two subjects under a load.
func (e editor) duelFound(load dyno.Load, first, second string) []Finding {
	t := e.tally(load, first, second)
	of := t.first + t.second + t.ties + t.undecided
	if of == 0 {
		return nil
	}
	f := Finding{Section: e.section(load), pair: [2]string{second, first}, cell: dyno.Cell{Load: load}}
	if of == 1 {
		return append([]Finding(nil), e.singleFound(f, first, second))
	}
	a, b := e.title(first), e.title(second)
	if t.first > t.second { // the one with more wins comes first in the sentence
		first, second, a, b = second, first, b, a
		t.first, t.second = t.second, t.first
		f.pair = [2]string{second, first}
	}
	switch {
	case t.second == 0:
		f.Text = e.sentence(load, "nobody is shown to be faster between %s and %s: %s, %d undecided of %d %s", b, a, typeset.Counted(t.ties, "tie"), t.undecided, of, e.words.Workloads)
	case t.second == of:
		f.Text = e.sentence(load, "%s is faster than %s at all %d %s", b, a, of, e.words.Workloads) + e.extremes(load, first, second)
	case t.first == 0:
		f.Text = e.sentence(load, "%s is faster than %s at %d of %d %s (%s, %d undecided)", b, a, t.second, of, e.words.Workloads, typeset.Counted(t.ties, "tie"), t.undecided) + e.extremes(load, first, second)
	default:
		f.Text = e.sentence(load, "%s is faster at %d of %d %s (%s), %s at %d (%s); %s, %d undecided", b, t.second, of, e.words.Workloads, listed(e.where(load, second, first)), a, t.first, listed(e.where(load, first, second)),
			typeset.Counted(t.ties, "tie"), t.undecided)
	}
	if avg, ok := e.average(load); ok {
		if x, ok := avg.Compare(second, first); ok {
			f.Text += "; over all of them " + e.said(x)
		}
	}
	f.Text += "."
	return []Finding{f}
}

// singleFound compares two subjects in the only cell of a load.
func (e editor) singleFound(f Finding, first, second string) Finding {
	for _, c := range e.cellsUnder(f.cell.Load) {
		if x, ok := c.Compare(second, first); ok {
			f.cell = c.Cell
			f.Text = e.sentence(c.Cell.Load, "%s at %s: %s.", e.relation(x), c.Cell.Workload, x.Reason)
		}
	}
	return f
}

// relation says who is faster.
func (e editor) relation(x dyno.Comparison) string {
	switch a, b := e.title(x.A), e.title(x.B); x.Outcome {
	case dyno.Faster:
		return a + " is faster than " + b
	case dyno.Slower:
		return b + " is faster than " + a
	case dyno.Tie:
		return a + " and " + b + " tie"
	default:
		return "nobody is shown to be faster between " + a + " and " + b
	}
}

// tally counts how the cells of a load were decided between two subjects.
func (e editor) tally(load dyno.Load, first, second string) tally {
	only := e
	only.v.Cells = e.cellsUnder(load)
	return only.count(first, second)
}

// where lists the workloads of a load at which a is faster than b.
func (e editor) where(load dyno.Load, a, b string) []string {
	var names []string
	for _, c := range e.cellsUnder(load) {
		if x, ok := c.Compare(a, b); ok && x.Outcome == dyno.Faster {
			names = append(names, c.Cell.Workload.String())
		}
	}
	return names
}

// extremes says between which differences second leads where it is faster by verdict.
func (e editor) extremes(load dyno.Load, first, second string) string {
	var least, most dyno.Comparison
	var leastAt, mostAt dyno.Workload
	for _, c := range e.cellsUnder(load) {
		x, ok := c.Compare(second, first)
		if !ok || x.Outcome != dyno.Faster {
			continue
		}
		if least.A == "" || x.Ratio.Value < least.Ratio.Value {
			least, leastAt = x, c.Cell.Workload
		}
		if most.A == "" || x.Ratio.Value > most.Ratio.Value {
			most, mostAt = x, c.Cell.Workload
		}
	}
	if leastAt == mostAt {
		return fmt.Sprintf(", by %s at %s", spaced(difference(most.Ratio)), mostAt)
	}
	return fmt.Sprintf(", by %s at %s up to %s at %s", spaced(difference(least.Ratio)), leastAt, spaced(difference(most.Ratio)), mostAt)
}

// fieldFound says who leads the whole field under a load. Beside a duel only a winner of every cell is news.
func (e editor) fieldFound(load dyno.Load, beside bool) []Finding {
	cells := e.cellsUnder(load)
	wins := map[string]int{}
	for _, c := range cells {
		wins[c.Winner]++
	}
	f := Finding{Section: e.section(load), cell: dyno.Cell{Load: load}}
	for _, s := range e.ranked() {
		if wins[s] == len(cells) {
			f.Text = e.sentence(load, "%s is faster than each of the %d others%s%s.", e.title(s), len(e.ranked())-1,
				e.everywhere(cells), e.aheadOfNext(&f, load, s))
			return []Finding{f}
		}
	}
	places := e.byRate(load)
	if beside || len(places) < leagueMin || places[0].ratePerS.N < 2 {
		return nil
	}
	var top []string
	for _, s := range e.fastestUnder(load) {
		top = append(top, e.title(s))
	}
	over := ""
	if len(cells) > 1 {
		over = " over all " + e.words.Workloads
	}
	switch {
	case len(top) == 1:
		f.Text = e.sentence(load, "%s is the fastest of %d%s%s.", top[0], len(places), over, e.aheadOfNext(&f, load, places[0].subject))
	case len(top) <= leadersMax:
		f.Text = e.sentence(load, "%s cannot be told apart as the fastest of %d%s.", listed(top), len(places), over)
	default:
		f.Text = e.sentence(load, "%d of %d cannot be told apart from the fastest%s.", len(top), len(places), over)
	}
	all := []Finding{f}
	last := places[len(places)-1]
	if x, ok := e.comparison(load, places[0].subject, last.subject); ok && x.Outcome == dyno.Faster {
		all = append(all, Finding{
			Text: e.sentence(load, "%s answers %s times as many %s as %s, the last of %d (±%s).", e.title(x.A),
				typeset.Figure(x.Ratio.Value), e.words.Replies, e.title(x.B), len(places), spacedPercent(x.Ratio)),
			Section: f.Section, pair: [2]string{x.A, x.B}, cell: dyno.Cell{Load: load},
		})
	}
	return all
}

func spacedPercent(x dyno.Estimate) string {
	return typeset.Unbreakable + spaced(strings.TrimPrefix(doubt(x), "±"))
}

// everywhere says that something holds in all of several cells.
func (e editor) everywhere(cells []dyno.CellVerdict) string {
	if len(cells) == 1 {
		return ""
	}
	return fmt.Sprintf(" at all %d %s", len(cells), e.words.Workloads)
}

// aheadOfNext says by how much a leader leads the next, where that is decided.
func (e editor) aheadOfNext(f *Finding, load dyno.Load, leader string) string {
	for _, p := range e.byRate(load) {
		if p.subject == leader {
			continue
		}
		if x, ok := e.comparison(load, leader, p.subject); ok && x.Outcome == dyno.Faster {
			f.pair = [2]string{leader, p.subject}
			return fmt.Sprintf(", %s on %s, the next", spaced(difference(x.Ratio)), e.title(p.subject))
		}
		break
	}
	return ""
}

// byRate returns the subjects of a load from the highest to the lowest rate, whatever ranks them.
func (e editor) byRate(load dyno.Load) []place { return e.places(load, e.cellsUnder(load)) }

// fastestUnder returns the subjects than which nobody is faster by verdict under a load.
func (e editor) fastestUnder(load dyno.Load) []string {
	var top []string
	places := e.byRate(load)
	for _, p := range places {
		if !slices.ContainsFunc(places, func(other place) bool {
			x, ok := e.comparison(load, other.subject, p.subject)
			return ok && x.Outcome == dyno.Faster
		}) {
			top = append(top, p.subject)
		}
	}
	return top
}

// comparison finds the verdict on two subjects over all workloads of a load.
func (e editor) comparison(load dyno.Load, a, b string) (dyno.Comparison, bool) {
	if avg, ok := e.average(load); ok {
		return avg.Compare(a, b)
	}
	if cells := e.cellsUnder(load); len(cells) == 1 {
		return cells[0].Compare(a, b)
	}
	return dyno.Comparison{}, false
}

// crossovers says between which sizes the winner changes, by verdicts on both sides.
func (e editor) crossovers() []Finding {
	first, second, ok := e.duellists()
	if !ok {
		return nil
	}
	var all []Finding
	for _, load := range e.loads() {
		for _, x := range e.crossoversUnder(load, first, second) {
			all = append(all, Finding{
				Text: e.sentence(load, "%s and %s cross between %s and %s: up to %s %s is faster, from %s on %s.", e.title(x.before),
					e.title(x.after), x.from, x.to, x.from, e.title(x.before), x.to, e.title(x.after)),
				Section: e.section(load), pair: [2]string{x.after, x.before}, cell: dyno.Cell{Load: load, Workload: x.to},
			})
		}
	}
	return all
}

// crossover is where the winner changes: before is faster at from, after is faster at to, nothing between is decided.
type crossover struct {
	before, after string
	from, to      dyno.Workload
}

// crossoversUnder finds the crossovers of two subjects over the payload sizes of a load.
func (e editor) crossoversUnder(load dyno.Load, first, second string) []crossover {
	var all []crossover
	var last crossover // before and from of the next
	for _, c := range e.bySize(load) {
		x, ok := c.Compare(first, second)
		if !ok || x.Outcome != dyno.Faster && x.Outcome != dyno.Slower {
			continue
		}
		leader := first
		if x.Outcome == dyno.Slower {
			leader = second
		}
		if last.before != "" && last.before != leader {
			last.after, last.to = leader, c.Cell.Workload
			all = append(all, last)
		}
		last = crossover{before: leader, from: c.Cell.Workload}
	}
	return all
}

// openFound says what could not be decided between those whom the report is about, and what would decide it.
func (e editor) openFound() []Finding {
	first, second, ok := e.duellists()
	if !ok {
		return nil
	}
	var all []Finding
	for _, load := range e.loads() {
		x, found := e.comparison(load, first, second)
		if !found || x.Outcome != dyno.Undecided || !x.Ratio.Known() {
			continue
		}
		way := "how many blocks would decide it cannot be foretold"
		if x.MoreBlocks > 0 {
			way = fmt.Sprintf("about %s more would decide it if the difference and its scatter stay as they are (--blocks %d)",
				typeset.Thousands(int64(x.MoreBlocks)), x.Ratio.N+x.MoreBlocks)
		}
		all = append(all, Finding{
			Text:    e.sentence(load, "%s and %s stay undecided (%s after %d blocks): %s.", e.title(first), e.title(second), spaced(difference(x.Ratio)), x.Ratio.N, way),
			Section: undecidedTitle, pair: [2]string{first, second}, cell: dyno.Cell{Load: load},
		})
	}
	return all
}
