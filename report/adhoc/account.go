package adhoc

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"dyno"
	"dyno/report/internal/typeset"
)

// account is what the instrument says of itself.
func (p *page) account(r *dyno.LoadReport) {
	p.gap()
	p.wrapped(bold, "The instrument", "")
	i := r.Instrument
	pairs := [][2]string{{"client busy", busyText(r)}}
	if r.OpenLoop() {
		pairs = append(pairs,
			[2]string{"pacing lag", lagText(r)},
			[2]string{"queue", queueText(r)})
	}
	pairs = append(pairs,
		[2]string{"GC pauses", gcText(i)},
		[2]string{"event loops", loopsText(i)},
		[2]string{"waiting", spinText(i)})
	if i.Reconnects > 0 {
		pairs = append(pairs, [2]string{"connections", fmt.Sprintf("%s opened anew during the load", typeset.Thousands(i.Reconnects))})
	}
	p.pairs(pairs)
	for _, warning := range i.Warnings {
		p.hanging("  ! ", warning, "    ")
	}
}

func busyText(r *dyno.LoadReport) string {
	text := percentText(r.Instrument.BusyShare) + " of the time: "
	if r.ClientBound() {
		return text + "client-bound, so the rate is a lower bound"
	}
	return text + "not the limit"
}

func lagText(r *dyno.LoadReport) string {
	lag := r.Instrument.Lag
	if lag == nil || lag.Count() == 0 {
		return "unknown: nothing was sent"
	}
	return fmt.Sprintf("p50 %s, p99 %s, max %s; %s late by more than 1 ms",
		timeText(quantile(lag, .5)), timeText(quantile(lag, .99)), timeText(float64(lag.MaxNs())),
		typeset.Thousands(r.Instrument.Late))
}

func queueText(r *dyno.LoadReport) string {
	return fmt.Sprintf("at most %s waited for a free connection; %s unsent, %s dropped",
		typeset.Counted(int(r.Instrument.QueueMax), termsOf(r).request),
		typeset.Thousands(r.Counts.Unsent), typeset.Thousands(r.Counts.Dropped))
}

func gcText(i dyno.LoadInstrument) string {
	if i.GCPauses == 0 {
		return "none"
	}
	return fmt.Sprintf("%s, %s in all", typeset.Thousands(i.GCPauses), timeText(float64(i.GCPauseNs)))
}

func loopsText(i dyno.LoadInstrument) string {
	where := "not pinned"
	if len(i.CPUs) > 0 {
		cpus := make([]string, len(i.CPUs))
		for n, cpu := range i.CPUs {
			cpus[n] = strconv.Itoa(cpu)
		}
		where = "pinned to CPU " + strings.Join(cpus, ", ")
	}
	return fmt.Sprintf("%d on %s, %s", i.Loops, i.Poller, where)
}

func spinText(i dyno.LoadInstrument) string {
	text := "sleeps at once"
	if i.SpinNs > 0 {
		text = "polls for " + timeText(float64(i.SpinNs)) + " before it sleeps"
	}
	if i.SpinWhy != "" {
		text += ": " + i.SpinWhy
	}
	return text
}

// Progress is one moment of a load, for watching.
type Progress struct {
	Elapsed  time.Duration
	Of       time.Duration // the whole; 0 where a number of requests limits the load
	Sent     int64
	Requests int64   // the limit in number; 0 where time limits the load
	RatePerS float64 // verified replies, in the last moments
	P99Ns    int64   // in the last moments; 0 where unknown
	Failed   int64   // so far
}

// ProgressLine says in one line, not wider than width columns, what is being done ("loading") and how
// far it is.
func ProgressLine(what string, p Progress, width int) string {
	done := lastingText(p.Elapsed.Round(100 * time.Millisecond))
	switch {
	case p.Of > 0:
		done += " of " + lastingText(p.Of)
	case p.Requests > 0:
		done = typeset.Thousands(p.Sent) + " of " + typeset.Thousands(p.Requests) + " requests, " + done
	}
	parts := []string{done, rateText(p.RatePerS) + "/s"}
	if p.P99Ns > 0 {
		parts = append(parts, "p99 "+timeText(float64(p.P99Ns)))
	}
	if p.Failed > 0 {
		parts = append(parts, typeset.Counted(int(p.Failed), "failure"))
	}
	return typeset.Cut(what+": "+strings.Join(parts, " · "), width)
}
