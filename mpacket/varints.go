package mpacket

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// AppendVarInts is AppendArray(b, values, AppendVarInt) without a call a value.
func AppendVarInts(b []byte, values []int32) []byte {
	b = AppendVarInt(b, int32(len(values)))
	for _, v := range values {
		b = AppendVarInt(b, v)
	}
	return b
}

// ConsumeVarInts is ConsumeArray(b, dst, limit, ConsumeVarInt), and faster: the place in b stays in a
// register, and no branch depends on the lengths of the values.
func ConsumeVarInts(b []byte, dst []int32, limit int) (values []int32, n int) {
	count, n := consumeLen(b, limit)
	if n <= 0 {
		return nil, n
	}
	if count > len(b)-n {
		return nil, 0
	}
	values = slices.Grow(dst[:0], count)[:count]
	done, n := consumeWords(b, n, values)
	for i := done; i < count; i++ {
		v, size := ConsumeVarInt(b[n:])
		if size <= 0 {
			return nil, size
		}
		values[i] = v
		n += size
	}
	return values, n
}

// consumeWords reads VarInts from b[n:] while eight bytes can be loaded and all is well. It returns how
// many it read and where the next one starts.
func consumeWords(b []byte, n int, values []int32) (done, end int) {
	for i := range values {
		if n+8 > len(b) {
			return i, n
		}
		x := binary.LittleEndian.Uint64(b[n : n+8 : n+8])
		stops := ^x & varintStops
		if stops == 0 {
			return i, n
		}
		stop := bits.TrailingZeros64(stops)
		values[i] = int32(gather7(x & (1<<(stop&63) - 1)))
		n += 1 + stop>>3
	}
	return len(values), n
}

// ReadVarInts reads an array of at most limit VarInts into the memory of dst, which may be nil. It is
// ReadArray with ReadVarInt, and faster. After a failure it returns nil.
func (r *Reader) ReadVarInts(dst []int32, limit int) []int32 {
	if r.Strict {
		return ReadArray(r, dst, limit, (*Reader).ReadVarInt)
	}
	values, n := ConsumeVarInts(r.rest(), dst, limit)
	if !r.advance(n, "array of VarInts") {
		return nil
	}
	return values
}

// WriteVarInts appends the number of values, then each as a VarInt.
func (w *Writer) WriteVarInts(values []int32) { w.buf = AppendVarInts(w.buf, values) }
