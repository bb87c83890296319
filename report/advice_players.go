package report

import (
	"fmt"
	"slices"
	"strings"

	"dyno"
	"dyno/report/internal/typeset"
)

// A player's packets, for the advice that rests on capacities. Sizes and rates upwards are those of the workload
// that was searched with; what comes down is our estimate, and the report prints it.
const (
	movesPerS      = 10       // of each player or mob in view: one in two ticks
	chunkKiB       = 16       // a chunk counts as so many packets of 1 KiB
	keepAlivesPerS = 1.0 / 15 // what the Java edition sends
	idleFactor     = 10       // who holds so many times the players has room for anything
)

// downPerS is how many packets a second one player of a server type gets: the moves of all in view (the fan-out),
// chunks, keep-alives.
func (t serverType) downPerS() float64 {
	return float64(t.inView*movesPerS) + t.chunksPerS*chunkKiB + keepAlivesPerS
}

// echoesPerS is what one player costs in echoes, of which each is a packet up and one down: the larger of the two.
// Counting every packet beyond the pairs as a whole echo is pessimistic; a server that gathers a tick's packets into
// one write needs less.
func (t serverType) echoesPerS(upPerS float64) float64 { return max(upPerS, t.downPerS()) }

// advisesPlayers reports whether capacities of players back the advice.
func (e editor) advisesPlayers() bool {
	return e.v.Capacity != nil && e.v.Capacity.Plan.PlayerPerS > 0 && len(e.searched()) >= 2
}

// playerTypes is seed 000's table of real-world estimates, from capacities.
func (e editor) playerTypes(d *document) {
	subjects := e.searched()
	up := e.v.Capacity.Plan.PlayerPerS
	t := &table{columns: []column{left("Server type"), right("Players"), right("Up/s"), right("Down/s")}}
	for _, s := range subjects {
		t.columns = append(t.columns, spare(e.title(s)+" holds"))
	}
	t.columns = append(t.columns, left("Advice"))
	var mixes []string
	for _, kind := range serverTypes {
		line := []string{kind.name, typeset.Thousands(int64(kind.players)), fmt.Sprintf("%g", up), fmt.Sprintf("%.0f", kind.downPerS())}
		for _, s := range subjects {
			line = append(line, e.holds(kind, s))
		}
		t.add(append(line, e.playersWords(kind, subjects))...)
		mixes = append(mixes, fmt.Sprintf("%s %d and %g", kind.name, kind.inView, kind.chunksPerS))
	}
	d.add(heading{2, "Advice by server type"}, t,
		note(fmt.Sprintf("holds: players on one process with %s: the low end of its capacity ÷ the packets of one player, up or down, whichever are more. "+
			"Up: %g a second of each player. Down: %d a second of each player or mob in view (the fan-out), chunks of %d KiB counted as %d packets, a keep-alive every 15 s. In view, and chunks a second: %s. These are assumptions.",
			strings.Join(e.v.Capacity.Plan.Promises, " and "), up, movesPerS, chunkKiB, chunkKiB, strings.Join(mixes, ", "))),
		note(fmt.Sprintf("Game logic comes on top; a server that writes a tick's packets at once holds more. Of several that hold enough the one is named that holds more by verdict; either when they tie or each holds %d times as many.", idleFactor)))
}

// playersHeld is how many players of a type one process holds, by the low end of its capacity.
func (e editor) playersHeld(t serverType, subject string) float64 {
	r, _ := e.v.Capacity.Row(subject)
	return r.RatePerS.Low / t.echoesPerS(e.v.Capacity.Plan.PlayerPerS)
}

func (e editor) holds(t serverType, subject string) string {
	s := typeset.Thousands(int64(e.playersHeld(t, subject)))
	if r, _ := e.v.Capacity.Row(subject); r.LowerBound {
		return "≥" + s
	}
	return s
}

// playersWords names who should be chosen, and why.
func (e editor) playersWords(t serverType, subjects []string) string {
	var fit []string
	idle := true
	for _, s := range subjects {
		held := e.playersHeld(t, s)
		if held >= float64(t.players) {
			fit = append(fit, s)
		}
		idle = idle && held >= idleFactor*float64(t.players)
	}
	is := func(a, b string, outcome dyno.Outcome) bool {
		x, ok := e.v.Capacity.Compare(a, b)
		return ok && x.Outcome == outcome
	}
	best := slices.DeleteFunc(slices.Clone(fit), func(s string) bool {
		return slices.ContainsFunc(fit, func(other string) bool { return is(other, s, dyno.Faster) })
	})
	switch {
	case len(fit) == 0:
		return "none with one process"
	case len(fit) == 1:
		return e.title(fit[0]) + " (alone holds so many)"
	case idle:
		return fmt.Sprintf("%s: each holds %d times as many", freeChoice(len(subjects)), idleFactor)
	case len(best) == 1:
		return e.title(best[0]) + " (holds more by verdict)"
	case everyPair(best, func(a, b string) bool { return is(a, b, dyno.Tie) }):
		return "either: " + e.titleList(best) + " tie"
	}
	return "undecided: " + e.titleList(best)
}
