package framed

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"dyno"
	"dyno/internal/golden"
	"dyno/load"
	"dyno/mpacket"
)

func sessions(t testing.TB, payloadBytes, depth int, seed uint64) func(int) load.Session {
	t.Helper()
	open, err := Contract{}.Traffic(dyno.Workload{PayloadBytes: payloadBytes}, depth, seed)
	if err != nil {
		t.Fatal(err)
	}
	return open
}

// replies feeds wire to s as the engine does, at most chunkBytes(left) at a time, until a reply is
// Broken. It returns how many replies were right, and the fault.
func replies(t testing.TB, s load.Session, wire []byte, chunkBytes func(left int) int) (ok int, fault string) {
	t.Helper()
	for len(wire) > 0 {
		chunk := wire[:min(max(chunkBytes(len(wire)), 1), len(wire))]
		wire = wire[len(chunk):]
		for len(chunk) > 0 {
			taken, status := s.Reply(chunk)
			switch status {
			case load.OK:
				ok++
			case load.Broken:
				return ok, s.Fault()
			case load.More:
				if taken != len(chunk) {
					t.Fatalf("More took %d of %d bytes", taken, len(chunk))
				}
			default:
				t.Fatalf("status %d", status)
			}
			if taken < 1 || taken > len(chunk) {
				t.Fatalf("took %d of %d bytes", taken, len(chunk))
			}
			chunk = chunk[taken:]
		}
	}
	return ok, s.Fault()
}

func allAtOnce(left int) int { return left }

func TestTrafficIsRight(t *testing.T) {
	for _, payloadBytes := range []int{1, 2, 8, 64, 127, 128, 1024, 16384, mpacket.MaxFrameLen} {
		for _, depth := range []int{1, 3, depthMax} {
			if depth*payloadBytes > 8<<20 {
				continue // nothing new, and slow
			}
			s := sessions(t, payloadBytes, depth, 5)(0)
			for range 3 {
				var wire []byte
				for range depth {
					wire = s.Request(wire)
				}
				var decoder mpacket.FrameDecoder
				var last []byte
				for rest := wire; len(rest) > 0; {
					frame, taken, err := decoder.Next(rest)
					if err != nil || len(frame) != payloadBytes {
						t.Fatalf("payload of %d B, want %d (%v)", len(frame), payloadBytes, err)
					}
					if bytes.Equal(frame, last) {
						t.Fatalf("%d B: the same payload twice running", payloadBytes)
					}
					last, rest = frame, rest[taken:]
				}
				if ok, fault := replies(t, s, wire, allAtOnce); ok != depth || fault != "" {
					t.Fatalf("%d B, depth %d: %d right replies, fault %q", payloadBytes, depth, ok, fault)
				}
			}
		}
	}
}

func TestCorpus(t *testing.T) {
	for payloadBytes, frames := range map[int]int{1: 256, 2: 256, 1024: 256, 1 << 16: 63, 1 << 20: 8, mpacket.MaxFrameLen: 8} {
		c := newCorpus(equalSizes(payloadBytes), 3)
		seen := map[string]bool{}
		for i := range c.frames {
			seen[string(c.frame(uint8(i)))] = true
		}
		if c.frames != frames || len(seen) != frames {
			t.Errorf("%d B: %d frames, %d distinct, want %d", payloadBytes, c.frames, len(seen), frames)
		}
	}
}

// TestPlayersSendAMix: what a player sends has the sizes of the mix, and comes back as it is; a wrong byte of
// any of them is named with its own size.
func TestPlayersSendAMix(t *testing.T) {
	maker, err := Contract{}.Traffic(Players, 1, 5)
	if err != nil {
		t.Fatal(err)
	}
	s := maker(0)
	counts := map[int]int{}
	const packets = 20_000
	for range packets {
		frame := s.Request(nil)
		payloadBytes, _ := mpacket.ConsumeVarInt(frame)
		counts[int(payloadBytes)]++
		if taken, status := s.Reply(frame); taken != len(frame) || status != load.OK {
			t.Fatal(s.Fault())
		}
	}
	total := 0
	for _, kind := range playerMix {
		want := packets * kind.of256 / 256
		if got := counts[kind.payloadBytes]; got < want/2 || got > want*3/2 {
			t.Errorf("%d B: %d of %d packets, want about %d", kind.payloadBytes, got, packets, want)
		}
		total += kind.of256
	}
	if total != corpusFramesMax || len(counts) != len(playerMix) {
		t.Errorf("the mix has %d frames and %d sizes, want %d and %d", total, len(counts), corpusFramesMax, len(playerMix))
	}
	frame := s.Request(nil)
	frame[len(frame)-1] ^= 1
	if _, status := s.Reply(frame); status != load.Broken || !strings.Contains(s.Fault(), fmt.Sprintf("payload of %d B differs at offset %d", len(frame)-prefixOf(len(frame)), len(frame)-prefixOf(len(frame))-1)) {
		t.Error(s.Fault())
	}
}

