package lab

import (
	"context"
	"math"
	"time"

	"dyno/load"
)

// settleWindows is how many warm-up windows are compared: the later half with the earlier half.
const settleWindows = 6

// settleTolerance is the difference between two halves that is still called steady. Just-in-time
// compilers move throughput by tens of percent; below this the slices themselves average it out.
const settleTolerance = 0.03

// warmUp loads a lane until its throughput has settled, or long enough to say that it does not. Virtual users set the
// rate and how long a window takes, so with them it is the throughput by CPU time, which is not kept.
func (b *block) warmUp(ctx context.Context, l *lane, window time.Duration) error {
	w := &l.trial.WarmUp
	var rates []float64
	for !w.Settled && w.DurationNs < int64(b.run.Suite.Method.WarmUpMax) {
		cpuNs := cpuTime(l)
		r, err := l.client.Run(ctx, load.Window{Duration: window})
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		w.DurationNs += r.DurationNs
		w.Replies += r.Verified
		if l.failed(r) {
			return nil
		}
		rate := r.RatePerS()
		if work, ok := l.work(); ok && work.DurationNs > 0 {
			rate = float64(work.Operations) / float64(work.DurationNs)
		}
		if spentNs := cpuTime(l) - cpuNs; l.guests != nil && spentNs > 0 {
			rate = float64(r.Verified) * 1e9 / float64(spentNs)
		}
		rates = append(rates, fiveDigits(rate))
		w.Settled = settled(rates)
		if l.guests == nil {
			w.WindowNs, w.RatesPerS = int64(window), rates
		}
	}
	return nil
}

// fiveDigits rounds a rate to what is worth storing.
func fiveDigits(x float64) float64 {
	if x <= 0 {
		return 0
	}
	scale := math.Pow(10, math.Ceil(math.Log10(x))-5)
	return math.Round(x/scale) * scale
}

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
