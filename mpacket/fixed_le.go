package mpacket

import (
	"encoding/binary"
	"math"
)

// Fixed-width values, least significant byte first.

// AppendInt16LE appends v as 2 bytes, little endian.
func AppendInt16LE(b []byte, v int16) []byte { return binary.LittleEndian.AppendUint16(b, uint16(v)) }

// ConsumeInt16LE reads 2 bytes, little endian, signed.
func ConsumeInt16LE(b []byte) (v int16, n int) {
	if len(b) < 2 {
		return 0, 0
	}
	return int16(binary.LittleEndian.Uint16(b)), 2
}

// AppendUint16LE appends v as 2 bytes, little endian.
func AppendUint16LE(b []byte, v uint16) []byte { return binary.LittleEndian.AppendUint16(b, v) }

// ConsumeUint16LE reads 2 bytes, little endian, unsigned.
func ConsumeUint16LE(b []byte) (v uint16, n int) {
	if len(b) < 2 {
		return 0, 0
	}
	return binary.LittleEndian.Uint16(b), 2
}

// AppendInt32LE appends v as 4 bytes, little endian.
func AppendInt32LE(b []byte, v int32) []byte { return binary.LittleEndian.AppendUint32(b, uint32(v)) }

// ConsumeInt32LE reads 4 bytes, little endian, signed.
func ConsumeInt32LE(b []byte) (v int32, n int) {
	if len(b) < 4 {
		return 0, 0
	}
	return int32(binary.LittleEndian.Uint32(b)), 4
}

// AppendUint32LE appends v as 4 bytes, little endian.
func AppendUint32LE(b []byte, v uint32) []byte { return binary.LittleEndian.AppendUint32(b, v) }

// ConsumeUint32LE reads 4 bytes, little endian, unsigned.
func ConsumeUint32LE(b []byte) (v uint32, n int) {
	if len(b) < 4 {
		return 0, 0
	}
	return binary.LittleEndian.Uint32(b), 4
}

// AppendInt64LE appends v as 8 bytes, little endian.
func AppendInt64LE(b []byte, v int64) []byte { return binary.LittleEndian.AppendUint64(b, uint64(v)) }

// ConsumeInt64LE reads 8 bytes, little endian, signed.
func ConsumeInt64LE(b []byte) (v int64, n int) {
	if len(b) < 8 {
		return 0, 0
	}
	return int64(binary.LittleEndian.Uint64(b)), 8
}

// AppendUint64LE appends v as 8 bytes, little endian.
func AppendUint64LE(b []byte, v uint64) []byte { return binary.LittleEndian.AppendUint64(b, v) }

// ConsumeUint64LE reads 8 bytes, little endian, unsigned.
func ConsumeUint64LE(b []byte) (v uint64, n int) {
	if len(b) < 8 {
		return 0, 0
	}
	return binary.LittleEndian.Uint64(b), 8
}

// AppendFloat32LE appends v as 4 bytes, little endian.
func AppendFloat32LE(b []byte, v float32) []byte {
	return binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
}

// ConsumeFloat32LE reads 4 bytes, little endian, IEEE 754.
func ConsumeFloat32LE(b []byte) (v float32, n int) {
	if len(b) < 4 {
		return 0, 0
	}
	return math.Float32frombits(binary.LittleEndian.Uint32(b)), 4
}

// AppendFloat64LE appends v as 8 bytes, little endian.
func AppendFloat64LE(b []byte, v float64) []byte {
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
}

// ConsumeFloat64LE reads 8 bytes, little endian, IEEE 754.
func ConsumeFloat64LE(b []byte) (v float64, n int) {
	if len(b) < 8 {
		return 0, 0
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(b)), 8
}
