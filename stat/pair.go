package stat

import (
	"maps"
	"math"
	"slices"

	"dyno"
)

// leastReplies stands for a slice without any reply: its rate lies below one reply a slice.
// Leaving the slice out would favour whoever stalled.
const leastReplies = 0.5

// ratios are log rate ratios of two subjects, one for each block in which both could be paired.
type ratios struct {
	byBlock map[int]float64
	// resolution is the standard deviation of a log ratio that counting in whole replies causes.
	// It keeps servers that happen to give identical counts from looking infinitely certain.
	resolution float64
	dropped    int // blocks where flags left fewer than half of the rounds, while most blocks were quiet
}

// inOrder returns the values in block order: sums of floats depend on their order, and the same
// trials must give the same verdict to the last bit.
func inOrder(byBlock map[int]float64) []float64 {
	xs := make([]float64, 0, len(byBlock))
	for _, block := range slices.Sorted(maps.Keys(byBlock)) {
		xs = append(xs, byBlock[block])
	}
	return xs
}

// meanOverCells returns the mean over cells for each block that all of them have.
func meanOverCells(cells []map[int]float64) map[int]float64 {
	means := map[int]float64{}
	for block := range cells[0] {
		var sum float64
		found := 0
		for _, byBlock := range cells {
			if x, ok := byBlock[block]; ok {
				sum += x
				found++
			}
		}
		if found == len(cells) {
			means[block] = sum / float64(found)
		}
	}
	return means
}

// pairBlocks pairs the trials of a with those of b, block by block and round by round. Disturbed rounds are
// left out, and so are blocks that were disturbed for most of their rounds. Where most blocks were, that is
// how this machine is: then all of them count, with all their rounds and the wide interval that they give.
func pairBlocks(a, b map[int]*dyno.Trial) ratios {
	pairs := map[int]roundPairs{}
	disturbed := 0
	for block, trialA := range a {
		trialB, ok := b[block]
		if !ok {
			continue
		}
		if p := pairRounds(trialA.Slices, trialB.Slices); len(p.all) > 0 {
			pairs[block] = p
			if p.disturbed() {
				disturbed++
			}
		}
	}
	r := ratios{byBlock: map[int]float64{}}
	for block, p := range pairs {
		if p.disturbed() && 2*disturbed <= len(pairs) {
			r.dropped++
			continue
		}
		r.resolution = max(r.resolution, math.Sqrt(p.variance/float64(len(p.all))))
		r.byBlock[block] = p.centre()
	}
	return r
}

// LogRatio returns the log of the rate of trial a over that of trial b, as verdicts take it: paired round
// by round, and the robust centre over the rounds: those without a flagged slice, or all where most have one.
// It is false when no round has both.
func LogRatio(a, b *dyno.Trial) (logRatio float64, ok bool) {
	p := pairRounds(a.Slices, b.Slices)
	if len(p.all) == 0 {
		return 0, false
	}
	return p.centre(), true
}

// roundPairs is what the rounds of one block give.
type roundPairs struct {
	all      []float64 // log ratios of the rounds that both subjects were measured in
	quiet    []float64 // those of rounds where neither slice is flagged
	variance float64   // sum over all of the variance that whole replies cause
}

// disturbed reports whether most of the rounds have a flagged slice.
func (p roundPairs) disturbed() bool { return 2*len(p.quiet) < len(p.all) }

// centre is the log ratio of the block.
func (p roundPairs) centre() float64 {
	if p.disturbed() {
		return dyno.Centre(p.all)
	}
	return dyno.Centre(p.quiet)
}

func pairRounds(a, b []dyno.Slice) roundPairs {
	byRound := make(map[int]dyno.Slice, len(b))
	for _, s := range b {
		byRound[s.Round] = s
	}
	var p roundPairs
	for _, sa := range a {
		sb, ok := byRound[sa.Round]
		if !ok || sa.DurationNs <= 0 || sb.DurationNs <= 0 {
			continue
		}
		repliesA := max(float64(sa.Replies), leastReplies)
		repliesB := max(float64(sb.Replies), leastReplies)
		ratio := repliesA / repliesB * (float64(sb.DurationNs) / float64(sa.DurationNs))
		p.all = append(p.all, math.Log(ratio))
		// A flag is set by rules that never look at rates, so leaving it out selects nothing.
		if sa.Flag == "" && sb.Flag == "" {
			p.quiet = append(p.quiet, math.Log(ratio))
		}
		// A value rounded to a whole number has variance 1/12.
		p.variance += (1/(repliesA*repliesA) + 1/(repliesB*repliesB)) / 12
	}
	return p
}

// ratePerS is a valid trial's rate, 0 when nothing was measured.
func ratePerS(t *dyno.Trial) float64 {
	if rate := t.RatePerS(); rate > 0 {
		return rate
	}
	var durationNs int64
	for _, s := range t.Slices {
		durationNs += max(s.DurationNs, 0)
	}
	if durationNs == 0 {
		return 0
	}
	return leastReplies * 1e9 / float64(durationNs)
}
