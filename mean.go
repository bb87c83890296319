package dyno

import "slices"

// centreMax bounds the work of Centre, which grows with the square of the number of values.
const centreMax = 128

// Centre returns the Hodges–Lehmann estimate of the centre of xs: the median of the means of all
// pairs, each value paired with itself, too. It is nearly as precise as the mean when all is quiet
// (96 % for normal noise) and withstands up to 29 % of arbitrarily wrong values, such as slices
// from which the machine was taken away. More than 128 values are first averaged over neighbours.
// It is 0 for no values.
//
// The interquartile mean, which stood here before, gives away 16 % of the precision; the mean is
// moved by a single stolen slice.
//
// Source: Hodges and Lehmann, "Estimates of location based on rank tests", 1963.
func Centre(xs []float64) float64 {
	n := min(len(xs), centreMax)
	if n == 0 {
		return 0
	}
	groups := make([]float64, n)
	for i := range groups {
		group := xs[i*len(xs)/n : (i+1)*len(xs)/n]
		for _, x := range group {
			groups[i] += x / float64(len(group))
		}
	}
	means := make([]float64, 0, n*(n+1)/2)
	for i, a := range groups {
		for _, b := range groups[i:] {
			means = append(means, (a+b)/2)
		}
	}
	slices.Sort(means)
	middle := len(means) / 2
	if len(means)%2 == 1 {
		return means[middle]
	}
	return (means[middle-1] + means[middle]) / 2
}
