package scenario

import (
	"fmt"
	"math"
	"strings"
	"time"

	"dyno/internal/words"
)

// phase is a stretch of arrivals as a pure function: how many users arrive in it and when.
type phase struct {
	name      string
	startNs   int64 // since the start of the run
	lengthNs  int64
	users     int64
	usersMax  int64 // at once; more are skipped
	due       func(k int64) (offsetNs int64)
	arrivesAt string // in words, for progress
}

// Bounds that keep a slip of the pen from running for a year.
const (
	phaseSecondsMax = 7 * 24 * 3600
	phaseUsersMax   = 1_000_000_000
	phaseRateMax    = 1_000_000 // users per second
)

// newPhase reads a phase. The error names the key and the way out.
func newPhase(p Phase, startNs int64) (phase, error) {
	out := phase{name: p.Name, startNs: startNs, usersMax: math.MaxInt64}
	numbers := map[string]float64{}
	for _, n := range []struct {
		key  string
		v    any
		read func(any) (float64, error)
		most float64
	}{
		{"pause", p.Pause, seconds, phaseSecondsMax}, {"duration", p.Duration, seconds, phaseSecondsMax},
		{"arrivalRate", p.ArrivalRate, aNumber, phaseRateMax}, {"rampTo", p.RampTo, aNumber, phaseRateMax},
		{"arrivalCount", p.ArrivalCount, aNumber, phaseUsersMax}, {"maxVusers", p.MaxVusers, aNumber, phaseUsersMax},
	} {
		if n.v == nil {
			continue
		}
		f, err := n.read(n.v)
		if err != nil {
			return out, fmt.Errorf("%q %w", n.key, err)
		}
		if f < 0 || f > n.most {
			return out, fmt.Errorf("%q is %s; it must lie between 0 and %s", n.key, number(f), number(n.most))
		}
		numbers[n.key] = f
	}
	has := func(key string) bool { _, ok := numbers[key]; return ok }
	if has("maxVusers") {
		out.usersMax = int64(numbers["maxVusers"])
	}
	if has("pause") {
		if has("arrivalRate") || has("rampTo") || has("arrivalCount") {
			return out, fmt.Errorf("a phase with \"pause\" has no arrivals; make two phases of it")
		}
		out.lengthNs = int64(numbers["pause"] * 1e9)
		out.arrivesAt = "pause"
		return out, nil
	}
	if !has("duration") {
		return out, fmt.Errorf("a phase needs a \"duration\", e.g. duration: 60 (or a \"pause\")")
	}
	lengthS := numbers["duration"]
	out.lengthNs = int64(lengthS * 1e9)
	switch {
	case has("arrivalCount"):
		out.users = int64(numbers["arrivalCount"])
		out.due = evenly(float64(out.lengthNs) / float64(max(out.users, 1)))
		out.arrivesAt = words.Count(int(out.users), "user") + " in " + number(lengthS) + " s"
	case has("rampTo"):
		out.ramp(numbers["arrivalRate"], numbers["rampTo"], lengthS)
		out.arrivesAt = fmt.Sprintf("%s to %s users/s", number(numbers["arrivalRate"]), number(numbers["rampTo"]))
	case has("arrivalRate"):
		rate := numbers["arrivalRate"]
		out.users = int64(rate*lengthS + 1e-9)
		out.due = evenly(1e9 / max(rate, 1e-9))
		out.arrivesAt = number(rate) + " users/s"
		if rate == 1 {
			out.arrivesAt = "1 user/s"
		}
	default:
		return out, fmt.Errorf("a phase needs an \"arrivalRate\", an \"arrivalCount\" or a \"pause\"")
	}
	return out, nil
}

// evenly lets the k-th user (from 0) arrive at the end of the k-th gap, as Artillery does.
func evenly(gapNs float64) func(k int64) int64 {
	return func(k int64) int64 { return int64(float64(k+1) * gapNs) }
}

// ramp changes the rate once a second, from one in the first to the other in the last, each rounded to
// whole users.
func (p *phase) ramp(from, to, lengthS float64) {
	steps := max(int(math.Ceil(lengthS)), 1)
	before := make([]int64, steps+1) // users that arrived before each second
	for i := range steps {
		rate := (from + to) / 2
		if steps > 1 {
			rate = from + (to-from)/(lengthS-1)*float64(i)
		}
		before[i+1] = before[i] + max(int64(math.Floor(rate+0.5)), 0)
	}
	p.users = before[steps]
	p.due = func(k int64) int64 {
		low, high := 0, steps-1
		for low < high { // the last second that began with at most k users
			middle := (low + high + 1) / 2
			if before[middle] <= k {
				low = middle
			} else {
				high = middle - 1
			}
		}
		within := float64(k-before[low]+1) / float64(before[low+1]-before[low])
		return int64((float64(low) + within) * 1e9)
	}
}

// arrivals is the schedule of a run, over all phases.
type arrivals struct {
	phases []phase
	first  []int64 // index of the first user of each phase
	users  int64
	endNs  int64
}

func newArrivals(phases []phase) *arrivals {
	a := &arrivals{phases: phases}
	for _, p := range phases {
		a.first = append(a.first, a.users)
		a.users += p.users
		a.endNs = p.startNs + p.lengthNs
	}
	return a
}

// at returns when user i (from 0) arrives and in which phase; it must be below a.users. Near is the phase
// of an earlier user, where the search begins.
func (a *arrivals) at(i int64, near int) (dueNs int64, inPhase int) {
	for near+1 < len(a.phases) && a.first[near+1] <= i {
		near++
	}
	p := &a.phases[near]
	return p.startNs + p.due(i-a.first[near]), near
}

// aNumber reads a number, or text that is one.
func aNumber(v any) (float64, error) {
	switch v := plain(v).(type) {
	case float64:
		return v, nil
	case string:
		if f, ok := parseNumber(strings.TrimSpace(v)); ok {
			return f, nil
		}
	}
	return 0, fmt.Errorf("is %s, which is no number", shown(v))
}

// units are those of the npm package ms, which Artillery reads times with; they are written with or
// without a blank before them.
var units = map[string]time.Duration{
	"ms": time.Millisecond, "msec": time.Millisecond, "msecs": time.Millisecond, "millisecond": time.Millisecond, "milliseconds": time.Millisecond,
	"s": time.Second, "sec": time.Second, "secs": time.Second, "second": time.Second, "seconds": time.Second,
	"m": time.Minute, "min": time.Minute, "mins": time.Minute, "minute": time.Minute, "minutes": time.Minute,
	"h": time.Hour, "hr": time.Hour, "hrs": time.Hour, "hour": time.Hour, "hours": time.Hour,
	"d": 24 * time.Hour, "day": 24 * time.Hour, "days": 24 * time.Hour,
}

// seconds reads a time: a number of seconds, or text with a unit such as "500ms" or "2 min".
func seconds(v any) (float64, error) {
	if f, err := aNumber(v); err == nil {
		return f, nil
	}
	if s, ok := v.(string); ok {
		s = strings.TrimSpace(s)
		digits := strings.TrimRight(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ")
		unit, known := units[strings.ToLower(strings.TrimSpace(s[len(digits):]))]
		if f, ok := parseNumber(digits); ok && known {
			return f * unit.Seconds(), nil
		}
	}
	return 0, fmt.Errorf("is %s, which is no time; write seconds, or text such as \"500ms\" or \"2m\"", shown(v))
}
