package mpacket

import (
	"encoding/hex"
	"encoding/json"
	"math"
	"strconv"
)

// vectorCodec reads and writes one type of the vectors. Values pass through the JSON notation of the
// vectors on their way in and out.
type vectorCodec struct {
	consume func(b []byte, c *valueCase) (shown any, n int)
	read    func(r *Reader, c *valueCase) (shown any)
	append  func(b []byte, value json.RawMessage, c *valueCase) []byte
	write   func(w *Writer, value json.RawMessage, c *valueCase)
	lax     bool // has no strict form
}

var vectorCodecs = map[string]vectorCodec{
	"bool":             simple(ConsumeBool, (*Reader).ReadBool, AppendBool, (*Writer).WriteBool),
	"int8":             simple(ConsumeInt8, (*Reader).ReadInt8, AppendInt8, (*Writer).WriteInt8),
	"uint8":            simple(ConsumeUint8, (*Reader).ReadUint8, AppendUint8, (*Writer).WriteUint8),
	"int16":            simple(ConsumeInt16, (*Reader).ReadInt16, AppendInt16, (*Writer).WriteInt16),
	"uint16":           simple(ConsumeUint16, (*Reader).ReadUint16, AppendUint16, (*Writer).WriteUint16),
	"int32":            simple(ConsumeInt32, (*Reader).ReadInt32, AppendInt32, (*Writer).WriteInt32),
	"uint32":           simple(ConsumeUint32, (*Reader).ReadUint32, AppendUint32, (*Writer).WriteUint32),
	"int16le":          simple(ConsumeInt16LE, (*Reader).ReadInt16LE, AppendInt16LE, (*Writer).WriteInt16LE),
	"uint16le":         simple(ConsumeUint16LE, (*Reader).ReadUint16LE, AppendUint16LE, (*Writer).WriteUint16LE),
	"int32le":          simple(ConsumeInt32LE, (*Reader).ReadInt32LE, AppendInt32LE, (*Writer).WriteInt32LE),
	"uint32le":         simple(ConsumeUint32LE, (*Reader).ReadUint32LE, AppendUint32LE, (*Writer).WriteUint32LE),
	"int64":            shownAs(ConsumeInt64, (*Reader).ReadInt64, AppendInt64, (*Writer).WriteInt64, showInt64, parseInt64),
	"int64le":          shownAs(ConsumeInt64LE, (*Reader).ReadInt64LE, AppendInt64LE, (*Writer).WriteInt64LE, showInt64, parseInt64),
	"uint64":           shownAs(ConsumeUint64, (*Reader).ReadUint64, AppendUint64, (*Writer).WriteUint64, showUint64, parseUint64),
	"uint64le":         shownAs(ConsumeUint64LE, (*Reader).ReadUint64LE, AppendUint64LE, (*Writer).WriteUint64LE, showUint64, parseUint64),
	"float32":          shownAs(ConsumeFloat32, (*Reader).ReadFloat32, AppendFloat32, (*Writer).WriteFloat32, showFloat32, parseFloat32),
	"float32le":        shownAs(ConsumeFloat32LE, (*Reader).ReadFloat32LE, AppendFloat32LE, (*Writer).WriteFloat32LE, showFloat32, parseFloat32),
	"float64":          shownAs(ConsumeFloat64, (*Reader).ReadFloat64, AppendFloat64, (*Writer).WriteFloat64, showFloat64, parseFloat64),
	"float64le":        shownAs(ConsumeFloat64LE, (*Reader).ReadFloat64LE, AppendFloat64LE, (*Writer).WriteFloat64LE, showFloat64, parseFloat64),
	"varint":           simple(ConsumeVarInt, (*Reader).ReadVarInt, AppendVarInt, (*Writer).WriteVarInt),
	"varlong":          shownAs(ConsumeVarLong, (*Reader).ReadVarLong, AppendVarLong, (*Writer).WriteVarLong, showInt64, parseInt64),
	"angle":            simple(ConsumeAngle, (*Reader).ReadAngle, AppendAngle, (*Writer).WriteAngle),
	"identifier":       simple(ConsumeIdentifier, (*Reader).ReadIdentifier, AppendIdentifier, (*Writer).WriteIdentifier),
	"uuid":             shownAs(ConsumeUUID, (*Reader).ReadUUID, AppendUUID, (*Writer).WriteUUID, UUID.String, ParseUUID),
	"position":         shownAs(ConsumePosition, (*Reader).ReadPosition, AppendPosition, (*Writer).WritePosition, showPosition, parsePosition),
	"string":           stringCodec,
	"string-lossy":     lossyCodec,
	"string-units":     unitsCodec,
	"bytes":            bytesCodec,
	"bitset":           bitsetCodec,
	"array<varint>":    arrayCodec(ConsumeVarInt, (*Reader).ReadVarInt, AppendVarInt, (*Writer).WriteVarInt),
	"varints":          varintsCodec,
	"array<string>":    arrayCodec(consumePlainString, (*Reader).ReadString, AppendString, (*Writer).WriteString),
	"optional<varint>": optionalCodec(ConsumeVarInt, (*Reader).ReadVarInt, AppendVarInt, (*Writer).WriteVarInt),
	"optional<string>": optionalCodec(consumePlainString, (*Reader).ReadString, AppendString, (*Writer).WriteString),
	"nbt-file":         nbtCodec(NBTFile),
	"nbt-network":      nbtCodec(NBTNetwork),
}

