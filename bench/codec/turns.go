package main

import "time"

// op is one operation of one side.
type op struct {
	name string
	run  func(n int)   // does the operation n times, over many different inputs
	sum  func() uint64 // a checksum of what it makes of fixed inputs, which must be that of the other side; nil for ceilings
}

// timing is what one operation took in one process: the fastest slice, which is what it costs when nothing
// else runs. The median slice would say more of what a side's garbage costs, and on a busy machine mostly
// how busy that is; mpacket makes the least garbage, so it forgoes more than its peers do.
type timing struct {
	BestNs float64 `json:"best_ns"`
	Sum    uint64  `json:"sum,string"`
}

// pace is how long operations are timed.
type pace struct {
	slices int
	slice  time.Duration
}

// takeTurns times operations in slices, one slice of each a round, so that what disturbs the machine
// for a while disturbs all of them.
func takeTurns(ops []op, p pace) map[string]timing {
	perSlice := make([]int, len(ops))
	for i, o := range ops {
		perSlice[i] = calibrate(o.run, p.slice)
	}
	bestNs := make([]float64, len(ops))
	for slice := range p.slices {
		for i, o := range ops {
			start := time.Now()
			o.run(perSlice[i])
			ns := float64(time.Since(start).Nanoseconds()) / float64(perSlice[i])
			if slice == 0 || ns < bestNs[i] {
				bestNs[i] = ns
			}
		}
	}
	timings := make(map[string]timing, len(ops))
	for i, o := range ops {
		t := timing{BestNs: bestNs[i]}
		if o.sum != nil {
			t.Sum = o.sum()
		}
		timings[o.name] = t
	}
	return timings
}

// calibrate returns how many operations take about one slice.
func calibrate(run func(n int), slice time.Duration) int {
	for n := 64; ; n *= 2 {
		start := time.Now()
		run(n)
		if took := time.Since(start); took >= slice/2 {
			return max(1, int(float64(n)*float64(slice)/float64(took)))
		}
	}
}

// cursor hands out a list of inputs in parts, over and over.
type cursor struct{ at int }

// each calls f with parts of at most perPart inputs, n in all.
func (c *cursor) each(n, total, perPart int, f func(at, count int)) {
	for n > 0 {
		count := min(n, perPart, total-c.at)
		f(c.at, count)
		n -= count
		c.at = (c.at + count) % total
	}
}
