package stat

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"dyno"
)

// Contrast compares two sides, cell by cell and subject by subject. Trials of one run are paired by block;
// those of two runs are not, and what the machine did between the runs is then part of the difference.
func Contrast(a, b dyno.Side, trialsA, trialsB []dyno.Trial) dyno.Contrast {
	c := dyno.Contrast{A: a, B: b, Warnings: differences(a, b)}
	sideA, sideB := gather(a, trialsA), gather(b, trialsB)
	pairs, missing := matched(sideA, sideB)
	c.Missing = missing
	if n := scarce(pairs); n > 0 {
		c.Warnings = append(c.Warnings, fmt.Sprintf("the p99 is not compared in %d of %d places: a process gave fewer than the %d replies that tell it", n, len(pairs), RepliesFor(0.99)))
	}
	for _, m := range dyno.Measures() {
		var tests []*contrastTest
		for _, p := range pairs {
			if t := newContrastTest(m, p, a.Run.ID == b.Run.ID); t != nil {
				tests = append(tests, t)
			}
		}
		ps := make([]float64, len(tests))
		for i, t := range tests {
			ps[i] = t.change.P
		}
		for i, p := range Holm(ps) {
			tests[i].conclude(p, len(tests))
			c.Changes = append(c.Changes, tests[i].change)
		}
	}
	return c
}

// place is one subject in one cell.
type place struct {
	cell    dyno.Cell
	subject string
	trials  []*dyno.Trial // valid ones
	by      rule          // of the run that they are from
}

// gather collects the valid trials of a side, in the order of cells and subjects.
func gather(side dyno.Side, trials []dyno.Trial) []place {
	var places []place
	for _, cell := range side.Run.Suite.Cells {
		for _, s := range lineUp(side.Run) {
			if s.ceiling || side.Subject != "" && s.name != side.Subject {
				continue
			}
			p := place{cell: cell, subject: s.name, by: ruleOf(side.Run.Suite.Method)}
			for i := range trials {
				if t := &trials[i]; t.Cell == cell && t.Subject == s.name && t.Void == "" && ratePerS(t) > 0 {
					p.trials = append(p.trials, t)
				}
			}
			if len(p.trials) > 0 {
				slices.SortFunc(p.trials, func(a, b *dyno.Trial) int { return a.Block - b.Block })
				places = append(places, p)
			}
		}
	}
	return places
}

// matched pairs the places of both sides by cell and, where the sides do not name one each, by subject. It
// says what only one side has.
func matched(a, b []place) (pairs [][2]place, missing []string) {
	oneEach := subjectsOf(a) == 1 && subjectsOf(b) == 1
	taken := make([]bool, len(b))
	var onlyA, onlyB []string
	for _, p := range a {
		i := slices.IndexFunc(b, func(q place) bool { return q.cell == p.cell && (oneEach || q.subject == p.subject) })
		if i < 0 {
			onlyA = append(onlyA, p.subject+", "+p.cell.String())
			continue
		}
		taken[i] = true
		pairs = append(pairs, [2]place{p, b[i]})
	}
	for i, q := range b {
		if !taken[i] {
			onlyB = append(onlyB, q.subject+", "+q.cell.String())
		}
	}
	for _, only := range []struct {
		side  string
		names []string
	}{{"A", onlyA}, {"B", onlyB}} {
		if len(only.names) > 0 {
			missing = append(missing, fmt.Sprintf("only in %s: %s", only.side, strings.Join(only.names, "; ")))
		}
	}
	return pairs, missing
}

func subjectsOf(places []place) int {
	names := map[string]bool{}
	for _, p := range places {
		names[p.subject] = true
	}
	return len(names)
}

// measureOf returns a measure of a trial; 0 when the trial does not have it.
func measureOf(m dyno.Measure, t *dyno.Trial) float64 {
	latency := func(of func() float64) float64 {
		if t.Latency == nil || t.Latency.Count() == 0 {
			return 0
		}
		return of()
	}
	switch m {
	case dyno.Throughput:
		return ratePerS(t)
	case dyno.MeanTime:
		return latency(func() float64 { return t.Latency.MeanNs() })
	case dyno.P50Time:
		return latency(func() float64 { return float64(t.Latency.QuantileNs(0.5)) })
	case dyno.P95Time:
		return latency(func() float64 { return float64(t.Latency.QuantileNs(0.95)) })
	case dyno.P99Time:
		return latency(func() float64 { return float64(t.Latency.QuantileNs(0.99)) })
	case dyno.SessionTime:
		if t.Session == nil {
			return 0
		}
		return t.Session.MeanNs()
	case dyno.CPUCost:
		return t.ServerCPUNsPerReply()
	case dyno.PeakMemory:
		return float64(t.Server.PeakRSSBytes)
	}
	return float64(t.Server.StartUpNs)
}

// contrastTest is one change on its way to an outcome.
type contrastTest struct {
	change dyno.Change
	fit    fit // of the log of B ÷ A
}

// quantileOf returns which quantile of latency a measure is that needs many replies; 0 for all others.
func quantileOf(m dyno.Measure) float64 {
	switch m {
	case dyno.P95Time:
		return 0.95
	case dyno.P99Time:
		return 0.99
	}
	return 0
}

// tells reports whether every process of the place gave enough replies to tell a quantile: leaving only those out
// that did not would favour the fast ones.
func (p place) tells(q float64) bool {
	return !slices.ContainsFunc(p.trials, func(t *dyno.Trial) bool {
		return q > 0 && t.Latency != nil && t.Latency.Count() < RepliesFor(q)
	})
}

