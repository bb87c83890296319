package main

import "dyno/mpacket"

// ourFixed are the fixed-width writes and reads of Writer and Reader.
func ourFixed() []op {
	values := randomInts()
	bytes := func(w *mpacket.Writer, part []int64) {
		for _, v := range part {
			_ = w.WriteByte(byte(v)) // never fails
		}
	}
	int16s := func(w *mpacket.Writer, part []int64) {
		for _, v := range part {
			w.WriteInt16(int16(v))
		}
	}
	int32s := func(w *mpacket.Writer, part []int64) {
		for _, v := range part {
			w.WriteInt32(int32(v))
		}
	}
	int64s := func(w *mpacket.Writer, part []int64) {
		for _, v := range part {
			w.WriteInt64(v)
		}
	}
	return []op{
		written("WriteByte", values, bytes), written("WriteInt16", values, int16s),
		written("WriteInt32", values, int32s), written("WriteInt64", values, int64s),
		read("ReadByte", values, bytes, func(r *mpacket.Reader, n int) (sum int64) {
			for range n {
				v, _ := r.ReadByte() // its error sticks, and is looked at once
				sum += int64(v)
			}
			return sum
		}),
		read("ReadInt16", values, int16s, func(r *mpacket.Reader, n int) (sum int64) {
			for range n {
				sum += int64(r.ReadInt16())
			}
			return sum
		}),
		read("ReadInt32", values, int32s, func(r *mpacket.Reader, n int) (sum int64) {
			for range n {
				sum += int64(r.ReadInt32())
			}
			return sum
		}),
		read("ReadInt64", values, int64s, func(r *mpacket.Reader, n int) (sum int64) {
			for range n {
				sum += r.ReadInt64()
			}
			return sum
		}),
	}
}

func writeVarInts(w *mpacket.Writer, part []int32) {
	for _, v := range part {
		w.WriteVarInt(v)
	}
}

func encodedInts() []byte { return encode(mixedInts(), writeVarInts) }

func ourVarInts() []op {
	write := writeVarInts
	readAll := func(r *mpacket.Reader, n int) (sum int64) {
		for range n {
			sum += int64(r.ReadVarInt())
		}
		return sum
	}
	short, mixed := shortInts(), mixedInts()
	return []op{
		written("WriteVarInt short", short, write), read("ReadVarInt short", short, write, readAll),
		written("WriteVarInt", mixed, write), read("ReadVarInt", mixed, write, readAll),
		consumed("ConsumeVarInt short", short), consumed("ConsumeVarInt", mixed),
		appended("AppendVarInt short", short), appended("AppendVarInt", mixed),
		readArrays("ReadVarInts", mixed),
	}
}

func appendAll(buf []byte, values []int32) []byte {
	for _, v := range values {
		buf = mpacket.AppendVarInt(buf, v)
	}
	return buf
}

func consumeAll(in []byte, n int) (rest []byte, sum int64) {
	for range n {
		v, size := mpacket.ConsumeVarInt(in)
		must(mpacket.ParseError(size))
		sum += int64(v)
		in = in[size:]
	}
	return in, sum
}

func appended(name string, values []int32) op {
	buf := make([]byte, 0, 8*partValues)
	var at cursor
	return op{name: name, run: func(n int) {
		at.each(n, len(values), partValues, func(from, count int) {
			sink += int64(len(appendAll(buf, values[from:from+count])))
		})
	}}
}

func consumed(name string, values []int32) op {
	encoded := appendAll(nil, values)
	in := encoded
	var at cursor
	return op{name: name, run: func(n int) {
		at.each(n, len(values), partValues, func(from, count int) {
			if from == 0 {
				in = encoded
			}
			rest, sum := consumeAll(in, count)
			in = rest
			sink += sum
		})
	}}
}

// readArrays reads values in arrays of partValues; an operation is one value.
func readArrays(name string, values []int32) op {
	var arrays [][]byte
	for from := 0; from < len(values); from += partValues {
		arrays = append(arrays, mpacket.AppendVarInts(nil, values[from:from+partValues]))
	}
	own := make([]int32, partValues)
	next := 0
	return op{name: name, run: func(n int) {
		for ; n > 0; n -= partValues {
			got, size := mpacket.ConsumeVarInts(arrays[next], own, partValues)
			must(mpacket.ParseError(size))
			sink += int64(got[0])
			next = (next + 1) % len(arrays)
		}
	}}
}

// tree is the NBT of both sides, in file form.
var tree = mpacket.NBT{Value: mpacket.NBTCompound{
	{Name: "name", Value: "minecraft:chest"},
	{Name: "x", Value: int32(18)},
	{Name: "y", Value: int32(64)},
	{Name: "z", Value: int32(-9)},
	{Name: "age", Value: int64(1234567890123)},
	{Name: "light", Value: float32(0.25)},
	{Name: "rows", Value: mpacket.NBTList{Tag: mpacket.TagString, Values: []any{"stone", "dirt", "oak_log", "torch"}}},
	{Name: "heights", Value: []int32{1, 2, 3, 5, 8, 13, 21, 34}},
}}

func encodedTree() []byte {
	encoded, err := mpacket.AppendNBT(nil, mpacket.NBTFile, tree)
	must(err)
	return encoded
}

func ourNBT() []op {
	encoded := encodedTree()
	buf := make([]byte, 0, 2*len(encoded))
	decode := func() mpacket.NBTCompound {
		v, n := mpacket.ConsumeNBT(encoded, mpacket.NBTFile)
		must(mpacket.ParseError(n))
		return v.Value.(mpacket.NBTCompound)
	}
	return []op{
		{
			name: "encode NBT",
			run: func(n int) {
				for range n {
					out, err := mpacket.AppendNBT(buf, mpacket.NBTFile, tree)
					must(err)
					sink += int64(len(out))
				}
			},
			sum: func() uint64 {
				var d digest
				d.bytes(encoded)
				return d.sum
			},
		},
		{
			name: "decode NBT",
			run: func(n int) {
				for range n {
					sink += int64(decode().Get("x").(int32))
				}
			},
			sum: func() uint64 {
				var d digest
				c := decode()
				d.bytes([]byte(c.Get("name").(string)))
				d.number(c.Get("age").(int64))
				d.number(int64(c.Get("heights").([]int32)[7]))
				return d.sum
			},
		},
	}
}
