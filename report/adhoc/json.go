package adhoc

import (
	"encoding/json"
	"fmt"

	"dyno"
	"dyno/hist"
)

// Schema names the JSON that Write makes for "json". It changes when a key changes its meaning or
// goes; new keys do not change it. SCHEMA.md says what the keys mean.
const Schema = "dyno.load/1"

// document is the report as JSON: the report itself and what is computed from it.
type document struct {
	Schema string `json:"schema"`
	*dyno.LoadReport
	KindOfTime    string  `json:"latency_kind"`
	RatePerS      float64 `json:"rate_per_s"`
	BytesReadPerS float64 `json:"bytes_read_per_s"`
	Due           int64   `json:"due"`
	Failed        int64   `json:"failed"`
	ClientBound   bool    `json:"client_bound"`
	Latency       *spread `json:"latency"`
	Service       *spread `json:"service,omitempty"`
	Lag           *spread `json:"lag,omitempty"`
	Rates         sampled `json:"rate_samples_per_s"`
	BytesRates    sampled `json:"bytes_read_samples_per_s"`
}

// spread sums up a histogram of ns.
type spread struct {
	Count   int64   `json:"count"`
	Clipped int64   `json:"clipped"`
	MinNs   int64   `json:"min_ns"`
	MeanNs  float64 `json:"mean_ns"`
	StdevNs float64 `json:"stdev_ns"`
	P1Ns    int64   `json:"p1_ns"`
	P2_5Ns  int64   `json:"p2_5_ns"`
	P10Ns   int64   `json:"p10_ns"`
	P25Ns   int64   `json:"p25_ns"`
	P50Ns   int64   `json:"p50_ns"`
	P75Ns   int64   `json:"p75_ns"`
	P90Ns   int64   `json:"p90_ns"`
	P95Ns   int64   `json:"p95_ns"`
	P97_5Ns int64   `json:"p97_5_ns"`
	P99Ns   int64   `json:"p99_ns"`
	P99_9Ns int64   `json:"p99_9_ns"`
	P9999Ns int64   `json:"p99_99_ns"`
	MaxNs   int64   `json:"max_ns"`
	HDR     string  `json:"hdr_v2"`
}

// sampled sums up samples of one a second.
type sampled struct {
	Samples int     `json:"samples"`
	Min     float64 `json:"min"`
	Mean    float64 `json:"mean"`
	Stdev   float64 `json:"stdev"`
	P1      float64 `json:"p1"`
	P2_5    float64 `json:"p2_5"`
	P50     float64 `json:"p50"`
	P97_5   float64 `json:"p97_5"`
	Max     float64 `json:"max"`
}

func ownJSON(r *dyno.LoadReport) (string, error) {
	d := document{
		Schema: Schema, LoadReport: r, KindOfTime: KindOfTime(r),
		RatePerS: rounded(r.RatePerS(), 3), BytesReadPerS: rounded(r.BytesReadPerS(), 3),
		Due: r.Due(), Failed: r.Failed(), ClientBound: r.ClientBound(),
		Rates: sampledOf(r.Rates()), BytesRates: sampledOf(r.BytesRates()),
	}
	var err error
	for _, of := range []struct {
		h  *hist.Histogram
		to **spread
	}{{r.Latency, &d.Latency}, {r.Service, &d.Service}, {r.Instrument.Lag, &d.Lag}} {
		if *of.to, err = spreadOf(of.h); err != nil {
			return "", err
		}
	}
	return indented(d)
}

func spreadOf(h *hist.Histogram) (*spread, error) {
	if h == nil {
		return nil, nil
	}
	encoded, err := h.Encode()
	if err != nil {
		return nil, err
	}
	return &spread{
		Count: h.Count(), Clipped: h.Clipped(), MinNs: h.MinNs(), MaxNs: h.MaxNs(),
		MeanNs: rounded(h.MeanNs(), 1), StdevNs: rounded(h.StdevNs(), 1),
		P1Ns: h.QuantileNs(.01), P2_5Ns: h.QuantileNs(.025), P10Ns: h.QuantileNs(.1), P25Ns: h.QuantileNs(.25),
		P50Ns: h.QuantileNs(.5), P75Ns: h.QuantileNs(.75), P90Ns: h.QuantileNs(.9), P95Ns: h.QuantileNs(.95),
		P97_5Ns: h.QuantileNs(.975), P99Ns: h.QuantileNs(.99), P99_9Ns: h.QuantileNs(.999), P9999Ns: h.QuantileNs(.9999),
		HDR: string(encoded),
	}, nil
}

func sampledOf(s dyno.Samples) sampled {
	return sampled{
		Samples: s.N(), Min: s.Min(), Mean: rounded(s.Mean(), 3), Stdev: rounded(s.Stdev(), 3), Max: s.Max(),
		P1: s.Quantile(.01), P2_5: s.Quantile(.025), P50: s.Quantile(.5), P97_5: s.Quantile(.975),
	}
}

func indented(v any) (string, error) {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return "", fmt.Errorf("encode: %w", err)
	}
	return string(b) + "\n", nil
}
