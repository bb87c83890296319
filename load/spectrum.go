package load

import (
	"math"
	"math/bits"
)

// Spectrum is a small latency histogram: eight classes for each doubling between 1 µs and 69 s, so that
// a quantile is exact to about 6 %. It is for looking at a run second by second; a window's figures
// come from its full histograms. The zero value is empty, and it can be copied and added.
type Spectrum struct {
	Classes [spectrumClasses]uint32
}

const (
	spectrumPerDoublingLog = 3
	spectrumLowLog         = 10 // the first class holds everything below 2^10 ns
	spectrumHighLog        = 36
	spectrumClasses        = (spectrumHighLog-spectrumLowLog)<<spectrumPerDoublingLog + 1
)

// spectrumClass returns the class of ns. Class 0 ends below 2^10 ns; the last one has no end.
func spectrumClass(ns int64) int {
	if ns < 1<<spectrumLowLog {
		return 0
	}
	doubling := bits.Len64(uint64(ns)) - 1
	within := int(ns>>(doubling-spectrumPerDoublingLog)) & (1<<spectrumPerDoublingLog - 1)
	return min((doubling-spectrumLowLog)<<spectrumPerDoublingLog+within+1, spectrumClasses-1)
}

// spectrumFloorNs returns the smallest value of a class.
func spectrumFloorNs(class int) float64 {
	if class == 0 {
		return 0
	}
	doubling, within := (class-1)>>spectrumPerDoublingLog, (class-1)&(1<<spectrumPerDoublingLog-1)
	return math.Ldexp(1+float64(within)/(1<<spectrumPerDoublingLog), spectrumLowLog+doubling)
}

func (s *Spectrum) record(ns int64) { s.Classes[spectrumClass(ns)]++ }

// Add adds all of o's values.
func (s *Spectrum) Add(o *Spectrum) {
	for i, n := range o.Classes {
		s.Classes[i] += n
	}
}

// Sub takes away an earlier state of the same spectrum, so that what was added since is left.
func (s *Spectrum) Sub(earlier *Spectrum) {
	for i, n := range earlier.Classes {
		s.Classes[i] -= n
	}
}

// Count returns how many values there are.
func (s *Spectrum) Count() int64 {
	var sum int64
	for _, n := range s.Classes {
		sum += int64(n)
	}
	return sum
}

// QuantileNs returns the value below which a share q (0 to 1) of all values lies, in ns, interpolated
// in its class; 0 when empty.
func (s *Spectrum) QuantileNs(q float64) int64 {
	left := q * float64(s.Count())
	for class, n := range s.Classes {
		if n > 0 && left <= float64(n) {
			low, high := spectrumFloorNs(class), spectrumFloorNs(class+1)
			return int64(low + (high-low)*max(left, 0)/float64(n))
		}
		left -= float64(n)
	}
	return 0
}
