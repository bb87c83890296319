package mpacket

// AppendArray appends the number of values as a VarInt, then each value with appendValue, as in
// AppendArray(b, ids, AppendVarInt).
func AppendArray[T any](b []byte, values []T, appendValue func([]byte, T) []byte) []byte {
	b = AppendVarInt(b, int32(len(values)))
	for _, v := range values {
		b = appendValue(b, v)
	}
	return b
}

// ConsumeArray reads an array of at most limit values, each with consumeValue, and appends them to
// dst[:0], as in ConsumeArray(b, nil, 100, ConsumeVarInt). n is 0 when b is too short, which holds
// for every count above the number of bytes left, else -ErrTooLong, -ErrNegative, -ErrOverLimit or
// what consumeValue returned. Nothing is allocated for values that have not come.
func ConsumeArray[T any](b []byte, dst []T, limit int, consumeValue func([]byte) (T, int)) (values []T, n int) {
	count, n := consumeLen(b, limit)
	if n <= 0 {
		return nil, n
	}
	if count > len(b)-n {
		return nil, 0
	}
	values = dst[:0]
	for range count {
		v, size := consumeValue(b[n:])
		if size <= 0 {
			return nil, size
		}
		values = append(values, v)
		n += size
	}
	return values, n
}

// AppendOptional appends false for nil, else true and the value.
func AppendOptional[T any](b []byte, v *T, appendValue func([]byte, T) []byte) []byte {
	if v == nil {
		return AppendBool(b, false)
	}
	return appendValue(AppendBool(b, true), *v)
}

// ConsumeOptional reads a bool and, when it is true, a value. n is 0 when b is too short, else what
// consumeValue returned.
func ConsumeOptional[T any](b []byte, consumeValue func([]byte) (T, int)) (v T, present bool, n int) {
	present, n = ConsumeBool(b)
	if !present {
		return v, false, n
	}
	v, size := consumeValue(b[n:])
	if size <= 0 {
		return v, false, size
	}
	return v, true, n + size
}
