package adhoc

import (
	"fmt"
	"io"
	"strings"
	"time"

	"dyno"
	"dyno/report/internal/typeset"
)

// CapacitySchema names the JSON that WriteCapacity makes. SCHEMA.md says what the keys mean.
const CapacitySchema = "dyno.capacity/1"

// capacityDocument is a capacity as JSON.
type capacityDocument struct {
	Schema string `json:"schema"`
	*dyno.Capacity
	LowerBound bool `json:"lower_bound"` // the capacity may be higher
}

// WriteCapacity writes a capacity as JSON. The error is the writer's.
func WriteCapacity(w io.Writer, c *dyno.Capacity) error {
	text, err := indented(capacityDocument{CapacitySchema, c, c.Limit.LowerBound()})
	if err != nil {
		return err
	}
	return write(w, text)
}

// CapacityText writes a capacity for a person. The error is the writer's.
func CapacityText(w io.Writer, c *dyno.Capacity, o Options) error {
	p := newPage(o)
	p.wrapped(bold, "Capacity of "+c.Target, "")
	p.wrapped(dim, strings.Join(capacitySetting(c), " · "), "")
	if c.Partial != "" {
		p.wrapped(bold, "PARTIAL: "+c.Partial, "")
	}
	p.gap()
	p.pairs(capacityAnswer(c))
	p.gap()
	p.curve(c)
	for _, warning := range c.Instrument.Warnings {
		p.hanging("  ! ", warning, "    ")
	}
	return write(w, p.out.String())
}

func capacitySetting(c *dyno.Capacity) []string {
	parts := []string{
		"promise " + strings.Join(c.Promises, " and "), connectionsText(c),
		"open loop, " + string(c.Options.Arrivals) + " arrivals",
		"probes of " + lastingText(c.Options.Duration) + " after " + lastingText(c.Settling),
	}
	if len(c.Options.PayloadBytes) > 0 {
		parts = append(parts, "payloads of "+typeset.Thousands(int64(c.Options.PayloadBytes[0]))+" B")
	}
	parts = append(parts, fmt.Sprintf("seed %d", c.Options.Seed))
	for i := range parts {
		parts[i] = strings.ReplaceAll(parts[i], " ", typeset.Unbreakable)
	}
	return parts
}

func connectionsText(c *dyno.Capacity) string {
	if c.PlayerPerS > 0 {
		return fmt.Sprintf("a connection for each player, %g packets/s of mixed sizes", c.PlayerPerS)
	}
	return c.Options.Load.String()
}

// capacityAnswer is what was asked for, and how sure it is.
func capacityAnswer(c *dyno.Capacity) [][2]string {
	answer := [][2]string{{"capacity", capacityFigure(c)}}
	if c.RatePerS.Known() {
		from := "the same server"
		if c.Fresh {
			from = "a fresh process each"
		}
		answer = append(answer, [2]string{"95 % interval", fmt.Sprintf("%s to %s, from %s, %s",
			strings.TrimSuffix(amountText(c, c.RatePerS.Low), unitOf(c)), amountText(c, c.RatePerS.High), typeset.Counted(c.RatePerS.N, "search"), from)})
	}
	if p := c.Confirmation; p != nil {
		answer = append(answer, [2]string{"confirmed", fmt.Sprintf("%s for %s: p99 %s, p99.9 %s, %s",
			amountText(c, p.RatePerS), lastingText(time.Duration(p.DurationNs).Round(100*time.Millisecond)), timeText(float64(p.P99Ns)), timeText(float64(p.P999Ns)), failures(p.Failed))})
	} else if c.RatePerS.Value > 0 && c.Partial == "" {
		answer = append(answer, [2]string{"confirmed", "no: longer probes at and below the lower end broke the promise"})
	}
	answer = append(answer, [2]string{"limit", limitText(c)})
	if c.KneePerS > 0 {
		answer = append(answer, [2]string{"knee", amountText(c, c.KneePerS) + ": beyond it the p99 is more than twice that of a light load"})
	}
	return answer
}

// unitOf is what a capacity is a number of.
func unitOf(c *dyno.Capacity) string {
	if c.PlayerPerS > 0 {
		return " players"
	}
	return " " + capacityTerms(c).request + "s/s"
}

// amountText writes a rate, or the players that make it, with its unit.
func amountText(c *dyno.Capacity, ratePerS float64) string {
	if c.PlayerPerS > 0 {
		const rounding = 1e-6 // of logarithms; half a player does not count
		return typeset.Thousands(int64(ratePerS/c.PlayerPerS+rounding)) + unitOf(c)
	}
	return rateText(ratePerS) + unitOf(c)
}

