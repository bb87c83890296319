package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"dyno"
	"dyno/report/internal/typeset"
)

// namedMax is the number of subjects up to which a sentence names each.
const namedMax = 6

// bySize returns the cells of a load whose workloads are payload sizes, from the smallest.
func (e editor) bySize(load dyno.Load) []dyno.CellVerdict {
	var cells []dyno.CellVerdict
	for _, c := range e.cellsUnder(load) {
		if c.Cell.Workload.PayloadBytes > 0 && c.Cell.Workload.Name == "" {
			cells = append(cells, c)
		}
	}
	slices.SortFunc(cells, func(a, b dyno.CellVerdict) int {
		return cmp.Compare(a.Cell.Workload.PayloadBytes, b.Cell.Workload.PayloadBytes)
	})
	return cells
}

// widest returns the load with the most requests in flight.
func (e editor) widest() dyno.Load {
	var widest dyno.Load
	for _, l := range e.loads() {
		if l.Connections*l.Depth > widest.Connections*widest.Depth {
			widest = l
		}
	}
	return widest
}

// named returns the subjects that a sentence can name: all when they are few, else the first and the last.
func (e editor) named(load dyno.Load) []string {
	subjects := e.ranked()
	if len(subjects) <= namedMax {
		return subjects
	}
	places := e.byRate(load)
	if len(places) < 2 {
		return nil
	}
	return []string{places[0].subject, places[len(places)-1].subject}
}

// growthFound says how the rates grow with the connections.
func (e editor) growthFound() []Finding {
	var to, from dyno.Load
	for _, s := range e.v.Scalings {
		if s.To.Connections > to.Connections {
			from, to = s.From, s.To
		}
	}
	var parts []string
	for _, subject := range e.named(to) {
		for _, s := range e.v.Scalings {
			if s.Subject == subject && s.To == to && s.Ratio.Known() {
				parts = append(parts, fmt.Sprintf("%s of %s", factor(s.Ratio), e.title(subject)))
			}
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return []Finding{{
		Text:    fmt.Sprintf("From %s to %d the rate grows by factors: %s.", from, to.Connections, listed(parts)),
		Section: scalingTitle,
	}}
}

// factor writes a ratio as a factor within a sentence, e.g. "×4.76 ± 0.5 %".
func factor(x dyno.Estimate) string { return "×" + spaced(measured(x, 1)) }

// latencyFound says what replies take under the heaviest load.
func (e editor) latencyFound() []Finding {
	if e.v.Run.Suite.Contract == codecContract {
		return nil
	}
	load := e.widest()
	var parts []string
	for _, subject := range e.named(load) {
		var p99s span
		for _, c := range e.cellsUnder(load) {
			r, _ := rowOf(c, subject)
			if r.P99Ns.N >= intervalMin {
				p99s.add(r.P99Ns)
			}
		}
		if p99s.known {
			parts = append(parts, fmt.Sprintf("%s µs for %s", p99s, e.title(subject)))
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return []Finding{{
		Text:    e.sentence(load, "the p99 of the service time lies within %s (ends of the 95 %% intervals%s).", listed(parts), e.acrossAll(load)),
		Section: latencyTitle,
	}}
}

// acrossAll says that a range is that of several cells.
func (e editor) acrossAll(load dyno.Load) string {
	if len(e.cellsUnder(load)) < 2 {
		return ""
	}
	return " over all " + e.words.Workloads
}

// slowestFound names the slowest reply of each subject that is named.
func (e editor) slowestFound() []Finding {
	if e.v.Run.Suite.Contract == codecContract {
		return nil
	}
	type slowest struct {
		subject string
		ns      int64
		cell    dyno.Cell
	}
	var all []slowest
	for _, subject := range e.ranked() {
		worst := slowest{subject: subject}
		for _, c := range e.v.Cells {
			if r, ok := rowOf(c, subject); ok && r.MaxNs > worst.ns {
				worst.ns, worst.cell = r.MaxNs, c.Cell
			}
		}
		if worst.ns > 0 {
			all = append(all, worst)
		}
	}
	if len(all) == 0 {
		return nil
	}
	slices.SortStableFunc(all, func(a, b slowest) int { return cmp.Compare(b.ns, a.ns) })
	if len(all) > namedMax {
		all = []slowest{all[0], all[len(all)-1]}
	}
	var parts []string
	for _, s := range all {
		parts = append(parts, fmt.Sprintf("%s ms (%s, %s)", typeset.Figure(float64(s.ns)/nsPerMs), e.title(s.subject), s.cell))
	}
	return []Finding{{
		Text:    "The slowest replies took " + listed(parts) + ". A largest value has no interval: it was seen once.",
		Section: latencyTitle,
	}}
}

// costFound says what a reply costs the server, and so what one core can answer at the most.
func (e editor) costFound() []Finding {
	if e.v.Run.Suite.Contract == codecContract {
		return nil
	}
	load := e.widest()
	places := e.places(load, e.cellsUnder(load))
	slices.SortStableFunc(places, func(a, b place) int { return cmp.Compare(a.cpuNs.Value, b.cpuNs.Value) })
	places = slices.DeleteFunc(places, func(p place) bool { return p.cpuNs.N < 2 })
	if len(places) == 0 {
		return nil
	}
	if len(places) > namedMax {
		places = []place{places[0], places[len(places)-1]}
	}
	var costs, cores []string
	for _, p := range places {
		costs = append(costs, fmt.Sprintf("%s (%s)", withUnit(p.cpuNs, nsPerUs, "µs"), e.title(p.subject)))
		cores = append(cores, typeset.Figure(threeDigits(1e9/p.cpuNs.Value)))
	}
	return []Finding{{
		Text: e.sentence(load, "a %s costs %s of server CPU: about %s %s per second and core%s.",
			e.words.Reply, listed(costs), listed(cores), e.words.Replies, e.cheapestFound(load)),
		Section: e.section(load),
	}}
}

// cheapestFound names those that rank first by server CPU, where that is what ranks them.
func (e editor) cheapestFound(load dyno.Load) string {
	cells := e.cellsUnder(load)
	if e.rankedBy(load, cells) != dyno.ByCPU {
		return ""
	}
	var first []string
	for _, p := range e.places(load, cells) {
		if p.rank == 1 {
			first = append(first, e.title(p.subject))
		}
	}
	switch {
	case len(first) == 1:
		return "; by verdict " + first[0] + " is the cheapest"
	case len(first) > leadersMax:
		return fmt.Sprintf("; %d cannot be told apart from the cheapest", len(first))
	}
	return "; " + listed(first) + " cannot be told apart as the cheapest"
}

// withUnit writes an estimate within a sentence, e.g. "1.34 µs ± 0.1 %".
func withUnit(x dyno.Estimate, unit float64, name string) string {
	return typeset.Figure(x.Value/unit) + typeset.Unbreakable + name + spaced(" "+doubt(x))
}

// threeDigits rounds what nobody knows better.
func threeDigits(x float64) float64 {
	if x <= 0 {
		return 0
	}
	unit := math.Pow(10, math.Floor(math.Log10(x))-2)
	return math.Round(x/unit) * unit
}
