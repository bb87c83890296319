package subjects_test

import (
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"dyno/mpacket"
)

// twinType is one type of the codec, as the differential test sees it. Values travel in the notation of
// the vectors.
type twinType struct {
	name  string
	codec int // which of the twin's codecs of that type
	// random returns a value, which may be one that cannot be written.
	random  func(rng *rand.Rand) any
	consume func(b []byte, limit int) (v any, n int)
	read    func(r *mpacket.Reader, limit int) any
	write   func(w *mpacket.Writer, v any, limit int)
	show    func(v any) any
	limit   func(rng *rand.Rand) int
	// compare, when set, leaves of an answer what is to be compared.
	compare func(twinAnswer) twinAnswer
}

// define makes a twinType of typed functions.
func define[T any](name string, random func(*rand.Rand) T, consume func([]byte, int) (T, int), read func(*mpacket.Reader, int) T, write func(*mpacket.Writer, T, int), show func(T) any) twinType {
	return twinType{
		name:    name,
		random:  func(rng *rand.Rand) any { return random(rng) },
		consume: func(b []byte, limit int) (any, int) { return consume(b, limit) },
		read:    func(r *mpacket.Reader, limit int) any { return read(r, limit) },
		write:   func(w *mpacket.Writer, v any, limit int) { write(w, v.(T), limit) },
		show:    func(v any) any { return show(v.(T)) },
		limit:   func(*rand.Rand) int { return 0 },
	}
}

// plain is define for types without a limit.
func plain[T any](name string, random func(*rand.Rand) T, consume func([]byte) (T, int), read func(*mpacket.Reader) T, write func(*mpacket.Writer, T), show func(T) any) twinType {
	return define(name, random,
		func(b []byte, _ int) (T, int) { return consume(b) },
		func(r *mpacket.Reader, _ int) T { return read(r) },
		func(w *mpacket.Writer, v T, _ int) { write(w, v) }, show)
}

// by returns the type for another codec of the twin.
func (t twinType) by(codec int) twinType {
	t.codec = codec
	return t
}

// limited returns the type with a limit that is often near the size of its random values.
func (t twinType) limited(most int) twinType {
	t.limit = func(rng *rand.Rand) int { return rng.IntN(most) }
	return t
}

func same[T any](v T) any { return v }

// bits64 returns numbers of every length in bits.
func bits64(rng *rand.Rand) uint64 {
	return rng.Uint64() >> rng.IntN(64) << (rng.IntN(8) / 7 * rng.IntN(64))
}

func number[T int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | uint64 | mpacket.Angle](rng *rand.Rand) T {
	v := T(bits64(rng))
	if rng.IntN(2) == 0 {
		return -v
	}
	return v
}

func decimal[T int64 | uint64](v T) any { return fmt.Sprint(v) }

