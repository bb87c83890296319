package stat

import (
	"math"
	"strings"

	"dyno"
)

// besideCopies tells each row whose operations move bytes what share it reaches of what copying them does,
// paired by block: what the machine did meanwhile cancels out.
func (by rule) besideCopies(squares []*square) {
	type place struct {
		workload string
		load     dyno.Load
	}
	byName := map[place]*square{}
	for _, s := range squares {
		byName[place{s.cell.Workload.Name, s.cell.Load}] = s
	}
	for _, s := range squares {
		ceiling := byName[place{s.cell.Workload.CopyName(), s.cell.Load}]
		if ceiling == nil || ceiling == s {
			continue
		}
		for _, r := range s.rows {
			if r.Work != nil {
				r.Work.OfCopy = by.fit(inOrder(byteRatios(s.valid[r.Subject], ceiling.valid[r.Subject])), 0).ratio()
			}
		}
	}
}

// copies reports whether the cell only copies bytes.
func copies(s *square) bool { return strings.HasPrefix(s.cell.Workload.Name, dyno.CopyPrefix) }

// byteRatios returns the log of the bytes per second of xs over those of ys, block by block.
func byteRatios(xs, ys map[int]*dyno.Trial) map[int]float64 {
	logs := map[int]float64{}
	for block, x := range xs {
		y, ok := ys[block]
		if !ok {
			continue
		}
		if ratio := bytesPerS(x.Work) / bytesPerS(y.Work); ratio > 0 && !math.IsInf(ratio, 1) {
			logs[block] = math.Log(ratio)
		}
	}
	return logs
}

// bytesPerS returns how many bytes a trial's operations moved in a second of its subject's clock.
func bytesPerS(w dyno.Work) float64 { return float64(w.Bytes) * 1e9 / float64(max(w.DurationNs, 1)) }
