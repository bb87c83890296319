package mpacket

// MaxBytesLen is the limit of length-prefixed bytes where the caller names none.
const MaxBytesLen = MaxFrameLen

// AppendBytes appends the length of v as a VarInt, then v. The length must fit an int32.
func AppendBytes(b, v []byte) []byte {
	return append(AppendVarInt(b, int32(len(v))), v...)
}

// ConsumeBytes reads length-prefixed bytes of at most limit bytes. v is a part of b, not a copy.
// n is 0 when b is too short, -ErrTooLong, -ErrNegative or -ErrOverLimit when the length is bad.
func ConsumeBytes(b []byte, limit int) (v []byte, n int) {
	length, n := consumeLen(b, limit)
	if n <= 0 {
		return nil, n
	}
	if len(b)-n < length {
		return nil, 0
	}
	return b[n : n+length : n+length], n + length
}

// consumeLen reads the VarInt length or count in front of a value.
func consumeLen(b []byte, limit int) (length, n int) {
	v, n := ConsumeVarInt(b)
	switch {
	case n <= 0:
		return 0, n
	case v < 0:
		return 0, -int(ErrNegative)
	case int(v) > limit:
		return 0, -int(ErrOverLimit)
	}
	return int(v), n
}
