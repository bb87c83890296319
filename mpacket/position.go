package mpacket

// Position is the place of a block.
type Position struct {
	X, Y, Z int32 // 26, 12 and 26 bits, signed
}

// Fits reports whether the protocol can express p: x and z in ±33,554,432, y in ±2,048.
func (p Position) Fits() bool {
	return p == unpackPosition(p.pack())
}

// AppendPosition appends p as 8 bytes: x, z, y from the top. Coordinates that do not fit lose their
// upper bits; a Writer rejects them.
func AppendPosition(b []byte, p Position) []byte { return AppendUint64(b, p.pack()) }

// ConsumePosition reads 8 bytes. n is 0 when b is too short.
func ConsumePosition(b []byte) (p Position, n int) {
	packed, n := ConsumeUint64(b)
	return unpackPosition(packed), n
}

func (p Position) pack() uint64 {
	return uint64(p.X)<<38 | uint64(p.Z)<<38>>26 | uint64(p.Y)&0xfff
}

// unpackPosition shifts each field to the top and back, which extends its sign.
func unpackPosition(packed uint64) Position {
	v := int64(packed)
	return Position{X: int32(v >> 38), Y: int32(v << 52 >> 52), Z: int32(v << 26 >> 38)}
}
