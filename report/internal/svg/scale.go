package svg

import "math"

// Scale places values along one direction of a drawing.
type Scale struct {
	low, high float64 // ends, transformed
	from, to  float64 // where they lie
	transform func(float64) float64
	ticks     []float64
}

// Linear returns a scale whose ends are round numbers around low and high.
func Linear(low, high, from, to float64) Scale {
	low, high = finite(low), finite(high)
	if high-low <= math.Abs(low)*1e-9 {
		high = low + max(1, math.Abs(low)/1000)
	}
	step := niceStep((high - low) / 4)
	first, last := math.Floor(low/step+1e-9)*step, math.Ceil(high/step-1e-9)*step
	s := Scale{low: first, high: last, from: from, to: to, transform: func(x float64) float64 { return x }}
	for i := 0; first+float64(i)*step <= last+step/2; i++ {
		s.ticks = append(s.ticks, first+float64(i)*step)
	}
	return s
}

// finite bounds what a scale can show: nothing that dyno measures comes near, and overflows do not either.
func finite(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return min(max(x, -1e100), 1e100)
}

// niceStep returns the smallest of 1, 2, 2.5 and 5 times a power of ten that is not below step.
func niceStep(step float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(step)))
	for _, m := range []float64{1, 2, 2.5, 5} {
		if m*power >= step*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// Log returns a logarithmic scale. Both ends must be positive; it has a little room around them.
func Log(low, high, from, to float64) Scale {
	low, high = finite(low), finite(high)
	if low < 1e-100 {
		low = 1
	}
	if high <= low {
		high = low * 2
	}
	room := math.Pow(high/low, 0.04)
	s := Scale{low: math.Log(low / room), high: math.Log(high * room), from: from, to: to, transform: math.Log}
	s.ticks = logTicks(low/room, high*room)
	return s
}

// logTicks returns three to eight round values: the coarsest pattern that gives at least three.
func logTicks(low, high float64) []float64 {
	patterns := [][]float64{{1}, {1, 3}, {1, 2, 5}, {1, 1.5, 2, 3, 4, 5, 6, 8}}
	for _, pattern := range patterns {
		var ticks []float64
		for power := math.Floor(math.Log10(low)); power <= math.Log10(high); power++ {
			for _, m := range pattern {
				if x := m * math.Pow(10, power); x >= low && x <= high {
					ticks = append(ticks, x)
				}
			}
		}
		if len(ticks) >= 3 {
			return ticks
		}
	}
	var ticks []float64 // less than a fifth apart: an even division is rounder than any pattern
	for _, x := range Linear(low, high, 0, 1).ticks {
		if x >= low && x <= high {
			ticks = append(ticks, x)
		}
	}
	return ticks
}

// Percentile returns a scale of shares from 0 up to last, on which 90 %, 99 % and 99.9 % are equally far
// apart: that of 1/(1−p).
func Percentile(last, from, to float64) Scale {
	nines := func(share float64) float64 { return -math.Log10(1 - min(share, 0.999999)) }
	last = max(last, 0.9)
	s := Scale{low: 0, high: nines(last), from: from, to: to, transform: nines}
	for _, x := range []float64{0, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999} {
		if x <= last+1e-9 {
			s.ticks = append(s.ticks, x)
		}
	}
	return s
}

// Marked returns the scale with ticks at the given values alone.
func (s Scale) Marked(ticks []float64) Scale {
	s.ticks = ticks
	return s
}

// At returns where a value lies; one beyond an end lies at that end.
func (s Scale) At(x float64) float64 {
	share := (s.transform(x) - s.low) / (s.high - s.low)
	if math.IsNaN(share) {
		share = 0
	}
	return s.from + min(max(share, 0), 1)*(s.to-s.from)
}

// Holds reports whether a value lies between the ends.
func (s Scale) Holds(x float64) bool {
	at := s.transform(x)
	return at >= s.low-1e-9 && at <= s.high+1e-9
}

// Ticks returns the values that an axis names.
func (s Scale) Ticks() []float64 { return s.ticks }
