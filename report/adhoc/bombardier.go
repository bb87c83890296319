package adhoc

import (
	"encoding/json"
	"maps"
	"slices"

	"dyno"
)

// bombardierResult has bombardier's keys. Latency is in µs, as there.
type bombardierResult struct {
	Spec   bombardierSpec    `json:"spec"`
	Result bombardierFigures `json:"result"`
}

type bombardierSpec struct {
	Connections     int                `json:"numberOfConnections"`
	TestType        string             `json:"testType"`
	DurationSeconds float64            `json:"testDurationSeconds,omitempty"`
	Requests        int64              `json:"numberOfRequests,omitempty"`
	Method          string             `json:"method"`
	URL             string             `json:"url"`
	Headers         []bombardierHeader `json:"headers,omitempty"`
	Body            string             `json:"body"`
	TimeoutSeconds  float64            `json:"timeoutSeconds"`
	Client          string             `json:"client"`
	Rate            int64              `json:"rate,omitempty"`
}

type bombardierHeader struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

type bombardierFigures struct {
	BytesRead    int64             `json:"bytesRead"`
	BytesWritten int64             `json:"bytesWritten"`
	Seconds      float64           `json:"timeTakenSeconds"`
	Class1       int64             `json:"req1xx"`
	Class2       int64             `json:"req2xx"`
	Class3       int64             `json:"req3xx"`
	Class4       int64             `json:"req4xx"`
	Class5       int64             `json:"req5xx"`
	Others       int64             `json:"others"`
	Errors       []bombardierError `json:"errors,omitempty"`
	Latency      bombardierStats   `json:"latency"`
	RPS          bombardierStats   `json:"rps"`
}

type bombardierError struct {
	Description string `json:"description"`
	Count       int64  `json:"count"`
}

type bombardierStats struct {
	Mean        float64            `json:"mean"`
	Stdev       float64            `json:"stddev"`
	Max         float64            `json:"max"`
	Percentiles map[string]float64 `json:"percentiles"`
}

func bombardier(r *dyno.LoadReport) (string, error) {
	o, h := r.Options, r.Latency
	b := bombardierResult{
		Spec: bombardierSpec{
			Connections: o.Connections, TestType: "timed", DurationSeconds: o.Duration.Seconds(),
			Method: o.Method, URL: r.Target, Body: o.Body, TimeoutSeconds: o.ReplyWithin.Seconds(),
			Client: "dyno", Rate: int64(o.RatePerS),
		},
		Result: bombardierFigures{
			BytesRead: r.Counts.BytesRead, BytesWritten: r.Counts.BytesSent, Seconds: seconds(r.DurationNs),
			Class1: r.Class(1), Class2: r.Class(2), Class3: r.Class(3), Class4: r.Class(4), Class5: r.Class(5),
			Others: r.Failed() - r.Counts.Wrong, // as there: requests that got no reply
		},
	}
	if o.Requests > 0 {
		b.Spec.TestType, b.Spec.Requests, b.Spec.DurationSeconds = "number-of-requests", o.Requests, 0
	}
	for _, header := range o.Headers {
		b.Spec.Headers = append(b.Spec.Headers, bombardierHeader{header.Name, header.Value})
	}
	for _, name := range slices.Sorted(maps.Keys(r.Errors)) {
		if name != "wrong" { // those are among the codes
			b.Result.Errors = append(b.Result.Errors, bombardierError{name, r.Errors[name]})
		}
	}
	us := func(ns float64) float64 { return rounded(ns/nsPerUs, 3) }
	b.Result.Latency = bombardierStats{us(h.MeanNs()), us(h.StdevNs()), us(float64(h.MaxNs())),
		bombardierPercentiles(func(q float64) float64 { return us(quantile(h, q)) })}
	s := samplesOf(r, r.Rates(), r.Counts.Counted)
	b.Result.RPS = bombardierStats{s.Mean, s.Stdev, s.Max, bombardierPercentiles(func(q float64) float64 {
		if r.Rates().N() == 0 {
			return s.Mean
		}
		return r.Rates().Quantile(q)
	})}
	line, err := json.Marshal(b)
	return string(line) + "\n", err
}

func bombardierPercentiles(at func(q float64) float64) map[string]float64 {
	return map[string]float64{"50": at(.5), "75": at(.75), "90": at(.9), "95": at(.95), "99": at(.99)}
}
