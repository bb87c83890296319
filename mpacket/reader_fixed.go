package mpacket

import (
	"encoding/binary"
	"math"
)

// The fixed-width reads of a Reader. They make no call, so that the compiler inlines them: what fails
// leaves its mark in the offset alone. Names without LE are big endian. A failed read returns 0.

// take returns the next n bytes, or nil and fails.
func (r *Reader) take(n int) []byte {
	if at := r.off; uint(at)+uint(n) <= uint(len(r.buf)) {
		r.off = at + n
		return r.buf[at : at+n : at+n]
	}
	r.off |= failed
	return nil
}

// ReadByte reads one byte. Unlike the other reads it returns an error too, as io.ByteReader has it:
// ErrShort when there is no byte to read, as after every failure. Err has the first failure.
func (r *Reader) ReadByte() (byte, error) {
	if b := r.take(1); b != nil {
		return b[0], nil
	}
	return 0, ErrShort
}

// ReadInt8 reads one signed byte.
func (r *Reader) ReadInt8() int8 { return int8(r.ReadUint8()) }

// ReadUint8 reads one byte.
func (r *Reader) ReadUint8() (v uint8) {
	if b := r.take(1); b != nil {
		v = b[0]
	}
	return v
}

// ReadAngle reads one byte as an Angle.
func (r *Reader) ReadAngle() Angle { return Angle(r.ReadUint8()) }

// ReadInt16 reads two bytes.
func (r *Reader) ReadInt16() (v int16) {
	if b := r.take(2); b != nil {
		v = int16(binary.BigEndian.Uint16(b))
	}
	return v
}

// ReadUint16 reads two bytes.
func (r *Reader) ReadUint16() (v uint16) {
	if b := r.take(2); b != nil {
		v = binary.BigEndian.Uint16(b)
	}
	return v
}

// ReadInt32 reads four bytes.
func (r *Reader) ReadInt32() (v int32) {
	if b := r.take(4); b != nil {
		v = int32(binary.BigEndian.Uint32(b))
	}
	return v
}

// ReadUint32 reads four bytes.
func (r *Reader) ReadUint32() (v uint32) {
	if b := r.take(4); b != nil {
		v = binary.BigEndian.Uint32(b)
	}
	return v
}

// ReadInt64 reads eight bytes.
func (r *Reader) ReadInt64() (v int64) {
	if b := r.take(8); b != nil {
		v = int64(binary.BigEndian.Uint64(b))
	}
	return v
}

// ReadUint64 reads eight bytes.
func (r *Reader) ReadUint64() (v uint64) {
	if b := r.take(8); b != nil {
		v = binary.BigEndian.Uint64(b)
	}
	return v
}

// ReadFloat32 reads four bytes.
func (r *Reader) ReadFloat32() (v float32) {
	if b := r.take(4); b != nil {
		v = math.Float32frombits(binary.BigEndian.Uint32(b))
	}
	return v
}

// ReadFloat64 reads eight bytes.
func (r *Reader) ReadFloat64() (v float64) {
	if b := r.take(8); b != nil {
		v = math.Float64frombits(binary.BigEndian.Uint64(b))
	}
	return v
}

// ReadInt16LE reads two bytes, least significant first.
func (r *Reader) ReadInt16LE() (v int16) {
	if b := r.take(2); b != nil {
		v = int16(binary.LittleEndian.Uint16(b))
	}
	return v
}

// ReadUint16LE reads two bytes, least significant first.
func (r *Reader) ReadUint16LE() (v uint16) {
	if b := r.take(2); b != nil {
		v = binary.LittleEndian.Uint16(b)
	}
	return v
}

// ReadInt32LE reads four bytes, least significant first.
func (r *Reader) ReadInt32LE() (v int32) {
	if b := r.take(4); b != nil {
		v = int32(binary.LittleEndian.Uint32(b))
	}
	return v
}

// ReadUint32LE reads four bytes, least significant first.
func (r *Reader) ReadUint32LE() (v uint32) {
	if b := r.take(4); b != nil {
		v = binary.LittleEndian.Uint32(b)
	}
	return v
}

// ReadInt64LE reads eight bytes, least significant first.
func (r *Reader) ReadInt64LE() (v int64) {
	if b := r.take(8); b != nil {
		v = int64(binary.LittleEndian.Uint64(b))
	}
	return v
}

// ReadUint64LE reads eight bytes, least significant first.
func (r *Reader) ReadUint64LE() (v uint64) {
	if b := r.take(8); b != nil {
		v = binary.LittleEndian.Uint64(b)
	}
	return v
}

// ReadFloat32LE reads four bytes, least significant first.
func (r *Reader) ReadFloat32LE() (v float32) {
	if b := r.take(4); b != nil {
		v = math.Float32frombits(binary.LittleEndian.Uint32(b))
	}
	return v
}

// ReadFloat64LE reads eight bytes, least significant first.
func (r *Reader) ReadFloat64LE() (v float64) {
	if b := r.take(8); b != nil {
		v = math.Float64frombits(binary.LittleEndian.Uint64(b))
	}
	return v
}
