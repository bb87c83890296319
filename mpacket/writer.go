package mpacket

import (
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
)

// Writer builds packets in a buffer that it reuses. It checks what the Append functions take on
// trust: the first value that does not fit its type sticks as the error, and from then on Bytes
// returns nil, so that no damaged packet is sent. The zero value is ready to use; Reset makes it ready
// for the next packet, so that it can be pooled. A Writer belongs to one goroutine.
type Writer struct {
	buf []byte
	err *Error
}

// NewWriter returns a Writer that writes to the memory of buf, from its start, while that suffices.
func NewWriter(buf []byte) *Writer { return &Writer{buf: buf[:0]} }

// Reset forgets what was written, and the error. The memory stays.
func (w *Writer) Reset() { w.buf, w.err = w.buf[:0], nil }

// Bytes returns what was written, valid until the next write or Reset, or nil after an error.
func (w *Writer) Bytes() []byte {
	if w.err != nil {
		return nil
	}
	return w.buf
}

// Len returns how many bytes were written.
func (w *Writer) Len() int { return len(w.buf) }

// Err returns the first failure as an *Error with the offset at which it would have been written, or nil.
func (w *Writer) Err() error {
	if w.err == nil {
		return nil
	}
	return w.err
}

func (w *Writer) fail(kind Kind, what string) {
	if w.err == nil {
		w.err = &Error{Kind: kind, What: what, Offset: int64(len(w.buf))}
	}
}

// failWith is fail for the error of an Append function that checks.
func (w *Writer) failWith(err error) {
	var e *Error
	if errors.As(err, &e) {
		w.fail(e.Kind, e.What)
	}
}

// result ends a function that appended a packet to dst: it returns the longer slice, or dst itself
// and the error, whose offset then counts from the start of that packet.
func (w *Writer) result(dst []byte) ([]byte, error) {
	if w.err == nil {
		return w.buf, nil
	}
	w.err.Offset -= int64(len(dst))
	return dst, w.err
}

// WriteVarInt appends v in 1 to 5 bytes.
func (w *Writer) WriteVarInt(v int32) {
	if uint32(v) < 0x80 {
		w.buf = append(w.buf, byte(v))
		return
	}
	w.writeLongVarInt(uint32(v))
}

// writeLongVarInt does what appendLongVarInt does, with one store: all the memory is the Writer's own. It
// stays a call so that WriteVarInt can be inlined.
//
//go:noinline
func (w *Writer) writeLongVarInt(u uint32) {
	start := len(w.buf)
	if cap(w.buf)-start < 8 {
		w.buf = appendLongVarInt(w.buf, u)
		return
	}
	shape := &varintShapes[bits.Len32(u)]
	binary.LittleEndian.PutUint64(w.buf[start:start+8:start+8], spread7(u)|shape.more)
	w.buf = w.buf[:start+shape.n]
}

// WriteVarLong appends v in 1 to 10 bytes.
func (w *Writer) WriteVarLong(v int64) { w.buf = AppendVarLong(w.buf, v) }

// WriteString appends s with its length. It must be valid UTF-8 of at most MaxStringUnits UTF-16 code
// units, else ErrBadUTF8 or ErrOverLimit.
func (w *Writer) WriteString(s string) { w.WriteStringMax(s, MaxStringUnits) }

// WriteStringMax is WriteString with another limit.
func (w *Writer) WriteStringMax(s string, limitUnits int) {
	if kind := badText([]byte(s), limitUnits); kind != ErrShort {
		w.fail(kind, "string")
		return
	}
	w.buf = AppendString(w.buf, s)
}

// WriteIdentifier appends s, which must be an identifier, else ErrBadIdentifier.
func (w *Writer) WriteIdentifier(s string) {
	if _, _, ok := SplitIdentifier(s); !ok {
		w.fail(ErrBadIdentifier, "identifier")
		return
	}
	w.WriteString(s)
}

// WriteBytes appends the length of v as a VarInt, then v.
func (w *Writer) WriteBytes(v []byte) {
	if len(v) > math.MaxInt32 {
		w.fail(ErrOverLimit, "bytes")
		return
	}
	w.buf = AppendBytes(w.buf, v)
}

// WriteRaw appends v without a length.
func (w *Writer) WriteRaw(v []byte) { w.buf = append(w.buf, v...) }

// WriteUUID appends 16 bytes.
func (w *Writer) WriteUUID(v UUID) { w.buf = append(w.buf, v[:]...) }

// WritePosition appends 8 bytes. Coordinates that do not fit fail with ErrOutOfRange.
func (w *Writer) WritePosition(v Position) {
	if !v.Fits() {
		w.fail(ErrOutOfRange, "position")
		return
	}
	w.buf = AppendPosition(w.buf, v)
}

// WriteBitSet appends the number of words, then the words.
func (w *Writer) WriteBitSet(v BitSet) { w.buf = AppendBitSet(w.buf, v) }

// WriteNBT appends an NBT value. It fails as AppendNBT does.
func (w *Writer) WriteNBT(form NBTForm, v NBT) {
	buf, err := AppendNBT(w.buf, form, v)
	if err != nil {
		w.failWith(err)
		return
	}
	w.buf = buf
}

// BeginFrame starts a frame whose payload is what is written until EndFrame is called with the mark
// that it returns.
func (w *Writer) BeginFrame() (mark int) {
	w.buf, mark = BeginFrame(w.buf)
	return mark
}

// EndFrame writes the length of the frame. An empty payload fails with ErrEmpty, one longer than
// MaxFrameLen with ErrOverLimit.
func (w *Writer) EndFrame(mark int) {
	buf, err := EndFrame(w.buf, mark)
	if err != nil {
		w.failWith(err)
		return
	}
	w.buf = buf
}

// WriteArray appends the number of values, then each with write, as in
// WriteArray(w, ids, (*Writer).WriteVarInt).
func WriteArray[T any](w *Writer, values []T, write func(*Writer, T)) {
	w.WriteVarInt(int32(len(values)))
	for _, v := range values {
		write(w, v)
	}
}

// WriteOptional appends false for nil, else true and the value.
func WriteOptional[T any](w *Writer, v *T, write func(*Writer, T)) {
	w.WriteBool(v != nil)
	if v != nil {
		write(w, *v)
	}
}
