package threshold

import (
	"math"
	"time"

	"dyno"
)

// ParsePromise reads an expression that a load is to keep, such as "p99<50ms" or "errors<0.1%": the
// opposite of what --fail-if takes. A promise limits latency or failures from above.
func ParsePromise(expression string) (Threshold, error) {
	t, err := Parse(expression)
	if err != nil {
		return t, err
	}
	switch {
	case t.quantile == 0 && kinds[t.name] == rate:
		return t, fault(t.text, "promises a rate, which is what is searched for", "promise a latency, e.g. p99<50ms")
	case t.op != "<" && t.op != "<=":
		return t, fault(t.text, "promises that something is bad", "promise that it stays below a limit, e.g. p99<50ms")
	}
	return t, nil
}

// Kept reports whether the condition holds for the report, and in words what was seen. A latency of no
// replies at all is not known to be good: the promise is broken.
func (t Threshold) Kept(r *dyno.LoadReport) (kept bool, seen string) {
	if t.isLatency() && r.Latency.Count() == 0 {
		return false, t.name + " is unknown: no reply was measured"
	}
	return t.Broken(r)
}

// Strain returns how much of what a promise allows was used: 1 when the figure seen is just the limit. Of a
// quantile it is the share of replies that took as long as the limit or longer, over the share that may. Unlike
// the quantile itself its mean over short windows is that over a long one. It is infinite where a limit of 0
// was exceeded, and where no reply was measured.
func (t Threshold) Strain(r *dyno.LoadReport) float64 {
	if t.isLatency() && r.Latency.Count() == 0 {
		return math.Inf(1)
	}
	seen, allowed := 0.0, t.limit
	if t.quantile > 0 && t.quantile < 1 {
		seen = float64(r.Latency.CountAtLeast(int64(t.limit))) / float64(r.Latency.Count())
		allowed = 1 - t.quantile
	} else {
		seen, _ = t.value(r)
	}
	switch {
	case seen == 0:
		return 0
	case allowed == 0:
		return math.Inf(1)
	}
	return seen / allowed
}

// Quantile returns the share, 0 to 1, of which the threshold limits the latency; 0 when it limits
// something else.
func (t Threshold) Quantile() float64 { return t.quantile }

// ParsePromises reads several expressions that must all be kept.
func ParsePromises(expressions []string) ([]Threshold, error) {
	var all []Threshold
	for _, expression := range expressions {
		t, err := ParsePromise(expression)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, nil
}

// Limits returns the shortest and the longest latency to which the promises limit any quantile or other figure; both
// are 0 when none limits a latency.
func Limits(promises []Threshold) (shortest, longest time.Duration) {
	for _, t := range promises {
		if limit := time.Duration(t.LatencyLimit()); limit > 0 {
			longest = max(longest, limit)
			if shortest == 0 || limit < shortest {
				shortest = limit
			}
		}
	}
	return shortest, longest
}

// SlowShare returns the smallest share of replies, 0 to 1, that a promise about a quantile allows to be slower than its
// limit, e.g. 0.01 of p99<50ms; 0 when none is about a quantile.
func SlowShare(promises []Threshold) (share float64) {
	for _, t := range promises {
		if q := t.Quantile(); q > 0 && q < 1 && (share == 0 || 1-q < share) {
			share = 1 - q
		}
	}
	return share
}

// LatencyLimit returns the limit in ns where the threshold limits a latency, 0 when it limits something else.
func (t Threshold) LatencyLimit() float64 {
	if t.isLatency() {
		return t.limit
	}
	return 0
}
