package mpacket

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"
)

// varints returns numbers of every length with all neighbours of the places where the length changes.
func varints() (values []int32) {
	for shift := range 32 {
		for delta := int64(-2); delta <= 2; delta++ {
			values = append(values, int32(int64(1)<<shift+delta), -int32(int64(1)<<shift+delta))
		}
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for range 4_000 {
		values = append(values, int32(rng.Uint32()>>rng.IntN(32)))
	}
	return append(values, 0, math.MaxInt32, math.MinInt32)
}

// TestVarIntIsUvarint compares with the standard library, whose encoding of uint32 is the same.
func TestVarIntIsUvarint(t *testing.T) {
	for _, v := range varints() {
		want := binary.AppendUvarint(nil, uint64(uint32(v)))
		got := AppendVarInt(nil, v)
		if !bytes.Equal(got, want) {
			t.Fatalf("AppendVarInt(%d) = %x, want %x", v, got, want)
		}
		if SizeVarInt(v) != len(want) {
			t.Fatalf("SizeVarInt(%d) = %d, want %d", v, SizeVarInt(v), len(want))
		}
		for tail := range 9 {
			in := append(got[:len(got):len(got)], bytes.Repeat([]byte{0xff}, tail)...)
			for name, consume := range map[string]func([]byte) (int32, int){"ConsumeVarInt": ConsumeVarInt, "strict": ConsumeVarIntStrict} {
				if back, n := consume(in); back != v || n != len(want) {
					t.Fatalf("%s(%x) = %d, %d, want %d, %d", name, in, back, n, v, len(want))
				}
			}
		}
		for cut := range len(got) {
			if _, n := ConsumeVarInt(got[:cut]); n != 0 {
				t.Fatalf("ConsumeVarInt(%x) gives n = %d, want 0", got[:cut], n)
			}
		}
	}
}

// TestAppendVarIntTouchesItsBytesOnly holds AppendVarInt to what append promises: spare capacity behind
// the result is left alone, and exactly enough is enough.
func TestAppendVarIntTouchesItsBytesOnly(t *testing.T) {
	for _, v := range varints() {
		n := SizeVarInt(v)
		buf := bytes.Repeat([]byte{0xaa}, 16)
		if got := AppendVarInt(buf[:3], v); &got[0] != &buf[0] || len(got) != 3+n {
			t.Fatalf("AppendVarInt(%d) moved a buffer with room", v)
		}
		for i, c := range buf {
			if (i < 3 || i >= 3+n) && c != 0xaa {
				t.Fatalf("AppendVarInt(%d) wrote byte %d: %x", v, i, buf)
			}
		}
		exact := make([]byte, 0, n)
		if got := AppendVarInt(exact, v); cap(got) != n {
			t.Fatalf("AppendVarInt(%d) grew a buffer of %d bytes to %d", v, n, cap(got))
		}
		full := []byte{1, 2}
		if got := AppendVarInt(full[:2:2], v); !bytes.Equal(got[:2], full) || len(got) != 2+n {
			t.Fatalf("AppendVarInt(%d) to a full buffer gives %x", v, got)
		}
	}
}

func TestVarLongIsUvarint(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for i := range 10_000 {
		v := int64(rng.Uint64() >> (i % 64))
		if i%3 == 0 {
			v = -v
		}
		want := binary.AppendUvarint(nil, uint64(v))
		got := AppendVarLong(nil, v)
		if !bytes.Equal(got, want) || SizeVarLong(v) != len(want) {
			t.Fatalf("AppendVarLong(%d) = %x of size %d, want %x", v, got, SizeVarLong(v), want)
		}
		if back, n := ConsumeVarLong(append(got, 0xff)); back != v || n != len(want) {
			t.Fatalf("ConsumeVarLong(%x) = %d, %d", got, back, n)
		}
		if back, n := ConsumeVarLongStrict(got); back != v || n != len(want) {
			t.Fatalf("ConsumeVarLongStrict(%x) = %d, %d", got, back, n)
		}
	}
}

// TestHotPathsAreInlined asks the compiler: these functions are written as they are so that it does.
func TestHotPathsAreInlined(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the package")
	}
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command on this machine: only the compiler can tell")
	}
	out, err := exec.Command(goTool, "build", "-gcflags=-m", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{
		"AppendVarInt", "ConsumeVarInt", "AppendInt16", "ConsumeInt16", "AppendInt64", "ConsumeInt64", "AppendFloat64LE", "ConsumeFloat64LE",
		"(*Writer).WriteVarInt", "(*Writer).WriteInt64", "(*Writer).WriteByte", "(*Reader).ReadInt64", "(*Reader).ReadUint8", "(*Reader).ReadByte", "(*Reader).ReadFloat64LE",
		"AppendFrame",
	} {
		if !strings.Contains(string(out), ": can inline "+name+"\n") {
			t.Errorf("%s is no longer inlined: a call costs more than what it does", name)
		}
	}
}
