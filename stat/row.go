package stat

import "dyno"

// newRow returns everything known about one subject in one cell from all its trials there. Void
// trials give their reasons and nothing else.
func newRow(subject string, trials []*dyno.Trial) dyno.Row {
	r := dyno.Row{Subject: subject}
	var rates, means, p50s, p99s, cpus, rss, startUps []float64
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
	r.CPUNs, r.PeakRSS, r.StartUpNs = LogEstimate(cpus), LogEstimate(rss), LogEstimate(startUps)
	return r
}
