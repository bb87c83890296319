package mpacket

import (
	"encoding/binary"
	"math"
)

// AppendNBT appends v to b. It returns b unchanged and an *Error when v cannot be written: ErrBadNBT for
// a Go type or an element of a list that does not belong there, or a root that the form does not have;
// ErrBadUTF8; ErrOverLimit for text longer than 65,535 bytes and past MaxNBTDepth.
func AppendNBT(b []byte, form NBTForm, v NBT) ([]byte, error) {
	e := nbtEncoder{b: b}
	if !e.root(form, v) {
		return b, homeless(e.kind, "NBT")
	}
	return e.b, nil
}

// nbtEncoder appends values and keeps the reason of the first that it could not append.
type nbtEncoder struct {
	b    []byte
	kind Kind
}

func (e *nbtEncoder) bad(kind Kind) bool {
	e.kind = kind
	return false
}

func (e *nbtEncoder) root(form NBTForm, v NBT) bool {
	if v.Value == nil && form == NBTNetwork {
		e.b = append(e.b, byte(TagEnd))
		return true
	}
	tag := nbtTagOf(v.Value)
	if tag == TagEnd || form == NBTFile && tag != TagCompound {
		return e.bad(ErrBadNBT)
	}
	e.b = append(e.b, byte(tag))
	if form == NBTFile && !e.text(v.Name) {
		return false
	}
	return e.payload(v.Value, 1)
}

// nbtTagOf returns the tag of a Go value, TagEnd for types that NBT does not have.
func nbtTagOf(v any) NBTTag {
	switch v.(type) {
	case int8:
		return TagByte
	case int16:
		return TagShort
	case int32:
		return TagInt
	case int64:
		return TagLong
	case float32:
		return TagFloat
	case float64:
		return TagDouble
	case []byte:
		return TagByteArray
	case string:
		return TagString
	case NBTList:
		return TagList
	case NBTCompound:
		return TagCompound
	case []int32:
		return TagIntArray
	case []int64:
		return TagLongArray
	}
	return TagEnd
}

func (e *nbtEncoder) text(s string) bool {
	start := len(e.b)
	b, ok := appendModifiedUTF8(append(e.b, 0, 0), s)
	length := len(b) - start - 2
	switch {
	case !ok:
		return e.bad(ErrBadUTF8)
	case length > math.MaxUint16:
		return e.bad(ErrOverLimit)
	}
	binary.BigEndian.PutUint16(b[start:], uint16(length))
	e.b = b
	return true
}

func (e *nbtEncoder) payload(value any, depth int) bool {
	if tooDeep(nbtTagOf(value), depth) {
		return e.bad(ErrOverLimit)
	}
	switch v := value.(type) {
	case int8:
		e.b = append(e.b, byte(v))
	case int16:
		e.b = AppendInt16(e.b, v)
	case int32:
		e.b = AppendInt32(e.b, v)
	case int64:
		e.b = AppendInt64(e.b, v)
	case float32:
		e.b = AppendFloat32(e.b, v)
	case float64:
		e.b = AppendFloat64(e.b, v)
	case []byte:
		e.b = append(AppendInt32(e.b, int32(len(v))), v...)
	case []int32:
		e.b = appendNBTArray(e.b, v, AppendInt32)
	case []int64:
		e.b = appendNBTArray(e.b, v, AppendInt64)
	case string:
		return e.text(v)
	case NBTList:
		return e.list(v, depth)
	case NBTCompound:
		return e.compound(v, depth)
	default:
		return e.bad(ErrBadNBT)
	}
	return true
}

func appendNBTArray[T any](b []byte, values []T, appendValue func([]byte, T) []byte) []byte {
	b = AppendInt32(b, int32(len(values)))
	for _, v := range values {
		b = appendValue(b, v)
	}
	return b
}

func (e *nbtEncoder) list(list NBTList, depth int) bool {
	if list.Tag >= tagCount {
		return e.bad(ErrBadNBT)
	}
	e.b = AppendInt32(append(e.b, byte(list.Tag)), int32(len(list.Values)))
	for _, v := range list.Values {
		if tag := nbtTagOf(v); tag == TagEnd || tag != list.Tag {
			return e.bad(ErrBadNBT)
		}
		if !e.payload(v, depth+1) {
			return false
		}
	}
	return true
}

func (e *nbtEncoder) compound(compound NBTCompound, depth int) bool {
	for _, field := range compound {
		tag := nbtTagOf(field.Value)
		if tag == TagEnd {
			return e.bad(ErrBadNBT)
		}
		e.b = append(e.b, byte(tag))
		if !e.text(field.Name) || !e.payload(field.Value, depth+1) {
			return false
		}
	}
	e.b = append(e.b, byte(TagEnd))
	return true
}
