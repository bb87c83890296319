package threshold

import "dyno"

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
	case t.op == "<" && t.limit == 0:
		return t, fault(t.text, "can never be kept: no figure is below 0", "promise a limit above 0, or <=0 of failures")
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

// Quantile returns the share, 0 to 1, of which the threshold limits the latency; 0 when it limits
// something else.
func (t Threshold) Quantile() float64 { return t.quantile }

// LatencyLimit returns the limit in ns where the threshold limits a latency, 0 when it limits something else.
func (t Threshold) LatencyLimit() float64 {
	if t.isLatency() {
		return t.limit
	}
	return 0
}
