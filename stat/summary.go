package stat

import (
	"math"
	"slices"

	"dyno"
)

// average sums up the squares of one load on its way to a verdict.
type average struct {
	load    dyno.Load
	squares []*square
	rows    []dyno.RateRow
	tests   []*test
	// cpuTests rank the subjects where they do so in one of the squares.
	cpuTests []*test
}

// averagesOf returns an average for each load with several cells, in suite order. With a single
// cell it would repeat that cell and weigh on the correction for nothing. Copies are ceilings, not work.
func (by rule) averagesOf(squares []*square) []*average {
	var averages []*average
	for _, load := range loadsOf(squares) {
		a := &average{load: load, squares: slices.DeleteFunc(under(load, squares), copies)}
		if len(a.squares) < 2 {
			continue
		}
		a.summarise(by)
		averages = append(averages, a)
	}
	return averages
}

// loadsOf returns the loads of the squares in order of appearance.
func loadsOf(squares []*square) []dyno.Load {
	var loads []dyno.Load
	for _, s := range squares {
		if !slices.Contains(loads, s.cell.Load) {
			loads = append(loads, s.cell.Load)
		}
	}
	return loads
}

func under(load dyno.Load, squares []*square) []*square {
	var found []*square
	for _, s := range squares {
		if s.cell.Load == load {
			found = append(found, s)
		}
	}
	return found
}

func (a *average) summarise(by rule) {
	limited := slices.ContainsFunc(a.squares, (*square).limited)
	subjects := rankedIn(a.squares)
	for i, subject := range subjects {
		a.rows = append(a.rows, dyno.RateRow{
			Subject: subject, RatePerS: a.meanRate(by, subject), CPUNs: a.meanCPU(by, subject), OfCeiling: a.ofCeiling(subject),
		})
		for _, other := range subjects[i+1:] {
			a.compare(by, subject, other)
			if limited {
				a.cpuTests = append(a.cpuTests, by.newCPUTest(subject, other, cpuRatios(a.squares, other, subject)))
			}
		}
	}
}

// rankedIn returns the subjects with a rate in all of the squares, in suite order.
func rankedIn(squares []*square) []string {
	var subjects []string
	for _, r := range squares[0].rows {
		everywhere := true
		for _, s := range squares {
			i := slices.IndexFunc(s.rows, func(x dyno.Row) bool { return x.Subject == r.Subject })
			everywhere = everywhere && i >= 0 && s.rows[i].RatePerS.N > 0
		}
		if everywhere {
			subjects = append(subjects, r.Subject)
		}
	}
	return subjects
}

// meanRate is the arithmetic mean over the cells, block by block.
func (a *average) meanRate(by rule, subject string) dyno.Estimate {
	cells := make([]map[int]float64, len(a.squares))
	for i, s := range a.squares {
		cells[i] = map[int]float64{}
		for block, t := range s.valid[subject] {
			cells[i][block] = ratePerS(t)
		}
	}
	return by.estimate(inOrder(meanOverCells(cells)))
}

// meanCPU is the geometric mean over the cells of the server's CPU time per reply, block by block.
func (a *average) meanCPU(by rule, subject string) dyno.Estimate {
	cells := make([]map[int]float64, len(a.squares))
	for i, s := range a.squares {
		cells[i] = map[int]float64{}
		for block, t := range s.valid[subject] {
			if ns := t.ServerCPUNsPerReply(); ns > 0 {
				cells[i][block] = math.Log(ns)
			}
		}
	}
	return by.fit(inOrder(meanOverCells(cells)), 0).ratio()
}

// ofCeiling is the geometric mean over the cells of a subject's share of the ceiling, 0 when one of them
// has none.
func (a *average) ofCeiling(subject string) float64 {
	var logs float64
	for _, s := range a.squares {
		i := slices.IndexFunc(s.rows, func(r dyno.Row) bool { return r.Subject == subject })
		if i < 0 || s.rows[i].OfCeiling <= 0 {
			return 0
		}
		logs += math.Log(s.rows[i].OfCeiling) / float64(len(a.squares))
	}
	return math.Exp(logs)
}

// compare pairs two subjects by the mean over the cells of their log ratio, block by block.
func (a *average) compare(by rule, x, y string) {
	all := ratios{}
	cells := make([]map[int]float64, len(a.squares))
	clientBound := false
	for i, s := range a.squares {
		paired := pairBlocks(s.valid[x], s.valid[y])
		cells[i] = paired.byBlock
		all.resolution = max(all.resolution, paired.resolution)
		all.dropped = max(all.dropped, paired.dropped)
		clientBound = clientBound || slices.ContainsFunc(s.rows, func(r dyno.Row) bool {
			return r.ClientBound && (r.Subject == x || r.Subject == y)
		})
	}
	all.byBlock = meanOverCells(cells)
	a.tests = append(a.tests, by.newTest(x, y, all, clientBound))
}

func (a *average) verdict(family int) dyno.Average {
	v := dyno.Average{
		Load: a.load, Cells: len(a.squares), Rows: a.rows,
		Comparisons: concludeAll(a.tests, family), CPUComparisons: concludeAll(a.cpuTests, family),
	}
	var ranked []dyno.Comparison
	v.RankedBy, ranked = ranking(v.Comparisons, v.CPUComparisons)
	for i := range v.Rows {
		v.Rows[i].Rank = rank(ranked, v.Rows[i].Subject)
	}
	return v
}

// scalingsOf compares every load with the one of the fewest connections at the same depth.
func (by rule) scalingsOf(squares []*square) []dyno.Scaling {
	var scalings []dyno.Scaling
	loads := loadsOf(squares)
	for _, to := range loads {
		from := to
		for _, l := range loads {
			if l.Depth == to.Depth && l.Connections < from.Connections {
				from = l
			}
		}
		if from == to {
			continue
		}
		scalings = append(scalings, by.scalingsBetween(from, to, squares)...)
	}
	return scalings
}

func (by rule) scalingsBetween(from, to dyno.Load, squares []*square) []dyno.Scaling {
	var low, high []*square
	for _, h := range under(to, squares) {
		for _, l := range under(from, squares) {
			if l.cell.Workload == h.cell.Workload {
				low, high = append(low, l), append(high, h)
			}
		}
	}
	if len(low) == 0 {
		return nil
	}
	var scalings []dyno.Scaling
	for _, subject := range rankedIn(slices.Concat(low, high)) {
		cells := make([]map[int]float64, len(low))
		for i := range low {
			cells[i] = map[int]float64{}
			for block, t := range high[i].valid[subject] {
				if base, ok := low[i].valid[subject][block]; ok {
					cells[i][block] = math.Log(ratePerS(t) / ratePerS(base))
				}
			}
		}
		scalings = append(scalings, dyno.Scaling{
			Subject: subject, From: from, To: to, Workloads: len(low),
			Ratio: by.fit(inOrder(meanOverCells(cells)), 0).ratio(),
		})
	}
	return scalings
}
