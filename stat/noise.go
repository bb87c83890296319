package stat

import (
	"maps"
	"math"
	"slices"

	gonum "gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"dyno"
)

// noiseOf sums up what disturbed a run.
func noiseOf(method dyno.Method, trials []dyno.Trial, squares []*square) dyno.RunNoise {
	planned := method.RoundsPlanned()
	rounds := roundsOf(trials)
	var n dyno.RunNoise
	var quickest, slowest int64
	throttled := map[measurement]int64{} // the same in all trials of a place
	for _, t := range trials {
		throttled[measurement{t.Block, t.Cell}] = t.Noise.ThrottleEvents
		for _, ns := range []int64{t.Noise.LoopNs, t.Noise.LoopAfterNs} {
			if ns > 0 && (quickest == 0 || ns < quickest) {
				quickest = ns
			}
			slowest = max(slowest, ns)
		}
	}
	for at, flags := range rounds {
		n.Places++
		if mostly(flags) {
			n.Disturbed++
		}
		n.ExtraRounds += max(len(flags)-planned, 0)
		if method.RoundsMost() > planned && len(flags) >= method.RoundsMost() {
			n.AtLimit++
		}
		n.ThrottleEvents += throttled[at]
	}
	if quickest > 0 {
		n.LoopSpread = float64(slowest)/float64(quickest) - 1
	}
	n.Drifts, n.Trends = driftsOf(squares), trendsOf(squares)
	return n
}

// measurement is of a cell in a block.
type measurement struct {
	block int
	cell  dyno.Cell
}

// roundsOf says of every round of every place whether it has a flagged slice.
func roundsOf(trials []dyno.Trial) map[measurement]map[int]bool {
	rounds := map[measurement]map[int]bool{}
	for _, t := range trials {
		at := measurement{t.Block, t.Cell}
		if rounds[at] == nil {
			rounds[at] = map[int]bool{}
		}
		for _, s := range t.Slices {
			rounds[at][s.Round] = rounds[at][s.Round] || s.Flag != ""
		}
	}
	return rounds
}

func mostly(flags map[int]bool) bool {
	flagged := 0
	for _, is := range flags {
		if is {
			flagged++
		}
	}
	return 2*flagged > len(flags)
}

// Disturbed reports whether the trials of a cell in a block have a flagged slice in most rounds.
func Disturbed(trials []dyno.Trial) bool {
	for _, flags := range roundsOf(trials) {
		if mostly(flags) {
			return true
		}
	}
	return false
}

// driftsOf estimates, for each subject, how its rate changed from the first block to the last.
func driftsOf(squares []*square) []dyno.Drift {
	if len(squares) == 0 {
		return nil
	}
	var drifts []dyno.Drift
	subjects := rankedIn(squares)
	for _, subject := range subjects {
		var logs []map[int]float64 // by cell, the log rate of each block
		for _, s := range squares {
			cell := map[int]float64{}
			for block, t := range s.valid[subject] {
				cell[block] = math.Log(ratePerS(t))
			}
			logs = append(logs, cell)
		}
		if ratio := driftOver(meanOverCells(logs), Alpha/float64(len(subjects))); ratio.Known() {
			drifts = append(drifts, dyno.Drift{Subject: subject, Ratio: ratio})
		}
	}
	return drifts
}

// trendsOf estimates, for each subject, how its rate changed within a trial. Each process is one observation. What moved
// the other servers stays in: over all blocks it averages out, and their own trends would come in with it.
func trendsOf(squares []*square) []dyno.Drift {
	if len(squares) == 0 {
		return nil
	}
	subjects := rankedIn(squares)
	var trends []dyno.Drift
	for _, subject := range subjects {
		rises := map[int][]float64{} // by block, what the log rate rises over the slices in each cell
		for _, s := range squares {
			for block, t := range s.valid[subject] {
				if rates := quietSeries(*t, nil); len(rates) >= 2 {
					rises[block] = append(rises[block], rise(rates))
				}
			}
		}
		means := map[int]float64{}
		for block, ofCells := range rises { // cells with flagged slices may have none: levels do not matter here
			means[block] = gonum.Mean(ofCells, nil)
		}
		f := fixedN.fit(inOrder(means), 0)
		if half := f.halfWidth(Alpha / float64(len(subjects))); f.n >= 3 && half > 0 {
			trends = append(trends, dyno.Drift{Subject: subject, Ratio: dyno.Estimate{
				Value: math.Exp(f.mean), Low: math.Exp(f.mean - half), High: math.Exp(f.mean + half), N: f.n,
			}})
		}
	}
	return trends
}

// rise returns what a line through values by least squares rises from the first to the last.
func rise(values []float64) float64 {
	n := float64(len(values))
	var sxx, sxy float64
	for i, y := range values {
		x := float64(i) - (n-1)/2
		sxx += x * x
		sxy += x * y
	}
	return sxy / sxx * (n - 1)
}

// driftOver fits a line through log rates by block, by least squares, and returns what it rises from the
// first block to the last, as a ratio with the t-interval that misses with probability alpha. It is unknown
// with fewer than three blocks.
func driftOver(byBlock map[int]float64, alpha float64) dyno.Estimate {
	n := len(byBlock)
	if n < 3 {
		return dyno.Estimate{}
	}
	blocks, ys := slices.Sorted(maps.Keys(byBlock)), inOrder(byBlock)
	var meanX, meanY, sxx, sxy, residues float64
	for i := range ys {
		meanX += float64(blocks[i]) / float64(n)
		meanY += ys[i] / float64(n)
	}
	for i, y := range ys {
		x := float64(blocks[i]) - meanX
		sxx += x * x
		sxy += x * (y - meanY)
	}
	slope := sxy / sxx
	for i, y := range ys {
		residue := y - meanY - slope*(float64(blocks[i])-meanX)
		residues += residue * residue
	}
	span := float64(blocks[n-1] - blocks[0])
	student := distuv.StudentsT{Sigma: 1, Nu: float64(n - 2)}
	half := -student.Quantile(alpha/2) * math.Sqrt(residues/float64(n-2)/sxx) * span
	return dyno.Estimate{Value: math.Exp(slope * span), Low: math.Exp(slope*span - half), High: math.Exp(slope*span + half), N: n}
}