// TestTrafficFollowsFromTheSeed: equal seeds and connections make equal traffic, others do not, and
// each connection uses the whole corpus.
func TestTrafficFollowsFromTheSeed(t *testing.T) {
	stream := func(seed uint64, conn int) string {
		s := sessions(t, 8, 1, seed)(conn)
		var wire []byte
		for range 4000 {
			from := len(wire)
			wire = s.Request(wire)
			s.Reply(wire[from:])
		}
		return string(wire)
	}
	first := stream(1, 0)
	if first != stream(1, 0) {
		t.Error("equal seeds made different traffic")
	}
	if first == stream(2, 0) || first == stream(1, 1) {
		t.Error("different seeds or connections made equal traffic")
	}
	seen := map[string]bool{}
	for i := 0; i < len(first); i += 9 {
		seen[first[i:i+9]] = true
	}
	if len(seen) != corpusFramesMax {
		t.Errorf("a connection used %d of %d frames", len(seen), corpusFramesMax)
	}
}

// TestEverySplit: where the bytes of the replies are cut changes nothing.
func TestEverySplit(t *testing.T) {
	const depth = 3
	open := sessions(t, 130, depth, 9)
	requests := func() (load.Session, []byte) {
		s := open(4)
		var wire []byte
		for range depth {
			wire = s.Request(wire)
		}
		return s, wire
	}
	_, wire := requests()
	for damaged := -1; damaged < len(wire); damaged += 7 {
		var want string
		for chunkBytes := len(wire); chunkBytes > 0; chunkBytes-- {
			s, wire := requests()
			if damaged >= 0 {
				wire[damaged] ^= 0x10
			}
			ok, fault := replies(t, s, wire, func(int) int { return chunkBytes })
			got := fmt.Sprint(ok, " ", fault)
			if want == "" {
				want = got
			}
			if got != want || (fault == "") != (damaged < 0) {
				t.Fatalf("byte %d damaged, chunks of %d bytes: %q, want %q", damaged, chunkBytes, got, want)
			}
		}
	}
}

// TestEveryWrongByteIsCaught damages each byte of a reply in turn.
func TestEveryWrongByteIsCaught(t *testing.T) {
	for _, payloadBytes := range []int{1, 64, 200, 20_000} {
		open := sessions(t, payloadBytes, 1, 2)
		for at := 0; at < payloadBytes+1; at += 1 + payloadBytes/500 {
			s := open(0)
			wire := s.Request(nil)
			wire[at]++
			if ok, fault := replies(t, s, wire, allAtOnce); ok != 0 || fault == "" {
				t.Errorf("%d B, byte %d damaged: %d right replies, fault %q", payloadBytes, at, ok, fault)
			}
		}
	}
}

func TestFaults(t *testing.T) {
	var out strings.Builder
	show := func(name string, s load.Session, wire []byte) {
		ok, fault := replies(t, s, wire, allAtOnce)
		fmt.Fprintf(&out, "%-20s %d right, then: %s\n", name, ok, fault)
	}
	open := func() load.Session { return sessions(t, 300, 4, 1)(7) }

	s := open()
	show("nothing asked", s, []byte{1})
	s = open()
	show("one byte more", s, append(s.Request(nil), 0xab))
	s = open()
	wire := s.Request(nil)
	wire[1]++
	show("length", s, wire)
	s = open()
	wire = s.Request(s.Request(nil))
	wire[302+2+17] ^= 0x40
	show("payload", s, wire)
	s = open()
	first, second := s.Request(nil), s.Request(nil)
	show("swapped", s, append(second, first...))
	s = open()
	wire = s.Request(s.Request(nil))
	show("first one twice", s, append(wire[:302:302], wire...))
	golden.Check(t, "faults.golden", out.String())
}

// TestBrokenStaysBroken: after a fault no reply counts until Reset, after which the session is as
// good as new.
func TestBrokenStaysBroken(t *testing.T) {
	s := sessions(t, 8, 2, 1)(0)
	wire := s.Request(s.Request(nil))
	if _, status := s.Reply([]byte{0xee}); status != load.Broken {
		t.Fatalf("status %d, want Broken", status)
	}
	fault := s.Fault()
	if _, status := s.Reply(wire); status != load.Broken || s.Fault() != fault || fault == "" {
		t.Errorf("status %d, fault %q, want Broken and %q", status, s.Fault(), fault)
	}
	s.Reset()
	if s.Fault() != "" {
		t.Errorf("after Reset the fault is %q", s.Fault())
	}
	if ok, fault := replies(t, s, s.Request(s.Request(nil)), allAtOnce); ok != 2 || fault != "" {
		t.Errorf("after Reset: %d right replies, fault %q", ok, fault)
	}
	s.Request(nil)
	s.Reset()
	if _, status := s.Reply([]byte{8}); status != load.Broken {
		t.Error("Reset did not forget what was owed")
	}
}

