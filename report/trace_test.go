package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"dyno"
	"dyno/hist"
	"dyno/report/internal/typeset"
)

// tracer recomputes what a page may say straight from the trials, by arithmetic of its own: the textbook's t-interval
// of the logarithms, with the quantile from a table.
type tracer struct {
	scene
	known map[string]bool
}

// student holds the 97.5 % quantiles of Student's t by degrees of freedom.
var student = map[int]float64{3: 3.182446305284263, 4: 2.7764451051977987, 5: 2.5705818366147395}

func (tr *tracer) say(texts ...string) {
	for _, s := range texts {
		tr.known[strings.ReplaceAll(s, typeset.Unbreakable, " ")] = true
	}
}

// geometric returns the geometric mean of xs and its interval.
func geometric(xs []float64) dyno.Estimate { return geometricOf(xs, 0) }

// geometricOf is geometric of figures that are known to differ by a standard deviation of their logarithms, at least.
func geometricOf(xs []float64, leastSD float64) dyno.Estimate {
	n := float64(len(xs))
	var mean, squares float64
	for _, x := range xs {
		mean += math.Log(x) / n
	}
	for _, x := range xs {
		squares += math.Pow(math.Log(x)-mean, 2)
	}
	half := student[len(xs)-1] * max(math.Sqrt(squares/(n-1)), leastSD) / math.Sqrt(n)
	return dyno.Estimate{Value: math.Exp(mean), Low: math.Exp(mean - half), High: math.Exp(mean + half), N: len(xs)}
}

// figure says an estimate in every form that a page has for it.
func (tr *tracer) figure(e dyno.Estimate, unit float64) {
	tr.say(measured(e, unit), "†"+measured(e, unit), "≥"+measured(e, unit), "≥†"+measured(e, unit))
	tr.say(typeset.Figure(e.Value/unit), typeset.Figure(e.Low/unit), typeset.Figure(e.High/unit), fmt.Sprint(e.N))
}

func (tr *tracer) trialsOf(cell dyno.Cell, subject string) []dyno.Trial {
	var own []dyno.Trial
	for _, t := range tr.trials {
		if t.Cell == cell && t.Subject == subject {
			own = append(own, t)
		}
	}
	slices.SortFunc(own, func(a, b dyno.Trial) int { return a.Block - b.Block })
	return own
}

// each applies f to the trials of a subject in a cell.
func (tr *tracer) each(cell dyno.Cell, subject string, f func(dyno.Trial) float64) []float64 {
	var xs []float64
	for _, t := range tr.trialsOf(cell, subject) {
		xs = append(xs, f(t))
	}
	return xs
}

func rateOf(t dyno.Trial) float64 {
	var rates []float64
	for _, s := range t.Slices {
		rates = append(rates, float64(s.Replies)/(float64(s.DurationNs)/1e9))
	}
	return dyno.Centre(rates)
}

func cpuOf(t dyno.Trial) float64 {
	var ns, replies int64
	for _, s := range t.Slices {
		ns, replies = ns+s.ServerCPUNs, replies+s.ServerReplies
	}
	return float64(ns) / float64(replies)
}

func (tr *tracer) cell(cell dyno.Cell, subject string) {
	all := hist.New()
	var largest float64
	for _, t := range tr.trialsOf(cell, subject) {
		all.Merge(t.Latency)
		largest = max(largest, float64(t.Latency.MaxNs()))
		tr.trial(t)
	}
	tr.say(typeset.Figure(largest / nsPerUs))
	for _, q := range []float64{0.5, 0.9, 0.99, 0.999, 0.9999} {
		tr.say(typeset.Figure(float64(all.QuantileNs(q)) / nsPerUs))
	}
	quantileOf := func(q float64) func(dyno.Trial) float64 {
		return func(t dyno.Trial) float64 { return float64(t.Latency.QuantileNs(q)) }
	}
	tr.figure(geometric(tr.each(cell, subject, rateOf)), 1)
	tr.figure(geometric(tr.each(cell, subject, cpuOf)), nsPerUs)
	tr.figure(geometric(tr.each(cell, subject, func(t dyno.Trial) float64 { return t.Latency.MeanNs() })), nsPerUs)
	tr.figure(geometric(tr.each(cell, subject, quantileOf(0.5))), nsPerUs)
	tr.figure(geometric(tr.each(cell, subject, quantileOf(0.99))), nsPerUs)
	tr.figure(geometric(tr.each(cell, subject, func(t dyno.Trial) float64 { return float64(t.Server.PeakRSSBytes) })), 1<<20)
	tr.figure(geometric(tr.each(cell, subject, func(t dyno.Trial) float64 { return float64(t.Server.StartUpNs) })), nsPerMs)
}

