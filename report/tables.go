package report

import (
	"fmt"
	"math"
	"slices"

	"dyno"
	"dyno/report/internal/typeset"
)

// pairsMax is the number of subjects up to which a table of all pairs can be read.
const pairsMax = 6

// pairs compares every subject with every other over all packet sizes.
func (e editor) pairs(d *document) {
	subjects := e.ranked()
	loads := e.loads()
	if len(subjects) < 3 || len(subjects) > pairsMax {
		return // the winner tables or the league have said it
	}
	t := &table{columns: []column{left("Pair")}}
	for _, l := range loads {
		t.columns = append(t.columns, right(short(l)))
	}
	for i, a := range subjects {
		for _, b := range subjects[i+1:] {
			cells := []string{e.title(a) + " over " + e.title(b)}
			for _, l := range loads {
				cells = append(cells, e.overall(l, a, b))
			}
			t.add(cells...)
		}
	}
	d.add(heading{2, pairsTitle}, t, note("Difference in rate of the first against the second: geometric mean of the ratios over all "+e.words.Workloads+", paired by block. "+
		"? means undecided, = a tie; without a mark the sign is a verdict."))
}

// overall writes the comparison of two subjects over all cells of a load.
func (e editor) overall(load dyno.Load, a, b string) string {
	compare := dyno.CellVerdict{}.Compare
	if avg, ok := e.average(load); ok {
		compare = avg.Compare
	} else if cells := e.cellsUnder(load); len(cells) == 1 {
		compare = cells[0].Compare
	}
	return marked(compare(a, b))
}

// marked writes a difference with a mark where it is none by verdict.
func marked(x dyno.Comparison, ok bool) string {
	switch {
	case !ok:
		return absent
	case x.Outcome == dyno.Tie:
		return "= " + difference(x.Ratio)
	case x.Outcome == dyno.Undecided:
		return "? " + difference(x.Ratio)
	}
	return difference(x.Ratio)
}

// short names a load in the head of a narrow column.
func short(l dyno.Load) string {
	s := fmt.Sprintf("%d conn", l.Connections)
	if l.Depth > 1 {
		s += fmt.Sprintf(", depth %d", l.Depth)
	}
	return s
}

// scaling is the seed's table of how rates grow with the number of connections.
func (e editor) scaling(d *document) {
	if len(e.v.Scalings) == 0 {
		return
	}
	var loads []dyno.Load
	var subjects []string
	var n extent
	for _, s := range e.v.Scalings {
		for _, l := range []dyno.Load{s.From, s.To} {
			if !slices.Contains(loads, l) {
				loads = append(loads, l)
			}
		}
		if !slices.Contains(subjects, s.Subject) {
			subjects = append(subjects, s.Subject)
		}
		n.add(s.Ratio.N)
	}
	t := &table{columns: []column{left("Connections")}}
	for _, s := range subjects {
		t.columns = append(t.columns, right(e.title(s)))
	}
	for _, l := range loads {
		cells := []string{fmt.Sprintf("%d×", l.Connections)}
		for _, s := range subjects {
			cells = append(cells, e.growth(l, s))
		}
		t.add(cells...)
	}
	d.add(heading{2, scalingTitle}, t, note(fmt.Sprintf(
		"Rate in percent of the rate with the fewest connections (%d): geometric mean over the %s, paired over %s.",
		e.v.Scalings[0].From.Connections, e.words.Workloads, n.of("block", "blocks"))))
}

// growth writes the rate of a subject under a load in percent of its rate under the base load.
func (e editor) growth(load dyno.Load, subject string) string {
	for _, s := range e.v.Scalings {
		if s.Subject != subject {
			continue
		}
		switch {
		case s.From == load:
			return "100%"
		case s.To == load && s.Ratio.N > 0:
			return typeset.Thousands(int64(math.Round(s.Ratio.Value*100))) + "% " + doubt(s.Ratio)
		}
	}
	return absent
}

