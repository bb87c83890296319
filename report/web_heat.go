package report

import (
	"fmt"

	"dyno"
	"dyno/hist"
	"dyno/report/html"
	"dyno/report/internal/chart"
	"dyno/report/internal/typeset"
)

const (
	heatBandsMax   = 30  // bands of a heat map, which has a few pixels for each
	heatColumnsMax = 160 // and columns
)

// overTime shows how the service times went: what share of each slice's replies took how long.
func (p web) overTime(c dyno.CellVerdict) (html.Figure, bool) {
	subjects, drawn := p.lineUp(c.Cell.Load)
	m := newHeatMap(p.evidence, c.Cell, subjects[:drawn])
	if m.rounds == 0 {
		return html.Figure{}, false
	}
	var panels []chart.Panel
	for _, s := range subjects[:drawn] {
		if own, ok := p.evidence.Find(c.Cell, s); ok {
			panels = append(panels, chart.Panel{Name: p.title(s), Columns: m.columns(own)})
		}
	}
	var breaks []int
	for b := 1; b < m.blocks; b++ {
		breaks = append(breaks, b*m.rounds)
	}
	axis := typeset.Counted(m.blocks, "block") + " of " + typeset.Counted(m.rounds, "slice") + ", in time"
	if m.joined > 1 {
		axis = fmt.Sprintf("%s of %s, in time; a column is %d of them", typeset.Counted(m.blocks, "block"), typeset.Counted(m.rounds*m.joined, "slice"), m.joined)
	}
	return html.Figure{
		Title: c.Cell.String(),
		SVG:   chart.Heat("service times of every slice by subject, "+c.Cell.String(), axis, "share of a column's replies, at least", panels, m.edges(), axisTime, breaks),
		Note:  "One column is one slice: what share of its replies took how long. Service time in a closed loop, upwards by factors; what holds nothing is blank." + p.leftOut(c.Cell.Load),
		Table: webTable(p.byBlock(c.Cell, subjects, m.blocks)),
	}, true
}

// byBlock is the table behind a heat map: quantiles of each process.
func (p web) byBlock(cell dyno.Cell, subjects []string, blocks int) *table {
	t := &table{columns: []column{left("Subject"), left("µs")}}
	for b := range blocks {
		t.columns = append(t.columns, right(fmt.Sprintf("block %d", b+1)))
	}
	for _, s := range subjects {
		own, ok := p.evidence.Find(cell, s)
		if !ok {
			continue
		}
		for _, q := range []struct {
			name string
			ns   func(dyno.TrialFigures) int64
		}{
			{"p50", func(x dyno.TrialFigures) int64 { return x.P50Ns }},
			{"p99", func(x dyno.TrialFigures) int64 { return x.P99Ns }},
			{"max", func(x dyno.TrialFigures) int64 { return x.MaxNs }},
		} {
			line := make([]string, blocks)
			for b := range line {
				line[b] = absent
			}
			for _, x := range own.Trials {
				if x.Void == "" {
					line[x.Block] = quantileText(q.ns(x))
				}
			}
			t.add(append([]string{p.title(s), q.name}, line...)...)
		}
	}
	return t
}

// heatMap is what the heat maps of one cell have in common.
type heatMap struct {
	blocks, rounds int // columns of a block; 0 when no slice kept its latencies
	joined         int // slices in a column
	first, bands   int // lowest band of any slice, and how many there are
	grouped        int // bands of a slice that make one of the map
}

func newHeatMap(e dyno.Evidence, cell dyno.Cell, subjects []string) heatMap {
	m := heatMap{first: -1}
	last := 0
	for _, s := range subjects {
		own, _ := e.Find(cell, s)
		for _, t := range own.Trials {
			m.blocks = max(m.blocks, t.Block+1)
			for _, x := range t.Slices {
				n := len(x.Latency.Counts)
				if n == 0 {
					continue
				}
				if m.first < 0 || x.Latency.First < m.first {
					m.first = x.Latency.First
				}
				last = max(last, x.Latency.First+n)
				m.rounds = max(m.rounds, len(t.Slices))
			}
		}
	}
	if m.rounds == 0 {
		return heatMap{}
	}
	m.joined = (m.blocks*m.rounds + heatColumnsMax - 1) / heatColumnsMax
	m.rounds = (m.rounds + m.joined - 1) / m.joined
	m.grouped = 1
	for (last-m.first)/m.grouped+1 > heatBandsMax {
		m.grouped *= 2
	}
	m.first -= m.first % m.grouped
	m.bands = (last - m.first + m.grouped - 1) / m.grouped
	return m
}

// columns returns what share of the replies of each column took how long.
func (m heatMap) columns(own dyno.SubjectEvidence) [][]float64 {
	all := make([][]float64, m.blocks*m.rounds)
	for _, t := range own.Trials {
		counts := make([]int64, m.rounds)
		for i, s := range t.Slices {
			at := i / m.joined
			if n := s.Latency.Count(); n > 0 {
				m.add(&all[t.Block*m.rounds+at], s.Latency)
				counts[at] += n
			}
		}
		for i, n := range counts {
			for band := range all[t.Block*m.rounds+i] {
				all[t.Block*m.rounds+i][band] /= float64(n)
			}
		}
	}
	return all
}

func (m heatMap) add(column *[]float64, b hist.Bands) {
	if *column == nil {
		*column = make([]float64, m.bands)
	}
	for i, n := range b.Counts {
		(*column)[(b.First+i-m.first)/m.grouped] += float64(n)
	}
}

// edges returns where the bands of the map end, in ns.
func (m heatMap) edges() []float64 {
	var all []float64
	for i := range m.bands + 1 {
		all = append(all, float64(hist.BandNs(m.first+i*m.grouped)))
	}
	return all
}