var twinTypes = []twinType{
	plain("bool", func(rng *rand.Rand) bool { return rng.IntN(2) == 0 }, mpacket.ConsumeBool, (*mpacket.Reader).ReadBool, (*mpacket.Writer).WriteBool, same),
	plain("int8", number[int8], mpacket.ConsumeInt8, (*mpacket.Reader).ReadInt8, (*mpacket.Writer).WriteInt8, same),
	plain("uint8", number[uint8], mpacket.ConsumeUint8, (*mpacket.Reader).ReadUint8, (*mpacket.Writer).WriteUint8, same),
	plain("int16", number[int16], mpacket.ConsumeInt16, (*mpacket.Reader).ReadInt16, (*mpacket.Writer).WriteInt16, same),
	plain("uint16", number[uint16], mpacket.ConsumeUint16, (*mpacket.Reader).ReadUint16, (*mpacket.Writer).WriteUint16, same),
	plain("int32", number[int32], mpacket.ConsumeInt32, (*mpacket.Reader).ReadInt32, (*mpacket.Writer).WriteInt32, same),
	plain("uint32", number[uint32], mpacket.ConsumeUint32, (*mpacket.Reader).ReadUint32, (*mpacket.Writer).WriteUint32, same),
	plain("int64", number[int64], mpacket.ConsumeInt64, (*mpacket.Reader).ReadInt64, (*mpacket.Writer).WriteInt64, decimal),
	plain("int64", number[int64], mpacket.ConsumeInt64, (*mpacket.Reader).ReadInt64, (*mpacket.Writer).WriteInt64, decimal).by(1),
	plain("uint64", number[uint64], mpacket.ConsumeUint64, (*mpacket.Reader).ReadUint64, (*mpacket.Writer).WriteUint64, decimal),
	plain("int16le", number[int16], mpacket.ConsumeInt16LE, (*mpacket.Reader).ReadInt16LE, (*mpacket.Writer).WriteInt16LE, same),
	plain("uint16le", number[uint16], mpacket.ConsumeUint16LE, (*mpacket.Reader).ReadUint16LE, (*mpacket.Writer).WriteUint16LE, same),
	plain("int32le", number[int32], mpacket.ConsumeInt32LE, (*mpacket.Reader).ReadInt32LE, (*mpacket.Writer).WriteInt32LE, same),
	plain("uint32le", number[uint32], mpacket.ConsumeUint32LE, (*mpacket.Reader).ReadUint32LE, (*mpacket.Writer).WriteUint32LE, same),
	plain("int64le", number[int64], mpacket.ConsumeInt64LE, (*mpacket.Reader).ReadInt64LE, (*mpacket.Writer).WriteInt64LE, decimal),
	plain("int64le", number[int64], mpacket.ConsumeInt64LE, (*mpacket.Reader).ReadInt64LE, (*mpacket.Writer).WriteInt64LE, decimal).by(1),
	plain("uint64le", number[uint64], mpacket.ConsumeUint64LE, (*mpacket.Reader).ReadUint64LE, (*mpacket.Writer).WriteUint64LE, decimal),
	plain("float32", float32s, oneNaN(mpacket.ConsumeFloat32), readOneNaN((*mpacket.Reader).ReadFloat32), (*mpacket.Writer).WriteFloat32, bits32Hex),
	plain("float64", float64s, oneNaN(mpacket.ConsumeFloat64), readOneNaN((*mpacket.Reader).ReadFloat64), (*mpacket.Writer).WriteFloat64, bits64Hex),
	plain("float32le", float32s, oneNaN(mpacket.ConsumeFloat32LE), readOneNaN((*mpacket.Reader).ReadFloat32LE), (*mpacket.Writer).WriteFloat32LE, bits32Hex),
	plain("float64le", float64s, oneNaN(mpacket.ConsumeFloat64LE), readOneNaN((*mpacket.Reader).ReadFloat64LE), (*mpacket.Writer).WriteFloat64LE, bits64Hex),
	// The bits of floats, with every NaN.
	plain("float32", number[uint32], mpacket.ConsumeUint32, (*mpacket.Reader).ReadUint32, (*mpacket.Writer).WriteUint32, func(v uint32) any { return fmt.Sprintf("%08x", v) }).by(1),
	plain("float64", number[uint64], mpacket.ConsumeUint64, (*mpacket.Reader).ReadUint64, (*mpacket.Writer).WriteUint64, func(v uint64) any { return fmt.Sprintf("%016x", v) }).by(1),
	plain("varint", number[int32], mpacket.ConsumeVarInt, (*mpacket.Reader).ReadVarInt, (*mpacket.Writer).WriteVarInt, same),
	plain("varlong", number[int64], mpacket.ConsumeVarLong, (*mpacket.Reader).ReadVarLong, (*mpacket.Writer).WriteVarLong, decimal),
	plain("varlong", number[int64], mpacket.ConsumeVarLong, (*mpacket.Reader).ReadVarLong, (*mpacket.Writer).WriteVarLong, decimal).by(1),
	plain("angle", number[mpacket.Angle], mpacket.ConsumeAngle, (*mpacket.Reader).ReadAngle, (*mpacket.Writer).WriteAngle, same),
	plain("uuid", uuids, mpacket.ConsumeUUID, (*mpacket.Reader).ReadUUID, (*mpacket.Writer).WriteUUID, func(v mpacket.UUID) any { return v.String() }),
	plain("position", positions, mpacket.ConsumePosition, (*mpacket.Reader).ReadPosition, (*mpacket.Writer).WritePosition, func(p mpacket.Position) any { return map[string]int32{"x": p.X, "y": p.Y, "z": p.Z} }),
	plain("identifier", identifiers, mpacket.ConsumeIdentifier, (*mpacket.Reader).ReadIdentifier, (*mpacket.Writer).WriteIdentifier, same),
	define("string", texts, mpacket.ConsumeString, (*mpacket.Reader).ReadStringMax, (*mpacket.Writer).WriteStringMax, same).limited(60),
	define("string", texts, viewAsString, func(r *mpacket.Reader, limit int) string { return string(r.ReadStringView(limit)) }, (*mpacket.Writer).WriteStringMax, same).limited(60).by(1),
	define("string-lossy", texts, mpacket.ConsumeStringLossy, (*mpacket.Reader).ReadStringLossy, (*mpacket.Writer).WriteStringMax, same).limited(60),
	define("bytes", blobs, mpacket.ConsumeBytes, (*mpacket.Reader).ReadBytesMax, func(w *mpacket.Writer, v []byte, _ int) { w.WriteBytes(v) }, hexOf).limited(60),
	define("bytes", blobs, mpacket.ConsumeBytes, (*mpacket.Reader).ReadBytesMax, func(w *mpacket.Writer, v []byte, _ int) { w.WriteBytes(v) }, hexOf).limited(60).by(1),
	define("bitset", bitSets, func(b []byte, limit int) (mpacket.BitSet, int) { return mpacket.ConsumeBitSet(b, nil, limit) },
		func(r *mpacket.Reader, limit int) mpacket.BitSet { return r.ReadBitSet(nil, limit) },
		func(w *mpacket.Writer, v mpacket.BitSet, _ int) { w.WriteBitSet(v) }, showWords).limited(6),
	define("array<varint>", int32s, func(b []byte, limit int) ([]int32, int) {
		return mpacket.ConsumeArray(b, []int32{}, limit, mpacket.ConsumeVarInt)
	},
		func(r *mpacket.Reader, limit int) []int32 {
			return mpacket.ReadArray(r, []int32{}, limit, (*mpacket.Reader).ReadVarInt)
		},
		func(w *mpacket.Writer, v []int32, _ int) { mpacket.WriteArray(w, v, (*mpacket.Writer).WriteVarInt) }, same).limited(12),
	define("array<varint>", int32s, func(b []byte, limit int) ([]int32, int) { return mpacket.ConsumeVarInts(b, []int32{}, limit) },
		func(r *mpacket.Reader, limit int) []int32 { return r.ReadVarInts([]int32{}, limit) },
		func(w *mpacket.Writer, v []int32, _ int) { w.WriteVarInts(v) }, same).limited(12).by(1),
	define("array<string>", func(rng *rand.Rand) []string { return list(rng, soundTexts) },
		func(b []byte, limit int) ([]string, int) {
			return mpacket.ConsumeArray(b, []string{}, limit, consumeUsual)
		},
		func(r *mpacket.Reader, limit int) []string {
			return mpacket.ReadArray(r, []string{}, limit, (*mpacket.Reader).ReadString)
		},
		func(w *mpacket.Writer, v []string, _ int) { mpacket.WriteArray(w, v, (*mpacket.Writer).WriteString) }, same).limited(12),
	plain("optional<varint>", func(rng *rand.Rand) *int32 { return optional(rng, number[int32]) }, pointer(mpacket.ConsumeVarInt), readPointer((*mpacket.Reader).ReadVarInt),
		func(w *mpacket.Writer, v *int32) { mpacket.WriteOptional(w, v, (*mpacket.Writer).WriteVarInt) }, same),
	plain("optional<string>", func(rng *rand.Rand) *string { return optional(rng, soundTexts) }, pointer(consumeUsual), readPointer((*mpacket.Reader).ReadString),
		func(w *mpacket.Writer, v *string) { mpacket.WriteOptional(w, v, (*mpacket.Writer).WriteString) }, same),
	nbtType("nbt-file", mpacket.NBTFile),
	nbtType("nbt-network", mpacket.NBTNetwork),
}

