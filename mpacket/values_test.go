package mpacket

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"
)

func TestConsumeBoolStrict(t *testing.T) {
	for in, want := range map[string]struct {
		v bool
		n int
	}{"": {false, 0}, "\x00": {false, 1}, "\x01\x07": {true, 1}, "\x02": {false, -int(ErrBadBool)}, "\xff": {false, -int(ErrBadBool)}} {
		if v, n := ConsumeBoolStrict([]byte(in)); v != want.v || n != want.n {
			t.Errorf("ConsumeBoolStrict(%x) = %v, %d, want %v, %d", in, v, n, want.v, want.n)
		}
	}
}

func TestAngle(t *testing.T) {
	tests := []struct {
		degrees float64
		want    Angle
	}{{0, 0}, {90, 64}, {180, 128}, {359.9, 0}, {-90, 192}, {450, 64}, {-0.1, 0}, {1e9, AngleOf(math.Mod(1e9, 360))}}
	for _, tt := range tests {
		if got := AngleOf(tt.degrees); got != tt.want {
			t.Errorf("AngleOf(%v) = %d, want %d", tt.degrees, got, tt.want)
		}
	}
	for a := range 256 {
		if got := AngleOf(Angle(a).Degrees()); got != Angle(a) {
			t.Errorf("angle %d comes back as %d", a, got)
		}
	}
}

func TestBitSet(t *testing.T) {
	var s BitSet
	for _, i := range []int{0, 63, 64, 200} {
		s = s.With(i)
	}
	for i := -1; i < 300; i++ {
		want := i == 0 || i == 63 || i == 64 || i == 200
		if s.Has(i) != want {
			t.Errorf("Has(%d) = %v", i, !want)
		}
	}
	if len(s) != 4 || s.Has(math.MaxInt) || s.Has(math.MinInt) {
		t.Errorf("%d words, want 4", len(s))
	}
}

func TestParseUUID(t *testing.T) {
	const dashed = "069a79f4-44e9-4726-a5be-fca90e38aaf5"
	for _, s := range []string{dashed, strings.ReplaceAll(dashed, "-", ""), strings.ToUpper(dashed)} {
		if u, err := ParseUUID(s); err != nil || u.String() != dashed {
			t.Errorf("ParseUUID(%q) = %v, %v", s, u, err)
		}
	}
	for _, s := range []string{"", dashed[1:], dashed + "0", "069a79f44-4e9-4726-a5be-fca90e38aaf5", "g" + dashed[1:], strings.Repeat("0", 36)} {
		if u, err := ParseUUID(s); err == nil || u != (UUID{}) {
			t.Errorf("ParseUUID(%q) = %v, %v, want an error", s, u, err)
		}
	}
}

func TestCheckString(t *testing.T) {
	tests := []struct {
		s     string
		limit int
		want  error
	}{
		{"", 0, nil}, {"a", 0, ErrOverLimit}, {"€", 1, nil}, {"😀", 1, ErrOverLimit}, {"😀", 2, nil},
		{"\xff", 1, ErrBadUTF8}, {strings.Repeat("a", 16) + "\x80", 100, ErrBadUTF8}, {"a", math.MaxInt, nil},
	}
	for _, tt := range tests {
		if err := CheckString(tt.s, tt.limit); !errors.Is(err, tt.want) {
			t.Errorf("CheckString(%q, %d) = %v, want %v", tt.s, tt.limit, err, tt.want)
		}
	}
	if UTF16Len("aä€😀") != 5 {
		t.Errorf("UTF16Len = %d, want 5", UTF16Len("aä€😀"))
	}
}

func TestSplitIdentifier(t *testing.T) {
	tests := []struct {
		s, namespace, path string
	}{{"stone", "minecraft", "stone"}, {":stone", "minecraft", "stone"}, {"a:b/c", "a", "b/c"}}
	for _, tt := range tests {
		if namespace, path, ok := SplitIdentifier(tt.s); namespace != tt.namespace || path != tt.path || !ok {
			t.Errorf("SplitIdentifier(%q) = %q, %q, %v", tt.s, namespace, path, ok)
		}
	}
}

