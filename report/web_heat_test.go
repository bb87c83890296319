package report

import (
	"math"
	"slices"
	"strings"
	"testing"

	"dyno"
	"dyno/hist"
	"dyno/stat"
)

// slow makes the latencies of n replies of a slice, all about so long.
func slow(aboutNs int64, n int) hist.Bands {
	h := hist.New()
	for i := range n {
		h.Record(aboutNs + int64(i))
	}
	return h.Bands()
}

func TestColumnsOfAHeatMapAreShares(t *testing.T) {
	for name, c := range map[string]struct{ rounds, joined int }{"a column a slice": {16, 1}, "slices joined": {300, 4}} {
		s := measure(cells([]int{8}, seedLoads[0]), 2, 0, denoServer, bunServer)
		for i := range s.trials {
			own := make([]dyno.Slice, c.rounds)
			for round := range own {
				own[round] = dyno.Slice{Round: round, DurationNs: 1e8, Replies: 10, Latency: slow(int64(1000<<(round%12)), 10)}
			}
			s.trials[i].Slices = own
		}
		s.trials[0].Slices[0].Latency = hist.Bands{} // nobody kept it
		e := stat.Gather(s.run, s.trials)
		m := newHeatMap(e, s.run.Suite.Cells[0], s.run.Suite.Subjects)
		edges := m.edges()
		if m.joined != c.joined || m.blocks*m.rounds > heatColumnsMax || m.bands > heatBandsMax || !slices.IsSorted(edges) || edges[0] > 1000 || edges[m.bands] < 1000<<11 {
			t.Errorf("%s: %+v, edges %v", name, m, edges)
		}
		for _, own := range e.Cells[0].Subjects {
			for i, column := range m.columns(own) {
				sum := 0.0
				for _, share := range column {
					sum += share
				}
				if unknown := own.Subject == "framed-deno" && i == 0 && c.joined == 1; unknown != (column == nil) || !unknown && math.Abs(sum-1) > 1e-9 {
					t.Errorf("%s: %s, column %d holds %g of its replies", name, own.Subject, i, sum)
				}
			}
		}
	}
}

// TestOldRunsHaveNoHeatMap: before slices kept their latencies, there is nothing to draw.
func TestOldRunsHaveNoHeatMap(t *testing.T) {
	s := scenes()["one-load"]
	for i := range s.trials {
		for j := range s.trials[i].Slices {
			s.trials[i].Slices[j].Latency = hist.Bands{}
		}
	}
	if strings.Contains(pageOf(t, s), "Service times over time") {
		t.Error("a heat map of nothing")
	}
}
