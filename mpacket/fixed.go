package mpacket

import (
	"encoding/binary"
	"math"
)

// Fixed-width values, most significant byte first: the order of the network and of the Minecraft
// protocol. The functions whose names end in LE are in fixed_le.go.
//
// Every Consume function returns n = 0 when b is too short, else the width.

// AppendBool appends 1 for true and 0 for false.
func AppendBool(b []byte, v bool) []byte {
	if v {
		return append(b, 1)
	}
	return append(b, 0)
}

// ConsumeBool reads a bool. Every byte but 0 is true, as real servers have it.
func ConsumeBool(b []byte) (v bool, n int) {
	if len(b) < 1 {
		return false, 0
	}
	return b[0] != 0, 1
}

// ConsumeBoolStrict reads a bool that must be 0 or 1: n is also -ErrBadBool.
func ConsumeBoolStrict(b []byte) (v bool, n int) {
	if len(b) > 0 && b[0] > 1 {
		return false, -int(ErrBadBool)
	}
	return ConsumeBool(b)
}

// AppendInt8 appends v as one byte.
func AppendInt8(b []byte, v int8) []byte { return append(b, byte(v)) }

// ConsumeInt8 reads one signed byte.
func ConsumeInt8(b []byte) (v int8, n int) {
	if len(b) < 1 {
		return 0, 0
	}
	return int8(b[0]), 1
}

// AppendUint8 appends v.
func AppendUint8(b []byte, v uint8) []byte { return append(b, v) }

// ConsumeUint8 reads one byte.
func ConsumeUint8(b []byte) (v uint8, n int) {
	if len(b) < 1 {
		return 0, 0
	}
	return b[0], 1
}

// AppendInt16 appends v as 2 bytes, big endian.
func AppendInt16(b []byte, v int16) []byte { return binary.BigEndian.AppendUint16(b, uint16(v)) }

// ConsumeInt16 reads 2 bytes, big endian, signed.
func ConsumeInt16(b []byte) (v int16, n int) {
	if len(b) < 2 {
		return 0, 0
	}
	return int16(binary.BigEndian.Uint16(b)), 2
}

// AppendUint16 appends v as 2 bytes, big endian.
func AppendUint16(b []byte, v uint16) []byte { return binary.BigEndian.AppendUint16(b, v) }

// ConsumeUint16 reads 2 bytes, big endian, unsigned.
func ConsumeUint16(b []byte) (v uint16, n int) {
	if len(b) < 2 {
		return 0, 0
	}
	return binary.BigEndian.Uint16(b), 2
}

// AppendInt32 appends v as 4 bytes, big endian.
func AppendInt32(b []byte, v int32) []byte { return binary.BigEndian.AppendUint32(b, uint32(v)) }

// ConsumeInt32 reads 4 bytes, big endian, signed.
func ConsumeInt32(b []byte) (v int32, n int) {
	if len(b) < 4 {
		return 0, 0
	}
	return int32(binary.BigEndian.Uint32(b)), 4
}

// AppendUint32 appends v as 4 bytes, big endian.
func AppendUint32(b []byte, v uint32) []byte { return binary.BigEndian.AppendUint32(b, v) }

// ConsumeUint32 reads 4 bytes, big endian, unsigned.
func ConsumeUint32(b []byte) (v uint32, n int) {
	if len(b) < 4 {
		return 0, 0
	}
	return binary.BigEndian.Uint32(b), 4
}

// AppendInt64 appends v as 8 bytes, big endian.
func AppendInt64(b []byte, v int64) []byte { return binary.BigEndian.AppendUint64(b, uint64(v)) }

// ConsumeInt64 reads 8 bytes, big endian, signed.
func ConsumeInt64(b []byte) (v int64, n int) {
	if len(b) < 8 {
		return 0, 0
	}
	return int64(binary.BigEndian.Uint64(b)), 8
}

// AppendUint64 appends v as 8 bytes, big endian.
func AppendUint64(b []byte, v uint64) []byte { return binary.BigEndian.AppendUint64(b, v) }

// ConsumeUint64 reads 8 bytes, big endian, unsigned.
func ConsumeUint64(b []byte) (v uint64, n int) {
	if len(b) < 8 {
		return 0, 0
	}
	return binary.BigEndian.Uint64(b), 8
}

// AppendFloat32 appends v as 4 bytes, big endian.
func AppendFloat32(b []byte, v float32) []byte {
	return binary.BigEndian.AppendUint32(b, math.Float32bits(v))
}

// ConsumeFloat32 reads 4 bytes, big endian, IEEE 754.
func ConsumeFloat32(b []byte) (v float32, n int) {
	if len(b) < 4 {
		return 0, 0
	}
	return math.Float32frombits(binary.BigEndian.Uint32(b)), 4
}

// AppendFloat64 appends v as 8 bytes, big endian.
func AppendFloat64(b []byte, v float64) []byte {
	return binary.BigEndian.AppendUint64(b, math.Float64bits(v))
}

// ConsumeFloat64 reads 8 bytes, big endian, IEEE 754.
func ConsumeFloat64(b []byte) (v float64, n int) {
	if len(b) < 8 {
		return 0, 0
	}
	return math.Float64frombits(binary.BigEndian.Uint64(b)), 8
}
