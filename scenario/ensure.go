package scenario

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"dyno"
)

// Check is a promise of config.ensure about the whole run.
type Check struct {
	Text   string
	Strict bool // a broken one fails the run
	holds  expression
}

// CheckResult is whether a check holds.
type CheckResult struct {
	Check
	OK bool
}

// ensures prepares the checks of config.ensure, or of the plugin of that name.
func (r *reader) ensures(p *Program, _ *Script) error {
	e, keys := p.config.Ensure, []string{"config", "ensure"}
	if e == nil {
		e, keys = p.config.Plugins.Ensure, []string{"config", "plugins", "ensure"}
	}
	if e == nil {
		return nil
	}
	return r.under(func() error { return r.checks(p, e) }, keys...)
}

func (r *reader) checks(p *Program, e *Ensure) error {
	add := func(shown, expression string, strict bool, keys ...string) error {
		holds, err := parseExpression(expression)
		if err != nil {
			return r.under(func() error { return r.fault(err) }, keys...)
		}
		p.Ensures = append(p.Ensures, Check{shown, strict, holds})
		return nil
	}
	below := func(metric string, limit any, shown string, keys ...string) error {
		f, err := aNumber(limit)
		if err != nil {
			return r.under(func() error { return r.fault(fmt.Errorf("the limit of %s %w", metric, err)) }, keys...)
		}
		// No expression: the names of endpoints hold what means something else in one.
		holds := func(s scope) any {
			v, known := s.lookup(metric)
			return truth(known && numeric(v) < f)
		}
		p.Ensures = append(p.Ensures, Check{shown + " < " + number(f), true, holds})
		return nil
	}
	for i, threshold := range e.Thresholds {
		for _, metric := range slices.Sorted(maps.Keys(threshold)) {
			if err := below(metric, threshold[metric], metric, "thresholds", strconv.Itoa(i)); err != nil {
				return err
			}
		}
	}
	for i, c := range e.Conditions {
		if c.Expression == "" {
			return r.under(func() error { return r.fault(errors.New("a condition needs an \"expression\"")) }, "conditions", strconv.Itoa(i))
		}
		if err := add(c.Expression, c.Expression, c.Strict == nil || *c.Strict, "conditions", strconv.Itoa(i), "expression"); err != nil {
			return err
		}
	}
	for _, old := range []struct {
		key   string
		limit any
	}{{"min", e.Min}, {"max", e.Max}, {"median", e.Median}, {"p95", e.P95}, {"p99", e.P99}} {
		if old.limit != nil {
			if err := below("http.response_time."+old.key, old.limit, old.key, old.key); err != nil {
				return err
			}
		}
	}
	if e.MaxErrorRate == nil {
		return nil
	}
	f, err := aNumber(e.MaxErrorRate)
	if err != nil {
		return r.under(func() error { return r.fault(fmt.Errorf("\"maxErrorRate\" %w", err)) }, "maxErrorRate")
	}
	return add("maxErrorRate <= "+number(f)+" %", "(vusers.created - vusers.completed) / vusers.created * 100 <= "+number(f), true, "maxErrorRate")
}

// metricScope lets expressions see a report: counters and rates by name, distributions as NAME.p95.
type metricScope struct{ period *Period }

func (m metricScope) lookup(name string) (any, bool) {
	if n, ok := m.period.Counters[name]; ok {
		return float64(n), true
	}
	if rate, ok := m.period.Rates[name]; ok {
		return rate, true
	}
	for metric, s := range m.period.Summaries {
		if len(name) <= len(metric)+1 || name[:len(metric)] != metric || name[len(metric)] != '.' {
			continue
		}
		fields := map[string]float64{"min": s.Min, "max": s.Max, "count": float64(s.Count), "mean": s.Mean, "median": s.Median,
			"p50": s.P50, "p75": s.P75, "p90": s.P90, "p95": s.P95, "p99": s.P99, "p999": s.P999}
		if v, ok := fields[name[len(metric)+1:]]; ok {
			return v, true
		}
	}
	return nil, false
}

// Ensure judges the run. What holds comes first, as Artillery prints it.
func (p *Program) Ensure(r *Report) []CheckResult {
	var results []CheckResult
	for _, c := range p.Ensures {
		results = append(results, CheckResult{c, truthy(c.holds(metricScope{&r.Aggregate}))})
	}
	slices.SortStableFunc(results, func(a, b CheckResult) int {
		switch {
		case a.OK == b.OK:
			return 0
		case a.OK:
			return -1
		}
		return 1
	})
	return results
}

// Promises judges the run as Ensure does, in the form in which trials keep it.
func (p *Program) Promises(r *Report) []dyno.Promise {
	var promises []dyno.Promise
	for _, c := range p.Ensure(r) {
		promise := dyno.Promise{Said: c.Text, Optional: !c.Strict, Kept: 1}
		if !c.OK {
			promise.Kept, promise.Broken = 0, 1
		}
		promises = append(promises, promise)
	}
	return promises
}
