package main

import (
	"bytes"
	"crypto/aes"

	"github.com/Tnze/go-mc/nbt"
	"github.com/Tnze/go-mc/net/CFB8"
	pk "github.com/Tnze/go-mc/net/packet"
)

// uncompressed is go-mc's threshold for frames without compression.
const uncompressed = -1

// gomcOps are the operations of go-mc that have an equal in mpacket, on the same inputs. It writes to a
// bytes.Buffer, which is used anew as the buffers of mpacket are.
func gomcOps() []op {
	ops := []op{}
	for _, f := range framedPayloads() {
		ops = append(ops, gomcFraming(f.name, f.payloads), gomcUnframing(f.name, f.payloads))
	}
	ops = append(ops,
		gomcWriting("write string", names(), func(b *bytes.Buffer, v string) error {
			_, err := pk.String(v).WriteTo(b)
			return err
		}),
		gomcReading("read string", encodedNames(), len(names()), func(r *bytes.Reader) (int64, error) {
			var v pk.String
			_, err := v.ReadFrom(r)
			lastString = string(v)
			return int64(len(v)), err
		}),
		gomcWriting("WriteVarInt", mixedInts(), func(b *bytes.Buffer, v int32) error {
			_, err := pk.VarInt(v).WriteTo(b)
			return err
		}),
		gomcReading("ReadVarInt", encodedInts(), valueCount, func(r *bytes.Reader) (int64, error) {
			var v pk.VarInt
			_, err := v.ReadFrom(r)
			return int64(v), err
		}),
	)
	block, err := aes.NewCipher(secret)
	must(err)
	ops = append(ops,
		streaming("encrypt", CFB8.NewCFB8Encrypt(block, secret)),
		streaming("decrypt", CFB8.NewCFB8Decrypt(block, secret)))
	return append(ops, gomcNBT()...)
}

// must ends the child: an input that a side cannot read or write is a fault of this bench.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

func gomcFraming(name string, list [][]byte) op {
	packets := make([]pk.Packet, len(list))
	for i, payload := range list {
		packets[i] = pk.Packet{ID: int32(payload[0]), Data: payload[1:]}
	}
	buf := bytes.NewBuffer(make([]byte, 0, bufferLen(list)))
	var at cursor
	return op{
		name: "frame " + name,
		run: func(n int) {
			at.each(n, len(packets), len(packets), func(from, count int) {
				for i := range packets[from : from+count] {
					p := &packets[from+i]
					if buf.Len()+len(p.Data)+8 > buf.Cap() {
						buf.Reset()
					}
					must(p.Pack(buf, uncompressed))
				}
			})
			sink += int64(buf.Len())
		},
		sum: func() uint64 {
			var stream bytes.Buffer
			for i := range packets {
				must(packets[i].Pack(&stream, uncompressed))
			}
			var d digest
			d.bytes(stream.Bytes())
			return d.sum
		},
	}
}

func gomcUnframing(name string, list [][]byte) op {
	stream := frameAll(list)
	r := bytes.NewReader(stream)
	var p pk.Packet
	next := func() {
		if r.Len() == 0 {
			r.Reset(stream)
		}
		must(p.UnPack(r, uncompressed))
	}
	return op{
		name: "unframe " + name,
		run: func(n int) {
			for range n {
				next()
				sink += int64(p.Data[len(p.Data)-1])
			}
		},
		sum: func() uint64 {
			var d digest
			r.Reset(stream)
			for range list {
				next()
				d.bytes(append([]byte{byte(p.ID)}, p.Data...))
			}
			return d.sum
		},
	}
}

func gomcWriting[T any](name string, values []T, write func(b *bytes.Buffer, v T) error) op {
	buf := bytes.NewBuffer(make([]byte, 0, 64*partValues))
	var at cursor
	return op{
		name: name,
		run: func(n int) {
			at.each(n, len(values), partValues, func(from, count int) {
				buf.Reset()
				for _, v := range values[from : from+count] {
					must(write(buf, v))
				}
				sink += int64(buf.Len())
			})
		},
		sum: func() uint64 {
			var all bytes.Buffer
			for _, v := range values[:partValues] {
				must(write(&all, v))
			}
			var d digest
			d.bytes(all.Bytes())
			return d.sum
		},
	}
}

func gomcReading(name string, encoded []byte, values int, read func(r *bytes.Reader) (int64, error)) op {
	r := bytes.NewReader(encoded)
	next := func() int64 {
		if r.Len() == 0 {
			r.Reset(encoded)
		}
		v, err := read(r)
		must(err)
		return v
	}
	return op{
		name: name,
		run: func(n int) {
			for range n {
				sink += next()
			}
		},
		sum: func() uint64 {
			r.Reset(encoded)
			total := int64(0)
			for range values {
				total += next()
			}
			var d digest
			d.number(total)
			return d.sum
		},
	}
}

// gomcTree is tree as users of go-mc describe it.
type gomcTree struct {
	Name    string   `nbt:"name"`
	X       int32    `nbt:"x"`
	Y       int32    `nbt:"y"`
	Z       int32    `nbt:"z"`
	Age     int64    `nbt:"age"`
	Light   float32  `nbt:"light"`
	Rows    []string `nbt:"rows"`
	Heights []int32  `nbt:"heights"`
}

func gomcNBT() []op {
	encoded := encodedTree()
	var v gomcTree
	must(nbt.Unmarshal(encoded, &v))
	return []op{
		{
			name: "encode NBT",
			run: func(n int) {
				for range n {
					out, err := nbt.Marshal(v)
					must(err)
					sink += int64(len(out))
				}
			},
			sum: func() uint64 {
				out, err := nbt.Marshal(v)
				must(err)
				var d digest
				d.bytes(out)
				return d.sum
			},
		},
		{
			name: "decode NBT",
			run: func(n int) {
				for range n {
					var got gomcTree
					must(nbt.Unmarshal(encoded, &got))
					sink += int64(got.X)
				}
			},
			sum: func() uint64 {
				var d digest
				d.bytes([]byte(v.Name))
				d.number(v.Age)
				d.number(int64(v.Heights[7]))
				return d.sum
			},
		},
	}
}
