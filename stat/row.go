package stat

import "dyno"

// newRow returns everything known about one subject in one cell from all its trials there. Void
// trials give their reasons and nothing else.
func newRow(subject string, trials []*dyno.Trial) dyno.Row {
	r := dyno.Row{Subject: subject, Seen: seenIn(trials)}
	var rates, means, p50s, p99s, cpus, rss, startUps []float64
	var work []dyno.Work
	valid := 0
	for _, t := range trials {
		if t.Void != "" {
			r.Voids = append(r.Voids, t.Void)
			continue
		}
		valid++
		rates = append(rates, ratePerS(t))
		cpus = append(cpus, t.ServerCPUNsPerReply())
		rss = append(rss, float64(t.Server.PeakRSSBytes))
		startUps = append(startUps, float64(t.Server.StartUpNs))
		if t.Latency != nil {
			means = append(means, t.Latency.MeanNs())
			p50s = append(p50s, float64(t.Latency.QuantileNs(0.50)))
			p99s = append(p99s, float64(t.Latency.QuantileNs(0.99)))
			r.MaxNs = max(r.MaxNs, t.Latency.MaxNs())
		}
		if t.Work.Operations > 0 {
			work = append(work, t.Work)
		}
		r.BusyShare += t.ClientBusyShare()
		if !t.WarmUp.Settled {
			r.Unsettled++
		}
		r.Slices += len(t.Slices)
		for _, s := range t.Slices {
			if s.Flag != "" {
				r.Flagged++
			}
		}
	}
	if valid > 0 {
		r.BusyShare /= float64(valid)
	}
	r.RatePerS = LogEstimate(rates)
	r.MeanNs, r.P50Ns, r.P99Ns = LogEstimate(means), LogEstimate(p50s), LogEstimate(p99s)
	r.Work = newWorkRow(work, rates)
	r.CPUNs, r.PeakRSS, r.StartUpNs = LogEstimate(cpus), LogEstimate(rss), LogEstimate(startUps)
	return r
}

// newWorkRow returns what operations cost, nil when no subject kept its own time. rates are the trials'
// operations per second.
func newWorkRow(work []dyno.Work, rates []float64) *dyno.WorkRow {
	if len(work) == 0 {
		return nil
	}
	var nsPerOperation, bytesPerS []float64
	var sum dyno.Work
	for _, w := range work {
		sum = sum.Plus(w)
		bytesPerS = append(bytesPerS, float64(w.Bytes)*1e9/float64(max(w.DurationNs, 1)))
	}
	for _, rate := range rates {
		nsPerOperation = append(nsPerOperation, 1e9/rate)
	}
	row := &dyno.WorkRow{
		NsPerOperation: LogEstimate(nsPerOperation), BytesPerS: LogEstimate(bytesPerS),
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
