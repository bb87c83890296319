package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"dyno"
	"dyno/report/internal/typeset"
)

const (
	// busyShareMax of what a closed loop reaches is what a server should be loaded with at the most: beyond, queues
	// grow faster than load.
	busyShareMax = 0.5
	// idleShareMax is where speed does not matter any more.
	idleShareMax = 0.1
)

// serverType is a line of seed 000's estimates: who plays there, and what that means in packets.
type serverType struct {
	name     string
	players  int
	packetsS float64
	mix      []part

	inView     int     // players and mobs whose moves a player sees
	chunksPerS float64 // that a player gets
}

// part is a share of the packets that have one size.
type part struct {
	share float64
	bytes int
}

// The seed's server types with its numbers of players and packets. It names no mix; these are assumptions, and the
// report prints them: movement is 8 to 32 B, most of the rest below 256 B, chunks are the few large ones, and a proxy
// forwards all of them.
var (
	mixMovement = []part{{0.75, 16}, {0.20, 64}, {0.05, 256}}
	mixWorld    = []part{{0.60, 16}, {0.25, 64}, {0.10, 256}, {0.05, 1024}}
	mixForward  = []part{{0.50, 32}, {0.30, 128}, {0.15, 512}, {0.05, 1024}}
	serverTypes = []serverType{
		{"Minigame", 20, 1_000, mixMovement, 10, 1},
		{"Survival", 50, 2_500, mixWorld, 5, 4},
		{"Hub", 100, 5_000, mixMovement, 20, 1},
		{"Network", 500, 20_000, mixWorld, 5, 4},
		{"Proxy", 1_000, 50_000, mixForward, 5, 4},
	}
)

// advice is what the verdict means for one server type.
type advice struct {
	load  dyno.Load
	mix   []part                   // as measured: sizes that are in the suite
	rates map[string]dyno.Estimate // closed-loop packets per second of this mix, by subject
	words string
}

// advise says which subject a server type should run on. It is a pure function of the verdict.
func (e editor) advise(t serverType) (advice, bool) {
	load, ok := e.loadFor(t.players)
	cells := e.bySize(load)
	if !ok || len(cells) == 0 {
		return advice{}, false
	}
	mix, ok := measuredMix(t.mix, cells)
	if !ok {
		return advice{}, false
	}
	a := advice{load: load, mix: mix, rates: map[string]dyno.Estimate{}}
	for _, s := range e.ranked() {
		if rate := mixRate(a.mix, cells, s); rate.N >= 2 {
			a.rates[s] = rate
		}
	}
	a.words = e.adviceWords(t, a, cells)
	return a, len(a.rates) > 0
}

// loadFor returns the measured load that is nearest to so many players without more connections, one request in
// flight on each; with fewer players than any load has, the smallest.
func (e editor) loadFor(players int) (dyno.Load, bool) {
	var best dyno.Load
	for _, l := range e.loads() {
		if l.Depth != 1 {
			continue
		}
		fits, bestFits := l.Connections <= players, best.Connections <= players
		better := fits && l.Connections > best.Connections || !bestFits && l.Connections < best.Connections
		if best.Connections == 0 || better {
			best = l
		}
	}
	return best, best.Connections > 0
}

// nearMax is how much larger or smaller a measured size may be than one that it stands for.
const nearMax = 4

// measuredMix maps a mix to the nearest sizes that were measured; it fails where one is not near enough.
func measuredMix(mix []part, cells []dyno.CellVerdict) ([]part, bool) {
	var out []part
	for _, p := range mix {
		nearest := slices.MinFunc(cells, func(a, b dyno.CellVerdict) int {
			away := func(c dyno.CellVerdict) float64 {
				return math.Abs(math.Log(float64(c.Cell.Workload.PayloadBytes) / float64(p.bytes)))
			}
			return int(math.Copysign(1, away(a)-away(b)))
		}).Cell.Workload.PayloadBytes
		if nearest > nearMax*p.bytes || p.bytes > nearMax*nearest {
			return nil, false
		}
		if i := slices.IndexFunc(out, func(o part) bool { return o.bytes == nearest }); i >= 0 {
			out[i].share += p.share
		} else {
			out = append(out, part{p.share, nearest})
		}
	}
	return out, true
}

// mixRate is the rate of a mix: times per packet add up, so it is the harmonic mean of the rates. Its ends take all
// rates at their low or their high ends, which is wider than need be.
func mixRate(mix []part, cells []dyno.CellVerdict, subject string) dyno.Estimate {
	var value, low, high float64
	n := math.MaxInt
	for _, p := range mix {
		i := slices.IndexFunc(cells, func(c dyno.CellVerdict) bool { return c.Cell.Workload.PayloadBytes == p.bytes })
		r, ok := rowOf(cells[i], subject)
		if !ok || !r.RatePerS.Known() {
			return dyno.Estimate{}
		}
		value += p.share / r.RatePerS.Value
		low += p.share / r.RatePerS.Low
		high += p.share / r.RatePerS.High
		n = min(n, r.RatePerS.N)
	}
	return dyno.Estimate{Value: 1 / value, Low: 1 / low, High: 1 / high, N: n}
}

