package mpacket

import (
	"encoding/binary"
	"slices"
)

// BitSet is a set of small numbers: bit i%64 of word i/64 says whether i is in it.
type BitSet []uint64

// Has reports whether i is in the set. Numbers past its end are not, nor are negative ones.
func (s BitSet) Has(i int) bool {
	return i >= 0 && i/64 < len(s) && s[i/64]&(1<<(i%64)) != 0
}

// With returns the set with i (0 or more) added, extended where it must be.
func (s BitSet) With(i int) BitSet {
	if missing := i/64 + 1 - len(s); missing > 0 {
		s = append(s, make(BitSet, missing)...)
	}
	s[i/64] |= 1 << (i % 64)
	return s
}

// AppendBitSet appends the number of words as a VarInt, then the words, big endian.
func AppendBitSet(b []byte, s BitSet) []byte {
	b = AppendVarInt(b, int32(len(s)))
	for _, word := range s {
		b = binary.BigEndian.AppendUint64(b, word)
	}
	return b
}

// ConsumeBitSet reads a set of at most limitWords words into the memory of dst, which may be nil.
// n is 0 when b is too short, else -ErrTooLong, -ErrNegative or -ErrOverLimit when the count is bad.
// Nothing is allocated for words that have not come.
func ConsumeBitSet(b []byte, dst BitSet, limitWords int) (s BitSet, n int) {
	count, n := consumeLen(b, limitWords)
	if n <= 0 {
		return nil, n
	}
	if (len(b)-n)/8 < count {
		return nil, 0
	}
	s = slices.Grow(dst[:0], count)[:count]
	for i := range s {
		s[i] = binary.BigEndian.Uint64(b[n:])
		n += 8
	}
	return s, n
}