// scarce counts the pairs of which a side cannot tell the p99.
func scarce(pairs [][2]place) int {
	n := 0
	for _, p := range pairs {
		if !p[0].tells(0.99) || !p[1].tells(0.99) {
			n++
		}
	}
	return n
}

// newContrastTest compares one measure of a pair; nil where a side does not have it.
func newContrastTest(m dyno.Measure, p [2]place, sameRun bool) *contrastTest {
	q := quantileOf(m)
	if !p[0].tells(q) || !p[1].tells(q) || m == dyno.Throughput && p[0].cell.Load.Users > 0 { // whose rate is the users' own
		return nil
	}
	a, b := valuesOf(m, p[0].trials), valuesOf(m, p[1].trials)
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	t := &contrastTest{change: dyno.Change{
		Measure: m, Cell: p[0].cell, SubjectA: p[0].subject, SubjectB: p[1].subject,
		ValueA: p[0].by.estimate(a), ValueB: p[1].by.estimate(b), Paired: sameRun,
	}}
	if sameRun {
		t.fit = pairedFit(m, p)
	} else {
		t.fit = welch(a, b)
	}
	t.change.Ratio, t.change.P = t.fit.ratio(), t.fit.p()
	if t.fit.n == 0 {
		t.change.Ratio.Value = 1 // no block has both: no change is known
	}
	return t
}

func valuesOf(m dyno.Measure, trials []*dyno.Trial) []float64 {
	var values []float64
	for _, t := range trials {
		if x := measureOf(m, t); x > 0 && !math.IsInf(x, 1) {
			values = append(values, x)
		}
	}
	return values
}

// pairedFit is the log of B ÷ A over the blocks that both have; rates are paired by round as well.
func pairedFit(m dyno.Measure, p [2]place) fit {
	byBlock := map[int]*dyno.Trial{}
	for _, t := range p[0].trials {
		byBlock[t.Block] = t
	}
	var logs []float64
	for _, b := range p[1].trials {
		a, ok := byBlock[b.Block]
		if !ok {
			continue
		}
		if m == dyno.Throughput {
			if x, ok := LogRatio(b, a); ok {
				logs = append(logs, x)
			}
			continue
		}
		if x, y := measureOf(m, a), measureOf(m, b); x > 0 && y > 0 {
			logs = append(logs, math.Log(y/x))
		}
	}
	return p[0].by.fit(logs, 0)
}

// welch compares the means of the logarithms of two independent samples whose variances may differ.
//
// Source: Welch, "The generalization of Student's problem when several different population variances are
// involved", 1947; degrees of freedom by Satterthwaite.
func welch(a, b []float64) fit {
	fa, fb := fixedN.fit(logsOf(a), 0), fixedN.fit(logsOf(b), 0)
	f := fit{mean: fb.mean - fa.mean, n: min(fa.n, fb.n)}
	if f.n < 2 {
		return f
	}
	va, vb := fa.se*fa.se, fb.se*fb.se
	f.se = math.Sqrt(va + vb)
	if f.se > 0 {
		f.freedom = (va + vb) * (va + vb) / (va*va/float64(fa.n-1) + vb*vb/float64(fb.n-1))
	}
	return f
}

// conclude judges the change as one of a family.
func (t *contrastTest) conclude(pFamily float64, family int) {
	c := &t.change
	c.PFamily = pFamily
	farthest := math.Abs(t.fit.mean) + t.fit.halfWidth(Alpha/float64(family))
	switch {
	case t.fit.n < 2:
		c.Outcome, c.Reason = dyno.Undecided, "a side has fewer than 2 processes: no interval, no verdict"
	case t.fit.se > 0 && farthest <= math.Log(TieRatio):
		c.Outcome, c.Reason = dyno.Tie, fmt.Sprintf("equal within %s", percent(math.Expm1(farthest)))
	case pFamily < Alpha:
		c.Outcome = dyno.Worse
		if c.Measure.MoreIsBetter() == (t.fit.mean > 0) {
			c.Outcome = dyno.Better
		}
	case c.P < Alpha:
		c.Outcome, c.Reason = dyno.Undecided, fmt.Sprintf("would do alone, but not as one of %d", family)
	default:
		c.Outcome = dyno.Undecided
	}
}

// differences says what else than the subjects differs between two runs.
func differences(a, b dyno.Side) []string {
	if a.Run.ID == b.Run.ID {
		return nil
	}
	warnings := []string{"the sides were measured at different times: what the machine did between them is part of every difference; put both into one suite to have them side by side"}
	differ := func(what, x, y string) {
		if x != y {
			warnings = append(warnings, fmt.Sprintf("%s differs: %s in A, %s in B", what, x, y))
		}
	}
	ma, mb := a.Run.Machine, b.Run.Machine
	differ("the machine", ma.Hostname, mb.Hostname)
	differ("the CPU", ma.CPUModel, mb.CPUModel)
	differ("the kernel", ma.Kernel, mb.Kernel)
	differ("dyno", a.Run.Dyno, b.Run.Dyno)
	differ("the suite", formOf(a.Run.Suite), formOf(b.Run.Suite))
	for _, s := range a.Run.Subjects {
		for _, o := range b.Run.Subjects {
			if s.Name == o.Name && !s.Ceiling && (a.Subject == "" || a.Subject == s.Name) {
				differ("the runtime of "+s.Name, s.Runtime+" "+s.RuntimeVersion, o.Runtime+" "+o.RuntimeVersion)
			}
		}
	}
	return warnings
}

func formOf(s dyno.Suite) string {
	if s.Quick {
		return s.Name + ", quick"
	}
	return s.Name
}
