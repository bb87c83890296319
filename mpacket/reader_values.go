package mpacket

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
)

// ReadBool reads one byte. Every byte but 0 is true; when strict, 2 and more fail with ErrBadBool.
func (r *Reader) ReadBool() bool {
	v := r.ReadUint8()
	if v > 1 && r.Strict {
		r.off--
		r.fail(ErrBadBool, "bool")
		return false
	}
	return v != 0
}

// ReadVarInt reads a VarInt.
func (r *Reader) ReadVarInt() int32 {
	if at := uint(r.off); at < uint(len(r.buf)) && r.buf[at] < 0x80 {
		r.off++
		return int32(r.buf[at])
	}
	return r.readLongVarInt()
}

// readLongVarInt does what consumeLongVarInt does, on the reader's own offset.
func (r *Reader) readLongVarInt() int32 {
	if at := r.off; uint(at)+8 <= uint(len(r.buf)) {
		x := binary.LittleEndian.Uint64(r.buf[at : at+8 : at+8])
		if stops := ^x & varintStops; stops != 0 && !r.Strict {
			stop := bits.TrailingZeros64(stops)
			r.off = at + 1 + stop>>3
			return int32(gather7(x & (1<<(stop&63) - 1)))
		}
	}
	return r.readVarIntTail()
}

// readVarIntTail reads what is left to do: a VarInt near the end of the packet, or a bad one, or any
// when strict.
func (r *Reader) readVarIntTail() int32 {
	v, n := ConsumeVarInt(r.rest())
	if r.Strict {
		v, n = ConsumeVarIntStrict(r.rest())
	}
	if !r.advance(n, "VarInt") {
		return 0
	}
	return v
}

// ReadVarLong reads a VarLong.
func (r *Reader) ReadVarLong() int64 {
	v, n := ConsumeVarLong(r.rest())
	if r.Strict {
		v, n = ConsumeVarLongStrict(r.rest())
	}
	if !r.advance(n, "VarLong") {
		return 0
	}
	return v
}

// ReadString reads a string of at most MaxStringUnits UTF-16 code units.
func (r *Reader) ReadString() string { return string(r.ReadStringView(MaxStringUnits)) }

// ReadStringMax reads a string of at most limitUnits UTF-16 code units.
func (r *Reader) ReadStringMax(limitUnits int) string { return string(r.ReadStringView(limitUnits)) }

// ReadStringView reads a string of at most limitUnits UTF-16 code units as a view of valid UTF-8.
func (r *Reader) ReadStringView(limitUnits int) []byte {
	if !r.prefixOK("string") {
		return nil
	}
	text, n := ConsumeStringView(r.rest(), limitUnits)
	if !r.advance(n, "string") {
		return nil
	}
	return text
}

// ReadStringLossy reads a string of at most limitUnits UTF-16 code units; what is not valid UTF-8
// becomes U+FFFD.
func (r *Reader) ReadStringLossy(limitUnits int) string {
	if !r.prefixOK("string") {
		return ""
	}
	s, n := ConsumeStringLossy(r.rest(), limitUnits)
	if !r.advance(n, "string") {
		return ""
	}
	return s
}

// ReadIdentifier reads an identifier in the form in which it was sent.
func (r *Reader) ReadIdentifier() string {
	if !r.prefixOK("identifier") {
		return ""
	}
	s, n := ConsumeIdentifier(r.rest())
	if !r.advance(n, "identifier") {
		return ""
	}
	return s
}

// ReadBytes reads length-prefixed bytes as a view.
func (r *Reader) ReadBytes() []byte { return r.ReadBytesMax(math.MaxInt32) }

// ReadBytesMax reads at most limit length-prefixed bytes as a view.
func (r *Reader) ReadBytesMax(limit int) []byte {
	if !r.prefixOK("bytes") {
		return nil
	}
	v, n := ConsumeBytes(r.rest(), limit)
	if !r.advance(n, "bytes") {
		return nil
	}
	return v
}

// ReadBytesCopy reads length-prefixed bytes into memory of their own. A failed read returns nil.
func (r *Reader) ReadBytesCopy() []byte { return bytes.Clone(r.ReadBytes()) }

// ReadRaw reads n bytes that have no length prefix, as a view. A negative n fails with ErrNegative.
func (r *Reader) ReadRaw(n int) []byte {
	switch {
	case n < 0:
		r.fail(ErrNegative, "raw bytes")
	case n > len(r.buf): // take must not see an n so large that its sum runs over
		r.fail(ErrShort, "raw bytes")
	default:
		return r.take(n)
	}
	return nil
}

// ReadUUID reads 16 bytes as a UUID.
func (r *Reader) ReadUUID() (v UUID) {
	copy(v[:], r.take(len(v)))
	return v
}

// ReadPosition reads 8 bytes as a Position.
func (r *Reader) ReadPosition() Position { return unpackPosition(r.ReadUint64()) }

// ReadBitSet reads a set of at most limitWords words into the memory of dst, which may be nil.
func (r *Reader) ReadBitSet(dst BitSet, limitWords int) BitSet {
	if !r.prefixOK("bit set") {
		return nil
	}
	s, n := ConsumeBitSet(r.rest(), dst, limitWords)
	if !r.advance(n, "bit set") {
		return nil
	}
	return s
}

// ReadNBTView checks an NBT value and returns it undecoded, as a view. A text component is one in
// network form.
func (r *Reader) ReadNBTView(form NBTForm) []byte { return r.take(r.checkNBT(form)) }

// ReadNBT reads an NBT value.
func (r *Reader) ReadNBT(form NBTForm) NBT {
	v, n := ConsumeNBT(r.rest(), form)
	if !r.advance(n, "NBT") {
		return NBT{}
	}
	return v
}

// checkNBT returns the length of the NBT value that comes next, or fails and returns 0.
func (r *Reader) checkNBT(form NBTForm) int {
	n := SkipNBT(r.rest(), form)
	if n <= 0 {
		r.fail(Kind(-n), "NBT")
		return 0
	}
	return n
}

// ReadLen reads the VarInt count of an array of at most limit elements of which each takes a byte
// at least: a count above the bytes left fails with ErrShort, before anything is allocated for it.
func (r *Reader) ReadLen(limit int) int {
	if !r.prefixOK("count") {
		return 0
	}
	count, n := consumeLen(r.rest(), limit)
	if n > 0 && count > r.Remaining()-n {
		n = 0
	}
	if !r.advance(n, "count") {
		return 0
	}
	return count
}

// ReadArray reads an array of at most limit values, each with read, and appends them to dst[:0], as in
// ReadArray(r, nil, 100, (*Reader).ReadVarInt). After a failure it returns nil.
func ReadArray[T any](r *Reader, dst []T, limit int, read func(*Reader) T) []T {
	dst = dst[:0]
	for range r.ReadLen(limit) {
		v := read(r)
		if r.off < 0 {
			return nil
		}
		dst = append(dst, v)
	}
	if r.off < 0 {
		return nil
	}
	return dst
}

// ReadOptional reads a bool and, when it is true, a value with read.
func ReadOptional[T any](r *Reader, read func(*Reader) T) (v T, present bool) {
	if !r.ReadBool() {
		return v, false
	}
	v = read(r)
	return v, r.off >= 0
}
