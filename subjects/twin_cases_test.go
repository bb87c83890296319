package subjects_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"dyno/mpacket"
)

// twinCases returns the questions of the differential test.
func twinCases(seed uint64) (cases []twinCase) {
	rng := rand.New(rand.NewPCG(seed, 0x7477696e))
	for i := range twinTypes {
		t := &twinTypes[i]
		for range 40 {
			cases = append(cases, t.writeCase(rng))
			cases = append(cases, t.readCases(rng, hostile(rng, t.encoded(rng)))...)
		}
		valid := t.encoded(rng)
		for cut := range min(len(valid), 200) + 1 { // every prefix of a value
			cases = append(cases, t.readCases(rng, valid[:cut])...)
		}
	}
	for _, depth := range []int{mpacket.MaxNBTDepth - 1, mpacket.MaxNBTDepth, mpacket.MaxNBTDepth + 1} {
		cases = append(cases, twinTypes[len(twinTypes)-1].readCases(rng, nestedLists(depth))...)
	}
	for range 150 {
		cases = append(cases, frameCase(rng), inflateCase(rng), packetCase(rng), encodeCase(rng), decodeCase(rng))
	}
	return append(cases, splitCases(rng)...)
}

func nestedLists(depth int) []byte {
	b := []byte{byte(mpacket.TagList)}
	for range depth - 1 {
		b = append(b, byte(mpacket.TagList), 0, 0, 0, 1)
	}
	return append(b, byte(mpacket.TagEnd), 0, 0, 0, 0)
}

// encoded returns the bytes of a random value that can be written.
func (t *twinType) encoded(rng *rand.Rand) []byte {
	for {
		var w mpacket.Writer
		t.write(&w, t.random(rng), math.MaxInt32)
		if w.Err() == nil {
			return w.Bytes()
		}
	}
}

// hostile returns b as it is, or damaged in one of the ways in which bytes are.
func hostile(rng *rand.Rand, b []byte) []byte {
	b = bytes.Clone(b)
	at := func() int { return rng.IntN(len(b)) }
	if len(b) == 0 {
		return b
	}
	switch rng.IntN(9) {
	case 0:
		return b[:at()]
	case 1:
		b[at()] ^= 1 << rng.IntN(8)
	case 2:
		b[at()] = []byte{0, 0x7f, 0x80, 0xc0, 0xed, 0xf4, 0xff}[rng.IntN(7)]
	case 3:
		b = append(b, blobs(rng)...)
	case 4: // pad a VarInt at the start
		if b[0] < 0x80 {
			pad := bytes.Repeat([]byte{0x80}, rng.IntN(11))
			b = append(append([]byte{b[0] | 0x80}, append(pad, 0)...), b[1:]...)
		}
	case 5: // bits that do not fit, or a VarInt without an end
		b = append(append(bytes.Repeat([]byte{0xff}, 3+rng.IntN(8)), byte(rng.IntN(128))), b...)
	case 6:
		b = slices.Delete(b, 0, at())
	case 7:
		return blobs(rng)
	}
	return b
}

// readCases asks to read bytes with a Reader and with the consume function.
func (t *twinType) readCases(rng *rand.Rand, b []byte) []twinCase {
	request := twinRequest{Op: "read", Type: t.name, Codec: t.codec, Strict: rng.IntN(3) == 0, Limit: t.limit(rng), Hex: hex.EncodeToString(b)}
	r := mpacket.NewReader(append([]byte{9, 9}, b...))
	r.Strict = request.Strict
	r.Skip(2)
	v := t.read(r, request.Limit)
	read := twinCase{request: request, want: faultOf(r.Err()), read: t.compare}
	if r.Err() == nil {
		read.want = t.again(v, r.Offset(), request.Limit)
	}
	request.Op = "consume"
	v, n := t.consume(b, request.Limit)
	consume := twinCase{request: request, read: t.compare}
	if err := mpacket.ParseError(n); err != nil {
		consume.want.Kind = err.(mpacket.Kind).String()
	} else {
		consume.want = t.again(v, n, request.Limit)
	}
	return []twinCase{read, consume}
}

// again is the answer that shows a value and the bytes that it is written with.
func (t *twinType) again(v any, offset, limit int) twinAnswer {
	var w mpacket.Writer
	t.write(&w, v, limit)
	return twinAnswer{Offset: offset, Shown: t.show(v), Hex: hex.EncodeToString(w.Bytes())}
}

