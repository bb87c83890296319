package main

import (
	"fmt"
	"strings"
	"time"

	"dyno"
	"dyno/internal/threshold"
	"dyno/load"
)

// settling is the head of a probe, which is not counted: queues have to reach the lengths that belong
// to the rate.
func (f *capacityFlags) settling() time.Duration {
	_, longest := threshold.Limits(f.slo)
	head, _ := dyno.ProbeWindow(time.Duration(f.probe), 0, longest)
	return head
}

// tailSamples is how many requests must lie beyond the quantile that is promised, and tailMost the longest time that
// this may ask for, which is longer than any probe.
const (
	tailSamples = 15
	tailMost    = 24 * time.Hour
)

// longEnough is the length of a probe whose outcome counts: at low rates longer than was asked for, because a p99
// of few requests says nothing, and so where long latencies are allowed.
func (f *capacityFlags) longEnough(ratePerS float64) time.Duration {
	var needed time.Duration
	if share := threshold.SlowShare(f.slo); share > 0 {
		needed = time.Duration(min(tailSamples/share/ratePerS*float64(time.Second), float64(tailMost)))
	}
	_, longest := threshold.Limits(f.slo)
	_, length := dyno.ProbeWindow(time.Duration(f.probe), needed, longest)
	return length
}

// lagOfLimit is the share of a promised latency by which the instrument may be late without a say in the outcome.
const lagOfLimit = 0.1

// mattersFrom is the lag of the instrument from which a probe counts as disturbed.
func (f *capacityFlags) mattersFrom() time.Duration {
	shortest, _ := threshold.Limits(f.slo)
	return max(load.LateAfter, time.Duration(lagOfLimit*float64(shortest)))
}

// spinBelow is the shortest promised latency to which it means nothing that a client that sleeps wakes up some
// 50 µs late. A client that polls keeps a CPU busy, which takes from the server on machines whose CPUs share a core.
const spinBelow = time.Millisecond

// calm lets the client sleep where the promises allow.
func (f *capacityFlags) calm(s *seat) {
	if shortest, _ := threshold.Limits(f.slo); !f.spinGiven && (shortest == 0 || shortest >= spinBelow) {
		s.spin, s.spinWhy = 0, fmt.Sprintf("the promise is about %v and more, to which waking up late means nothing", spinBelow)
	}
}

// judgeProbe says whether the promises were kept, and whose fault it was when not.
func (f *capacityFlags) judgeProbe(r *dyno.LoadReport) dyno.CapacityProbe {
	probe := dyno.CapacityProbe{
		RatePerS: r.Options.RatePerS, AnsweredPerS: r.RatePerS(), DurationNs: r.DurationNs, Kept: true,
		P50Ns: r.Latency.QuantileNs(.5), P90Ns: r.Latency.QuantileNs(.9), P99Ns: r.Latency.QuantileNs(.99),
		P999Ns: r.Latency.QuantileNs(.999), MaxNs: r.Latency.MaxNs(), ServiceP99Ns: r.Service.QuantileNs(.99),
		Due: r.Due(), Failed: r.Failed(), Unsent: r.Counts.Unsent, ClientBusyShare: r.Instrument.BusyShare,
	}
	var broken []string
	for _, t := range f.slo {
		probe.Strain = max(probe.Strain, min(t.Strain(r), dyno.StrainMax))
		if kept, seen := t.Kept(r); !kept {
			probe.Kept = false
			broken = append(broken, seen)
		}
	}
	probe.Broken = strings.Join(broken, "; ")
	switch {
	case r.ClientBound():
		probe.Unable = fmt.Sprintf("the client was busy for %.0f %% of the time", 100*r.Instrument.BusyShare)
	case r.Instrument.Lag != nil && r.Instrument.Lag.QuantileNs(1-f.lateShare()) > int64(f.mattersFrom()):
		probe.Noise = fmt.Sprintf("%.3g %% of requests were sent more than %v late", 100*f.lateShare(),
			time.Duration(r.Instrument.Lag.QuantileNs(1-f.lateShare())).Round(100*time.Microsecond))
	}
	return probe
}

// lateOfAllowance is the share of the replies which a promised quantile allows to be slow that may be late by the
// instrument's fault: it moves the capacity by about a percent.
const lateOfAllowance = 0.25

// lateShare is the share of requests that the instrument may send late without a say in the outcome.
func (f *capacityFlags) lateShare() float64 {
	if share := threshold.SlowShare(f.slo); share > 0 {
		return lateOfAllowance * share
	}
	return load.LateShareMax
}
