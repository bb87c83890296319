package dyno_test

import (
	"math"
	"testing"
	"time"

	"dyno"
)

func TestSamplesAreSummedUpByNearestRank(t *testing.T) {
	r := dyno.LoadReport{}
	for _, n := range []int64{40, 10, 30, 20} {
		r.Seconds = append(r.Seconds, dyno.LoadSecond{Verified: n, BytesRead: 10 * n})
	}
	s := r.Rates()
	for _, c := range []struct{ got, want float64 }{
		{s.Quantile(0), 10}, {s.Quantile(.01), 10}, {s.Quantile(.25), 10}, {s.Quantile(.26), 20}, {s.Quantile(.5), 20},
		{s.Quantile(.75), 30}, {s.Quantile(.99), 40}, {s.Quantile(1), 40}, {s.Min(), 10}, {s.Max(), 40}, {s.Mean(), 25},
		{s.Stdev(), math.Sqrt(125)}, {float64(s.N()), 4}, {r.BytesRates().Mean(), 250},
	} {
		if c.got != c.want {
			t.Errorf("got %v, want %v", c.got, c.want)
		}
	}
	var none dyno.LoadReport
	for _, x := range []float64{none.Rates().Quantile(.5), none.Rates().Mean(), none.Rates().Stdev(), none.Rates().Min(), none.RatePerS()} {
		if x != 0 {
			t.Errorf("of nothing: %v", x)
		}
	}
}

func TestLoadReportAccountsForEveryRequest(t *testing.T) {
	r := dyno.LoadReport{
		DurationNs: int64(2 * time.Second),
		Counts: dyno.LoadCounts{Sent: 100, Verified: 90, Counted: 80, Wrong: 4, Lost: 5, InFlight: 1, Unsent: 7, Dropped: 3,
			BytesRead: 1000},
		Codes:      map[int]int64{200: 80, 204: 10, 404: 4},
		Errors:     map[string]int64{"wrong": 4, "timeout": 5, "in-flight": 1, "dropped": 3, "connect-refused": 2},
		Instrument: dyno.LoadInstrument{BusyShare: 0.95},
		Options:    dyno.LoadOptions{Arrivals: dyno.Poisson},
	}
	for name, c := range map[string][2]int64{
		"due": {r.Due(), 110}, "failed": {r.Failed(), 13}, "faults": {r.Faults(), 15}, "replies": {r.Replies(), 94},
		"2xx": {r.Class(2), 90}, "4xx": {r.Class(4), 4}, "5xx": {r.Class(5), 0},
		"rate": {int64(r.RatePerS()), 40}, "bytes": {int64(r.BytesReadPerS()), 500},
	} {
		if c[0] != c[1] {
			t.Errorf("%s: %d, want %d", name, c[0], c[1])
		}
	}
	if !r.ClientBound() || !r.OpenLoop() {
		t.Error("neither client-bound nor an open loop")
	}
}
