package stat

import (
	"math"
	"slices"

	"dyno"
	"dyno/hist"
)

// newRow returns everything known about one subject in one cell from all its trials there. Void
// trials give their reasons and nothing else.
func (by rule) newRow(subject string, trials []*dyno.Trial) dyno.Row {
	r := dyno.Row{Subject: subject, Seen: seenIn(trials)}
	var rates, means, cpus, rss, startUps []float64
	var latencies []*hist.Histogram
	var work []dyno.Work
	var counted []*dyno.Trial
	for _, t := range trials {
		if t.Void != "" {
			r.Voids = append(r.Voids, t.Void)
			continue
		}
		counted = append(counted, t)
		rates = append(rates, ratePerS(t))
		cpus = append(cpus, t.ServerCPUNsPerReply())
		rss = append(rss, float64(t.Server.PeakRSSBytes))
		startUps = append(startUps, float64(t.Server.StartUpNs))
		if t.Latency != nil {
			means = append(means, t.Latency.MeanNs())
			latencies = append(latencies, t.Latency)
			r.MaxNs = max(r.MaxNs, t.Latency.MaxNs())
		}
		if t.Work.Operations > 0 {
			work = append(work, t.Work)
		}
		r.BusyShare += t.ClientBusyShare()
		if p := t.Client.Poller; p != "" && !slices.Contains(r.Pollers, p) {
			r.Pollers = append(r.Pollers, p)
		}
		r.Slices += len(t.Slices)
		for _, s := range t.Slices {
			if s.Flag != "" {
				r.Flagged++
			}
		}
	}
	if len(counted) > 0 {
		r.BusyShare /= float64(len(counted))
	}
	r.RatePerS = by.estimate(rates)
	r.MeanNs = by.estimate(means)
	r.P50Ns, r.P99Ns, r.P999Ns = by.quantile(latencies, 0.5), by.quantile(latencies, 0.99), by.quantile(latencies, 0.999)
	r.FewestReplies = fewest(latencies)
	r.Work, r.Visits = by.newWorkRow(work, rates), by.newVisitRow(counted)
	r.CPUNs, r.PeakRSS, r.StartUpNs = by.estimate(cpus), by.estimate(rss), by.estimate(startUps)
	return r
}

// newWorkRow returns what operations cost, nil when no subject kept its own time. rates are the trials'
// operations per second.
func (by rule) newWorkRow(work []dyno.Work, rates []float64) *dyno.WorkRow {
	if len(work) == 0 {
		return nil
	}
	var nsPerOperation, moved []float64
	var sum dyno.Work
	for _, w := range work {
		sum = sum.Plus(w)
		moved = append(moved, bytesPerS(w))
	}
	for _, rate := range rates {
		nsPerOperation = append(nsPerOperation, 1e9/rate)
	}
	row := &dyno.WorkRow{
		NsPerOperation: by.estimate(nsPerOperation), BytesPerS: by.estimate(moved),
		AllocatedBytes: -1, Allocations: -1,
	}
	if sum.AllocatedBytes >= 0 {
		row.AllocatedBytes = float64(sum.AllocatedBytes) / float64(sum.Operations)
	}
	if sum.Allocations >= 0 {
		row.Allocations = float64(sum.Allocations) / float64(sum.Operations)
	}
	return row
}

// quantile estimates a latency quantile over processes. It is without N where any process had too few
// replies to tell: leaving only such processes out would favour the fast ones.
func (by rule) quantile(latencies []*hist.Histogram, q float64) dyno.Estimate {
	if fewest(latencies) < RepliesFor(q) {
		return dyno.Estimate{}
	}
	values := make([]float64, len(latencies))
	for i, h := range latencies {
		values[i] = float64(h.QuantileNs(q))
	}
	return by.estimate(values)
}

// RepliesFor returns how many replies a process must have given before its quantile q is told: so many that
// the largest of them lies above q with 97.5 %, which a two-sided 95 % interval by order statistics asks
// for. Replies are not independent, so this is the least.
func RepliesFor(q float64) int64 { return int64(math.Ceil(math.Log(Alpha/2) / math.Log(q))) }

func fewest(latencies []*hist.Histogram) int64 {
	if len(latencies) == 0 {
		return 0
	}
	least := latencies[0].Count()
	for _, h := range latencies {
		least = min(least, h.Count())
	}
	return least
}
