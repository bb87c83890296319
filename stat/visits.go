package stat

import (
	"math"

	"dyno"
	"dyno/hist"
)

// visitMeasures are what subjects are compared by where virtual users are the load, who set the rate themselves.
// Each is a family of its own, as in a contrast: the first is what most people ask for, and ranks.
var visitMeasures = []dyno.Measure{dyno.P95Time, dyno.P99Time, dyno.SessionTime, dyno.CPUCost}

// measured is one measure of a square on its way to a verdict.
type measured struct {
	measure dyno.Measure
	tests   []*test
}

// compareVisits tests every pair of subjects by every measure of visits. The null server is as slow as the users are,
// so a client that was always busy is all that limits a figure.
func (s *square) compareVisits(by rule) {
	for i := range s.rows {
		s.rows[i].ClientBound = s.rows[i].BusyShare >= ClientBusyMax
	}
	for _, m := range visitMeasures {
		all := measured{measure: m}
		for i, a := range s.rows {
			for _, b := range s.rows[i+1:] {
				if a.RatePerS.N == 0 || b.RatePerS.N == 0 {
					continue
				}
				t := by.newCPUTest(a.Subject, b.Subject, s.ratiosOf(m, b.Subject, a.Subject))
				t.ofCPU = m == dyno.CPUCost
				all.tests = append(all.tests, t)
			}
		}
		correct(all.tests)
		s.byMeasure = append(s.byMeasure, all)
	}
}

// ratiosOf returns the log of a measure of subject x over that of y, block by block.
func (s *square) ratiosOf(m dyno.Measure, x, y string) map[int]float64 {
	logs := map[int]float64{}
	for block, trial := range s.valid[x] {
		other, ok := s.valid[y][block]
		if !ok {
			continue
		}
		if pair := (place{trials: []*dyno.Trial{trial, other}}); !pair.tells(quantileOf(m)) {
			continue
		}
		if a, b := measureOf(m, trial), measureOf(m, other); a > 0 && b > 0 {
			logs[block] = math.Log(a / b)
		}
	}
	return logs
}

// visitVerdict adds what the measures say to the verdict of a cell.
func (s *square) visitVerdict(c *dyno.CellVerdict) {
	for _, m := range s.byMeasure {
		v := dyno.MeasureVerdict{Measure: m.measure, Comparisons: concludeAll(m.tests, len(m.tests))}
		v.Winner, v.Outcome = crown(c.Rows, v.Comparisons)
		c.ByMeasure = append(c.ByMeasure, v)
	}
	first := c.ByMeasure[0]
	c.Winner, c.Outcome, c.RankedBy = first.Winner, first.Outcome, dyno.ByTime
	for i := range c.Rows {
		if c.Rows[i].RatePerS.N > 0 {
			c.Rows[i].Rank = rank(first.Comparisons, c.Rows[i].Subject)
		}
	}
}

// newVisitRow returns how users fared, nil when nobody was let in. trials are valid ones.
func (by rule) newVisitRow(trials []*dyno.Trial) *dyno.VisitRow {
	row := &dyno.VisitRow{}
	first, response, session := hist.New(), hist.New(), hist.New()
	var latencies []*hist.Histogram
	var requestsPerS, sessionNs []float64
	for _, t := range trials {
		if t.Visits.Created == 0 || t.FirstByte == nil || t.Latency == nil || t.Session == nil {
			continue
		}
		row.Sum = row.Sum.Plus(t.Visits)
		first.Merge(t.FirstByte)
		response.Merge(t.Latency)
		session.Merge(t.Session)
		latencies = append(latencies, t.Latency)
		requestsPerS = append(requestsPerS, ratePerS(t))
		sessionNs = append(sessionNs, t.Session.MeanNs())
	}
	if row.Sum.Created == 0 {
		return nil
	}
	row.RequestsPerS, row.SessionNs, row.P95Ns = by.estimate(requestsPerS), by.estimate(sessionNs), by.quantile(latencies, 0.95)
	row.FirstByteSeenNs, row.ResponseSeenNs, row.SessionSeenNs = shapeOf(first), shapeOf(response), shapeOf(session)
	return row
}

// shapeOf describes a histogram.
func shapeOf(h *hist.Histogram) dyno.Distribution {
	if h.Count() == 0 {
		return dyno.Distribution{}
	}
	at := func(q float64) float64 { return float64(h.QuantileNs(q)) }
	return dyno.Distribution{
		Min: float64(h.MinNs()), P1: at(0.01), P2_5: at(0.025), P50: at(0.5), P95: at(0.95), P97_5: at(0.975), P99: at(0.99),
		Max: float64(h.MaxNs()), Mean: h.MeanNs(), SD: h.StdevNs(),
	}
}