// trial says the figures of one trial.
func (tr *tracer) trial(t dyno.Trial) {
	var busy, counted int64
	for _, s := range t.Slices {
		busy, counted = busy+s.ClientBusyNs, counted+s.DurationNs
	}
	inFlight := float64(t.Cell.Load.Connections * t.Cell.Load.Depth)
	tr.say(fmt.Sprint(t.Block+1), typeset.Figure(rateOf(t)), typeset.Figure(cpuOf(t)/nsPerUs), ofHundred(float64(busy)/float64(counted)),
		typeset.Figure(float64(t.Latency.QuantileNs(0.5))/nsPerUs), typeset.Figure(float64(t.Latency.QuantileNs(0.99))/nsPerUs),
		typeset.Figure(float64(t.Latency.MaxNs())/nsPerUs), typeset.Figure(float64(t.Server.PeakRSSBytes)/(1<<20)),
		typeset.Figure(float64(t.Server.StartUpNs)/nsPerMs), typeset.Figure(inFlight*1e9/rateOf(t)/nsPerUs))
}

// pair says the ratio of two subjects in every cell of a load and over all of them.
func (tr *tracer) pair(load dyno.Load, a, b string) {
	over := make([]float64, tr.run.Suite.Method.Blocks)
	cells := 0.0
	for _, cell := range tr.run.Suite.Cells {
		if cell.Load != load {
			continue
		}
		var ratios []float64
		second := tr.trialsOf(cell, b)
		for block, t := range tr.trialsOf(cell, a) {
			var logs []float64
			for round, s := range t.Slices {
				logs = append(logs, math.Log(s.RatePerS()/second[block].Slices[round].RatePerS()))
			}
			ratios = append(ratios, math.Exp(dyno.Centre(logs)))
			if !copies(cell) {
				over[block] += dyno.Centre(logs)
			}
		}
		if !copies(cell) {
			cells++
		}
		tr.ratio(geometric(ratios))
	}
	for i := range over {
		over[i] = math.Exp(over[i] / cells)
	}
	tr.ratio(geometric(over))
}

func (tr *tracer) ratio(e dyno.Estimate) {
	three := func(x float64) string { return fmt.Sprintf("%.3f", x) }
	tr.say(three(e.Value), three(e.Low), three(e.High), difference(e), "? "+difference(e), "= "+difference(e))
}

// load says what sums up a subject's cells under a load: averages, and the growth from the first load.
func (tr *tracer) load(load dyno.Load, subject string) {
	blocks := tr.run.Suite.Method.Blocks
	rates, cpus, growth := make([]float64, blocks), make([]float64, blocks), make([]float64, blocks)
	var cells []dyno.Cell
	for _, cell := range tr.run.Suite.Cells {
		if cell.Load == load && !copies(cell) {
			cells = append(cells, cell)
		}
	}
	n := float64(len(cells))
	for _, cell := range cells {
		base := tr.trialsOf(dyno.Cell{Workload: cell.Workload, Load: tr.run.Suite.Cells[0].Load}, subject)
		for block, t := range tr.trialsOf(cell, subject) {
			rates[block] += rateOf(t) / n
			cpus[block] += math.Log(cpuOf(t)) / n
			growth[block] += math.Log(rateOf(t)/rateOf(base[block])) / n
		}
	}
	for block := range cpus {
		cpus[block], growth[block] = math.Exp(cpus[block]), math.Exp(growth[block])
	}
	tr.figure(geometric(rates), 1)
	tr.figure(geometric(cpus), nsPerUs)
	perCore, err := strconv.ParseFloat(fmt.Sprintf("%.3g", 1e9/geometric(cpus).Value), 64)
	if err != nil {
		panic(err)
	}
	tr.say(typeset.Figure(perCore))
	tr.figure(geometric(growth), 1)
	g := geometric(growth)
	tr.say(typeset.Thousands(int64(math.Round(g.Value*100)))+"% "+doubt(g), "100%", fmt.Sprint(load.Connections))
	tr.ranges(cells, subject)
	tr.advised(cells, subject)
}

