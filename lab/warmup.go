package lab

import "math"

// settleWindows is how many warm-up windows are compared: the later half with the earlier half.
const settleWindows = 6

// settleTolerance is the difference between two halves that is still called steady. Just-in-time
// compilers move throughput by tens of percent; below this the slices themselves average it out.
const settleTolerance = 0.03

// settled reports whether the rates of the last windows show no trend: the mean of the later three
// differs from that of the three before by no more than the tolerance, or by no more than the
// windows' own noise explains (two standard errors). Noise alone must not look like warming up.
func settled(rates []float64) bool {
	if len(rates) < settleWindows {
		return false
	}
	last := rates[len(rates)-settleWindows:]
	early, earlyVar := meanVariance(last[:settleWindows/2])
	late, lateVar := meanVariance(last[settleWindows/2:])
	if late <= 0 {
		return false
	}
	noise := 2 * math.Sqrt((earlyVar+lateVar)/(settleWindows/2))
	return math.Abs(late-early) <= max(settleTolerance*late, noise)
}

// meanVariance returns the mean and the sample variance.
func meanVariance(xs []float64) (mean, variance float64) {
	for _, x := range xs {
		mean += x / float64(len(xs))
	}
	for _, x := range xs {
		variance += (x - mean) * (x - mean) / float64(len(xs)-1)
	}
	return mean, variance
}
