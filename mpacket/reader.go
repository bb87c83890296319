package mpacket

import "math"

// failed is the bit of Reader.off that says that a read failed. Setting it twice changes nothing,
// every later bounds check fails because of it, and the bits below keep the offset of the failure.
const failed = math.MinInt

// Reader reads the values of one packet in order. The first failure sticks: from then on every read
// returns a zero value, and Err says what went wrong and where. So read all fields first and check once,
// with Finish. The zero value is an empty packet; Reset makes a Reader ready for another one, so that
// it can be pooled. A Reader belongs to one goroutine.
//
// Results called views are parts of the packet, not copies, and live as long as it does.
type Reader struct {
	buf    []byte
	off    int
	err    *Error
	Strict bool // accept one encoding a value: no padded VarInt, no extra bits, no bool of 2
}

// NewReader returns a Reader over packet.
func NewReader(packet []byte) *Reader { return &Reader{buf: packet} }

// Reset begins anew with another packet. Strict stays.
func (r *Reader) Reset(packet []byte) { r.buf, r.off, r.err = packet, 0, nil }

// Err returns the first failure as an *Error with its offset from the start of the packet, or nil.
func (r *Reader) Err() error {
	if r.off >= 0 {
		return nil
	}
	if r.err == nil {
		r.err = &Error{Kind: ErrShort, What: "value", Offset: int64(r.off &^ failed)}
	}
	return r.err
}

// Finish returns Err, or an ErrTrailing when bytes of the packet are left over.
func (r *Reader) Finish() error {
	if r.off >= 0 && r.off < len(r.buf) {
		r.fail(ErrTrailing, "packet")
	}
	return r.Err()
}

// Offset returns how many bytes were read, or where the first failure was.
func (r *Reader) Offset() int { return r.off &^ failed }

// Remaining returns how many bytes are left, 0 after a failure.
func (r *Reader) Remaining() int { return len(r.rest()) }

// Rest takes all bytes that are left, as a view.
func (r *Reader) Rest() []byte { return r.take(r.Remaining()) }

func (r *Reader) rest() []byte {
	if uint(r.off) > uint(len(r.buf)) {
		return nil
	}
	return r.buf[r.off:]
}

// fail records the first failure, at the current offset.
func (r *Reader) fail(kind Kind, what string) {
	if r.off >= 0 {
		r.err = &Error{Kind: kind, What: what, Offset: int64(r.off)}
		r.off |= failed
	}
}

// advance moves past what a Consume function read, or fails with what it said.
func (r *Reader) advance(n int, what string) (ok bool) {
	if n <= 0 {
		r.fail(Kind(-n), what)
		return false
	}
	r.off += n
	return true
}

// prefixOK fails when strict and the VarInt in front of the value has another encoding than the usual.
func (r *Reader) prefixOK(what string) bool {
	if r.Strict {
		if _, n := ConsumeVarIntStrict(r.rest()); n <= 0 {
			r.fail(Kind(-n), what)
			return false
		}
	}
	return true
}

// Skip passes over n bytes. A negative n fails with ErrNegative.
func (r *Reader) Skip(n int) { r.ReadRaw(n) }

// SkipVarInt passes over a VarInt.
func (r *Reader) SkipVarInt() { r.ReadVarInt() }

// SkipBytes passes over length-prefixed bytes or a string, whose text is not looked at.
func (r *Reader) SkipBytes() { r.ReadBytes() }

// SkipNBT passes over an NBT value, which is checked.
func (r *Reader) SkipNBT(form NBTForm) { r.ReadNBTView(form) }
