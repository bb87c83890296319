package stat

import (
	"math"

	"dyno"
)

// sharesOf returns what part of each subject's CPU time its baseline does without, load by load.
func (by rule) sharesOf(squares []*square, subjects []contender) []dyno.CPUShare {
	var shares []dyno.CPUShare
	var fits []fit
	for _, load := range loadsOf(squares) {
		here := under(load, squares)
		for _, s := range subjects {
			if s.baselineOf == "" {
				continue
			}
			logs := inOrder(cpuRatios(here, s.name, s.baselineOf))
			if len(logs) == 0 {
				continue
			}
			f := by.fit(logs, 0)
			fits = append(fits, f)
			shares = append(shares, dyno.CPUShare{
				Subject: s.baselineOf, Baseline: s.name, Load: load, Workloads: len(here), Ratio: f.ratio(),
			})
		}
	}
	for i, f := range fits {
		half := f.halfWidth(Alpha / float64(len(fits))) // Bonferroni: all of them hold together
		shares[i].Low, shares[i].High = 1-math.Exp(f.mean+half), 1-math.Exp(f.mean-half)
	}
	return shares
}

// cpuRatios returns, for each block, the mean over the cells of the log of subject x's CPU time per reply
// over that of y.
func cpuRatios(squares []*square, x, y string) map[int]float64 {
	cells := make([]map[int]float64, len(squares))
	for i, s := range squares {
		cells[i] = s.cpuRatios(x, y)
	}
	return meanOverCells(cells)
}
