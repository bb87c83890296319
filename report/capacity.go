package report

import (
	"fmt"
	"strings"

	"dyno"
	"dyno/report/internal/typeset"
	"dyno/stat"
)

const capacityTitle = "Capacity"

// capacitySection says how high a rate each subject promises something at, who promises more, and how latency
// grows with the rate.
func (e editor) capacitySection(d *document) {
	c := e.v.Capacity
	if c == nil {
		return
	}
	t := &table{columns: []column{left(e.words.Subject), right(capital(e.held(c.Plan))), right("from"), right("to"), spare("Knee"), left("Limit"), {title: "Just above it", spare: true}}}
	for _, r := range c.Rows {
		low, high := absent, absent
		if r.RatePerS.Known() {
			low, high = e.amount(c.Plan, r.RatePerS.Low), e.amount(c.Plan, r.RatePerS.High)
		}
		knee := absent
		if r.KneePerS > 0 {
			knee = e.amount(c.Plan, r.KneePerS)
		}
		t.add(e.title(r.Subject), e.capacityFigure(c.Plan, r), low, high, knee, limitWords(r), orAbsent(r.Witness))
	}
	d.add(heading{2, capacityTitle}, paragraph(e.capacityQuestion(c)), t, note(e.capacityNote(c.Plan)))
	e.capacityVerdicts(d)
	e.capacityCurve(d)
}

// orAbsent is s, or the sign for nothing.
func orAbsent(s string) string {
	if s == "" {
		return absent
	}
	return s
}

// held is what a capacity is a number of, e.g. "players" or "packets/s".
func (e editor) held(p dyno.CapacityPlan) string {
	if p.PlayerPerS > 0 {
		return "players"
	}
	return e.words.Replies + "/s"
}

// amount writes a rate, or the players who make it, without its unit.
func (e editor) amount(p dyno.CapacityPlan, ratePerS float64) string {
	if p.PlayerPerS > 0 {
		const rounding = 1e-6 // of logarithms; half a player does not count
		return typeset.Thousands(int64(ratePerS/p.PlayerPerS + rounding))
	}
	return typeset.Figure(ratePerS)
}

func (e editor) capacityFigure(p dyno.CapacityPlan, r dyno.CapacityRow) string {
	switch {
	case r.RatePerS.N == 0:
		return "none"
	case r.LowerBound:
		return "≥" + e.amount(p, r.RatePerS.Value) + " " + doubt(r.RatePerS)
	}
	return e.amount(p, r.RatePerS.Value) + " " + doubt(r.RatePerS)
}

// limitWords says what kept the rate from being higher in most searches.
func limitWords(r dyno.CapacityRow) string {
	if r.Broken > 0 {
		return fmt.Sprintf("kept at no rate in %d of %d searches", r.Broken, len(r.Limits))
	}
	counts := map[dyno.CapacityLimit]int{}
	var most dyno.CapacityLimit
	for _, l := range r.Limits {
		if counts[l]++; counts[l] > counts[most] {
			most = l
		}
	}
	words := map[dyno.CapacityLimit]string{
		dyno.LimitServerCPU: "the server's CPU", dyno.LimitPromise: "the promise", dyno.LimitInstrument: "dyno or noise",
		dyno.LimitHighest: "the highest rate tried",
	}[most]
	if counts[most] < len(r.Limits) {
		words += fmt.Sprintf(" in %d of %d", counts[most], len(r.Limits))
	}
	return orAbsent(words)
}

// capacityQuestion says what was searched for.
func (e editor) capacityQuestion(c *dyno.CapacityVerdict) string {
	what := "The highest rate of " + c.Plan.Workload.String()
	if c.Plan.PlayerPerS > 0 {
		what = fmt.Sprintf("The most players, each a connection with %g packets a second of mixed sizes,", c.Plan.PlayerPerS)
	}
	return fmt.Sprintf("%s at which the server keeps %s. %s", what, strings.Join(c.Plan.Promises, " and "), e.capacityAnswer(c))
}

// capacityAnswer names who has the highest capacity, by verdict.
func (e editor) capacityAnswer(c *dyno.CapacityVerdict) string {
	var top []string
	for _, r := range c.Rows {
		if r.Rank == 1 {
			top = append(top, r.Subject)
		}
	}
	switch ties := everyPair(top, func(a, b string) bool { x, ok := c.Compare(a, b); return ok && x.Outcome == dyno.Tie }); {
	case len(c.Rows) < 2 || len(top) == 0:
		return ""
	case len(top) == 1 && len(c.Comparisons) == 0:
		return fmt.Sprintf("Only %s kept the promise in every search.", e.title(top[0]))
	case len(top) == 1:
		return fmt.Sprintf("%s has more than every other, by verdict.", e.title(top[0]))
	case ties:
		return fmt.Sprintf("Nobody has more than %s, which tie.", e.titleList(top))
	}
	return fmt.Sprintf("Who has the most is undecided: nobody is known to have more than %s.", e.titleList(top))
}