func TestTrafficRefuses(t *testing.T) {
	for _, c := range []struct{ payloadBytes, depth int }{
		{0, 1}, {-1, 1}, {mpacket.MaxFrameLen + 1, 1}, {64, 0}, {64, -5}, {64, depthMax + 1},
	} {
		open, err := Contract{}.Traffic(dyno.Workload{PayloadBytes: c.payloadBytes}, c.depth, 1)
		if err == nil || open != nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: error %v, want one line", c, err)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a request beyond the depth did not panic")
		}
	}()
	s := sessions(t, 8, 1, 1)(0)
	s.Request(s.Request(nil))
}

func TestSessionsDoNotAllocate(t *testing.T) {
	for _, payloadBytes := range []int{1, 64, 1024, 1 << 16} {
		for _, depth := range []int{1, 16} {
			s := sessions(t, payloadBytes, depth, 1)(0)
			buf := make([]byte, 0, depth*(payloadBytes+3))
			allocs := testing.AllocsPerRun(100, func() {
				wire := buf[:0]
				for range depth {
					wire = s.Request(wire)
				}
				half := len(wire) / 2
				for _, chunk := range [][]byte{wire[:half], wire[half:]} {
					for len(chunk) > 0 {
						taken, status := s.Reply(chunk)
						if status == load.Broken {
							t.Fatal(s.Fault())
						}
						chunk = chunk[taken:]
					}
				}
				s.Reset()
			})
			if allocs != 0 {
				t.Errorf("%d B, depth %d: %v allocations a round", payloadBytes, depth, allocs)
			}
		}
	}
}

// FuzzReply feeds what a server might send: right replies, damaged at will and cut at will. The
// judgement must be that of a comparison of the whole streams.
func FuzzReply(f *testing.F) {
	f.Add([]byte{}, uint64(1), uint16(0xffff), byte(0), uint8(0))
	f.Add([]byte("tail"), uint64(2), uint16(3), byte(1), uint8(1))
	f.Add([]byte{0}, uint64(3), uint16(100), byte(0xff), uint8(130))
	f.Fuzz(func(t *testing.T, tail []byte, cuts uint64, damaged uint16, by byte, payload uint8) {
		const depth = 4
		s := sessions(t, int(payload)+1, depth, 1)(0)
		var right []byte
		for range depth {
			right = s.Request(right)
		}
		wire := append(bytes.Clone(right), tail...)
		wire[int(damaged)%len(wire)] ^= by
		same := 0
		for same < min(len(wire), len(right)) && wire[same] == right[same] {
			same++
		}
		r := rand.New(rand.NewPCG(cuts, 0))
		ok, fault := replies(t, s, wire, func(left int) int { return 1 + r.IntN(min(left, 200)) })
		wantOK, wantFault := same/(len(right)/depth), same < len(wire)
		if ok != wantOK || (fault != "") != wantFault {
			t.Errorf("%d right replies, fault %q; want %d and a fault: %v", ok, fault, wantOK, wantFault)
		}
	})
}

// BenchmarkRoundTrip is the client's own work for a request and its reply. BenchmarkMove, beside
// it, copies as many bytes as the round trip touches: the request once, the reply once.
func BenchmarkRoundTrip(b *testing.B) {
	for _, payloadBytes := range []int{64, 1024} {
		b.Run(dyno.Workload{PayloadBytes: payloadBytes}.String(), func(b *testing.B) {
			s := sessions(b, payloadBytes, 1, 1)(0)
			buf := make([]byte, 0, payloadBytes+3)
			b.SetBytes(int64(2 * payloadBytes))
			for b.Loop() {
				wire := s.Request(buf)
				if _, status := s.Reply(wire); status != load.OK {
					b.Fatal(s.Fault())
				}
			}
		})
	}
}

func BenchmarkMove(b *testing.B) {
	for _, payloadBytes := range []int{64, 1024} {
		b.Run(dyno.Workload{PayloadBytes: payloadBytes}.String(), func(b *testing.B) {
			c := newCorpus(equalSizes(payloadBytes), 1)
			buf, kept := make([]byte, len(c.frame(0))), make([]byte, len(c.frame(0)))
			b.SetBytes(int64(2 * payloadBytes))
			i := uint8(0)
			for b.Loop() {
				copy(buf, c.frame(i))
				copy(kept, buf)
				i += 77 // walks the whole corpus, out of order
			}
		})
	}
}
