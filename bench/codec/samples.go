package main

import "dyno/bench/internal/table"

// samples are the rounds of one item.
type samples []sample

// values returns what one operation took, in ns, a round each.
func (all samples) values(side, name string) []float64 {
	return all.slowest(side, name)
}

// slowest returns what the slowest of some operations took, in ns, a round each.
func (all samples) slowest(side string, names ...string) []float64 {
	var values []float64
	for _, s := range all {
		worst := 0.0
		for _, name := range names {
			worst = max(worst, s[side][name].BestNs)
		}
		values = append(values, worst)
	}
	return values
}

// atMost and atLeast give a row its target.
func atMost(limit float64, row table.Row) table.Row {
	row.Target = &table.Target{AtMost: true, Limit: limit}
	return row
}

func atLeast(limit float64, row table.Row) table.Row {
	row.Target = &table.Target{Limit: limit}
	return row
}

// times is a row: how many times longer the peer takes for an operation than we do.
func (all samples) times(peer, name, label string) table.Row {
	return table.SpreadRow(label, "", table.Ratios(all.values(peer, name), all.values("mpacket", name)))
}

var spreadHeads = [2]string{"median", "min … max"}
