// Package threshold reads the promises that a user makes about a load, such as "p99>50ms" after
// --fail-if, and says whether a report breaks them. It measures nothing and prints nothing.
package threshold

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"dyno"
	"dyno/internal/words"
)

// Threshold is a condition under which a load has failed.
type Threshold struct {
	text     string // as the user wrote it
	name     string // of the metric
	quantile float64
	op       string
	limit    float64 // in ns, in replies per second, or a number
	share    bool    // the limit is a share of the requests that were due, 0 to 1
}

// kind says what a metric is measured in, and so what limits it takes.
type kind int

const (
	span  kind = iota // a time: its limit needs a unit
	count             // a number of requests, or a percentage of them
	rate              // verified replies per second
)

// kinds holds every metric but the percentiles. Late and unsent requests are found in an open loop
// only; in a closed one there are none.
var kinds = map[string]kind{
	"min": span, "mean": span, "max": span, "stdev": span,
	"errors": count, "timeouts": count, "non2xx": count, "late": count, "unsent": count,
	"throughput": rate, "rate": rate,
}

// names are what a misspelt word is compared with.
var names = []string{
	"p50", "p90", "p95", "p99", "p99.9", "min", "mean", "max", "stdev",
	"errors", "timeouts", "non2xx", "late", "unsent", "throughput", "rate",
}

// Parse reads one expression. Its error is one line: the expression, the cause, the way out.
func Parse(expression string) (Threshold, error) {
	t := Threshold{text: strings.TrimSpace(expression)}
	at := strings.IndexAny(t.text, "<>=!")
	if at < 0 {
		return t, fault(t.text, "has no comparison", "write it like 'p99>50ms' or 'errors>0'")
	}
	t.name = strings.ToLower(strings.TrimSpace(t.text[:at]))
	rest := t.text[at:]
	t.op = rest[:len(rest)-len(strings.TrimLeft(rest, "<>=!"))]
	limit := strings.TrimSpace(rest[len(t.op):])
	switch t.op {
	case "<", "<=", ">", ">=":
	default:
		return t, fault(t.text, "compares with "+words.Quote(t.op), "use >, >=, < or <=")
	}
	k, err := t.metric()
	if err != nil {
		return t, err
	}
	return t, t.readLimit(k, limit)
}

// metric finds what the name stands for.
func (t *Threshold) metric() (kind, error) {
	if k, known := kinds[t.name]; known {
		return k, nil
	}
	if digits, isPercentile := strings.CutPrefix(t.name, "p"); isPercentile && strings.Trim(digits, "0123456789.") == "" && digits != "" {
		if len(digits) > 2 && digits[0] == '9' && !strings.Contains(digits, ".") {
			digits = digits[:2] + "." + digits[2:] // p999 is how many write 99.9
		}
		// Read as a share at once: 99.9 ÷ 100 is a little more than 0.999, and another rank.
		share, err := strconv.ParseFloat(digits+"e-2", 64)
		if err != nil || share <= 0 || share > 1 {
			return 0, fault(t.text, "has a percentile outside of p0 to p100", "write it like p99 or p99.9")
		}
		t.quantile = share
		return span, nil
	}
	return 0, fault(t.text, words.Unknown("metric", t.name, names), "")
}

func (t *Threshold) readLimit(k kind, limit string) error {
	var err error
	switch k {
	case span:
		var d time.Duration
		if d, err = time.ParseDuration(limit); err != nil {
			return fault(t.text, words.Quote(limit)+" is not a time with its unit", "write it like "+t.name+t.op+"50ms")
		}
		t.limit = float64(d)
	case count:
		number, isShare := strings.CutSuffix(limit, "%")
		t.share = isShare
		if t.limit, err = strconv.ParseFloat(strings.TrimSpace(number), 64); isShare {
			t.limit /= 100
		}
	case rate:
		number, factor := strings.TrimSuffix(limit, "/s"), 1.0
		if short, isThousands := strings.CutSuffix(strings.ToLower(number), "k"); isThousands {
			number, factor = short, 1000
		}
		t.limit, err = strconv.ParseFloat(number, 64)
		t.limit *= factor
	}
	if err != nil || math.IsNaN(t.limit) || math.IsInf(t.limit, 0) {
		return fault(t.text, words.Quote(limit)+" is not a number", "write it like "+t.name+t.op+"100")
	}
	return t.decides()
}