// adviceWords names who should be chosen, and why.
func (e editor) adviceWords(t serverType, a advice, cells []dyno.CellVerdict) string {
	var fit []string
	idle := true
	for _, s := range e.ranked() {
		rate, ok := a.rates[s]
		if !ok {
			continue
		}
		if t.packetsS <= busyShareMax*rate.Low {
			fit = append(fit, s)
		}
		idle = idle && t.packetsS <= idleShareMax*rate.Low
	}
	switch {
	case len(fit) == 0:
		return "none with one process"
	case len(fit) == 1:
		return e.title(fit[0]) + " (alone below half load)"
	}
	best := unbeaten(fit, a.mix, cells)
	tied := allTie(best, a.mix, cells)
	switch {
	case idle:
		return freeChoice(len(e.ranked())) + ": below a tenth of each"
	case len(best) == 1:
		return e.title(best[0]) + " (faster by verdict)"
	case tied:
		return "either: " + e.titleList(best) + " tie"
	}
	return "undecided: " + e.titleList(best)
}

// freeChoice is the word for a free choice among so many.
func freeChoice(subjects int) string {
	if subjects > 2 {
		return "any"
	}
	return "either"
}

// titleList lists subjects by title, as many as a table has room for.
func (e editor) titleList(subjects []string) string {
	if len(subjects) > 2 {
		return typeset.Counted(len(subjects), "subject")
	}
	names := make([]string, len(subjects))
	for i, s := range subjects {
		names[i] = e.title(s)
	}
	return strings.Join(names, ", ")
}

// unbeaten returns the subjects whom no other beats over a mix: by verdict faster at one of its sizes or more, and at
// the others faster or equal.
func unbeaten(subjects []string, mix []part, cells []dyno.CellVerdict) []string {
	return slices.DeleteFunc(slices.Clone(subjects), func(s string) bool {
		return slices.ContainsFunc(subjects, func(other string) bool {
			faster, others := outcomes(other, s, mix, cells)
			return faster > 0 && others == 0
		})
	})
}

// allTie reports whether all pairs of subjects tie by verdict at all sizes of a mix.
func allTie(subjects []string, mix []part, cells []dyno.CellVerdict) bool {
	for i, a := range subjects {
		for _, b := range subjects[i+1:] {
			if faster, others := outcomes(a, b, mix, cells); faster > 0 || others > 0 {
				return false
			}
		}
	}
	return true
}

// outcomes counts the sizes of a mix at which a is faster than b, and those at which it is neither faster nor equal.
func outcomes(a, b string, mix []part, cells []dyno.CellVerdict) (faster, others int) {
	for _, c := range cells {
		if !slices.ContainsFunc(mix, func(p part) bool { return p.bytes == c.Cell.Workload.PayloadBytes }) {
			continue
		}
		x, ok := c.Compare(a, b)
		switch {
		case ok && x.Outcome == dyno.Faster:
			faster++
		case !ok || x.Outcome != dyno.Tie:
			others++
		}
	}
	return faster, others
}

// adviceSection is the report's advice: seed 000's server types where packets have sizes, seed 002's conclusion
// elsewhere.
func (e editor) adviceSection(d *document) {
	if e.advisesPlayers() {
		e.playerTypes(d)
		return
	}
	if e.v.Run.Suite.Contract == codecContract || len(e.ranked()) < 2 || !e.hasIntervals() {
		return
	}
	if e.v.Run.Suite.Contract == "framed" {
		e.serverTypes(d)
		return
	}
	e.criteria(d)
}

// serverTypes is the table of seed 000's "real-world estimates".
func (e editor) serverTypes(d *document) {
	subjects := e.ranked()
	t := &table{columns: []column{left("Server type"), right("Players"), right("Packets/s")}}
	for _, s := range subjects {
		t.columns = append(t.columns, spare(e.title(s)+" busy"))
	}
	t.columns = append(t.columns, left("Advice"))
	var mixes, loads []string
	for _, kind := range serverTypes {
		a, ok := e.advise(kind)
		if !ok {
			continue
		}
		line := []string{kind.name, typeset.Thousands(int64(kind.players)), typeset.Thousands(int64(kind.packetsS))}
		for _, s := range subjects {
			line = append(line, busyShare(kind.packetsS, a.rates[s]))
		}
		t.add(append(line, a.words)...)
		mixes = append(mixes, kind.name+" "+mixText(a.mix))
		loads = append(loads, fmt.Sprintf("%s %s", kind.name, short(a.load)))
	}
	if len(t.rows) == 0 {
		return
	}
	d.add(heading{2, "Advice by server type"}, t, note(fmt.Sprintf("busy: the packets that are needed ÷ those that one process echoes in a closed loop (low end of the interval). That rate is an upper bound found by service time: game logic comes on top, and it promises no latency. "+
		"A server is advised up to %.0f %% busy; of several that suffice the one that is faster by verdict at the sizes of the mix; either when all are below %.0f %% or tie.", 100*busyShareMax, 100*idleShareMax)),
		note("Players and packets are those of the seed. Assumed mixes, at the sizes that were measured: "+strings.Join(mixes, "; ")+". Judged by the load that is nearest: "+strings.Join(loads, ", ")+"."))
}

// busyShare writes how busy one process would be, at least.
func busyShare(needed float64, rate dyno.Estimate) string {
	if rate.N == 0 {
		return absent
	}
	return "≥" + percent(100*needed/rate.Low)
}

func mixText(mix []part) string {
	var parts []string
	for _, p := range mix {
		parts = append(parts, fmt.Sprintf("%.0f %% of %d B", 100*p.share, p.bytes))
	}
	return strings.Join(parts, ", ")
}