// simple is the codec of a type whose JSON form is its own.
func simple[T any](consume func([]byte) (T, int), read func(*Reader) T, appendValue func([]byte, T) []byte, write func(*Writer, T)) vectorCodec {
	parse := func(v T) (T, error) { return v, nil }
	return shownAs(consume, read, appendValue, write, func(v T) T { return v }, parse)
}

// shownAs is the codec of a type T that the vectors write as an S.
func shownAs[T, S any](consume func([]byte) (T, int), read func(*Reader) T, appendValue func([]byte, T) []byte, write func(*Writer, T), show func(T) S, parse func(S) (T, error)) vectorCodec {
	value := func(text json.RawMessage) T {
		v, err := parse(unmarshal[S](text))
		if err != nil {
			panic(err)
		}
		return v
	}
	return vectorCodec{
		consume: func(b []byte, _ *valueCase) (any, int) {
			v, n := consume(b)
			return show(v), n
		},
		read:   func(r *Reader, _ *valueCase) any { return show(read(r)) },
		append: func(b []byte, text json.RawMessage, _ *valueCase) []byte { return appendValue(b, value(text)) },
		write:  func(w *Writer, text json.RawMessage, _ *valueCase) { write(w, value(text)) },
	}
}

func unmarshal[T any](text json.RawMessage) (v T) {
	if err := json.Unmarshal(text, &v); err != nil {
		panic(err)
	}
	return v
}

func showInt64(v int64) string             { return strconv.FormatInt(v, 10) }
func parseInt64(s string) (int64, error)   { return strconv.ParseInt(s, 10, 64) }
func showUint64(v uint64) string           { return strconv.FormatUint(v, 10) }
func parseUint64(s string) (uint64, error) { return strconv.ParseUint(s, 10, 64) }

func showFloat32(v float32) string {
	return hex.EncodeToString(AppendUint32(nil, math.Float32bits(v)))
}

func parseFloat32(s string) (float32, error) {
	bits, err := strconv.ParseUint(s, 16, 32)
	return math.Float32frombits(uint32(bits)), err
}

func showFloat64(v float64) string {
	return hex.EncodeToString(AppendUint64(nil, math.Float64bits(v)))
}

func parseFloat64(s string) (float64, error) {
	bits, err := strconv.ParseUint(s, 16, 64)
	return math.Float64frombits(bits), err
}

type jsonPosition struct {
	X int32 `json:"x"`
	Y int32 `json:"y"`
	Z int32 `json:"z"`
}

func showPosition(p Position) jsonPosition           { return jsonPosition(p) }
func parsePosition(p jsonPosition) (Position, error) { return Position(p), nil }

func consumePlainString(b []byte) (string, int) { return ConsumeString(b, MaxStringUnits) }

var stringCodec = vectorCodec{
	consume: func(b []byte, c *valueCase) (any, int) { return ConsumeString(b, c.limit(MaxStringUnits)) },
	read:    func(r *Reader, c *valueCase) any { return r.ReadStringMax(c.limit(MaxStringUnits)) },
	append: func(b []byte, text json.RawMessage, _ *valueCase) []byte {
		return AppendString(b, unmarshal[string](text))
	},
	write: func(w *Writer, text json.RawMessage, c *valueCase) {
		w.WriteStringMax(unmarshal[string](text), c.limit(MaxStringUnits))
	},
}

