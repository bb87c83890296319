package mpacket

// MaxVarIntLen is the longest encoding of a VarInt in bytes.
const MaxVarIntLen = 5

// AppendVarInt appends the minimal encoding of v (1 to 5 bytes) to b.
func AppendVarInt(b []byte, v int32) []byte {
	u := uint32(v)
	for u >= 0x80 {
		b = append(b, byte(u)|0x80)
		u >>= 7
	}
	return append(b, byte(u))
}

// ConsumeVarInt reads a VarInt from the start of b. It returns the value and the bytes read, which
// exceed the minimal length when the encoding is padded. n is 0 when b ends inside the VarInt and
// -1 when it runs on past five bytes.
func ConsumeVarInt(b []byte) (v int32, n int) {
	var u uint32
	for i := 0; i < len(b); i++ {
		if i == MaxVarIntLen {
			return 0, -1
		}
		u |= uint32(b[i]&0x7f) << (7 * i)
		if b[i] < 0x80 {
			return int32(u), i + 1
		}
	}
	if len(b) >= MaxVarIntLen {
		return 0, -1
	}
	return 0, 0
}