// writeCase asks to write a random value. That of NBT cannot be shown; reading covers it.
func (t *twinType) writeCase(rng *rand.Rand) twinCase {
	v := t.random(rng)
	if _, isNBT := v.(mpacket.NBT); isNBT {
		return t.readCases(rng, t.encoded(rng))[0]
	}
	request := twinRequest{Op: "write", Type: t.name, Codec: t.codec, Limit: t.limit(rng), Value: t.show(v)}
	if text, isText := v.(string); isText {
		units := unitsOf(text)
		request.Units, request.Value = &units, nil
	}
	var w mpacket.Writer
	_ = w.WriteByte(9) // never fails
	t.write(&w, v, request.Limit)
	if w.Err() != nil {
		return twinCase{request: request, want: faultOf(w.Err())}
	}
	return twinCase{request: request, want: twinAnswer{Hex: hex.EncodeToString(w.Bytes())}}
}

// faultOf is the answer that shows an error of package mpacket.
func faultOf(err error) twinAnswer {
	var e *mpacket.Error
	if !errors.As(err, &e) {
		return twinAnswer{}
	}
	return twinAnswer{Kind: e.Kind.String(), At: e.Offset}
}

// list returns up to ten values, seldom none.
func list[T any](rng *rand.Rand, value func(*rand.Rand) T) []T {
	values := make([]T, rng.IntN(10))
	for i := range values {
		values[i] = value(rng)
	}
	return values
}

func optional[T any](rng *rand.Rand, value func(*rand.Rand) T) *T {
	if rng.IntN(3) == 0 {
		return nil
	}
	v := value(rng)
	return &v
}

func int32s(rng *rand.Rand) []int32 { return list(rng, number[int32]) }

func blobs(rng *rand.Rand) []byte {
	b := make([]byte, rng.IntN(70))
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}

func bitSets(rng *rand.Rand) mpacket.BitSet { return list(rng, number[uint64]) }

func uuids(rng *rand.Rand) (id mpacket.UUID) {
	for i := range id {
		id[i] = byte(rng.Uint32())
	}
	return id
}

// positions returns places of which some do not fit.
func positions(rng *rand.Rand) mpacket.Position {
	shift := 6 - rng.IntN(8)/7
	return mpacket.Position{X: number[int32](rng) >> shift, Y: number[int32](rng) >> (3*shift + 2), Z: number[int32](rng) >> shift}
}

func float32s(rng *rand.Rand) float32 {
	return asOneNaN(math.Float32frombits([]uint32{0, 1 << 31, 0x7f80_0000, 0x7fc0_1234, 1, rng.Uint32(), rng.Uint32()}[rng.IntN(7)]))
}

func float64s(rng *rand.Rand) float64 {
	return asOneNaN(math.Float64frombits([]uint64{0, 1 << 63, 0x7ff0_0000_0000_0000, 0x7ff8_1234_0000_0001, 1, rng.Uint64(), rng.Uint64()}[rng.IntN(7)]))
}

// identifiers returns text that is one in most cases.
func identifiers(rng *rand.Rand) string {
	const letters = "az09_-.:/A "
	text := make([]byte, rng.IntN(12))
	for i := range text {
		text[i] = letters[rng.IntN(9-rng.IntN(2)*2+rng.IntN(8)/7*2)]
	}
	return string(text)
}

// texts returns text of all kinds of characters, some of it with half a surrogate pair, which is no text.
func texts(rng *rand.Rand) string {
	var text strings.Builder
	only := rng.IntN(8) // one kind of character, or all
	for range rng.IntN(60) {
		kind := only
		if kind > 5 {
			kind = rng.IntN(6)
		}
		switch kind {
		case 0, 1:
			text.WriteByte(byte(rng.IntN(0x80)))
		case 2:
			text.WriteRune(rune(0x80 + rng.IntN(0x780)))
		case 3:
			text.WriteRune(rune(0x800 + rng.IntN(0xd000)))
		case 4:
			text.WriteRune(rune(0xe000 + rng.IntN(0x2000)))
		case 5:
			text.WriteRune(rune(0x1_0000 + rng.IntN(0x10_0000)))
		}
	}
	if rng.IntN(10) == 0 {
		text.WriteString([]string{"\xed\xa0\x80", "\xed\xb0\x80x", "\xed\xb0\x80\xed\xa0\x80"}[rng.IntN(3)])
	}
	return text.String()
}