var lossyCodec = vectorCodec{
	consume: func(b []byte, c *valueCase) (any, int) { return ConsumeStringLossy(b, c.limit(MaxStringUnits)) },
	read:    func(r *Reader, c *valueCase) any { return r.ReadStringLossy(c.limit(MaxStringUnits)) },
	append:  stringCodec.append,
	write:   stringCodec.write,
}

var unitsCodec = vectorCodec{
	write: func(w *Writer, text json.RawMessage, c *valueCase) {
		w.WriteStringMax(fromUnits(unmarshal[string](text)), c.limit(MaxStringUnits))
	},
}

var bytesCodec = vectorCodec{
	consume: func(b []byte, c *valueCase) (any, int) {
		v, n := ConsumeBytes(b, c.limit(MaxBytesLen))
		return hex.EncodeToString(v), n
	},
	read: func(r *Reader, c *valueCase) any {
		return hex.EncodeToString(r.ReadBytesMax(c.limit(MaxBytesLen)))
	},
	append: func(b []byte, text json.RawMessage, _ *valueCase) []byte {
		return AppendBytes(b, unmarshal[blob](text))
	},
	write: func(w *Writer, text json.RawMessage, _ *valueCase) { w.WriteBytes(unmarshal[blob](text)) },
}

var bitsetCodec = vectorCodec{
	consume: func(b []byte, c *valueCase) (any, int) {
		s, n := ConsumeBitSet(b, nil, c.limit(MaxBytesLen))
		return showWords(s), n
	},
	read: func(r *Reader, c *valueCase) any { return showWords(r.ReadBitSet(nil, c.limit(MaxBytesLen))) },
	append: func(b []byte, text json.RawMessage, _ *valueCase) []byte {
		return AppendBitSet(b, parseWords(text))
	},
	write: func(w *Writer, text json.RawMessage, _ *valueCase) { w.WriteBitSet(parseWords(text)) },
}

func showWords(s BitSet) []string {
	words := []string{}
	for _, word := range s {
		words = append(words, showUint64(word))
	}
	return words
}

func parseWords(text json.RawMessage) (s BitSet) {
	for _, word := range unmarshal[[]string](text) {
		v, err := parseUint64(word)
		if err != nil {
			panic(err)
		}
		s = append(s, v)
	}
	return s
}

func arrayCodec[T any](consume func([]byte) (T, int), read func(*Reader) T, appendValue func([]byte, T) []byte, write func(*Writer, T)) vectorCodec {
	return vectorCodec{
		consume: func(b []byte, c *valueCase) (any, int) {
			values, n := ConsumeArray(b, []T{}, c.limit(MaxBytesLen), consume)
			return values, n
		},
		read: func(r *Reader, c *valueCase) any { return ReadArray(r, []T{}, c.limit(MaxBytesLen), read) },
		append: func(b []byte, text json.RawMessage, _ *valueCase) []byte {
			return AppendArray(b, unmarshal[[]T](text), appendValue)
		},
		write: func(w *Writer, text json.RawMessage, _ *valueCase) { WriteArray(w, unmarshal[[]T](text), write) },
	}
}

// varintsCodec reads what the vectors call array<varint>, by the functions that do so faster.
var varintsCodec = vectorCodec{
	consume: func(b []byte, c *valueCase) (any, int) { return ConsumeVarInts(b, []int32{}, c.limit(MaxBytesLen)) },
	read:    func(r *Reader, c *valueCase) any { return r.ReadVarInts([]int32{}, c.limit(MaxBytesLen)) },
	append: func(b []byte, text json.RawMessage, _ *valueCase) []byte {
		return AppendVarInts(b, unmarshal[[]int32](text))
	},
	write: func(w *Writer, text json.RawMessage, _ *valueCase) { w.WriteVarInts(unmarshal[[]int32](text)) },
}

func optionalCodec[T any](consume func([]byte) (T, int), read func(*Reader) T, appendValue func([]byte, T) []byte, write func(*Writer, T)) vectorCodec {
	show := func(v T, present bool) any {
		if present {
			return v
		}
		return nil
	}
	return vectorCodec{
		consume: func(b []byte, _ *valueCase) (any, int) {
			v, present, n := ConsumeOptional(b, consume)
			return show(v, present), n
		},
		read: func(r *Reader, _ *valueCase) any { return show(ReadOptional(r, read)) },
		append: func(b []byte, text json.RawMessage, _ *valueCase) []byte {
			return AppendOptional(b, unmarshal[*T](text), appendValue)
		},
		write: func(w *Writer, text json.RawMessage, _ *valueCase) { WriteOptional(w, unmarshal[*T](text), write) },
	}
}
