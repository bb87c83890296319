package samples

import (
	"fmt"
	"testing"
	"unicode/utf8"

	"dyno/mpacket"
)

// TestWords pins the generator: programs in other languages follow it.
func TestWords(t *testing.T) {
	for seed, want := range map[uint32]string{
		0: "92ca2f0e 3cd6e3f3 1b147dcc",
		1: "96a0f96b 12bc8390 971e9964",
	} {
		s := NewSource(seed)
		if got := fmt.Sprintf("%08x %08x %08x", s.Uint32(), s.Uint32(), s.Uint32()); got != want {
			t.Errorf("seed %d: %s, want %s", seed, got, want)
		}
	}
}

// TestEqualSeeds: a source is nothing but its seed.
func TestEqualSeeds(t *testing.T) {
	for seed := range uint32(20) {
		draw := func() string {
			s := NewSource(seed)
			return fmt.Sprint(s.Int32(), s.Int64(), s.VarInt(), s.Text(), s.Bytes(3), s.Small(), s.Medium(), s.Large(), s.Kind())
		}
		if a, b := draw(), draw(); a != b {
			t.Errorf("seed %d: %s and then %s", seed, a, b)
		}
	}
}

// TestBounds holds the values to what their comments say, and so to what the codec can write.
func TestBounds(t *testing.T) {
	s := NewSource(7)
	lengths, notASCII := map[int]int{}, 0
	const draws = 20_000
	for range draws {
		lengths[len(mpacket.AppendVarInt(nil, s.VarInt()))]++
		text := s.Text()
		if n := utf8.RuneCountInString(text); n < 4 || n > 28 || !utf8.ValidString(text) || text[len(text)-1] >= utf8.RuneSelf {
			t.Fatalf("text %q", text)
		}
		if text[0] >= utf8.RuneSelf {
			notASCII++
		}
		if p := s.Small(); p.Entity < 0 || p.Entity > 0x1f_ffff {
			t.Fatalf("entity %d", p.Entity)
		}
		if at := s.Medium().At; at.X < -1<<25 || at.X >= 1<<25 || at.Y < -1<<11 || at.Y >= 1<<11 || at.Z < -1<<25 || at.Z >= 1<<25 {
			t.Fatalf("position %+v", at)
		}
	}
	for bytes := 1; bytes <= mpacket.MaxVarIntLen; bytes++ {
		if n := lengths[bytes]; n < draws/6 || n > draws/4 {
			t.Errorf("%d of %d VarInts have %d bytes, want a fifth", n, draws, bytes)
		}
	}
	if notASCII < draws/10 || notASCII > draws/6 {
		t.Errorf("%d of %d texts are not ASCII, want an eighth", notASCII, draws)
	}
	if p := s.Large(); len(p.Counts) != 32 || len(p.Data) != 512 {
		t.Errorf("large packet of %d counts and %d bytes", len(p.Counts), len(p.Data))
	}
}

// TestKinds: 13, 6 and 1 of 20.
func TestKinds(t *testing.T) {
	s, counts := NewSource(3), map[Kind]int{}
	const draws = 20_000
	for range draws {
		counts[s.Kind()]++
	}
	for kind, share := range map[Kind]int{KindSmall: 13, KindMedium: 6, KindLarge: 1} {
		want := draws * share / 20
		if n := counts[kind]; n < want*4/5 || n > want*6/5 {
			t.Errorf("kind %d: %d of %d, want about %d", kind, n, draws, want)
		}
	}
}