// decides refuses a limit that lies where no figure gets to: it would be kept or broken whatever is measured. At most
// all requests (<=100%) remains: it is how a promise lifts one that is implied.
func (t *Threshold) decides() error {
	switch {
	case t.limit < 0:
		return fault(t.text, "has a limit below 0", "no figure is ever below 0")
	case t.limit == 0 && (t.op == "<" || t.op == ">="):
		return fault(t.text, "decides nothing: no figure is ever below 0", "use > or <= with 0")
	case t.share && (t.limit > 1 || t.limit == 1 && t.op == ">"):
		return fault(t.text, "decides nothing: its limit lies beyond all requests", "write it like "+t.name+t.op+"1%")
	}
	return nil
}

// fault is one line about an expression.
func fault(expression, cause, wayOut string) error {
	line := "threshold " + words.Quote(expression) + ": " + cause
	if wayOut != "" {
		line += "; " + wayOut
	}
	return errors.New(line)
}

// String returns the expression as the user wrote it.
func (t Threshold) String() string { return t.text }

// JudgesErrors reports whether the threshold says how much may go wrong.
func (t Threshold) JudgesErrors() bool { return t.name == "errors" }

// Broken reports whether the report breaks the threshold, and in words what was seen, e.g.
// "p99 was 61.2 ms". A latency of no replies at all cannot be known to be good: it breaks.
func (t Threshold) Broken(r *dyno.LoadReport) (broken bool, seen string) {
	if t.isLatency() && r.Latency.Count() == 0 {
		return true, t.name + " is unknown: no reply was measured"
	}
	value, text := t.value(r)
	return t.compare(value), t.name + " was " + text
}

func (t Threshold) isLatency() bool { return t.quantile > 0 || kinds[t.name] == span }

// value returns the metric in the unit of the limit, and as a person reads it.
func (t Threshold) value(r *dyno.LoadReport) (value float64, text string) {
	switch {
	case t.isLatency():
		ns := t.latencyNs(r)
		return ns, spanText(ns)
	case kinds[t.name] == rate:
		return r.RatePerS(), fmt.Sprintf("%.1f verified replies/s", r.RatePerS())
	}
	n := t.countOf(r)
	if !t.share {
		return float64(n), fmt.Sprintf("%d", n)
	}
	if r.Due() == 0 {
		return 0, "0 % of no requests"
	}
	share := float64(n) / float64(r.Due())
	return share, fmt.Sprintf("%.4g %% (%d of %d)", share*100, n, r.Due())
}

func (t Threshold) latencyNs(r *dyno.LoadReport) float64 {
	switch t.name {
	case "min":
		return float64(r.Latency.MinNs())
	case "mean":
		return r.Latency.MeanNs()
	case "max":
		return float64(r.Latency.MaxNs())
	case "stdev":
		return r.Latency.StdevNs()
	}
	return float64(r.Latency.QuantileNs(t.quantile))
}

func (t Threshold) countOf(r *dyno.LoadReport) int64 {
	switch t.name {
	case "timeouts":
		return r.Errors["timeout"]
	case "non2xx":
		return r.Replies() - r.Class(2)
	case "late":
		return r.Instrument.Late
	case "unsent":
		return r.Counts.Unsent
	}
	return r.Faults()
}

func (t Threshold) compare(value float64) bool {
	switch t.op {
	case "<":
		return value < t.limit
	case "<=":
		return value <= t.limit
	case ">":
		return value > t.limit
	}
	return value >= t.limit
}

func spanText(ns float64) string {
	switch {
	case ns < 1e3:
		return fmt.Sprintf("%.0f ns", ns)
	case ns < 1e6:
		return fmt.Sprintf("%.4g µs", ns/1e3)
	case ns < 1e9:
		return fmt.Sprintf("%.4g ms", ns/1e6)
	}
	return fmt.Sprintf("%.4g s", ns/1e9)
}
