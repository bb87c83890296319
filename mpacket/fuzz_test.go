package mpacket

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"
)

// The corpora of the fuzz targets are the vectors, so that every new vector is a new seed.

// seedVectors adds the bytes of a file of value vectors.
func seedVectors(f *testing.F, files ...string) {
	for _, file := range files {
		for _, c := range readVectors[valueCase](f, file) {
			if len(c.Hex) < 4096 {
				f.Add([]byte(c.Hex))
			}
		}
	}
}

func FuzzVarInt(f *testing.F) {
	seedVectors(f, "varint")
	f.Fuzz(func(t *testing.T, b []byte) {
		v, n := ConsumeVarInt(b)
		slow, slowN := consumeVarIntTail(b)
		if v != slow || n != slowN {
			t.Fatalf("ConsumeVarInt = %d, %d; byte by byte %d, %d", v, n, slow, slowN)
		}
		checkStrict(t, b, v, n, AppendVarInt, ConsumeVarIntStrict)
	})
}

func FuzzVarLong(f *testing.F) {
	seedVectors(f, "varlong")
	f.Fuzz(func(t *testing.T, b []byte) {
		v, n := ConsumeVarLong(b)
		checkStrict(t, b, v, n, AppendVarLong, ConsumeVarLongStrict)
	})
}

// checkStrict holds a strict function to its meaning: it accepts exactly what the Append function writes.
func checkStrict[T comparable](t *testing.T, b []byte, v T, n int, appendValue func([]byte, T) []byte, strict func([]byte) (T, int)) {
	strictV, strictN := strict(b)
	if n <= 0 {
		if strictN != n {
			t.Fatalf("strict gives %d where the ordinary function gives %d", strictN, n)
		}
		return
	}
	canonical := bytes.Equal(appendValue(nil, v), b[:n])
	if canonical != (strictN == n && strictV == v) || !canonical && strictN >= 0 {
		t.Fatalf("%x: canonical %v, strict gives %v, %d", b[:n], canonical, strictV, strictN)
	}
}

// FuzzValues reads every type from b: whatever is accepted must survive writing and reading, and the
// Reader must agree with the Consume function.
func FuzzValues(f *testing.F) {
	seedVectors(f, "varint", "varlong", "fixed", "string", "bytes", "fixed_values", "bitset", "array", "identifier", "nbt")
	types := slices.Sorted(maps.Keys(vectorCodecs))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, name := range types {
			codec := vectorCodecs[name]
			if codec.consume == nil {
				continue
			}
			fuzzValue(t, name, codec, b)
		}
		values, n := ConsumeVarInts(b, nil, MaxBytesLen)
		plain, plainN := ConsumeArray(b, nil, MaxBytesLen, ConsumeVarInt)
		if n != plainN || !slices.Equal(values, plain) {
			t.Fatalf("ConsumeVarInts gives %v, %d; ConsumeArray %v, %d", values, n, plain, plainN)
		}
	})
}

func fuzzValue(t *testing.T, name string, codec vectorCodec, b []byte) {
	c := new(valueCase)
	value, n := codec.consume(b, c)
	r := NewReader(b)
	read := codec.read(r, c)
	if n > len(b) || n <= 0 && kindName(r.Err()) != kindName(ParseError(n)) || n > 0 && r.Offset() != n {
		t.Fatalf("%s: n = %d of %d, but the Reader is at %d with %v", name, n, len(b), r.Offset(), r.Err())
	}
	if n <= 0 {
		return
	}
	shown, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := json.Marshal(read); !bytes.Equal(again, shown) {
		t.Fatalf("%s: consumed %s, read %s", name, shown, again)
	}
	written := codec.append(nil, shown, c)
	back, size := codec.consume(written, c)
	if again, _ := json.Marshal(back); size != len(written) || !bytes.Equal(again, shown) {
		t.Fatalf("%s: %s was written as %x and read as %s (%d bytes)", name, shown, written, again, size)
	}
	if !codec.lax && name != "string-lossy" {
		strict := NewReader(written)
		strict.Strict = true
		if codec.read(strict, c); strict.Finish() != nil {
			t.Fatalf("%s: strict mode rejects %x, which was written: %v", name, written, strict.Err())
		}
	}
}

