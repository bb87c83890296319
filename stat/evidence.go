package stat

import (
	"cmp"
	"slices"

	"dyno"
	"dyno/hist"
)

// spectrumShares are the quantiles that a latency spectrum shows: ever closer to the end, as on an axis
// of 1/(1−p).
var spectrumShares = []float64{
	0, 0.25, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.925, 0.95, 0.96, 0.97, 0.975, 0.98, 0.985, 0.99, 0.9925,
	0.995, 0.9965, 0.998, 0.999, 0.9995, 0.9998, 0.9999, 0.99995, 0.99999,
}

// Gather returns the figures of every single trial of a run, cell by cell, in the order of Judge.
func Gather(run dyno.Run, trials []dyno.Trial) dyno.Evidence {
	byKey := map[dyno.Cell]map[string][]dyno.Trial{}
	for _, t := range trials {
		if byKey[t.Cell] == nil {
			byKey[t.Cell] = map[string][]dyno.Trial{}
		}
		byKey[t.Cell][t.Subject] = append(byKey[t.Cell][t.Subject], t)
	}
	var e dyno.Evidence
	subjects := lineUp(run)
	steadiness := steadinessOf(trials)
	for _, cell := range run.Suite.Cells {
		c := dyno.CellEvidence{Cell: cell}
		for _, s := range subjects {
			if own := byKey[cell][s.name]; len(own) > 0 {
				c.Subjects = append(c.Subjects, subjectEvidence(s.name, own, steadiness))
			}
		}
		if len(c.Subjects) > 0 {
			e.Cells = append(e.Cells, c)
		}
	}
	return e
}

func subjectEvidence(name string, trials []dyno.Trial, steadiness map[dyno.TrialKey]dyno.Steadiness) dyno.SubjectEvidence {
	slices.SortFunc(trials, func(a, b dyno.Trial) int { return cmp.Compare(a.Block, b.Block) })
	e := dyno.SubjectEvidence{Subject: name}
	together := hist.New()
	for i := range trials {
		t := &trials[i]
		f := dyno.TrialFigures{Block: t.Block, Void: t.Void}
		if t.Void == "" {
			f = figuresOf(t)
			f.Steadiness = steadiness[t.TrialKey]
			if t.Latency != nil {
				together.Merge(t.Latency)
			}
		}
		e.Trials = append(e.Trials, f)
	}
	e.LatencyNs = spectrum(together)
	return e
}

func figuresOf(t *dyno.Trial) dyno.TrialFigures {
	f := dyno.TrialFigures{
		Block: t.Block, RatePerS: ratePerS(t), CPUNs: t.ServerCPUNsPerReply(),
		PeakRSSBytes: t.Server.PeakRSSBytes, StartUpNs: t.Server.StartUpNs,
		WarmUpNs:  t.WarmUp.DurationNs,
		BusyShare: t.ClientBusyShare(), GCPauseNs: t.Client.GCPauseNs, Reconnects: t.Client.Reconnects,
		Poller: t.Client.Poller, Slices: t.Slices,
	}
	if t.Latency != nil {
		f.P50Ns, f.MaxNs = t.Latency.QuantileNs(0.5), t.Latency.MaxNs()
		if t.Latency.Count() >= RepliesFor(0.99) {
			f.P99Ns = t.Latency.QuantileNs(0.99)
		}
	}
	return f
}

// spectrum returns the quantiles that so many values support: none that lies beyond the last of them.
func spectrum(h *hist.Histogram) []dyno.QuantileNs {
	var points []dyno.QuantileNs
	for _, share := range spectrumShares {
		if float64(h.Count())*(1-share) < 1 {
			break
		}
		points = append(points, dyno.QuantileNs{Share: share, Ns: h.QuantileNs(share)})
	}
	return points
}
