package adhoc

import (
	"math"
	"math/rand/v2"
	"time"

	"dyno"
	"dyno/hist"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 123_000_000, time.UTC)

// latencies draws n log-normal times around a median.
func latencies(n int, medianNs float64, seed uint64) *hist.Histogram {
	r := rand.New(rand.NewPCG(seed, 1))
	h := hist.New()
	for range n {
		h.Record(int64(medianNs * math.Exp(r.NormFloat64()*0.35)))
	}
	return h
}

// quiet is a load on a fast server in which nothing went wrong.
func quiet() *dyno.LoadReport {
	r := &dyno.LoadReport{
		Protocol: "http", Target: "http://127.0.0.1:8080/api/json", Address: "127.0.0.1:8080",
		Options: dyno.LoadOptions{
			Method: "GET", Load: dyno.Load{Connections: 10, Depth: 1}, Arrivals: dyno.ClosedLoop,
			Duration: 10 * time.Second, WarmUp: time.Second, ReplyWithin: 10 * time.Second, Seed: 42,
			Headers: []dyno.LoadHeader{{Name: "Accept", Value: "application/json"}},
		},
		StartedAt: noon, EndedAt: noon.Add(10 * time.Second), DurationNs: 10_000_140_000,
		Counts:  dyno.LoadCounts{Sent: 950_322, Verified: 950_322, Counted: 950_312, BytesRead: 171_057_960, BytesSent: 57_019_320},
		Codes:   map[int]int64{200: 950_322},
		Latency: latencies(20_000, 101_000, 1),
		Instrument: dyno.LoadInstrument{
			Dyno: "0.1.0", Poller: "epoll", Loops: 1, CPUs: []int{1}, SpinNs: 200_000, SpinWhy: "it has CPU 1 for itself", BusyShare: 0.634,
		},
	}
	for i := range 10 {
		n := int64(95_000 + 137*(i%4))
		r.Seconds = append(r.Seconds, dyno.LoadSecond{Verified: n, BytesRead: 180 * n, P50Ns: 101_000, P99Ns: 190_000})
	}
	return r
}

// troubled is an open loop on a server that fails in every way, by an instrument that lags.
func troubled() *dyno.LoadReport {
	r := quiet()
	r.Target, r.Options.Method, r.Options.Body = "https://localhost:8443/orders?page=2", "POST", `{"id":1}`
	r.Options.Load = dyno.Load{Connections: 256, Depth: 16}
	r.Options.Arrivals, r.Options.RatePerS, r.Options.RampToPerS, r.Options.WarmUp = dyno.Constant, 20_000, 50_000, 0
	r.Counts = dyno.LoadCounts{Sent: 349_800, Verified: 347_100, Counted: 347_000, Wrong: 1_900, Lost: 780, InFlight: 20, Unsent: 150, Dropped: 50,
		BytesRead: 62_000_000, BytesSent: 41_000_000}
	r.Codes = map[int]int64{201: 347_100, 404: 3, 429: 1_400, 500: 480, 503: 17}
	r.Errors = map[string]int64{"wrong": 1_900, "timeout": 400, "reset": 300, "eof": 80, "in-flight": 20, "dropped": 50}
	r.FirstFault = "connection 7, reply 12: status 503, want 2xx: \"<html>Service \\x1b[31mUnavailable\""
	r.Latency, r.Service = latencies(20_000, 2_300_000, 2), latencies(20_000, 900_000, 3)
	r.Latency.Record(75_000_000_000)
	r.Instrument = dyno.LoadInstrument{
		Dyno: "0.1.0", Poller: "epoll", Loops: 2, BusyShare: 0.971, GCPauses: 2, GCPauseNs: 480_000, Reconnects: 61,
		SpinWhy: "it shares CPU 0 with the server", Lag: latencies(5_000, 4_000, 4), Late: 12, QueueMax: 4_100,
		Warnings: []string{"the queue was full: 50 requests were dropped; give it more connections, or a lower rate",
			"client and servers share CPU 0: rates measure both together, so trust the server's CPU per reply, or give dyno another CPU"},
	}
	return r
}

// framed is a load of packets, by number.
func framed() *dyno.LoadReport {
	r := quiet()
	r.Protocol, r.Target = "framed", "127.0.0.1:25565"
	r.Options.Method, r.Options.Headers, r.Codes = "", nil, nil
	r.Options.PayloadBytes, r.Options.Load = []int{8, 1024}, dyno.Load{Connections: 1, Depth: 1}
	r.Options.Duration, r.Options.WarmUp, r.Options.Requests = 0, 0, 5_000
	r.Counts = dyno.LoadCounts{Sent: 5_000, Verified: 5_000, Counted: 5_000, BytesRead: 2_590_000, BytesSent: 2_590_000}
	r.DurationNs, r.Seconds = 98_000_000, []dyno.LoadSecond{}
	r.Latency = latencies(5_000, 19_000, 5)
	return r
}

// nothing is a load that nobody answered, interrupted.
func nothing() *dyno.LoadReport {
	r := quiet()
	r.Partial = "interrupted after 1.2 s of 10 s"
	r.Counts, r.Codes, r.Seconds = dyno.LoadCounts{Sent: 10, InFlight: 10, BytesSent: 600}, nil, nil
	r.DurationNs, r.Latency = 1_200_000_000, hist.New()
	r.Seconds = []dyno.LoadSecond{{}}
	r.Errors = map[string]int64{"in-flight": 10}
	r.Instrument.BusyShare = 0.0004
	return r
}

// unreachable is a load whose server went away between two requests.
func unreachable() *dyno.LoadReport {
	r := quiet()
	r.Partial = "given up after 50 of 1000 requests: no connection brought a right reply any more"
	r.Errors = map[string]int64{"connect-refused": 16}
	return r
}

var scenes = map[string]func() *dyno.LoadReport{"quiet": quiet, "troubled": troubled, "framed": framed, "nothing": nothing, "unreachable": unreachable}
