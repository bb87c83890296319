package dyno

import "slices"

// MidMean returns the interquartile mean of xs: the mean of the middle half, with the values at
// the edges of that half weighted by the part of them that lies inside. It is 0 for no values.
// xs is sorted in place.
func MidMean(xs []float64) float64 {
	n := len(xs)
	if n == 0 {
		return 0
	}
	slices.Sort(xs)
	lo, hi := float64(n)/4, float64(n)*3/4
	var sum float64
	for i, x := range xs {
		weight := min(float64(i+1), hi) - max(float64(i), lo)
		if weight > 0 {
			sum += weight * x
		}
	}
	return sum / (hi - lo)
}
