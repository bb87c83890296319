package mpacket_test

import (
	"testing"

	"dyno/mpacket"
)

// benchWrite measures writing one value a call.
func benchWrite[T any](b *testing.B, values []T, write func(w *mpacket.Writer, part []T)) {
	w := mpacket.NewWriter(make([]byte, 0, 64*roundOps))
	eachRound(b, len(values), roundOps, func(at, n int) {
		w.Reset()
		write(w, values[at:at+n])
		sink += int64(w.Len())
	})
}

// benchRead measures reading one value a call from a packet that write made of all values.
func benchRead[T any](b *testing.B, values []T, write func(w *mpacket.Writer, part []T), read func(r *mpacket.Reader, n int) int64) {
	var w mpacket.Writer
	write(&w, values)
	r := mpacket.NewReader(w.Bytes())
	eachRound(b, len(values), roundOps, func(at, n int) {
		if at == 0 {
			r.Reset(w.Bytes())
		}
		sink += read(r, n)
	})
	if err := r.Err(); err != nil {
		b.Fatal(err)
	}
}

func writeBytes8(w *mpacket.Writer, part []int64) {
	for _, v := range part {
		_ = w.WriteByte(byte(v)) // never fails
	}
}

func writeInt16s(w *mpacket.Writer, part []int64) {
	for _, v := range part {
		w.WriteInt16(int16(v))
	}
}

func writeInt32s(w *mpacket.Writer, part []int64) {
	for _, v := range part {
		w.WriteInt32(int32(v))
	}
}

func writeInt64s(w *mpacket.Writer, part []int64) {
	for _, v := range part {
		w.WriteInt64(v)
	}
}

func writeVarInts(w *mpacket.Writer, part []int32) {
	for _, v := range part {
		w.WriteVarInt(v)
	}
}

func writeStrings(w *mpacket.Writer, part []string) {
	for _, v := range part {
		w.WriteString(v)
	}
}

func BenchmarkWriteByte(b *testing.B)        { benchWrite(b, numbers(), writeBytes8) }
func BenchmarkWriteInt16(b *testing.B)       { benchWrite(b, numbers(), writeInt16s) }
func BenchmarkWriteInt32(b *testing.B)       { benchWrite(b, numbers(), writeInt32s) }
func BenchmarkWriteInt64(b *testing.B)       { benchWrite(b, numbers(), writeInt64s) }
func BenchmarkWriteVarInt1Byte(b *testing.B) { benchWrite(b, smallNumbers(), writeVarInts) }
func BenchmarkWriteVarIntMix(b *testing.B)   { benchWrite(b, mixedNumbers(), writeVarInts) }
func BenchmarkWriteString(b *testing.B)      { benchWrite(b, words(), writeStrings) }

func BenchmarkReadByte(b *testing.B) {
	benchRead(b, numbers(), writeBytes8, func(r *mpacket.Reader, n int) (sum int64) {
		for range n {
			v, _ := r.ReadByte() // Err is looked at by benchRead
			sum += int64(v)
		}
		return sum
	})
}

func BenchmarkReadInt16(b *testing.B) {
	benchRead(b, numbers(), writeInt16s, func(r *mpacket.Reader, n int) (sum int64) {
		for range n {
			sum += int64(r.ReadInt16())
		}
		return sum
	})
}

func BenchmarkReadInt32(b *testing.B) {
	benchRead(b, numbers(), writeInt32s, func(r *mpacket.Reader, n int) (sum int64) {
		for range n {
			sum += int64(r.ReadInt32())
		}
		return sum
	})
}

func BenchmarkReadInt64(b *testing.B) {
	benchRead(b, numbers(), writeInt64s, func(r *mpacket.Reader, n int) (sum int64) {
		for range n {
			sum += r.ReadInt64()
		}
		return sum
	})
}

func readVarInts(r *mpacket.Reader, n int) (sum int64) {
	for range n {
		sum += int64(r.ReadVarInt())
	}
	return sum
}

func BenchmarkReadVarInt1Byte(b *testing.B) { benchRead(b, smallNumbers(), writeVarInts, readVarInts) }
func BenchmarkReadVarIntMix(b *testing.B)   { benchRead(b, mixedNumbers(), writeVarInts, readVarInts) }

// lastString makes the strings that are read escape, as they do where they are used.
var lastString string

func BenchmarkReadString(b *testing.B) {
	benchRead(b, words(), writeStrings, func(r *mpacket.Reader, n int) (sum int64) {
		for range n {
			lastString = r.ReadString()
			sum += int64(len(lastString))
		}
		return sum
	})
}

// BenchmarkReadStringView reads the same strings without making new ones.
func BenchmarkReadStringView(b *testing.B) {
	benchRead(b, words(), writeStrings, func(r *mpacket.Reader, n int) (sum int64) {
		for range n {
			sum += int64(len(r.ReadStringView(mpacket.MaxStringUnits)))
		}
		return sum
	})
}

