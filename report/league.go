package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dyno"
	"dyno/report/internal/typeset"
)

// leagueMin is the number of subjects from which on a league says more than a comparison.
const leagueMin = 3

// place is one subject's line in a league.
type place struct {
	subject   string
	rank      int
	ratePerS  dyno.Estimate // the arithmetic mean over the workloads, as the seed's table had it
	cpuNs     dyno.Estimate
	ofCeiling float64
}

// league is the table of seed 004: every subject, sorted by its average as the seed has it, with a column for
// each workload. Those that verdicts do not tell apart share a rank; where the client bounds rates the verdicts
// are those on server CPU, so that ranks need not follow the averages.
func (e editor) league(d *document, load dyno.Load, cells []dyno.CellVerdict) {
	places := e.places(load, cells)
	if len(places) < leagueMin {
		return
	}
	t := &table{}
	columns := e.leagueColumns(load, cells)
	for _, c := range columns {
		t.columns = append(t.columns, c.column)
	}
	var seen marks
	for _, p := range places {
		var line []string
		for _, c := range columns {
			line = append(line, c.cell(p))
		}
		for _, c := range cells {
			r, _ := rowOf(c, p.subject)
			seen.note(r)
		}
		t.add(line...)
	}
	d.add(t, note(e.leagueNote(load, cells)+seen.explained()))
}

// leagueNameMin is what a name keeps of its width before a test of the seed's table is left out.
const leagueNameMin = 18

// leagueColumn is a column of a league and what stands in it.
type leagueColumn struct {
	column
	cell func(place) string
}

// leagueColumns returns the seed's columns. What ranks the places is never left out for lack of space.
func (e editor) leagueColumns(load dyno.Load, cells []dyno.CellVerdict) []leagueColumn {
	byCPU := e.rankedBy(load, cells) == dyno.ByCPU
	cpu := leagueColumn{column{title: "CPU µs", right: true, spare: !byCPU}, func(p place) string { return measured(p.cpuNs, nsPerUs) }}
	ofCeiling := leagueColumn{column{title: "of ceiling", right: true, spare: byCPU}, func(p place) string { return share(p.ofCeiling) }}

	all := []leagueColumn{
		{right("Rank"), func(p place) string { return fmt.Sprint(p.rank) }},
		{column{title: e.words.Subject, least: leagueNameMin}, func(p place) string { return e.title(p.subject) }},
	}
	if len(cells) > 1 {
		all = append(all, leagueColumn{right("Average"), func(p place) string { return averageRate(cells, p.subject, p.ratePerS) }})
	}
	if byCPU {
		all = append(all, cpu)
	}
	if e.hasCeiling() && !byCPU {
		all = append(all, ofCeiling)
	}
	for _, c := range cells {
		all = append(all, leagueColumn{
			spare(typeset.TestTitle(e.v.Run.Suite.Contract, c.Cell.Workload.String())),
			func(p place) string { r, _ := rowOf(c, p.subject); return rate(r) },
		})
	}
	if !byCPU {
		return append(all, cpu)
	}
	if e.hasCeiling() {
		all = append(all, ofCeiling)
	}
	return all
}

func (e editor) leagueNote(load dyno.Load, cells []dyno.CellVerdict) string {
	better := "faster"
	if e.rankedBy(load, cells) == dyno.ByCPU {
		better = "cheaper in server CPU"
	}
	s := fmt.Sprintf("Verified %s per second; %s. Rank: one more than the number of those that are %s by verdict, so that rows which cannot be told apart from the best share rank 1.",
		e.words.Replies, e.processes(cells), better)
	if len(cells) > 1 {
		s += " Average: the arithmetic mean of the rates; the rank is that of the geometric mean of the ratios."
	}
	if e.hasCeiling() {
		s += " of ceiling: the rate over that of a null server"
		if len(cells) > 1 {
			s += ", geometric mean over the " + e.words.Workloads
		}
		s += "."
	}
	return s + fmt.Sprintf(" CPU: the server's time per verified %s.", e.words.Reply)
}

// hasCeiling reports whether a null server was measured.
func (e editor) hasCeiling() bool {
	return slices.ContainsFunc(e.v.Cells, func(c dyno.CellVerdict) bool { return c.Ceiling != nil })
}

// rankedBy returns what the ranks of a league are made by.
func (e editor) rankedBy(load dyno.Load, cells []dyno.CellVerdict) dyno.Ranking {
	if avg, ok := e.average(load); ok {
		return avg.RankedBy
	}
	if len(cells) == 1 {
		return cells[0].RankedBy
	}
	return dyno.ByRate
}

// places returns the subjects of a league by their rates, the highest first.
func (e editor) places(load dyno.Load, cells []dyno.CellVerdict) []place {
	var places []place
	if avg, ok := e.average(load); ok {
		for _, r := range avg.Rows {
			places = append(places, place{r.Subject, r.Rank, r.RatePerS, r.CPUNs, r.OfCeiling})
		}
	} else if len(cells) == 1 {
		for _, r := range cells[0].Rows {
			if r.RatePerS.N > 0 {
				places = append(places, place{r.Subject, r.Rank, r.RatePerS, r.CPUNs, r.OfCeiling})
			}
		}
	}
	slices.SortStableFunc(places, func(a, b place) int { return cmp.Compare(b.ratePerS.Value, a.ratePerS.Value) })
	return places
}

// share writes a part of the ceiling in percent.
func share(x float64) string {
	if x == 0 {
		return absent
	}
	return typeset.Figure(100*x) + "%"
}

// leaders names those that nobody beats by verdict under each load, where a league shows them.
func (e editor) leaders() []string {
	var lines []string
	for _, load := range e.loads() {
		places := e.places(load, e.cellsUnder(load))
		if len(places) < leagueMin || places[0].ratePerS.N < 2 {
			continue
		}
		var first []string
		for _, p := range places {
			if p.rank == 1 {
				first = append(first, e.title(p.subject))
			}
		}
		over := " with " + load.String()
		if e.v.Run.Suite.Contract == codecContract {
			over = "" // its one connection carries orders, not the work
		}
		if len(e.cellsUnder(load)) > 1 {
			over += ", over all " + e.words.Workloads
		}
		best := "Fastest"
		if e.rankedBy(load, e.cellsUnder(load)) == dyno.ByCPU {
			best = "Cheapest by server CPU, since the client bounds rates,"
		}
		switch {
		case len(first) == 1:
			lines = append(lines, fmt.Sprintf("%s of %d%s: %s.", best, len(places), over, first[0]))
		case len(first) <= leadersMax:
			lines = append(lines, fmt.Sprintf("%s of %d%s, not told apart: %s.", best, len(places), over, listed(first)))
		default:
			lines = append(lines, fmt.Sprintf("%d of %d%s cannot be told apart from the %s.", len(first), len(places), over,
				strings.TrimSuffix(strings.ToLower(best[:1])+best[1:], ",")))
		}
	}
	return lines
}

// leadersMax is how many names a line of the headline takes.
const leadersMax = 6
