package report

import (
	"fmt"
	"html"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

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

const (
	tracedBlocks = 5
	student4     = 2.7764451051977987 // 97.5 % quantile of Student's t with 4 degrees of freedom
)

func (tr *tracer) say(texts ...string) {
	for _, s := range texts {
		tr.known[strings.ReplaceAll(s, typeset.Unbreakable, " ")] = true
	}
}

// geometric returns the geometric mean of xs and its interval.
func geometric(xs []float64) dyno.Estimate {
	n := float64(len(xs))
	var mean, squares float64
	for _, x := range xs {
		mean += math.Log(x) / n
	}
	for _, x := range xs {
		squares += math.Pow(math.Log(x)-mean, 2)
	}
	half := student4 * math.Sqrt(squares/(n-1)/n)
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
	over := make([]float64, tracedBlocks)
	cells := 0.0
	for _, cell := range tr.run.Suite.Cells {
		if cell.Load != load {
			continue
		}
		cells++
		var ratios []float64
		second := tr.trialsOf(cell, b)
		for block, t := range tr.trialsOf(cell, a) {
			var logs []float64
			for round, s := range t.Slices {
				logs = append(logs, math.Log(s.RatePerS()/second[block].Slices[round].RatePerS()))
			}
			ratios = append(ratios, math.Exp(dyno.Centre(logs)))
			over[block] += dyno.Centre(logs)
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
	rates, cpus, growth := make([]float64, tracedBlocks), make([]float64, tracedBlocks), make([]float64, tracedBlocks)
	var cells []dyno.Cell
	for _, cell := range tr.run.Suite.Cells {
		if cell.Load == load {
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

var (
	tablePattern  = regexp.MustCompile(`(?s)<table>.*?</table>`)
	headPattern   = regexp.MustCompile(`<th scope="col"[^>]*>(.*?)</th>`)
	rowPattern    = regexp.MustCompile(`<tr[^>]*>(.*?)</tr>`)
	figurePattern = regexp.MustCompile(`<td( class="n")?>(.*?)</td>`)
)

// traced recomputes all that a page may say of a run of four subjects.
func traced() *tracer {
	tr := &tracer{scene: measure(cells([]int{16, 64, 1024}, seedLoads[:2]...), tracedBlocks, 0.01, denoServer, bunServer, nodeServer, nullServer), known: map[string]bool{}}
	subjects := []string{"framed-deno", "framed-bun", "framed-node", "null-framed"}
	for _, s := range subjects {
		for _, cell := range tr.run.Suite.Cells {
			tr.cell(cell, s)
		}
		for _, load := range seedLoads[:2] {
			tr.load(load, s)
			for _, other := range subjects {
				tr.pair(load, s, other)
			}
		}
		tr.account(s, "null-framed")
	}
	tr.say(absent, tooFew)
	return tr
}

// Every number in a table of the page follows from the stored trials.
func TestEveryFigureFollowsFromTheTrials(t *testing.T) {
	tr := traced()
	checked := 0
	for _, table := range tablePattern.FindAllString(pageOf(t, tr.scene), -1) {
		head := headPattern.FindAllStringSubmatch(table, -1)
		for _, row := range rowPattern.FindAllStringSubmatch(table, -1) {
			for i, cell := range figurePattern.FindAllStringSubmatch(row[1], -1) {
				if cell[1] == "" || head[i][1] == "corrected p" || head[i][1] == "no steady state" { // which package stat's own tests recompute
					continue
				}
				checked++
				if text := strings.ReplaceAll(html.UnescapeString(cell[2]), typeset.Unbreakable, " "); !tr.known[text] {
					t.Errorf("%s: %q follows from no trial; row %s", head[i][1], text, row[1])
				}
			}
		}
	}
	if checked < 1000 {
		t.Errorf("only %d figures were found on the page", checked)
	}
}

// saidPatterns find the figures of sentences, and how tables write them.
var saidPatterns = []struct {
	pattern *regexp.Regexp
	as      string
}{
	{regexp.MustCompile(`([+-][\d.,]+) % ± ([\d.,]+) %`), "$1% ±$2%"},                    // a difference
	{regexp.MustCompile(`(?:^|[ ×])([\d.,]+)(?: µs)? ± ([\d.,]+) %`), "$1 ±$2%"},         // a cost, a growth
	{regexp.MustCompile(`([\d.,]+ to [\d.,]+) µs`), "$1"},                                // a range of latencies
	{regexp.MustCompile(`([\d.,]+ ms) \(`), "$1"},                                        // a slowest reply
	{regexp.MustCompile(`(?:about|,|and) ([\d,]{5,}[\d])(?:,| and| packets per)`), "$1"}, // replies per second and core
}

var listPattern = regexp.MustCompile(`(?s)<li>(.*?)</li>`)

// Every figure in a sentence of the answer and of the findings follows from the stored trials as well.
func TestEverySentenceFollowsFromTheTrials(t *testing.T) {
	tr := traced()
	page := pageOf(t, tr.scene)
	above, _, found := strings.Cut(page, `id="advice-by-server-type"`)
	if !found {
		t.Fatal("the page has no advice")
	}
	checked := make([]int, len(saidPatterns))
	for _, item := range listPattern.FindAllStringSubmatch(above, -1) {
		text := strings.ReplaceAll(html.UnescapeString(item[1]), typeset.Unbreakable, " ")
		for i, said := range saidPatterns {
			for _, at := range said.pattern.FindAllStringSubmatchIndex(text, -1) {
				checked[i]++
				if figure := string(said.pattern.ExpandString(nil, said.as, text, at)); !tr.known[figure] {
					t.Errorf("%q follows from no trial, in: %s", figure, text)
				}
			}
		}
	}
	for i, n := range checked {
		if n == 0 {
			t.Errorf("no figure like %s was found: the test looks for what nobody says", saidPatterns[i].pattern)
		}
	}
}
