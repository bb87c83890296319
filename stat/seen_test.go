package stat

import (
	"testing"

	"dyno"
)

func TestSeenByHand(t *testing.T) {
	cell := cellOf(8, oneConnection)
	a, b, void := trialOf(0, cell, "a", 100, 300), trialOf(1, cell, "a", 200, 400), trialOf(2, cell, "a", 9)
	void.Void = "wrong reply"
	for _, trial := range []*dyno.Trial{&a, &b} {
		for i := range trial.Slices {
			trial.Slices[i].BytesRead = 50 * trial.Slices[i].ServerReplies
		}
	}
	s := seenIn([]*dyno.Trial{&a, &b, &void})
	if s.Replies != 1000 || s.BytesRead != 50_000 {
		t.Errorf("got %+v", s)
	}
	if r := s.RatePerS; r.Min != 100 || r.P2_5 != 100 || r.P50 != 200 || r.P97_5 != 400 || r.Max != 400 || r.Mean != 250 || !near(r.SD, 129.0994, 1e-3) {
		t.Errorf("rates %+v", r)
	}
	if s.BytesPerS.P50 != 10_000 || s.LatencyNs.Max != 1e7 || !near(s.LatencyNs.P50, 1e9/300, 1e5) {
		t.Errorf("bytes %+v, latency %+v", s.BytesPerS, s.LatencyNs)
	}
	if got := distributionOf(nil); got != (dyno.Distribution{}) {
		t.Errorf("of nothing: %+v", got)
	}
	if got := distributionOf([]float64{3}); got.SD != 0 || got.Mean != 3 || got.P1 != 3 || got.P99 != 3 {
		t.Errorf("of one: %+v", got)
	}
}
