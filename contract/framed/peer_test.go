package framed

import (
	"bufio"
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"dyno/contract/internal/gate"
	"dyno/internal/golden"
)

// answering returns a peer whose server has sent wire and then closed.
func answering(wire []byte) *peer {
	return &peer{probe: probe{&gate.Probe{Source: gate.NewSource(1, "test")}}, in: bufio.NewReader(bytes.NewReader(wire))}
}

// TestReasons shows every reason that a reply can be refused for.
func TestReasons(t *testing.T) {
	values := gate.NewSource(1, "reasons")
	a, b, short := values.Bytes(300), values.Bytes(300), values.Bytes(5)
	foreign := values.Bytes(200)
	damaged := slices.Clone(a)
	damaged[17] ^= 0xff
	var out strings.Builder
	for _, c := range []struct {
		name string
		wire []byte
		want [][]byte
	}{
		{"right", frames(a, short), [][]byte{a, short}},
		{"silent", nil, [][]byte{a}},
		{"prefix cut off", []byte{0x80}, [][]byte{a}},
		{"payload cut off", frames(a)[:100], [][]byte{a}},
		{"prefix too long", []byte{0x80, 0x80, 0x80, 0x80, 0x80}, [][]byte{a}},
		{"negative length", []byte{0xff, 0xff, 0xff, 0xff, 0x0f}, [][]byte{a}},
		{"zero length", []byte{0}, [][]byte{a}},
		{"wrong length", frames(a[:299]), [][]byte{a}},
		{"padded", paddedFrame(a, 3), [][]byte{a}},
		{"damaged", frames(damaged), [][]byte{a}},
		{"second damaged", frames(b, damaged), [][]byte{b, a}},
		{"swapped", frames(b, a), [][]byte{a, b}},
		{"swapped, other length", frames(foreign, a), [][]byte{a, foreign}},
		{"lost", frames(b), [][]byte{a, b}},
		{"repeated", frames(a, a, b), [][]byte{a, b}},
		{"foreign", frames(foreign), [][]byte{a}},
		{"length of a foreign frame", frames(b[:200]), [][]byte{a}},
	} {
		peer := answering(c.wire)
		if !strings.Contains(c.name, "other length") {
			peer.foreign = [][]byte{foreign}
		}
		fmt.Fprintf(&out, "%-26s %v\n", c.name, peer.expect(c.want...))
	}
	fmt.Fprintf(&out, "%-26s %v\n", "closed", answering(nil).expectClosed())
	fmt.Fprintf(&out, "%-26s %v\n", "not closed", answering([]byte{7}).expectClosed())
	fmt.Fprintf(&out, "%-26s %v\n", "ended", answering(nil).expectEnd())
	fmt.Fprintf(&out, "%-26s %v\n", "not ended", answering([]byte{7}).expectEnd())
	golden.Check(t, "reasons.golden", out.String())
}

// FuzzExpect feeds arbitrary replies: no input may pass but the right one, and the judgement may
// not depend on how the bytes arrive.
func FuzzExpect(f *testing.F) {
	payloads := [][]byte{[]byte("a payload"), []byte("b"), []byte("another one")}
	right := frames(payloads...)
	f.Add(right)
	f.Add(right[:10])
	f.Add(frames(payloads[1], payloads[0], payloads[2]))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0x07, 1})
	f.Add(paddedFrame(payloads[0], 2))
	f.Fuzz(func(t *testing.T, wire []byte) {
		whole := answering(wire)
		err := whole.expect(payloads...)
		if (err == nil) != bytes.HasPrefix(wire, right) {
			t.Errorf("% x: %v", wire, err)
		}
		slow := answering(nil)
		slow.in = bufio.NewReader(iotest.OneByteReader(bytes.NewReader(wire)))
		if other := slow.expect(payloads...); fmt.Sprint(other) != fmt.Sprint(err) {
			t.Errorf("% x: %v at once, %v byte by byte", wire, err, other)
		}
	})
}

func TestFramesAreRight(t *testing.T) {
	for _, n := range []int{1, 127, 128, 16383, 16384, 1<<21 - 1} {
		payload := gate.NewSource(uint64(n), "frames").Bytes(n)
		if !bytes.Equal(frames(payload), frameOf(payload)) {
			t.Errorf("frame of %d B is wrong", n)
		}
	}
	for v, want := range map[uint32]string{0: "80 80 00", 1: "81 80 00", 300: "ac 82 00"} {
		if got := fmt.Sprintf("% x", paddedVarInt(v, 3)); got != want {
			t.Errorf("%d padded to three bytes is %s, want %s", v, got, want)
		}
	}
}
