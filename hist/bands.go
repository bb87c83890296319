package hist

import (
	"encoding/binary"
	"errors"
	"math/bits"
)

// Bands is a histogram in bands of an eighth of an octave, 6 to 12 % wide: too coarse for a quantile that anybody
// would publish, and small enough to be kept for every slice of a run. The zero value is empty.
type Bands struct {
	First  int     // the lowest band with a value
	Counts []int64 // values in that band and those above it; neither end is 0
}

const (
	bandLog  = 3 // eight bands to an octave; below 16 ns each value has its own
	bandsMax = 272
)

// Bands returns the histogram in bands. It is exact in that no value crosses the end of a band.
func (h *Histogram) Bands() Bands {
	if h.total == 0 {
		return Bands{}
	}
	first, last := band(h.minNs), band(h.maxNs)
	b := Bands{First: first, Counts: make([]int64, last-first+1)}
	for i := slot(h.minNs); i <= slot(h.maxNs); i++ {
		if h.counts[i] != 0 {
			lowNs, _ := span(i)
			b.Counts[band(lowNs)-first] += h.counts[i]
		}
	}
	return b
}

func band(ns int64) int {
	shift := bits.Len64(uint64(ns)|(1<<(bandLog+1)-1)) - bandLog - 1
	return shift<<bandLog + int(ns>>shift)
}

// BandNs returns the lowest value of a band in ns. That of the next one is where it ends.
func BandNs(i int) int64 {
	shift := max(i>>bandLog-1, 0)
	return int64(i-shift<<bandLog) << shift
}

// Count returns how many values there are.
func (b Bands) Count() int64 {
	var n int64
	for _, c := range b.Counts {
		n += c
	}
	return n
}

// Encode returns the bands as variable-length integers: the first band, then the counts. It is nil when they are empty.
func (b Bands) Encode() []byte {
	if len(b.Counts) == 0 {
		return nil
	}
	out := binary.AppendUvarint(nil, uint64(b.First))
	for _, c := range b.Counts {
		out = binary.AppendUvarint(out, uint64(c))
	}
	return out
}

var errBands = errors.New("decode bands: not what was encoded")

// DecodeBands reads what Encode wrote.
func DecodeBands(in []byte) (Bands, error) {
	var b Bands
	for at := 0; len(in) > 0; at++ {
		x, n := binary.Uvarint(in)
		if n <= 0 || x > 1<<48 || at > 0 && b.First+at > bandsMax || at == 0 && x >= bandsMax {
			return Bands{}, errBands
		}
		in = in[n:]
		if at == 0 {
			b.First = int(x)
			continue
		}
		b.Counts = append(b.Counts, int64(x))
	}
	if n := len(b.Counts); n == 0 && b.First != 0 || n > 0 && (b.Counts[0] == 0 || b.Counts[n-1] == 0) {
		return Bands{}, errBands
	}
	return b, nil
}
