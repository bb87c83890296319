package scenario

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"dyno/internal/words"
)

// width is that of Artillery's console report, which people grep.
const width = 79

// line lays out a name and its value.
func line(w io.Writer, name, value string) {
	if len(name) > width {
		name = name[:width-3] + "..."
	}
	fmt.Fprintf(w, "%s %s %s\n", name, strings.Repeat(".", width-len(name)), value)
}

// WriteText prints all metrics of a period in the layout of Artillery, with units.
func (p *Period) WriteText(w io.Writer) {
	names := map[string]bool{}
	for name := range p.Counters {
		names[name] = true
	}
	for name := range p.Rates {
		names[name] = true
	}
	for name := range p.Summaries {
		names[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if n, ok := p.Counters[name]; ok {
			line(w, name+":", fmt.Sprint(n)+counterUnit(name))
		}
		if s, ok := p.Summaries[name]; ok {
			fmt.Fprintf(w, "%s:\n", name)
			for _, figure := range []struct {
				name string
				ms   float64
			}{{"min", s.Min}, {"max", s.Max}, {"mean", s.Mean}, {"median", s.Median}, {"p95", s.P95}, {"p99", s.P99}} {
				line(w, "  "+figure.name+":", milliseconds(figure.ms))
			}
		}
		if perS, ok := p.Rates[name]; ok {
			line(w, name+":", number(perS)+"/sec")
		}
	}
}

func counterUnit(name string) string {
	if name == metricBytes {
		return " B"
	}
	return ""
}

// milliseconds keeps three digits or so.
func milliseconds(ms float64) string {
	switch {
	case ms >= 100:
		return fmt.Sprintf("%.0f ms", ms)
	case ms >= 10:
		return fmt.Sprintf("%.1f ms", ms)
	}
	return fmt.Sprintf("%.3g ms", ms)
}

// heading prints a line between two rules.
func heading(w io.Writer, text string) {
	rule := strings.Repeat("-", len(text))
	fmt.Fprintf(w, "%s\n%s\n%s\n\n", rule, text, rule)
}

// WritePeriod prints the metrics of one period under its heading.
func (p *Period) WritePeriod(w io.Writer) {
	heading(w, "Metrics for period to: "+time.UnixMilli(p.Period+periodMs).Format("15:04:05(-0700)"))
	p.WriteText(w)
	fmt.Fprintln(w)
}

// WriteText prints the summary of a run, and what to know before believing it.
func (r *Report) WriteText(w io.Writer) {
	heading(w, "Summary report @ "+r.EndedAt.Format("15:04:05(-0700)"))
	r.Aggregate.WriteText(w)
	lag := r.Aggregate.Summaries[metricLag]
	fmt.Fprintf(w, "\nhttp.response_time is the time to the first byte, http.total to the last, connecting included.\n")
	fmt.Fprintf(w, "Instrument: busy %.0f %% of %s; users arrived late by %s at p99.\n",
		r.BusyShare*100, words.Count(r.EventLoops, "event loop"), milliseconds(lag.P99))
	if r.BusyShare > busyShareMax {
		fmt.Fprintf(w, "The instrument was at its limit: times are upper bounds; give it another loop with --workers.\n")
	}
	if score, rank, ok := r.Aggregate.Apdex(); ok {
		fmt.Fprintf(w, "Apdex score: %.3g (%s)\n", score, rank)
	}
	if r.Partial != "" {
		fmt.Fprintf(w, "Partial: %s.\n", r.Partial)
	}
}

// busyShareMax is the busy share above which the instrument may be what was measured.
const busyShareMax = 0.95

// PhaseNames says what arrives when, one line for each phase.
func (p *Program) PhaseNames() []string {
	var lines []string
	for i, ph := range p.arrivals.phases {
		name := ph.name
		if name == "" {
			name = "unnamed"
		}
		lines = append(lines, fmt.Sprintf("phase %d, %s: %v from %v on, %s", i, name,
			time.Duration(ph.lengthNs), time.Duration(ph.startNs), ph.arrivesAt))
	}
	return lines
}