func TestAppendNBTRejects(t *testing.T) {
	deep := any(NBTList{})
	for range MaxNBTDepth {
		deep = NBTList{Tag: TagList, Values: []any{deep}}
	}
	tests := []struct {
		name string
		form NBTForm
		v    any
		want error
	}{
		{"no root in a file", NBTFile, nil, ErrBadNBT},
		{"an int as root of a file", NBTFile, int32(1), ErrBadNBT},
		{"a Go int", NBTNetwork, 1, ErrBadNBT},
		{"a nil in a compound", NBTNetwork, NBTCompound{{"a", nil}}, ErrBadNBT},
		{"a list of two types", NBTNetwork, NBTList{TagInt, []any{int32(1), "a"}}, ErrBadNBT},
		{"a list of nothings", NBTNetwork, NBTList{TagEnd, []any{nil}}, ErrBadNBT},
		{"a list of an unknown tag", NBTNetwork, NBTList{Tag: 13}, ErrBadNBT},
		{"text that is no UTF-8", NBTNetwork, "\xff", ErrBadUTF8},
		{"a name that is no UTF-8", NBTNetwork, NBTCompound{{"\xff", int8(1)}}, ErrBadUTF8},
		{"text of 65,536 bytes", NBTNetwork, strings.Repeat("a", 65536), ErrOverLimit},
		{"text of 32,768 NULs", NBTNetwork, strings.Repeat("\x00", 32768), ErrOverLimit},
		{"513 lists in each other", NBTNetwork, deep, ErrOverLimit},
	}
	for _, tt := range tests {
		if got, err := AppendNBT([]byte("x"), tt.form, NBT{Value: tt.v}); string(got) != "x" || !errors.Is(err, tt.want) {
			t.Errorf("%s: %d bytes, %v, want %v", tt.name, len(got)-1, err, tt.want)
		}
		var w Writer
		if w.WriteNBT(tt.form, NBT{Value: tt.v}); !errors.Is(w.Err(), tt.want) {
			t.Errorf("%s: the Writer says %v, want %v", tt.name, w.Err(), tt.want)
		}
	}
}

func TestNBTGet(t *testing.T) {
	c := NBTCompound{{"a", int8(1)}, {"b", "x"}, {"a", int8(2)}}
	if c.Get("a") != int8(1) || c.Get("b") != "x" || c.Get("c") != nil {
		t.Errorf("Get: %v %v %v", c.Get("a"), c.Get("b"), c.Get("c"))
	}
}

func TestDecodedNBTOutlivesItsInput(t *testing.T) {
	in, err := AppendNBT(nil, NBTNetwork, NBT{Value: NBTCompound{{"name", []byte{1, 2}}, {"s", "text"}}})
	if err != nil {
		t.Fatal(err)
	}
	v, _ := ConsumeNBT(in, NBTNetwork)
	clear(in)
	c := v.Value.(NBTCompound)
	if !bytes.Equal(c.Get("name").([]byte), []byte{1, 2}) || c.Get("s") != "text" {
		t.Errorf("decoded NBT changed with its input: %v", c)
	}
}

func TestDeflaterRejects(t *testing.T) {
	for name, tt := range map[string]struct {
		packet []byte
		level  int
		want   error
	}{
		"nothing":    {nil, 0, ErrEmpty},
		"too much":   {make([]byte, MaxInflatedLen+1), 0, ErrOverLimit},
		"level 10":   {[]byte("a"), 10, ErrOutOfRange},
		"level -100": {[]byte("a"), -100, ErrOutOfRange},
	} {
		z := Deflater{Level: tt.level}
		if got, err := z.AppendPayload([]byte("x"), tt.packet); string(got) != "x" || !errors.Is(err, tt.want) {
			t.Errorf("%s: %d bytes, %v, want %v", name, len(got)-1, err, tt.want)
		}
	}
}

func TestInflaterDoesNotTrustClaims(t *testing.T) {
	payload := append(AppendVarInt(nil, MaxInflatedLen), 0x78, 0x9c, 3, 0)
	var z Inflater
	if _, err := z.Inflate(payload); !errors.Is(err, ErrSizeMismatch) || cap(z.buf) != 0 {
		t.Errorf("a claim of 8 MiB in 4 bytes: %v, %d bytes allocated", err, cap(z.buf))
	}
}

func TestEncoderFailureLeavesTheStreamIntact(t *testing.T) {
	secret := make([]byte, 16)
	var e Encoder
	d := new(Decoder)
	if err := errors.Join(e.SetKey(secret), d.SetKey(secret)); err != nil {
		t.Fatal(err)
	}
	stream := must(e.AppendPacket(nil, []byte("one")))
	for _, bad := range [][]byte{nil, make([]byte, MaxFrameLen+1)} {
		if got, err := e.AppendPacket(stream, bad); err == nil || len(got) != len(stream) {
			t.Errorf("a packet of %d bytes: %d bytes appended, %v", len(bad), len(got)-len(stream), err)
		}
	}
	stream = must(e.AppendPacket(stream, []byte("two")))
	e.SetCompression(-1)
	stream = must(e.AppendPacket(stream, []byte("three")))
	got, err := decodePackets(d, stream, all)
	checkStream(t, "decode", got, [][]byte{[]byte("one"), []byte("two"), []byte("three")}, err, "", 0)
	if e.SetKey(secret[1:]) == nil || d.SetKey(nil) == nil {
		t.Error("a short secret is accepted")
	}
}

