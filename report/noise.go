package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dyno"
	"dyno/report/internal/typeset"
)

// loopSpreadTold is the spread of the fixed loop from which on a reader should know of it.
const loopSpreadTold = 0.05

// noise says what disturbed the run as a whole.
func (e editor) noise() bullets {
	var lines bullets
	n := e.v.Noise
	if n.Disturbed > 0 {
		text := fmt.Sprintf("In %d of %s of a cell in a block, most rounds were disturbed.", n.Disturbed, typeset.Counted(n.Places, "measurement"))
		if 2*n.Disturbed > n.Places {
			text += " Where most blocks of a comparison were, none is dropped: the noise is in the intervals. Free the machine and measure again for narrower ones."
		}
		lines.add(text)
	}
	if n.ExtraRounds > 0 {
		why := "to make up for disturbed ones"
		if e.v.Run.Suite.Method.BlockError > 0 {
			why = "because slices varied, or to make up for disturbed ones"
		}
		text := fmt.Sprintf("%s added %s.", typeset.Counted(n.ExtraRounds, "round"), why)
		if n.AtLimit > 0 {
			text += fmt.Sprintf(" In %d of %s they ended at the limit, where ratios in the block were not known that closely yet.", n.AtLimit, typeset.Counted(n.Places, "measurement"))
		}
		lines.add(text)
	}
	if n.LoopSpread >= loopSpreadTold {
		lines.add(fmt.Sprintf("The servers' CPU was up to %.0f %% slower at one time than at another, by a fixed piece of work: its clock rate changed, "+
			"or somebody else used its core. Rates differ for that, and verdicts need more blocks.", n.LoopSpread*100))
	}
	if n.ThrottleEvents > 0 {
		lines.add(fmt.Sprintf("The CPUs were slowed down for heat %s: improve the cooling, or measure for a shorter time.", typeset.Counted(int(n.ThrottleEvents), "time")))
	}
	switch told := e.told(n.Drifts); {
	case told != "":
		lines.add("Drift of the rate from the first block to the last, with intervals for all subjects together: " + told +
			". Ratios are paired within rounds, so it does not move them.")
	case len(n.Drifts) > 0:
		lines.add("Drift of the rate from the first block to the last: none of more than 1 % is known; the least sure is " + e.drift(leastSure(n.Drifts)) + ".")
	}
	if told := e.told(n.Trends); told != "" {
		lines.add("Change of the rate from the first slice of a trial to the last, with intervals for all subjects together: " + told +
			". The warm-up was not over: figures are means over it.")
	}
	return lines
}

// told lists the changes that are known to be there.
func (e editor) told(drifts []dyno.Drift) string {
	var told []string
	for _, d := range drifts {
		if d.Found() {
			told = append(told, e.drift(d))
		}
	}
	return strings.Join(told, ", ")
}

func (e editor) drift(d dyno.Drift) string {
	return fmt.Sprintf("%s %s (%s to %s)", e.title(d.Subject), change(d.Ratio.Value), change(d.Ratio.Low), change(d.Ratio.High))
}

// leastSure returns the drift with the widest interval.
func leastSure(drifts []dyno.Drift) dyno.Drift {
	return slices.MaxFunc(drifts, func(a, b dyno.Drift) int {
		return cmp.Compare(a.Ratio.High/a.Ratio.Low, b.Ratio.High/b.Ratio.Low)
	})
}

// change writes a ratio as a signed percentage. Beyond tenfold it says only that, as few blocks in noise make it.
func change(ratio float64) string {
	switch {
	case ratio >= 10:
		return "above +900 %"
	case ratio <= 0.1:
		return "below -90 %"
	}
	return fmt.Sprintf("%+.1f %%", (ratio-1)*100)
}