func capacityFigure(c *dyno.Capacity) string {
	switch {
	case c.RatePerS.N == 0:
		return "none found: no rate that was tried kept the promise"
	case c.Limit.LowerBound():
		return "at least " + amountText(c, c.RatePerS.Value)
	}
	return amountText(c, c.RatePerS.Value)
}

func failures(n int64) string {
	if n == 0 {
		return "nothing failed"
	}
	return typeset.Thousands(n) + " failed"
}

// limitText says why the rate is not higher, with the probe just above it as the witness.
func limitText(c *dyno.Capacity) string {
	witness, promise := "", "the promise"
	if p := c.FirstBroken(); p != nil {
		witness = fmt.Sprintf("; at %s %s", amountText(c, p.RatePerS), p.Broken)
		if p.ServerCPUShare >= 0 {
			witness += fmt.Sprintf(", the server's CPU at %s", percentText(p.ServerCPUShare))
			promise += ", with CPU left at the server"
		}
		for _, excuse := range []string{p.Unable, p.Noise} {
			if excuse != "" {
				witness += ", " + excuse
			}
		}
		if waitsForConnections(p) {
			witness += fmt.Sprintf("; from the send the p99 was %s, so most of it was waiting for a free connection: -c opens more", timeText(float64(p.ServiceP99Ns)))
		}
	}
	switch c.Limit {
	case dyno.LimitServerCPU:
		return "the server's CPU" + witness
	case dyno.LimitPromise:
		return promise + witness
	case dyno.LimitInstrument:
		return "dyno itself, or noise of this machine, so the capacity is a lower bound" + witness
	case dyno.LimitHighest:
		return "none: the highest rate that was to be tried kept the promise; --most allows more"
	}
	return "not known"
}

// waitsForConnections reports whether most of the tail was spent before the send.
func waitsForConnections(p *dyno.CapacityProbe) bool {
	const small = 0.5
	return p.ServiceP99Ns > 0 && float64(p.ServiceP99Ns) < small*float64(p.P99Ns) && p.ServerCPUShare >= 0 && p.ServerCPUShare < 0.9
}

// curveNote explains the table of the curve.
const curveNote = "Response times, from when each request was due; medians where a rate was probed several times. Client: its busy share."

// curve is latency against rate.
func (p *page) curve(c *dyno.Capacity) {
	p.table(curveTable(c))
	p.wrapped(dim, curveNote, "")
}

// curveTable is latency against rate, with a head.
func curveTable(c *dyno.Capacity) table {
	t := table{{"Rate", "Answered", "p50", "p90", "p99", "p99.9", "Server CPU", "Client", "Kept"}}
	if c.PlayerPerS > 0 {
		t[0][0] = "Players"
	}
	for _, point := range c.Curve {
		cpu := absent
		if point.ServerCPUShare >= 0 {
			cpu = percentText(point.ServerCPUShare)
		}
		rate := rateText(point.RatePerS) + "/s"
		if c.PlayerPerS > 0 {
			rate = strings.TrimSuffix(amountText(c, point.RatePerS), unitOf(c))
		}
		t = append(t, []string{
			rate, rateText(point.AnsweredPerS) + "/s",
			timeText(point.P50Ns), timeText(point.P90Ns), timeText(point.P99Ns), timeText(point.P999Ns),
			cpu, percentText(point.ClientBusyShare), fmt.Sprintf("%d of %d", point.Kept, point.Probes),
		})
	}
	return t
}

// ProbeLine says what one probe found, while a search goes on.
func ProbeLine(p dyno.CapacityProbe, of int) string {
	what := fmt.Sprintf("search %d of %d", p.Search, of)
	switch p.Search {
	case 0:
		what = "approach"
	case of + 1:
		what = "confirmation"
	}
	said := "kept, p99 " + timeText(float64(p.P99Ns))
	if !p.Kept {
		said = "broken: " + p.Broken
	}
	if excuse := p.Unable + p.Noise; excuse != "" {
		said += " (" + excuse + ")"
	}
	return fmt.Sprintf("%s: %s/s %s", what, rateText(p.RatePerS), said)
}

func capacityTerms(c *dyno.Capacity) terms {
	return termsOf(&dyno.LoadReport{Protocol: c.Protocol})
}
