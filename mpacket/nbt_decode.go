package mpacket

import (
	"encoding/binary"
	"math"
)

// ConsumeNBT reads an NBT value from the start of b, into memory of its own. n is that of SkipNBT.
func ConsumeNBT(b []byte, form NBTForm) (v NBT, n int) {
	n = SkipNBT(b, form)
	if n <= 0 {
		return NBT{}, n
	}
	d := nbtDecoder{b: b[:n]}
	tag := d.tag()
	if tag == TagEnd {
		return NBT{}, n
	}
	if form == NBTFile {
		v.Name = d.text()
	}
	v.Value = d.payload(tag)
	return v, n
}

// nbtDecoder decodes NBT that nbtScanner has passed.
type nbtDecoder struct{ b []byte }

func (d *nbtDecoder) take(n int) []byte {
	taken := d.b[:n]
	d.b = d.b[n:]
	return taken
}

func (d *nbtDecoder) tag() NBTTag    { return NBTTag(d.take(1)[0]) }
func (d *nbtDecoder) uint32() uint32 { return binary.BigEndian.Uint32(d.take(4)) }
func (d *nbtDecoder) uint64() uint64 { return binary.BigEndian.Uint64(d.take(8)) }
func (d *nbtDecoder) count() int     { return int(d.uint32()) }

func (d *nbtDecoder) text() string {
	return fromModifiedUTF8(d.take(int(binary.BigEndian.Uint16(d.take(2)))))
}

func (d *nbtDecoder) payload(tag NBTTag) any {
	switch tag {
	case TagByte:
		return int8(d.take(1)[0])
	case TagShort:
		return int16(binary.BigEndian.Uint16(d.take(2)))
	case TagInt:
		return int32(d.uint32())
	case TagLong:
		return int64(d.uint64())
	case TagFloat:
		return math.Float32frombits(d.uint32())
	case TagDouble:
		return math.Float64frombits(d.uint64())
	case TagByteArray:
		return append([]byte{}, d.take(d.count())...)
	case TagString:
		return d.text()
	case TagList:
		return d.list()
	case TagIntArray:
		return d.ints()
	case TagLongArray:
		return d.longs()
	}
	return d.compound()
}

func (d *nbtDecoder) list() NBTList {
	list := NBTList{Tag: d.tag()}
	list.Values = make([]any, d.count())
	for i := range list.Values {
		list.Values[i] = d.payload(list.Tag)
	}
	return list
}

func (d *nbtDecoder) compound() NBTCompound {
	compound := NBTCompound{}
	for {
		tag := d.tag()
		if tag == TagEnd {
			return compound
		}
		name := d.text()
		compound = append(compound, NBTField{Name: name, Value: d.payload(tag)})
	}
}

func (d *nbtDecoder) ints() []int32 {
	ints := make([]int32, d.count())
	for i := range ints {
		ints[i] = int32(d.uint32())
	}
	return ints
}

func (d *nbtDecoder) longs() []int64 {
	longs := make([]int64, d.count())
	for i := range longs {
		longs[i] = int64(d.uint64())
	}
	return longs
}
