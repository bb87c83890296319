package report

import (
	"fmt"
	"slices"

	"dyno"
	"dyno/stat"
)

// criterion is a line of the advice for servers that differ in more than speed.
type criterion struct {
	need      string
	estimates []dyno.Estimate // of the subjects of the line, the lower the better
	write     func(dyno.Estimate) string
}

// criteria is seed 002's conclusion: what to choose for what, each by a verdict or by intervals that do not overlap.
func (e editor) criteria(d *document) {
	load := e.widest()
	cells := e.cellsUnder(load)
	places := e.byRate(load)
	if len(places) < 2 {
		return
	}
	t := &table{columns: []column{left("If you need …"), left("Choose"), left("It has"), {title: "Next", spare: true}}}
	e.fastestLine(t, load, places)
	for _, c := range e.criteriaOf(places, cells) {
		e.lowestLine(t, places, c)
	}
	d.add(heading{2, "Advice by need"}, t, note(fmt.Sprintf(
		"With %s. The rate's line is by verdict. In the others a name stands alone when its interval overlaps none of the others, all widened so that they hold together with %.0f %% certainty. "+
			"Rates are those of a closed loop, an upper bound, and latency is service time: they promise nothing about a given arrival rate.", load, 100*(1-stat.Alpha))))
}

func (e editor) fastestLine(t *table, load dyno.Load, places []place) {
	top := e.fastestUnder(load)
	next := ""
	for _, p := range places {
		if next == "" && !slices.Contains(top, p.subject) {
			next = p.subject
		}
	}
	behind := absent
	if x, ok := e.comparison(load, next, places[0].subject); ok && len(top) == 1 {
		behind = e.title(next) + " " + difference(x.Ratio)
	}
	if len(top) == 0 || places[0].ratePerS.N < 2 {
		return
	}
	t.add("most "+e.words.Replies+" per second", e.choice(top), measured(places[0].ratePerS, 1)+" "+e.words.PerS, behind)
}

func (e editor) criteriaOf(places []place, cells []dyno.CellVerdict) []criterion {
	all := []criterion{
		{need: "least CPU per " + e.words.Reply, write: func(x dyno.Estimate) string { return measured(x, nsPerUs) + " µs" }},
		{need: "shortest p99 (service time)", write: func(x dyno.Estimate) string { return measured(x, nsPerUs) + " µs" }},
		{need: "least memory", write: func(x dyno.Estimate) string { return measured(x, 1<<20) + " MiB" }},
		{need: "fastest start-up", write: func(x dyno.Estimate) string { return measured(x, nsPerMs) + " ms" }},
	}
	for _, p := range places {
		var p99, memory, startUp dyno.Estimate // in the cell where each is largest
		for _, c := range cells {
			r, _ := rowOf(c, p.subject)
			p99, memory, startUp = larger(p99, r.P99Ns), larger(memory, r.PeakRSS), larger(startUp, r.StartUpNs)
		}
		for i, x := range []dyno.Estimate{p.cpuNs, p99, memory, startUp} {
			all[i].estimates = append(all[i].estimates, x)
		}
	}
	return all
}

func larger(a, b dyno.Estimate) dyno.Estimate {
	if b.Value > a.Value {
		return b
	}
	return a
}

func (e editor) lowestLine(t *table, places []place, c criterion) {
	together := stat.Lowest(e.v.Run.Suite.Method, c.estimates)
	if len(together) == 0 {
		return
	}
	lowest, next := together[0], -1
	var names []string
	for i, x := range c.estimates {
		in := slices.Contains(together, i)
		if in {
			names = append(names, places[i].subject)
			if x.Value < c.estimates[lowest].Value {
				lowest = i
			}
		} else if x.N > 0 && (next < 0 || x.Value < c.estimates[next].Value) {
			next = i
		}
	}
	after := absent
	if next >= 0 {
		after = e.title(places[next].subject) + " " + c.write(c.estimates[next])
	}
	t.add(c.need, e.choice(names), c.write(c.estimates[lowest]), after)
}

// choice names those among whom nobody has to be preferred.
func (e editor) choice(subjects []string) string {
	if len(subjects) == 1 {
		return e.title(subjects[0])
	}
	return "either: " + e.titleList(subjects)
}
