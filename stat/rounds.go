package stat

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"dyno"
)

// centreVariance is the variance of the Hodges–Lehmann estimate of n normal values, times n ÷ theirs.
const centreVariance = math.Pi / 3

// RoundsFor returns how many rounds a block takes until the log ratio of two of its trials, which share their rounds, is
// known with this standard error, by how the quiet rounds scatter that there are: by the root mean square over all pairs
// of trials of the scatter of their log ratios, which is a robust one. It is 0 when there is nothing to go by.
func RoundsFor(trials []*dyno.Trial, wanted float64) int {
	rates := make([]map[int]float64, len(trials))
	for i, t := range trials {
		rates[i] = make(map[int]float64, len(t.Slices))
		for _, s := range t.Slices {
			if s.Flag == "" && s.DurationNs > 0 {
				rates[i][s.Round] = math.Log(max(float64(s.Replies), leastReplies) / float64(s.DurationNs))
			}
		}
	}
	var variance, pairs float64
	var ratios []float64 // of a pair, by round
	for i, a := range rates {
		for _, b := range rates[:i] {
			ratios = ratios[:0]
			for round, x := range a {
				if y, ok := b[round]; ok {
					ratios = append(ratios, x-y)
				}
			}
			if len(ratios) > 1 {
				variance += math.Pow(medianScatter(ratios), 2)
				pairs++
			}
		}
	}
	if pairs == 0 {
		return 0
	}
	return int(math.Ceil(centreVariance * variance / pairs / (wanted * wanted)))
}

// medianScatter is the standard deviation of most values, from their median distance to their median.
func medianScatter(values []float64) float64 {
	middle := median(values)
	distances := make([]float64, len(values))
	for i, x := range values {
		distances[i] = math.Abs(x - middle)
	}
	return median(distances) / distuv.UnitNormal.Quantile(0.75)
}
