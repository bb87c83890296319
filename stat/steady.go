package stat

import (
	"math"

	"dyno"
)

// levelTolerance is the difference between two levels that is still called the same.
const levelTolerance = 0.02

// rivalsLeast is the fewest other servers of a round that tell what the machine did meanwhile.
const rivalsLeast = 3

// settledWindows are at the end of a warm-up that the lab found settled: their scatter is noise alone.
const settledWindows = 3

// steadinessOf says of every trial that counts whether it reached a steady state, and on which way. Trials must not be of
// more than one run.
//
// Two series are looked at. In that of the slices any change means that there is no steady state: the trial's figure is a
// mean over levels. In that of the warm-up windows a change tells on which way the last level was reached.
// Between the two lie the warm-ups of other servers, and whatever the machine did meanwhile. Of virtual users only the
// warm-up counts, because they set the rate of the slices.
func steadinessOf(trials []dyno.Trial) map[dyno.TrialKey]dyno.Steadiness {
	slices, slicesSD := sliceSeries(trials)
	windowSD := windowScatter(trials)
	of := map[dyno.TrialKey]dyno.Steadiness{}
	for _, t := range trials {
		if t.Void != "" || len(t.Slices) == 0 {
			continue
		}
		rates := slices[t.TrialKey]
		switch {
		case !t.WarmUp.Settled || t.Cell.Load.Users == 0 && changes(rates, slicesSD[lane{t.Subject, t.Cell}]):
			of[t.TrialKey] = dyno.NoSteadyState
		default:
			of[t.TrialKey] = wayOf(logsOf(t.WarmUp.RatesPerS), windowSD[warmUpKind{t.Subject, t.WarmUp.WindowNs}])
		}
	}
	return of
}

// lane is a subject in a cell.
type lane struct {
	subject string
	cell    dyno.Cell
}

// warmUpKind are windows whose scatter is alike.
type warmUpKind struct {
	subject  string
	windowNs int64
}

// sliceSeries returns the log rates of each trial's slices in the order of rounds, less what moved the other servers of
// the round, and the scatter of them by subject and cell. Flagged slices are left out.
func sliceSeries(trials []dyno.Trial) (map[dyno.TrialKey][]float64, map[lane]float64) {
	type place struct {
		block int
		cell  dyno.Cell
	}
	together := map[place][]*dyno.Trial{}
	for i := range trials {
		if t := &trials[i]; t.Void == "" {
			at := place{t.Block, t.Cell}
			together[at] = append(together[at], t)
		}
	}
	series, steps := map[dyno.TrialKey][]float64{}, map[lane]map[int][]float64{}
	for _, t := range trials {
		if t.Void != "" {
			continue
		}
		rates := withoutMachine(t, together[place{t.Block, t.Cell}])
		series[t.TrialKey] = rates
		own := lane{t.Subject, t.Cell}
		if steps[own] == nil {
			steps[own] = map[int][]float64{}
		}
		for i := 1; i < len(rates); i++ {
			steps[own][i] = append(steps[own][i], rates[i]-rates[i-1])
		}
	}
	sd := map[lane]float64{}
	for own, all := range steps {
		sd[own] = scatter(all)
	}
	return series, sd
}

// withoutMachine returns a trial's log rates by round, less the median deviation of the other trials of the same
// place in that round, where there are enough of them.
func withoutMachine(t dyno.Trial, together []*dyno.Trial) []float64 {
	moved := map[int][]float64{} // by round, how far each of the others was from its own middle
	for _, other := range together {
		if other.Subject == t.Subject {
			continue
		}
		rates := quietRates(other)
		var all []float64
		for _, s := range other.Slices {
			if rate, ok := rates[s.Round]; ok {
				all = append(all, rate)
			}
		}
		middle := median(all)
		for round, rate := range rates {
			moved[round] = append(moved[round], rate-middle)
		}
	}
	return quietSeries(t, moved)
}

// quietSeries returns the log rates of a trial's slices that nothing disturbed, in their order, less the median of what moved
// the others in the round, where enough of them tell.
func quietSeries(t dyno.Trial, moved map[int][]float64) []float64 {
	rates := quietRates(&t)
	var series []float64
	for _, s := range t.Slices {
		rate, ok := rates[s.Round]
		if !ok {
			continue
		}
		if others := moved[s.Round]; len(others) >= rivalsLeast {
			rate -= median(others)
		}
		series = append(series, rate)
	}
	return series
}

// quietRates returns the log rates of a trial's slices that nothing disturbed, by round.
func quietRates(t *dyno.Trial) map[int]float64 {
	rates := map[int]float64{}
	for _, s := range t.Slices {
		if s.Flag == "" && s.DurationNs > 0 {
			rates[s.Round] = math.Log(max(float64(s.Replies), leastReplies) * 1e9 / float64(s.DurationNs))
		}
	}
	return rates
}

// windowScatter returns the scatter of warm-up windows, from the settled ends of all warm-ups of a kind.
func windowScatter(trials []dyno.Trial) map[warmUpKind]float64 {
	steps := map[warmUpKind]map[int][]float64{}
	for _, t := range trials {
		if t.Void != "" {
			continue
		}
		kind := warmUpKind{t.Subject, t.WarmUp.WindowNs}
		if steps[kind] == nil {
			steps[kind] = map[int][]float64{}
		}
		rates := logsOf(t.WarmUp.RatesPerS)
		for i := 1; i < min(settledWindows, len(rates)); i++ {
			at := len(rates) - i
			steps[kind][i] = append(steps[kind][i], rates[at]-rates[at-1])
		}
	}
	sd := map[warmUpKind]float64{}
	for kind, all := range steps {
		sd[kind] = scatter(all)
	}
	return sd
}

// changes reports whether a series has two levels that are not the same.
func changes(logs []float64, sd float64) bool { return wayOf(logs, sd) != dyno.Flat }

// wayOf says on which way a series came to its last level: from below, from above, or at once.
// Source: Barrett et al., "Virtual machine warmup blows hot and cold", 2017, which calls it so.
func wayOf(logs []float64, sd float64) dyno.Steadiness {
	if len(logs) == 0 {
		return dyno.Flat
	}
	begins := append(levels(logs, sd), len(logs))
	final := median(logs[begins[len(begins)-2]:])
	way := dyno.Flat
	for i := range len(begins) - 2 {
		switch level := median(logs[begins[i]:begins[i+1]]); {
		case level > final+math.Log1p(levelTolerance):
			return dyno.SlowedDown // it was faster before, whatever else it was
		case level < final-math.Log1p(levelTolerance):
			way = dyno.WarmedUp
		}
	}
	return way
}

// countSteadiness notes in a row what its trials came to.
func countSteadiness(r *dyno.Row, cell dyno.Cell, of map[dyno.TrialKey]dyno.Steadiness) {
	for key, steadiness := range of {
		if key.Subject != r.Subject || key.Cell != cell {
			continue
		}
		switch steadiness {
		case dyno.WarmedUp:
			r.WarmedUp++
		case dyno.SlowedDown:
			r.SlowedDown++
		case dyno.NoSteadyState:
			r.Unsettled++
		}
	}
}