// FuzzFrameDecoder cuts b into chunks of the lengths in cuts and expects what the whole gives.
func FuzzFrameDecoder(f *testing.F) {
	for _, c := range readVectors[frameCase](f, "frames") {
		if len(c.Stream) < 4096 {
			f.Add([]byte(c.Stream), []byte{1, 3, 200}, uint16(c.MaxLen), c.Strict, c.SkipEmpty)
		}
	}
	f.Fuzz(func(t *testing.T, b, cuts []byte, maxLen uint16, strict, skipEmpty bool) {
		whole := FrameDecoder{MaxLen: int(maxLen), Strict: strict, SkipEmpty: skipEmpty}
		split := whole
		want := decodeSplit(&whole, b, all)
		got := decodeSplit(&split, b, cycle(cuts))
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("split %v gives %v, whole %v", cuts, got, want)
		}
		if cap(split.buf) > max(512, 2*len(b)) || cap(split.buf) > max(512, split.limit()) {
			t.Fatalf("%d bytes held for %d received under a limit of %d", cap(split.buf), len(b), split.limit())
		}
		var stream []byte
		for _, frame := range want.frames {
			stream = AppendFrame(stream, []byte(frame))
		}
		again := decodeSplit(&FrameDecoder{Strict: true}, stream, cycle(cuts))
		if fmt.Sprint(again.frames) != fmt.Sprint(want.frames) || again.err != "" {
			t.Fatalf("frames do not survive: %v, want %v", again, want)
		}
	})
}

// cycle returns chunk lengths from cuts, over and over.
func cycle(cuts []byte) func() int {
	i := -1
	return func() int {
		if len(cuts) == 0 {
			return 1
		}
		i++
		return int(cuts[i%len(cuts)])
	}
}

// FuzzDecoder is FuzzFrameDecoder for connections with compression and encryption.
func FuzzDecoder(f *testing.F) {
	for _, c := range readVectors[streamCase](f, "stream") {
		f.Add([]byte(c.Stream), []byte{1, 7}, c.Threshold != nil, c.Secret != nil)
	}
	secret := []byte("0123456789abcdef")
	f.Fuzz(func(t *testing.T, b, cuts []byte, compressed, encrypted bool) {
		decode := func(next func() int) (packets []string, failure string) {
			d := new(Decoder)
			d.Inflater.MaxLen = 1 << 16
			if compressed {
				d.SetCompression(64)
			}
			if encrypted && d.SetKey(secret) != nil {
				t.Fatal("no key")
			}
			packets, err := decodePackets(d, b, next)
			return packets, fmt.Sprint(err)
		}
		wantPackets, wantFailure := decode(all)
		packets, failure := decode(cycle(cuts))
		if fmt.Sprint(packets) != fmt.Sprint(wantPackets) || failure != wantFailure {
			t.Fatalf("split %v gives %q, %s; whole %q, %s", cuts, packets, failure, wantPackets, wantFailure)
		}
	})
}

// FuzzEncoder cuts b into packets and takes them through an Encoder and a Decoder, split as cuts says.
func FuzzEncoder(f *testing.F) {
	f.Add([]byte("packets of some lengths"), []byte{1, 7}, uint16(4), true, true)
	f.Add(bytes.Repeat([]byte("long enough to be worth compressing "), 30), []byte{200, 3}, uint16(256), true, false)
	f.Add(bytes.Repeat([]byte{0}, 400), []byte{128, 255}, uint16(0), false, true)
	secret := []byte("0123456789abcdef")
	f.Fuzz(func(t *testing.T, b, cuts []byte, threshold uint16, compressed, encrypted bool) {
		const packetsMax = 16 // more would only be slow: zlib clears its tables for each
		e := Encoder{Level: 1}
		d := new(Decoder)
		if compressed {
			e.SetCompression(int(threshold))
			d.SetCompression(int(threshold))
			d.Inflater.Strict, d.Frames.Strict = true, true
		}
		if encrypted && (e.SetKey(secret) != nil || d.SetKey(secret) != nil) {
			t.Fatal("no key")
		}
		var want []string
		var stream []byte
		for next := cycle(cuts); len(b) > 0; {
			packet := b[:min(len(b), max(1, next()))]
			if len(want) == packetsMax-1 {
				packet = b
			}
			b = b[len(packet):]
			want = append(want, string(packet))
			stream = must(e.AppendPacket(stream, packet))
		}
		got, err := decodePackets(d, stream, cycle(cuts))
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("sent %q, received %q, %v", want, got, err)
		}
	})
}