// TestSettingsChangeBetweenPackets turns compression and encryption on in the middle of a chunk, as a
// login does.
func TestSettingsChangeBetweenPackets(t *testing.T) {
	secret := []byte("0123456789abcdef")
	packets := []string{"plain", strings.Repeat("squeezed", 50), "secret"}
	var e Encoder
	stream := must(e.AppendPacket(nil, []byte(packets[0])))
	e.SetCompression(10)
	stream = must(e.AppendPacket(stream, []byte(packets[1])))
	if err := e.SetKey(secret); err != nil {
		t.Fatal(err)
	}
	stream = must(e.AppendPacket(stream, []byte(packets[2])))

	d := new(Decoder)
	for i, want := range packets {
		packet, taken, err := d.Next(stream)
		if string(packet) != want || err != nil {
			t.Fatalf("packet %d: %q, %v, want %q", i, packet, err, want)
		}
		stream = stream[taken:]
		switch i {
		case 0:
			d.SetCompression(10)
		case 1:
			if err := d.SetKey(secret); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestNothingAllocates(t *testing.T) {
	packet := everyValue(NewWriter(nil)).Bytes()
	w := NewWriter(make([]byte, 0, 2*len(packet)))
	if n := testing.AllocsPerRun(100, func() { w.Reset(); everyValue(w) }); n != 0 {
		t.Errorf("writing into a reused buffer: %v allocations", n)
	}
	var r Reader
	words, numbers := make(BitSet, 4), make([]int32, 4)
	if n := testing.AllocsPerRun(100, func() { readEveryValue(t, &r, packet, words, numbers) }); n != 0 {
		t.Errorf("reading: %v allocations", n)
	}
	encrypter := must(NewCFB8Encrypter(make([]byte, 16), make([]byte, 16)))
	decrypter := must(NewCFB8Decrypter(make([]byte, 16), make([]byte, 16)))
	payload := must((&Deflater{}).AppendPayload(nil, bytes.Repeat(packet, 10)))
	var z Inflater
	var deflater Deflater
	buf := make([]byte, 0, 4096)
	if n := testing.AllocsPerRun(100, func() {
		if _, err := z.Inflate(payload); err != nil {
			t.Fatal(err)
		}
		if _, err := deflater.AppendPayload(buf, packet); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("compression: %v allocations", n)
	}
	if n := testing.AllocsPerRun(100, func() {
		encrypter.XORKeyStream(packet, packet)
		decrypter.XORKeyStream(packet, packet)
	}); n != 0 {
		t.Errorf("CFB8: %v allocations", n)
	}
}

var nbtInTest = NBT{Value: NBTCompound{{"a", int32(5)}, {"b", NBTList{TagString, []any{"x", "y"}}}, {"c", []int64{1, 2}}}}

// everyValue writes one value of every type.
func everyValue(w *Writer) *Writer {
	w.WriteByte(1)
	w.WriteBool(true)
	w.WriteInt8(-1)
	w.WriteInt16(-2)
	w.WriteUint32LE(3)
	w.WriteInt64(-4)
	w.WriteFloat32(1.5)
	w.WriteFloat64LE(2.5)
	w.WriteVarInt(300)
	w.WriteVarLong(-1)
	w.WriteString("a string of more than sixteen bytes, mit Umlaut ä")
	w.WriteBytes([]byte("bytes"))
	w.WriteRaw([]byte("raw"))
	w.WriteUUID(UUID{1})
	w.WritePosition(Position{1, -2, 3})
	w.WriteAngle(64)
	w.WriteBitSet(BitSet{1, 2})
	w.WriteIdentifier("minecraft:stone")
	WriteArray(w, []int32{1, 2, 300}, (*Writer).WriteVarInt)
	WriteOptional(w, new(int64), (*Writer).WriteInt64)
	w.WriteNBT(NBTNetwork, nbtInTest)
	return w
}

func readEveryValue(t *testing.T, r *Reader, packet []byte, words BitSet, numbers []int32) {
	r.Reset(packet)
	r.ReadByte()
	r.ReadBool()
	r.ReadInt8()
	r.ReadInt16()
	r.ReadUint32LE()
	r.ReadInt64()
	r.ReadFloat32()
	r.ReadFloat64LE()
	r.ReadVarInt()
	r.ReadVarLong()
	r.ReadStringView(100)
	r.ReadBytes()
	r.ReadRaw(3)
	r.ReadUUID()
	r.ReadPosition()
	r.ReadAngle()
	r.ReadBitSet(words, 4)
	r.ReadStringView(100)
	ReadArray(r, numbers, 4, (*Reader).ReadVarInt)
	ReadOptional(r, (*Reader).ReadInt64)
	r.ReadNBTView(NBTNetwork)
	if err := r.Finish(); err != nil {
		t.Fatal(err)
	}
}