// everyPair reports whether something holds of all pairs.
func everyPair(names []string, holds func(a, b string) bool) bool {
	for i, a := range names {
		for _, b := range names[i+1:] {
			if !holds(a, b) {
				return false
			}
		}
	}
	return true
}

func (e editor) capacityNote(p dyno.CapacityPlan) string {
	over := fmt.Sprintf("%s share the requests", typeset.Counted(p.Connections, "connection"))
	if p.PlayerPerS > 0 {
		over = "an echo sends down what came up: game logic and what a real server adds come on top"
	}
	return fmt.Sprintf("Open loop, %s arrivals; latency counts from when a request was due. %s. In each of %s every subject had one search in a fresh process, with probes of %s; "+
		"± and from … to are a %.0f %% interval over the searches. Knee: the rate above which the p99 stays more than twice that of a light load. ≥: a lower bound.",
		p.Arrivals, capital(over), typeset.Counted(p.Blocks, "block"), typeset.Lasting(p.Probe), 100*(1-stat.Alpha))
}

// capacityVerdicts compares every subject with every other.
func (e editor) capacityVerdicts(d *document) {
	c := e.v.Capacity
	if len(c.Rows) > pairsMax {
		return // the ranks in the JSON say it; nobody reads so many pairs
	}
	t := &table{columns: []column{left("Pair"), right("Difference"), left("Verdict"), {title: "Why", spare: true}}}
	for _, x := range c.Comparisons {
		t.add(e.title(x.A)+" over "+e.title(x.B), difference(x.Ratio), capacityOutcome(x.Outcome), x.Reason)
	}
	if len(t.rows) > 0 {
		d.add(t, note(fmt.Sprintf("Paired by block. Verdicts are corrected for %s of capacities, a family of their own.", typeset.Counted(len(t.rows), "comparison"))))
	}
}

func capacityOutcome(o dyno.Outcome) string {
	if word := map[dyno.Outcome]string{dyno.Faster: "holds more", dyno.Slower: "holds less"}[o]; word != "" {
		return word
	}
	return string(o)
}

// curvePointsMax is how many points of a curve a table shows; the page's drawing has all of them.
const curvePointsMax = 8

// capacityCurve is latency against rate.
func (e editor) capacityCurve(d *document) {
	c := e.v.Capacity
	t := &table{columns: []column{left(e.words.Subject), right(capital(e.held(c.Plan))), right("p50 ms"), right("p99 ms"), spare("p99.9 ms"), right("Server CPU"), spare("Client busy"), right("Kept")}}
	for _, r := range c.Rows {
		for _, p := range thinned(r.Curve) {
			cpu := absent
			if p.ServerCPUShare >= 0 {
				cpu = percent(100 * p.ServerCPUShare)
			}
			t.add(e.title(r.Subject), e.amount(c.Plan, p.RatePerS), ms(p.P50Ns), ms(p.P99Ns), ms(p.P999Ns), cpu, percent(100*p.ClientBusyShare),
				fmt.Sprintf("%d of %d", p.Kept, p.Probes))
		}
	}
	if len(t.rows) > 0 {
		d.add(heading{3, "Latency against rate"}, t, note("Response times over all probes of nearly one rate: medians. Kept: probes in which every promise held."))
	}
}

func ms(ns float64) string { return typeset.Figure(ns / nsPerMs) }

// thinned keeps the ends of a curve and points evenly between them.
func thinned(curve []dyno.CapacityPoint) []dyno.CapacityPoint {
	if len(curve) <= curvePointsMax {
		return curve
	}
	var some []dyno.CapacityPoint
	for i := range curvePointsMax {
		some = append(some, curve[i*(len(curve)-1)/(curvePointsMax-1)])
	}
	return some
}

// capacityHeadline is a line of the answer.
func (e editor) capacityHeadline() string {
	c := e.v.Capacity
	if c == nil {
		return ""
	}
	var figures []string
	for _, r := range c.Rows {
		figures = append(figures, e.title(r.Subject)+" "+spaced(e.capacityFigure(c.Plan, r)))
	}
	if len(figures) > pairsMax {
		figures = append(figures[:pairsMax], "…")
	}
	return strings.TrimSpace(fmt.Sprintf("Capacity in %s at %s: %s. %s", e.held(c.Plan), strings.Join(c.Plan.Promises, " and "), strings.Join(figures, ", "), e.capacityAnswer(c)))
}

// capacityMethod is a part of how the run was measured.
func (e editor) capacityMethod() string {
	p := e.v.Run.Suite.Capacity
	return fmt.Sprintf("capacity: in %s a search of each subject in random order, alone on the machine, in a fresh process, with an open loop", typeset.Counted(p.Blocks, "block"))
}

// searched returns the subjects with a capacity that has an interval, in suite order.
func (e editor) searched() []string {
	var subjects []string
	if e.v.Capacity != nil {
		for _, r := range e.v.Capacity.Rows {
			if r.RatePerS.Known() {
				subjects = append(subjects, r.Subject)
			}
		}
	}
	return subjects
}