// FuzzInflater looks for payloads that make it hold more than it may, or read what Deflater cannot write.
func FuzzInflater(f *testing.F) {
	for _, c := range readVectors[compressionCase](f, "compression") {
		for _, payload := range c.Payloads {
			f.Add([]byte(payload))
		}
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		z := Inflater{MaxLen: 1 << 16}
		packet, err := z.Inflate(payload)
		if cap(z.buf) > 1<<17 || len(packet) > max(1<<16, len(payload)) {
			t.Fatalf("holds %d bytes, returned %d", cap(z.buf), len(packet))
		}
		if err != nil {
			return
		}
		packet = bytes.Clone(packet)
		for _, threshold := range []int{0, 1 << 20} {
			written, err := (&Deflater{Threshold: threshold, Level: 1}).AppendPayload(nil, packet)
			if err != nil {
				t.Fatal(err)
			}
			if back, err := z.Inflate(written); err != nil || !bytes.Equal(back, packet) {
				t.Fatalf("%x does not survive: %v", packet, err)
			}
		}
	})
}

// FuzzNBT checks both forms: what is skipped is what is decoded, and survives.
func FuzzNBT(f *testing.F) {
	seedVectors(f, "nbt")
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, form := range []NBTForm{NBTFile, NBTNetwork} {
			n := SkipNBT(b, form)
			v, decoded := ConsumeNBT(b, form)
			if n != decoded || n > len(b) {
				t.Fatalf("SkipNBT gives %d, ConsumeNBT %d of %d", n, decoded, len(b))
			}
			if n <= 0 {
				continue
			}
			written, err := AppendNBT(nil, form, v)
			if err != nil {
				t.Fatalf("decoded NBT cannot be written: %v", err)
			}
			again, size := ConsumeNBT(written, form)
			if rewritten, err := AppendNBT(nil, form, again); size != len(written) || !bytes.Equal(rewritten, written) || err != nil {
				t.Fatalf("%x was written as %x, then as %x (%v)", b[:n], written, rewritten, err)
			}
		}
	})
}

// FuzzPackets parses b as every opening packet.
func FuzzPackets(f *testing.F) {
	for _, c := range readVectors[packetCase](f, "packets") {
		f.Add([]byte(c.Hex), c.Protocol)
	}
	f.Fuzz(func(t *testing.T, b []byte, protocol int32) {
		if h, err := ParseHandshake(b); err == nil {
			again, err := ParseHandshake(must(h.AppendBinary(nil)))
			if again != h || err != nil {
				t.Fatalf("%+v survives as %+v, %v", h, again, err)
			}
		}
		if l, err := ParseLoginStart(b, protocol); err == nil {
			again, err := ParseLoginStart(must(l.Append(nil, protocol)), protocol)
			if again != l || err != nil {
				t.Fatalf("%+v survives as %+v, %v", l, again, err)
			}
		}
		if text, err := ParseStatusResponse(b); err == nil {
			if status, err := ParseStatus(text); err == nil {
				status.PlainText()
			}
		}
		if payload, err := ParsePing(b); err == nil && !bytes.Equal(AppendPing(nil, payload)[1:], b[len(b)-8:]) {
			t.Fatalf("a ping of %d came as %x", payload, b)
		}
		if s, n := ConsumeLegacyStatus(b); n > len(b) || n > 0 && s.Version != "" && !survives(s) {
			t.Fatalf("%+v of %d bytes does not survive", s, n)
		}
	})
}

// survives says whether a status that can be written is read as it was.
func survives(s LegacyStatus) bool {
	written, err := s.AppendBinary(nil)
	if err != nil {
		return true
	}
	again, n := ConsumeLegacyStatus(written)
	return again == s && n == len(written)
}
