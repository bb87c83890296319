// Package hist is a fixed-size latency histogram. It has the layout of an HDR histogram with three
// significant digits from 1 ns to 60 s, so that recording is one shift and one increment, merging
// is exact, and the encoded form is what every HDR tool reads.
//
// It never allocates after New, and it is not safe for use by several goroutines.
package hist

import (
	"fmt"
	"math"
	"math/bits"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

const (
	// HighestNs is the largest value that is kept apart; larger ones are recorded as this one.
	HighestNs = 60_000_000_000

	digits       = 3
	subBuckets   = 2048 // smallest power of two that resolves 3 digits: values below it are exact
	subBucketLog = 11
	halfLog      = subBucketLog - 1
	slots        = 27 << halfLog
)

// Histogram counts values in nanoseconds with a relative error below 0.1 %.
type Histogram struct {
	counts  [slots]int64
	total   int64
	sumNs   float64
	minNs   int64
	maxNs   int64
	clipped int64
}

// New returns an empty histogram (about 221 KB).
func New() *Histogram { return &Histogram{minNs: math.MaxInt64} }

// Record adds one value. Negative values count as 0; values above HighestNs are clipped to it and
// counted by Clipped.
func (h *Histogram) Record(ns int64) {
	if uint64(ns) > HighestNs {
		if ns < 0 {
			ns = 0
		} else {
			ns = HighestNs
			h.clipped++
		}
	}
	h.counts[slot(ns)]++
	h.total++
	h.sumNs += float64(ns)
	if ns < h.minNs {
		h.minNs = ns
	}
	if ns > h.maxNs {
		h.maxNs = ns
	}
}

// slot returns the index of the counter of ns, 0 ≤ ns ≤ HighestNs.
func slot(ns int64) int {
	shift := bits.Len64(uint64(ns)|(subBuckets-1)) - subBucketLog
	return shift<<halfLog + int(ns>>shift)
}

// span returns the lowest and the highest value that share slot i.
func span(i int) (lowNs, highNs int64) {
	shift := max(i>>halfLog-1, 0)
	lowNs = int64(i-shift<<halfLog) << shift
	return lowNs, lowNs + 1<<shift - 1
}

// Merge adds all of other's values.
func (h *Histogram) Merge(other *Histogram) {
	if other.total == 0 {
		return
	}
	for i, c := range other.counts {
		if c != 0 {
			h.counts[i] += c
		}
	}
	h.total += other.total
	h.sumNs += other.sumNs
	h.clipped += other.clipped
	h.minNs = min(h.minNs, other.minNs)
	h.maxNs = max(h.maxNs, other.maxNs)
}

// Reset empties the histogram.
func (h *Histogram) Reset() { *h = Histogram{minNs: math.MaxInt64} }

// Count returns how many values were recorded.
func (h *Histogram) Count() int64 { return h.total }

// Clipped returns how many values lay above HighestNs.
func (h *Histogram) Clipped() int64 { return h.clipped }

// CountAtLeast returns how many values are ns or more, those that share a slot with ns included.
func (h *Histogram) CountAtLeast(ns int64) (n int64) {
	for _, c := range h.counts[slot(min(max(ns, 0), HighestNs)):] {
		n += c
	}
	return n
}

// MeanNs returns the arithmetic mean, 0 when empty.
func (h *Histogram) MeanNs() float64 {
	if h.total == 0 {
		return 0
	}
	return h.sumNs / float64(h.total)
}

// MinNs and MaxNs return the extremes, 0 when empty.
func (h *Histogram) MinNs() int64 {
	if h.total == 0 {
		return 0
	}
	return h.minNs
}

// MaxNs returns the largest value, 0 when empty.
func (h *Histogram) MaxNs() int64 { return h.maxNs }

// StdevNs returns the standard deviation over the recorded values (population form).
func (h *Histogram) StdevNs() float64 {
	if h.total == 0 {
		return 0
	}
	mean := h.MeanNs()
	var sum float64
	for i, c := range h.counts {
		if c != 0 {
			d := middle(i) - mean
			sum += float64(c) * d * d
		}
	}
	return math.Sqrt(sum / float64(h.total))
}

func middle(i int) float64 {
	lowNs, highNs := span(i)
	return float64(lowNs+highNs) / 2
}

// QuantileNs returns the smallest recorded value, to within the resolution, such that a share of
// at least q (0 to 1) of all values is not larger. It is 0 when empty.
func (h *Histogram) QuantileNs(q float64) int64 {
	if h.total == 0 {
		return 0
	}
	rank := int64(math.Ceil(q * float64(h.total)))
	rank = min(max(rank, 1), h.total)
	var seen int64
	for i, c := range h.counts {
		seen += c
		if seen >= rank {
			_, highNs := span(i)
			return min(max(highNs, h.minNs), h.maxNs)
		}
	}
	return h.maxNs
}

// Encode returns the histogram in HDR V2 form (deflated, base64), as every HDR tool reads it.
func (h *Histogram) Encode() ([]byte, error) {
	counts := make([]int64, slots)
	copy(counts, h.counts[:])
	out := hdr.Import(&hdr.Snapshot{
		LowestTrackableValue:  1,
		HighestTrackableValue: HighestNs,
		SignificantFigures:    digits,
		Counts:                counts,
	})
	b, err := out.Encode(hdr.V2CompressedEncodingCookieBase)
	if err != nil {
		return nil, fmt.Errorf("encode histogram: %w", err)
	}
	return b, nil
}

// Decode reads what Encode wrote. Sums and extremes are rebuilt from the slots, so that the mean
// is exact to the histogram's resolution only.
func Decode(b []byte) (*Histogram, error) {
	in, err := hdr.Decode(b)
	if err != nil {
		return nil, fmt.Errorf("decode histogram: %w", err)
	}
	counts := in.Export().Counts
	if len(counts) != slots {
		return nil, fmt.Errorf("decode histogram: %d slots, want %d (3 digits, 1 ns to 60 s)", len(counts), slots)
	}
	h := New()
	for i, c := range counts {
		if c == 0 {
			continue
		}
		lowNs, highNs := span(i)
		h.counts[i] = c
		h.total += c
		h.sumNs += float64(c) * middle(i)
		h.minNs = min(h.minNs, lowNs)
		h.maxNs = max(h.maxNs, highNs)
	}
	return h, nil
}
