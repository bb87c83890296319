package load

import (
	"math"
	"time"
)

// Schedule makes the timelines of an open loop: when requests are due, whatever the server does. All
// timelines of a schedule are equal; every event loop has one of its own, because a timeline belongs
// to one goroutine.
type Schedule func() Timeline

// Timeline returns when request i (from 0) is due, counted from the start of the window. It is a pure
// function of i and never falls as i rises; rising i are cheap. ok is false when the schedule ends
// before request i.
type Timeline func(i int64) (due time.Duration, ok bool)

// MaxRatePerS is the highest rate that schedules take.
const MaxRatePerS = 10_000_000

// Constant schedules ratePerS requests a second at equal distances, the first at once. A rate that is
// not above 0, or above MaxRatePerS, schedules nothing, and a window refuses it.
func Constant(ratePerS float64) Schedule {
	return scheduled(ratePerS > 0 && ratePerS <= MaxRatePerS, func() Timeline {
		return func(i int64) (time.Duration, bool) {
			return within(float64(i) / ratePerS)
		}
	})
}

// Poisson schedules requests as many independent users make them: the distances are exponential with a
// mean of 1/ratePerS. Equal seeds make equal schedules. Rates are limited as those of Constant.
func Poisson(ratePerS float64, seed uint64) Schedule {
	return scheduled(ratePerS > 0 && ratePerS <= MaxRatePerS, func() Timeline {
		var passed int64 // requests whose distances are summed up in atS
		var atS float64
		return func(i int64) (time.Duration, bool) {
			if i+1 < passed { // asked for the past: begin anew
				passed, atS = 0, 0
			}
			for ; passed <= i; passed++ {
				atS += exponential(seed, uint64(passed)) / ratePerS
			}
			return within(atS)
		}
	})
}

// exponential returns an exponential variate of mean 1, a pure function of its arguments (splitmix64).
func exponential(seed, i uint64) float64 {
	z := seed + (i+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	z ^= z >> 31
	uniform := (float64(z>>11) + 0.5) / (1 << 53) // in (0, 1)
	return -math.Log(uniform)
}

// Ramp moves the rate evenly from one rate to the other and stays there. At every moment the distance
// of two requests is one over the rate. One of the rates may be 0; a ramp down to 0 ends the schedule.
func Ramp(fromPerS, toPerS float64, over time.Duration) Schedule {
	overS := over.Seconds()
	onRamp := (fromPerS + toPerS) / 2 * overS // requests until the ramp ends
	valid := min(fromPerS, toPerS) >= 0 && max(fromPerS, toPerS) <= MaxRatePerS && onRamp > 0
	return scheduled(valid, func() Timeline {
		return func(i int64) (time.Duration, bool) {
			n := float64(i)
			switch {
			case i == 0:
				return 0, true
			case n >= onRamp:
				return within(overS + (n-onRamp)/toPerS)
			}
			// n = from·t + slope/2·t², solved for t in the form that holds for a slope of 0 too.
			slope := (toPerS - fromPerS) / overS
			return within(2 * n / (fromPerS + math.Sqrt(max(fromPerS*fromPerS+2*slope*n, 0))))
		}
	})
}

// scheduled returns the schedule when its rates are valid, and an empty one otherwise.
func scheduled(valid bool, s Schedule) Schedule {
	if valid {
		return s
	}
	return func() Timeline {
		return func(int64) (time.Duration, bool) { return 0, false }
	}
}

// within turns a due time into a Duration; beyond MaxDuration nothing is ever due.
func within(dueS float64) (time.Duration, bool) {
	if !(dueS >= 0 && dueS <= MaxDuration.Seconds()) {
		return 0, false
	}
	return time.Duration(math.Round(dueS * 1e9)), true
}