func consumeUsual(b []byte) (string, int) { return mpacket.ConsumeString(b, mpacket.MaxStringUnits) }

func viewAsString(b []byte, limit int) (string, int) {
	text, n := mpacket.ConsumeStringView(b, limit)
	return string(text), n
}

func hexOf(v []byte) any { return hex.EncodeToString(v) }

func showWords(s mpacket.BitSet) any {
	words := []string{}
	for _, word := range s {
		words = append(words, strconv.FormatUint(word, 10))
	}
	return words
}

func bits32Hex(v float32) any { return fmt.Sprintf("%08x", math.Float32bits(v)) }
func bits64Hex(v float64) any { return fmt.Sprintf("%016x", math.Float64bits(v)) }

// JavaScript has one NaN, so that every other becomes it.
func asOneNaN[T float32 | float64](v T) T {
	if v == v {
		return v
	}
	switch p := any(&v).(type) {
	case *float32:
		*p = math.Float32frombits(0x7fc0_0000)
	case *float64:
		*p = math.Float64frombits(0x7ff8_0000_0000_0000)
	}
	return v
}

func oneNaN[T float32 | float64](consume func([]byte) (T, int)) func([]byte) (T, int) {
	return func(b []byte) (T, int) {
		v, n := consume(b)
		return asOneNaN(v), n
	}
}