// latency is the seed's section of latency characteristics: ranges over all packet sizes.
func (e editor) latency(d *document) {
	var few marks
	t := &table{columns: []column{left("Load"), left("Subject"), right("mean µs"), right("p99 µs"), right("p99.9 µs"), right("largest µs")}}
	for _, l := range e.loads() {
		for _, subject := range e.ranked() {
			var means, p99s, p999s span
			var largestNs int64
			for _, c := range e.cellsUnder(l) {
				r, _ := rowOf(c, subject)
				few.note(r)
				means.add(r.MeanNs)
				p99s.add(r.P99Ns)
				p999s.add(r.P999Ns)
				largestNs = max(largestNs, r.MaxNs)
			}
			if means.known {
				t.add(short(l), e.title(subject), means.String(), p99s.orTooFew(), p999s.orTooFew(), typeset.Figure(float64(largestNs)/nsPerUs))
			}
		}
	}
	if len(t.rows) == 0 {
		return
	}
	d.add(heading{2, latencyTitle}, t, note(
		"Ranges over all "+e.words.Workloads+": from the lowest to the highest end of the 95 % intervals (of the values, where there are fewer than three processes). largest is the slowest reply seen and has no interval."+few.few()))
}

// intervalMin is the number of processes from which on a range shows intervals: that of two processes
// spans orders of magnitude and says only that nothing is known.
const intervalMin = 3

// span is the range that intervals cover together.
type span struct {
	low, high float64
	known     bool
}

func (s *span) add(e dyno.Estimate) {
	if e.N == 0 {
		return
	}
	low, high := e.Low, e.High
	if e.N < intervalMin {
		low, high = e.Value, e.Value
	}
	if !s.known {
		*s = span{low, high, true}
	}
	s.low, s.high = min(s.low, low), max(s.high, high)
}

func (s span) String() string {
	if !s.known {
		return absent
	}
	return typeset.Figure(s.low/nsPerUs) + " to " + typeset.Figure(s.high/nsPerUs)
}

// orTooFew writes the range of a quantile.
func (s span) orTooFew() string {
	if !s.known {
		return tooFew
	}
	return s.String()
}

// cost is what the subjects take of memory, of time before they serve and, where one load says it in a
// figure, of CPU time.
func (e editor) cost(d *document) {
	places := e.costs()
	t := &table{columns: []column{left("Subject")}}
	title, text := "Memory and start-up", "Peak resident memory since the process started, in the cell where it was largest. "+
		"Start-up is from exec to the first accepted connection. n is the number of fresh processes."
	withCPU := e.overHTTP() && len(e.loads()) == 1
	if withCPU {
		title, text = "CPU, memory and start-up", "CPU is the server's time per verified "+e.words.Reply+e.overAll(" (geometric mean over the ", ")")+". "+text
		t.columns = append(t.columns, right("CPU µs"))
		if e.hasCeiling() {
			t.columns = append(t.columns, right("of ceiling"))
		}
	}
	t.columns = append(t.columns, right("peak RSS MiB"), right("start-up ms"), right("n"))
	for _, p := range places {
		var memory, startUp dyno.Estimate
		for _, c := range e.v.Cells {
			r, _ := rowOf(c, p.subject)
			if r.PeakRSS.Value > memory.Value {
				memory = r.PeakRSS
			}
			if r.StartUpNs.N > startUp.N {
				startUp = r.StartUpNs
			}
		}
		line := []string{e.title(p.subject)}
		if withCPU {
			line = append(line, measured(p.cpuNs, nsPerUs))
			if e.hasCeiling() {
				line = append(line, share(p.ofCeiling))
			}
		}
		t.add(append(line, measured(memory, 1<<20), measured(startUp, nsPerMs), fmt.Sprint(max(memory.N, startUp.N)))...)
	}
	if len(t.rows) > 0 {
		d.add(heading{2, title}, t, note(text))
	}
}

// costs returns the subjects in the order of the league, where there is one load, and those that have no
// place in it behind them.
func (e editor) costs() []place {
	var all []place
	if loads := e.loads(); len(loads) == 1 {
		all = e.places(loads[0], e.cellsUnder(loads[0]))
	}
	for _, s := range e.ranked() {
		if !slices.ContainsFunc(all, func(p place) bool { return p.subject == s }) {
			all = append(all, place{subject: s})
		}
	}
	return all
}

// overAll names the workloads between two texts, where there are several.
func (e editor) overAll(before, after string) string {
	if len(e.loads()) == 0 || len(e.v.Cells)/len(e.loads()) < 2 {
		return ""
	}
	return before + e.words.Workloads + after
}
