package mpacket

import (
	"encoding/binary"
	"math/bits"
)

// MaxVarIntLen is the longest encoding of a VarInt in bytes.
const MaxVarIntLen = 5

// varintStops has the top bit of each byte that a VarInt can end in.
const varintStops = 0x80_80_80_80_80

// AppendVarInt appends the minimal encoding of v (1 to 5 bytes) to b.
func AppendVarInt(b []byte, v int32) []byte {
	if uint32(v) < 0x80 {
		return append(b, byte(v))
	}
	return appendLongVarInt(b, uint32(v))
}

// varintShapes gives, for a number of significant bits, how many bytes its VarInt takes and the
// continuation bits of all but the last of them.
var varintShapes = func() (shapes [33]struct {
	more uint64
	n    int
}) {
	for significant := range shapes {
		n := max(1, (significant+6)/7)
		shapes[significant].n = n
		shapes[significant].more = varintStops & (1<<(8*(n-1)) - 1)
	}
	return shapes
}()

// appendLongVarInt appends a VarInt of 2 to 5 bytes without a branch on its length, which no branch
// predictor can guess for mixed values. Three stores that overlap cover every length exactly: one
// eight-byte store would be faster still, but it would clobber spare capacity that append leaves alone.
func appendLongVarInt(b []byte, u uint32) []byte {
	shape := &varintShapes[bits.Len32(u)]
	n, start := shape.n, len(b)
	if cap(b)-start < n {
		b = append(b, make([]byte, n)...)
	}
	b = b[:start+n]
	x := spread7(u) | shape.more
	binary.LittleEndian.PutUint16(b[start:], uint16(x))
	b[start+n>>1] = byte(x >> (8 * (n >> 1) & 63))
	binary.LittleEndian.PutUint16(b[start+n-2:], uint16(x>>(8*(n-2)&63)))
	return b
}

// spread7 puts each group of seven bits of u into a byte of its own, lowest first.
func spread7(u uint32) uint64 {
	x := uint64(u)
	return x&0x7f | x&0x3f80<<1 | x&0x1f_c000<<2 | x&0xfe0_0000<<3 | x&0xf000_0000<<4
}

// gather7 is the inverse of spread7: it drops the top bit of each byte and all bits that do not fit.
func gather7(x uint64) uint32 {
	return uint32(x&0x7f | x>>1&0x3f80 | x>>2&0x1f_c000 | x>>3&0xfe0_0000 | x>>4&0xf000_0000)
}

// ConsumeVarInt reads a VarInt from the start of b. It returns the value and the bytes read, which
// exceed the minimal length when the encoding is padded. Bits of a fifth byte that do not fit are
// dropped. n is 0 when b ends inside the VarInt and -ErrTooLong (-1) when it runs on past five bytes.
func ConsumeVarInt(b []byte) (v int32, n int) {
	// The loop runs once at most. It stands for len(b) > 0, and the return is bare, because with
	// either written out this function would be just too large to be inlined, and a call costs more
	// than reading one byte. A test holds the compiler to it.
	for range b {
		v, n = int32(b[0]), 1
		if v > 0x7f {
			v, n = consumeLongVarInt(b)
		}
		//lint:ignore SA4004 the loop is an if, as said above
		break
	}
	return
}

// consumeLongVarInt reads a VarInt of any length, without a branch on it where eight bytes can be
// loaded. The value is masked by the place of the stop, not by stops-1, so that the compiler looks for
// that place first: the next VarInt waits for it, and nothing for the value.
func consumeLongVarInt(b []byte) (v int32, n int) {
	if len(b) < 8 {
		return consumeVarIntTail(b)
	}
	x := binary.LittleEndian.Uint64(b)
	stops := ^x & varintStops
	if stops == 0 {
		return 0, -int(ErrTooLong)
	}
	stop := bits.TrailingZeros64(stops)
	return int32(gather7(x & (1<<(stop&63) - 1))), 1 + stop>>3
}

// consumeVarIntTail reads a VarInt near the end of the input.
func consumeVarIntTail(b []byte) (v int32, n int) {
	var u uint32
	for i, c := range b[:min(len(b), MaxVarIntLen)] {
		u |= uint32(c&0x7f) << (7 * i)
		if c < 0x80 {
			return int32(u), i + 1
		}
	}
	if len(b) >= MaxVarIntLen {
		return 0, -int(ErrTooLong)
	}
	return 0, 0
}

// ConsumeVarIntStrict is ConsumeVarInt for callers who accept one encoding a value only: n is also
// -ErrPadded or -ErrExtraBits.
func ConsumeVarIntStrict(b []byte) (v int32, n int) {
	v, n = ConsumeVarInt(b)
	switch {
	case n > 1 && b[n-1] == 0:
		return 0, -int(ErrPadded)
	case n == MaxVarIntLen && b[n-1] > 0x0f:
		return 0, -int(ErrExtraBits)
	}
	return v, n
}

// SizeVarInt returns the length in bytes of the minimal encoding of v (1 to 5).
func SizeVarInt(v int32) int { return varintShapes[bits.Len32(uint32(v))].n }
