package mpacket

import (
	"encoding/binary"
	"math/bits"
)

// MaxVarLongLen is the longest encoding of a VarLong in bytes.
const MaxVarLongLen = 10

// AppendVarLong appends the minimal encoding of v (1 to 10 bytes) to b.
func AppendVarLong(b []byte, v int64) []byte {
	if uint64(v) < 0x80 {
		return append(b, byte(v))
	}
	return binary.AppendUvarint(b, uint64(v))
}

// ConsumeVarLong reads a VarLong from the start of b. It returns the value and the bytes read, which
// exceed the minimal length when the encoding is padded. Bits of a tenth byte that do not fit are
// dropped. n is 0 when b ends inside the VarLong and -ErrTooLong when it runs on past ten bytes.
func ConsumeVarLong(b []byte) (v int64, n int) {
	var u uint64
	for i, c := range b[:min(len(b), MaxVarLongLen)] {
		u |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			return int64(u), i + 1
		}
	}
	if len(b) >= MaxVarLongLen {
		return 0, -int(ErrTooLong)
	}
	return 0, 0
}

// ConsumeVarLongStrict is ConsumeVarLong for callers who accept one encoding a value only: n is also
// -ErrPadded or -ErrExtraBits.
func ConsumeVarLongStrict(b []byte) (v int64, n int) {
	v, n = ConsumeVarLong(b)
	switch {
	case n > 1 && b[n-1] == 0:
		return 0, -int(ErrPadded)
	case n == MaxVarLongLen && b[n-1] > 0x01:
		return 0, -int(ErrExtraBits)
	}
	return v, n
}

// SizeVarLong returns the length in bytes of the minimal encoding of v (1 to 10).
func SizeVarLong(v int64) int { return max(1, (bits.Len64(uint64(v))+6)/7) }
