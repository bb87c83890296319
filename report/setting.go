package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"dyno/report/internal/typeset"
	"dyno/stat"
)

// setting says where, with what and how the run was measured.
func (e editor) setting(d *document) {
	var lines bullets
	lines.add("Machine: " + e.machine())
	lines.add("Versions: " + e.versions())
	lines.add("Method: " + e.method())
	lines.add("Run: " + e.run())
	for _, w := range e.v.Run.Machine.Warnings {
		lines.add("Warning: " + w)
	}
	d.add(heading{2, "What was measured"}, lines)
}

func (e editor) machine() string {
	m := e.v.Run.Machine
	cpus := fmt.Sprintf("client on CPU %s, servers on CPU %s", cpuList(m.ClientCPUs), cpuList(m.ServerCPUs))
	if m.SharedCPUs {
		cpus += " (shared: client and servers take time from each other, figures are weak)"
	}
	parts := []string{
		firstOf(m.CPUModel, "unknown CPU"), typeset.Counted(m.CPUs, "usable CPU"), cpus, bytesText(m.MemoryBytes) + " of memory",
		strings.TrimSpace(m.OS + ", Linux " + m.Kernel + " " + m.Arch),
	}
	for _, x := range []struct{ name, value string }{{"virtual machine", m.Virtual}, {"governor", m.Governor}, {"clock", m.ClockSource}} {
		if x.value != "" {
			parts = append(parts, x.name+" "+x.value)
		}
	}
	return strings.Join(parts, "; ")
}

func (e editor) method() string {
	if s := e.v.Run.Suite; s.AdHoc() {
		return typeset.Counted(s.Method.Blocks, "repetition") + " of a script, one after the other, against a server that was there already: " +
			"intervals are about this one process. Nothing was warmed up"
	}
	m := e.v.Run.Suite.Method
	if len(e.v.Run.Suite.Cells) == 0 && e.v.Run.Suite.Capacity != nil {
		return e.capacityMethod()
	}
	blocks := typeset.Counted(m.Blocks, "block")
	if m.Precision > 0 {
		blocks = fmt.Sprintf("at most %s, until every comparison is decided or known to ±%g %%", blocks, m.Precision*100)
	}
	parts := []string{blocks + ", each with a fresh process of every subject in random order"}
	if m.Continuous {
		parts = append(parts, fmt.Sprintf("one continuous window of %s a trial%s", typeset.Lasting(m.Window()), skipped(m.Skip)))
	} else {
		parts = append(parts, fmt.Sprintf("%s of %s slices%s, one subject at a time while the others rest%s",
			typeset.Counted(m.Rounds, "interleaved round"), typeset.Lasting(m.Slice), skipped(m.Skip), e.untilKnown()))
	}
	parts = append(parts, e.pollers()...)
	if len(e.visited) > 0 {
		parts = append(parts, "virtual users arrive by their script, as many in each round")
	}
	parts = append(parts,
		fmt.Sprintf("warm-up until steady, at most %s", typeset.Lasting(m.WarmUpMax)),
		fmt.Sprintf("closed loop on loopback, every %s verified", e.words.Reply))
	if e.v.Run.Suite.Capacity != nil {
		parts = append(parts, e.capacityMethod())
	}
	return strings.Join(parts, "; ")
}

// untilKnown says of rounds that go on how long they do.
func (e editor) untilKnown() string {
	m := e.v.Run.Suite.Method
	if m.BlockError == 0 {
		return ""
	}
	return fmt.Sprintf(", and up to %d rounds until ratios are known with a standard error of %g %%", m.RoundsMost(), m.BlockError*100)
}

// pollers says what the client asked the kernel with, and where it was not always the same; nothing of runs
// that did not note it.
func (e editor) pollers() []string {
	var names []string
	under := map[string][]string{}
	for _, c := range e.v.Cells {
		rows := append(slices.Clone(c.Rows), c.Baselines...)
		if c.Ceiling != nil {
			rows = append(rows, *c.Ceiling)
		}
		for _, r := range rows {
			for _, p := range r.Pollers {
				if !slices.Contains(names, p) {
					names = append(names, p)
				}
				if load := c.Cell.Load.String(); !slices.Contains(under[p], load) {
					under[p] = append(under[p], load)
				}
			}
		}
	}
	switch len(names) {
	case 0:
		return nil
	case 1:
		return []string{"client on " + names[0]}
	}
	for i, p := range names {
		names[i] = fmt.Sprintf("on %s (%s)", p, strings.Join(under[p], "; "))
	}
	return []string{"client " + listed(names)}
}

// skipped says how much of the start of a slice is not counted, if any.
func skipped(head time.Duration) string {
	if head == 0 {
		return ""
	}
	return fmt.Sprintf(" (the first %s not counted)", typeset.Lasting(head))
}

func (e editor) run() string {
	r := e.v.Run
	parts := []string{firstOf(r.ID), fmt.Sprintf("seed %d", r.Seed)}
	if !r.StartedAt.IsZero() {
		parts = append(parts, "began "+timeText(r.StartedAt))
		if r.EndedAt.After(r.StartedAt) {
			parts = append(parts, "took "+r.EndedAt.Sub(r.StartedAt).Round(time.Second).String())
		}
	}
	return strings.Join(append(parts, fmt.Sprintf("%s, %d void", typeset.Counted(e.v.Trials, "trial"), e.v.Voids)), "; ")
}

// howToRead defines every term that the tables use.
func (e editor) howToRead(d *document) {
	if e.v.Run.Suite.AdHoc() {
		return // there are neither blocks nor verdicts to explain
	}
	var lines bullets
	interval := "t-interval of the logarithms"
	if e.v.Run.Suite.Method.Precision > 0 {
		interval = "confidence sequence of the logarithms, which holds at every look, so that the run could end when it knew enough"
	}
	lines.add(fmt.Sprintf("%s: verified %s per second. ± is the half width of a %.0f %% interval over fresh processes "+
		"(%s); ±? means that one process cannot tell. Requests within a process are not independent and never count as n.",
		e.words.PerS, e.words.Replies, 100*(1-stat.Alpha), interval))
	alone := len(e.v.Cells) == 0 && e.v.Capacity != nil
	if !alone {
		lines.add("Differences are paired round by round within a block, so that a noisy minute hits both sides. " +
			"They can therefore differ slightly from the quotient of two columns.")
	}
	lines.add(fmt.Sprintf("A winner needs a p-value below %.2f after Holm's correction for all comparisons of the report. "+
		"A tie needs the whole simultaneous interval within ±%.0f %%. Everything else is undecided.",
		stat.Alpha, math.Round((stat.TieRatio-1)*100)))
	if e.v.Run.Suite.Contract == codecContract || alone {
		d.add(heading{2, "How to read this"}, lines)
		return
	}
	lines.add("Latency is service time in a closed loop: the next request waits for the last reply. " +
		"It is not the latency that users see under a given arrival rate.")
	lines.add(fmt.Sprintf("The ceiling is a null server that answers as fast as the client can be answered. It bounds what can be measured here and is not ranked. "+
		"A figure is client-bound (≥, a lower bound) when the client is busy for %.0f %% of the time or the rate reaches %.0f %% of the ceiling; "+
		"it is near the ceiling (†) above %.0f %%: differences to others are damped there, and the cell is ranked by server CPU.",
		stat.ClientBusyMax*100, stat.ClientBoundShare*100, stat.NearCeilingShare*100))
	d.add(heading{2, "How to read this"}, lines)
}