func readOneNaN[T float32 | float64](read func(*mpacket.Reader) T) func(*mpacket.Reader) T {
	return func(r *mpacket.Reader) T { return asOneNaN(read(r)) }
}

func pointer[T any](consume func([]byte) (T, int)) func([]byte) (*T, int) {
	return func(b []byte) (*T, int) {
		v, present, n := mpacket.ConsumeOptional(b, consume)
		if !present {
			return nil, n
		}
		return &v, n
	}
}

func readPointer[T any](read func(*mpacket.Reader) T) func(*mpacket.Reader) *T {
	return func(r *mpacket.Reader) *T {
		v, present := mpacket.ReadOptional(r, read)
		if !present {
			return nil
		}
		return &v
	}
}

// nbtType compares values by their bytes alone: both sides write again what they read.
func nbtType(name string, form mpacket.NBTForm) twinType {
	t := plain(name, func(rng *rand.Rand) mpacket.NBT { return randomNBT(rng, form) },
		func(b []byte) (mpacket.NBT, int) {
			v, n := mpacket.ConsumeNBT(b, form)
			return nbtOneNaN(v), n
		},
		func(r *mpacket.Reader) mpacket.NBT { return nbtOneNaN(r.ReadNBT(form)) },
		func(w *mpacket.Writer, v mpacket.NBT) { w.WriteNBT(form, v) },
		func(mpacket.NBT) any { return nil })
	t.compare = func(got twinAnswer) twinAnswer {
		got.Shown = nil
		return got
	}
	return t
}

// unitsOf returns text in UTF-16 code units in hexadecimal; half a surrogate pair, in three bytes as a
// careless encoder has it, stays half.
func unitsOf(text string) string {
	var out strings.Builder
	for len(text) > 0 {
		if len(text) >= 3 && text[0] == 0xed && text[1] >= 0xa0 {
			fmt.Fprintf(&out, "%04x", 0xd000|uint16(text[1]&0x3f)<<6|uint16(text[2]&0x3f))
			text = text[3:]
			continue
		}
		r := []rune(text)[0]
		text = text[len(string(r)):]
		if r >= 0x1_0000 {
			r -= 0x1_0000
			fmt.Fprintf(&out, "%04x%04x", 0xd800+r>>10, 0xdc00+r&0x3ff)
		} else {
			fmt.Fprintf(&out, "%04x", r)
		}
	}
	return out.String()
}
