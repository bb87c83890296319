package adhoc

import (
	"strconv"

	"dyno"
	"dyno/hist"
)

// ohaResult has oha's keys. All times are in seconds, as there. A success is a verified reply.
type ohaResult struct {
	Summary     ohaSummary         `json:"summary"`
	Histogram   map[string]int64   `json:"responseTimeHistogram"` // by upper edge
	Percentiles map[string]float64 `json:"latencyPercentiles"`
	RPS         ohaRates           `json:"rps"`
	Details     ohaDetails         `json:"details"`
	Codes       map[string]int64   `json:"statusCodeDistribution"`
	Errors      map[string]int64   `json:"errorDistribution"`
}

type ohaSummary struct {
	SuccessRate    float64 `json:"successRate"` // 0 to 1
	Total          float64 `json:"total"`
	Slowest        float64 `json:"slowest"`
	Fastest        float64 `json:"fastest"`
	Average        float64 `json:"average"`
	RequestsPerSec float64 `json:"requestsPerSec"`
	TotalData      int64   `json:"totalData"`
	SizePerRequest *int64  `json:"sizePerRequest"` // null when there was no reply
	SizePerSec     float64 `json:"sizePerSec"`
}

type ohaRates struct {
	Mean        float64            `json:"mean"`
	Stdev       float64            `json:"stddev"`
	Max         float64            `json:"max"`
	Min         float64            `json:"min"`
	Percentiles map[string]float64 `json:"percentiles"`
}

// ohaDetails are null: connections and names are made before dyno's clock starts.
type ohaDetails struct {
	Dialup ohaTriple `json:"DNSDialup"`
	Lookup ohaTriple `json:"DNSLookup"`
}

type ohaTriple struct {
	Average *float64 `json:"average"`
	Fastest *float64 `json:"fastest"`
	Slowest *float64 `json:"slowest"`
}

func oha(r *dyno.LoadReport) (string, error) {
	h, c := r.Latency, r.Counts
	rates := samplesOf(r, r.Rates(), c.Counted)
	histogram, err := ohaHistogram(h)
	if err != nil {
		return "", err
	}
	o := ohaResult{
		Summary: ohaSummary{
			SuccessRate: share(c.Verified, r.Due()), Total: seconds(r.DurationNs),
			Slowest: inS(float64(h.MaxNs())), Fastest: inS(float64(h.MinNs())), Average: inS(h.MeanNs()),
			RequestsPerSec: rounded(r.RatePerS(), 3), TotalData: c.BytesRead, SizePerSec: rounded(r.BytesReadPerS(), 3),
		},
		Histogram:   histogram,
		Percentiles: ohaPercentiles(func(q float64) float64 { return inS(quantile(h, q)) }),
		RPS: ohaRates{rates.Mean, rates.Stdev, rates.Max, rates.Min, ohaPercentiles(func(q float64) float64 {
			if r.Rates().N() == 0 {
				return rates.Mean
			}
			return r.Rates().Quantile(q)
		})},
		Codes:  map[string]int64{},
		Errors: map[string]int64{},
	}
	if replies := c.Verified + c.Wrong; replies > 0 {
		size := c.BytesRead / replies
		o.Summary.SizePerRequest = &size
	}
	for code, count := range r.Codes {
		o.Codes[strconv.Itoa(code)] = count
	}
	for name, count := range r.Errors {
		if name != "wrong" { // those are among the codes
			o.Errors[name] = count
		}
	}
	return indented(o)
}

// inS turns ns into seconds without inventing digits: histograms keep whole ns.
func inS(ns float64) float64 { return rounded(ns/nsPerS, 9) }

func ohaPercentiles(at func(q float64) float64) map[string]float64 {
	return map[string]float64{
		"p10": at(.1), "p25": at(.25), "p50": at(.5), "p75": at(.75), "p90": at(.9), "p95": at(.95),
		"p99": at(.99), "p99.9": at(.999), "p99.99": at(.9999),
	}
}

const ohaBins = 11

// ohaHistogram counts latencies in bins of equal width up to three times the mean; the last one takes
// the rest, too.
func ohaHistogram(h *hist.Histogram) (map[string]int64, error) {
	bins := map[string]int64{}
	if h.Count() == 0 {
		return bins, nil
	}
	lowNs := float64(h.MinNs())
	stepNs := max((min(float64(h.MaxNs()), 3*h.MeanNs())-lowNs)/ohaBins, 1)
	decoded, err := decode(h)
	if err != nil {
		return nil, err
	}
	var counts [ohaBins]int64
	for _, bar := range decoded.Distribution() {
		if bar.Count > 0 {
			bin := int((float64(bar.From) - lowNs) / stepNs)
			counts[min(max(bin, 0), ohaBins-1)] += bar.Count
		}
	}
	for i, n := range counts {
		bins[strconv.FormatFloat(inS(lowNs+stepNs*float64(i+1)), 'f', -1, 64)] += n
	}
	return bins, nil
}
