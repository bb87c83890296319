package mpacket

// NBT is a value in the Named Binary Tag format of Minecraft, with the name of its root. The zero
// NBT is the absent value, which only the network form has.
//
// A Value is one of int8, int16, int32, int64, float32, float64, []byte, string, NBTList,
// NBTCompound, []int32 and []int64. Compounds keep their order, so that what was read is written
// again byte by byte. Text components are NBT in network form.
type NBT struct {
	Name  string // of the root; the network form has none
	Value any
}

// NBTCompound is a list of named values.
type NBTCompound []NBTField

// NBTField is one value of a compound.
type NBTField struct {
	Name  string
	Value any
}

// Get returns the first value of that name, or nil.
func (c NBTCompound) Get(name string) any {
	for i := range c {
		if c[i].Name == name {
			return c[i].Value
		}
	}
	return nil
}

// NBTList is a list of values of one type. An empty list may have any Tag.
type NBTList struct {
	Tag    NBTTag
	Values []any
}

// NBTForm is how the root is written.
type NBTForm uint8

const (
	// NBTFile is the form of files and of packets before 1.20.2: tag, name, then a compound.
	NBTFile NBTForm = iota
	// NBTNetwork is the form of packets since 1.20.2: tag, then a value of any type without a name.
	// The lone tag 0 is the absent value.
	NBTNetwork
)

// NBTTag is the type of a value on the wire.
type NBTTag uint8

// The tags.
const (
	TagEnd NBTTag = iota
	TagByte
	TagShort
	TagInt
	TagLong
	TagFloat
	TagDouble
	TagByteArray
	TagString
	TagList
	TagCompound
	TagIntArray
	TagLongArray
	tagCount
)

const (
	// MaxNBTDepth is how deep lists and compounds may nest.
	MaxNBTDepth = 512
	// MaxNBTValues is how many values one NBT may hold. It bounds the memory of a decoded value, which
	// can be fifty times its bytes.
	MaxNBTValues = 1 << 20
)

// nbtMinSize is the shortest payload of each tag in bytes; of the numbers it is the only one.
var nbtMinSize = [tagCount]int{
	TagByte: 1, TagShort: 2, TagInt: 4, TagLong: 8, TagFloat: 4, TagDouble: 8,
	TagByteArray: 4, TagString: 2, TagList: 5, TagCompound: 1, TagIntArray: 4, TagLongArray: 4,
}
