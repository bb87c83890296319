package adhoc

import (
	"strconv"
	"time"

	"dyno"
)

// isoMillis is how JavaScript writes a Date.
const isoMillis = "2006-01-02T15:04:05.000Z"

// autocannonResult has autocannon's keys in its order. Units are autocannon's: latency in ms, duration
// in s, throughput in bytes. Only verified replies are requests here; a reply with another status is
// counted in non2xx.
type autocannonResult struct {
	URL         string                    `json:"url"`
	SocketPath  string                    `json:"socketPath,omitempty"`
	Connections int                       `json:"connections"`
	SampleInt   int                       `json:"sampleInt"` // ms
	Pipelining  int                       `json:"pipelining"`
	Workers     int                       `json:"workers"`
	Duration    float64                   `json:"duration"`
	Samples     int                       `json:"samples"`
	Start       string                    `json:"start"`
	Finish      string                    `json:"finish"`
	Errors      int64                     `json:"errors"`
	Timeouts    int64                     `json:"timeouts"`
	Mismatches  int64                     `json:"mismatches"`
	Non2xx      int64                     `json:"non2xx"`
	Resets      int64                     `json:"resets"` // of a script of requests, which dyno has not
	Class1      int64                     `json:"1xx"`
	Class2      int64                     `json:"2xx"`
	Class3      int64                     `json:"3xx"`
	Class4      int64                     `json:"4xx"`
	Class5      int64                     `json:"5xx"`
	Codes       map[string]autocannonCode `json:"statusCodeStats"`
	Latency     autocannonLatency         `json:"latency"`
	Requests    autocannonRequests        `json:"requests"`
	Throughput  autocannonTotal           `json:"throughput"`
}

type autocannonCode struct {
	Count int64 `json:"count"`
}

type autocannonBasics struct {
	Average float64 `json:"average"`
	Mean    float64 `json:"mean"`
	Stdev   float64 `json:"stddev"`
	Min     float64 `json:"min"`
	Max     float64 `json:"max"`
}

type autocannonPercentiles struct {
	P0_001  float64 `json:"p0_001"`
	P0_01   float64 `json:"p0_01"`
	P0_1    float64 `json:"p0_1"`
	P1      float64 `json:"p1"`
	P2_5    float64 `json:"p2_5"`
	P10     float64 `json:"p10"`
	P25     float64 `json:"p25"`
	P50     float64 `json:"p50"`
	P75     float64 `json:"p75"`
	P90     float64 `json:"p90"`
	P97_5   float64 `json:"p97_5"`
	P99     float64 `json:"p99"`
	P99_9   float64 `json:"p99_9"`
	P99_99  float64 `json:"p99_99"`
	P99_999 float64 `json:"p99_999"`
}

type autocannonLatency struct {
	autocannonBasics
	autocannonPercentiles
	TotalCount int64 `json:"totalCount"`
}

type autocannonTotal struct {
	autocannonBasics
	Total int64 `json:"total"`
	autocannonPercentiles
}

type autocannonRequests struct {
	autocannonTotal
	Sent int64 `json:"sent"`
}

func autocannon(r *dyno.LoadReport) (string, error) {
	o, c := r.Options, r.Counts
	non2xx := r.Replies() - r.Class(2)
	a := autocannonResult{
		URL: r.Target, Connections: o.Connections, SampleInt: 1000, Pipelining: o.Depth, Workers: r.Instrument.Loops,
		Duration: rounded(float64(r.DurationNs)/nsPerS, 2), Samples: len(r.Seconds),
		Start: millis(r.StartedAt), Finish: millis(r.EndedAt),
		Errors: r.Failed() - c.Wrong, Timeouts: r.Errors["timeout"],
		Mismatches: mismatches(r, non2xx), Non2xx: non2xx,
		Class1: r.Class(1), Class2: r.Class(2), Class3: r.Class(3), Class4: r.Class(4), Class5: r.Class(5),
		Codes:      map[string]autocannonCode{},
		Latency:    autocannonLatencyOf(r),
		Requests:   autocannonRequests{samplesOf(r, r.Rates(), c.Counted), c.Sent},
		Throughput: samplesOf(r, r.BytesRates(), c.BytesRead),
	}
	if len(r.Address) > 0 && r.Address[0] == '/' {
		a.SocketPath = r.Address
	}
	for code, count := range r.Codes {
		a.Codes[strconv.Itoa(code)] = autocannonCode{count}
	}
	return indented(a)
}

// mismatches returns the wrong replies that were not wrong for their status alone.
func mismatches(r *dyno.LoadReport, non2xx int64) int64 {
	unexpected := non2xx
	if want := r.Options.ExpectStatus; want != 0 {
		unexpected = r.Replies() - r.Codes[want]
	}
	return max(r.Counts.Wrong-unexpected, 0)
}

func millis(t time.Time) string { return t.UTC().Format(isoMillis) }

func autocannonLatencyOf(r *dyno.LoadReport) autocannonLatency {
	h := r.Latency
	ms := func(ns float64) float64 { return rounded(ns/nsPerMs, 3) }
	mean := ms(h.MeanNs())
	return autocannonLatency{
		autocannonBasics:      autocannonBasics{mean, mean, ms(h.StdevNs()), ms(float64(h.MinNs())), ms(float64(h.MaxNs()))},
		autocannonPercentiles: percentilesOf(func(q float64) float64 { return ms(quantile(h, q)) }),
		TotalCount:            h.Count(),
	}
}

// samplesOf sums up samples. A load that did not last a whole second has one: its mean rate.
func samplesOf(r *dyno.LoadReport, s dyno.Samples, total int64) autocannonTotal {
	if s.N() == 0 {
		rate := 0.0
		if r.DurationNs > 0 {
			rate = rounded(float64(total)*nsPerS/float64(r.DurationNs), 2)
		}
		return autocannonTotal{
			autocannonBasics{rate, rate, 0, rate, rate}, total,
			percentilesOf(func(float64) float64 { return rate }),
		}
	}
	mean := rounded(s.Mean(), 2)
	return autocannonTotal{
		autocannonBasics{mean, mean, rounded(s.Stdev(), 2), s.Min(), s.Max()}, total,
		percentilesOf(s.Quantile),
	}
}

func percentilesOf(at func(q float64) float64) autocannonPercentiles {
	return autocannonPercentiles{
		P0_001: at(.00001), P0_01: at(.0001), P0_1: at(.001), P1: at(.01), P2_5: at(.025),
		P10: at(.1), P25: at(.25), P50: at(.5), P75: at(.75), P90: at(.9),
		P97_5: at(.975), P99: at(.99), P99_9: at(.999), P99_99: at(.9999), P99_999: at(.99999),
	}
}