// ranges says the ranges of latencies over cells.
func (tr *tracer) ranges(cells []dyno.Cell, subject string) {
	for _, f := range []func(dyno.Trial) float64{
		func(t dyno.Trial) float64 { return t.Latency.MeanNs() },
		func(t dyno.Trial) float64 { return float64(t.Latency.QuantileNs(0.99)) },
	} {
		low, high := math.Inf(1), 0.0
		for _, cell := range cells {
			e := geometric(tr.each(cell, subject, f))
			low, high = min(low, e.Low), max(high, e.High)
		}
		tr.say(typeset.Figure(low/nsPerUs) + " to " + typeset.Figure(high/nsPerUs))
	}
	var largest int64
	for _, cell := range cells {
		for _, t := range tr.trialsOf(cell, subject) {
			largest = max(largest, t.Latency.MaxNs())
		}
	}
	tr.say(typeset.Figure(float64(largest)/nsPerUs), typeset.Figure(float64(largest)/nsPerMs)+" ms")
}

// advised says how busy a server of each type would be, with every assumed size at 64 or 1024 B, which is nearest.
func (tr *tracer) advised(cells []dyno.Cell, subject string) {
	for _, kind := range serverTypes {
		var timeS float64
		for _, p := range kind.mix {
			nearest := slices.MinFunc(cells, func(a, b dyno.Cell) int {
				away := func(c dyno.Cell) float64 {
					return math.Abs(math.Log(float64(c.Workload.PayloadBytes)) - math.Log(float64(p.bytes)))
				}
				return int(math.Copysign(1, away(a)-away(b)))
			})
			timeS += p.share / geometric(tr.each(nearest, subject, rateOf)).Low
		}
		tr.say("≥"+percent(100*kind.packetsS*timeS), typeset.Thousands(int64(kind.players)), typeset.Thousands(int64(kind.packetsS)))
	}
}

// account says what a subject's trials tell of the instrument.
func (tr *tracer) account(subject, ceiling string) {
	slicesOf, busiest, ofCeiling := 0, 0.0, 0.0
	var scatter []float64
	for _, cell := range tr.run.Suite.Cells {
		own := tr.trialsOf(cell, subject)
		var busy float64
		var rates []float64
		for _, t := range own {
			slicesOf += len(t.Slices)
			busy += t.ClientBusyShare() / float64(len(own))
			for _, s := range t.Slices {
				rates = append(rates, s.RatePerS())
			}
		}
		busiest = max(busiest, busy)
		if subject != ceiling {
			ofCeiling = max(ofCeiling, geometric(tr.each(cell, subject, rateOf)).Value/geometric(tr.each(cell, ceiling, rateOf)).Value)
		}
		var mean, squares float64
		for _, x := range rates {
			mean += x / float64(len(rates))
		}
		for _, x := range rates {
			squares += (x - mean) * (x - mean)
		}
		scatter = append(scatter, math.Sqrt(squares/float64(len(rates)-1))/mean)
	}
	slices.Sort(scatter)
	tr.say(ofHundred(busiest), share(ofCeiling), fmt.Sprintf("0 of %d", slicesOf), ofHundred(scatter[len(scatter)/2]), "0", "0.00")
}

// trace recomputes all that a page may say of a run.
func trace(s scene) *tracer {
	tr := &tracer{scene: s, known: map[string]bool{}}
	ceiling := ""
	for _, x := range tr.run.Subjects {
		if x.Ceiling {
			ceiling = x.Name
		}
	}
	for _, x := range tr.run.Subjects {
		for _, cell := range tr.run.Suite.Cells {
			tr.cell(cell, x.Name)
			tr.seen(cell, x.Name)
			tr.work(cell, x.Name)
		}
		for _, load := range tr.loads() {
			tr.load(load, x.Name)
			tr.ofCeiling(load, x.Name, ceiling)
			for _, other := range tr.run.Subjects {
				tr.pair(load, x.Name, other.Name)
			}
		}
		tr.account(x.Name, ceiling)
	}
	tr.claims()
	tr.capacities()
	tr.say(absent, tooFew)
	return tr
}

// loads returns the loads of the run's cells, in order.
func (tr *tracer) loads() []dyno.Load {
	var loads []dyno.Load
	for _, c := range tr.run.Suite.Cells {
		if !slices.Contains(loads, c.Load) {
			loads = append(loads, c.Load)
		}
	}
	return loads
}