// BenchmarkWriteBytes writes 1 KB.
func BenchmarkWriteBytes(b *testing.B) {
	w := mpacket.NewWriter(make([]byte, 0, 4096))
	besideCopy(b, randomPayloads(1024), func(part [][]byte) {
		for _, payload := range part {
			if w.Len() > 3000 {
				w.Reset()
			}
			w.WriteBytes(payload)
		}
		sink += int64(w.Len())
	})
}

// encodedBytes returns the payloads, length-prefixed, end to end.
func encodedBytes(payloads [][]byte) (encoded []byte) {
	for _, payload := range payloads {
		encoded = mpacket.AppendBytes(encoded, payload)
	}
	return encoded
}

// BenchmarkReadBytes reads 1 KB as a view: nothing is moved, so there is no throughput to report.
func BenchmarkReadBytes(b *testing.B) {
	payloads := randomPayloads(1024)
	r := mpacket.NewReader(nil)
	encoded := encodedBytes(payloads)
	eachRound(b, len(payloads), roundOps, func(at, n int) {
		if at == 0 {
			r.Reset(encoded)
		}
		for range n {
			sink += int64(len(r.ReadBytes()))
		}
	})
}

// BenchmarkReadBytesCopied reads 1 KB and copies it into memory that is reused.
func BenchmarkReadBytesCopied(b *testing.B) {
	payloads := randomPayloads(1024)
	encoded := encodedBytes(payloads)
	r := mpacket.NewReader(encoded)
	own := make([]byte, 1024)
	besideCopy(b, payloads, func(part [][]byte) {
		if r.Remaining() < len(part)*1024 {
			r.Reset(encoded)
		}
		for range part {
			sink += int64(copy(own, r.ReadBytes()))
		}
	})
}

func BenchmarkAppendInt32(b *testing.B) {
	values := numbers()
	buf := make([]byte, 0, 8*roundOps)
	eachRound(b, len(values), roundOps, func(at, n int) {
		out := buf
		for _, v := range values[at : at+n] {
			out = mpacket.AppendInt32(out, int32(v))
		}
		sink += int64(len(out))
	})
}

func BenchmarkConsumeInt32(b *testing.B) {
	values := numbers()
	var encoded []byte
	for _, v := range values {
		encoded = mpacket.AppendInt32(encoded, int32(v))
	}
	eachRound(b, len(values), roundOps, func(at, n int) {
		in := encoded[4*at : 4*(at+n)]
		sum := int64(0)
		for off := 0; off < len(in); {
			v, size := mpacket.ConsumeInt32(in[off:])
			if size <= 0 {
				b.Fatal(mpacket.ParseError(size))
			}
			sum += int64(v)
			off += size
		}
		sink += sum
	})
}

func benchAppendVarInt(b *testing.B, values []int32) {
	buf := make([]byte, 0, 8*roundOps)
	eachRound(b, len(values), roundOps, func(at, n int) {
		out := buf
		for _, v := range values[at : at+n] {
			out = mpacket.AppendVarInt(out, v)
		}
		sink += int64(len(out))
	})
}

func benchConsumeVarInt(b *testing.B, values []int32) {
	var encoded []byte
	for _, v := range values {
		encoded = mpacket.AppendVarInt(encoded, v)
	}
	in := encoded
	eachRound(b, len(values), roundOps, func(at, n int) {
		if at == 0 {
			in = encoded
		}
		sum, rest := int64(0), in
		for range n {
			v, size := mpacket.ConsumeVarInt(rest)
			if size <= 0 {
				b.Fatal(mpacket.ParseError(size))
			}
			sum += int64(v)
			rest = rest[size:]
		}
		sink += sum
		in = rest
	})
}

func BenchmarkAppendVarInt1Byte(b *testing.B)  { benchAppendVarInt(b, smallNumbers()) }
func BenchmarkAppendVarIntMix(b *testing.B)    { benchAppendVarInt(b, mixedNumbers()) }
func BenchmarkConsumeVarInt1Byte(b *testing.B) { benchConsumeVarInt(b, smallNumbers()) }
func BenchmarkConsumeVarIntMix(b *testing.B)   { benchConsumeVarInt(b, mixedNumbers()) }

// BenchmarkConsumeVarIntsMix reads the same mix in arrays of 512.
func BenchmarkConsumeVarIntsMix(b *testing.B) {
	values := mixedNumbers()
	var arrays [][]byte
	for at := 0; at < len(values); at += roundOps {
		arrays = append(arrays, mpacket.AppendVarInts(nil, values[at:at+roundOps]))
	}
	own := make([]int32, roundOps)
	eachRound(b, len(values), roundOps, func(at, _ int) {
		got, n := mpacket.ConsumeVarInts(arrays[at/roundOps], own, roundOps)
		if n <= 0 {
			b.Fatal(mpacket.ParseError(n))
		}
		sink += int64(got[0])
	})
}
