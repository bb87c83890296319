package mpacket

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
)

// frameRun is everything that a decoder made of one stream.
type frameRun struct {
	frames   []string
	err      string
	buffered int
}

// decodeSplit feeds stream to d in chunks of the lengths that next returns.
func decodeSplit(d *FrameDecoder, stream []byte, next func() int) frameRun {
	var run frameRun
	for len(stream) > 0 {
		chunk := bytes.Clone(stream[:min(len(stream), max(1, next()))])
		stream = stream[len(chunk):]
		for len(chunk) > 0 {
			frame, taken, err := d.Next(chunk)
			if err != nil {
				run.err = err.Error()
				return run
			}
			if frame != nil {
				run.frames = append(run.frames, string(frame))
			}
			chunk = chunk[taken:]
		}
	}
	run.buffered = d.Buffered()
	return run
}

func all() int { return 1 << 30 }
func one() int { return 1 }

func TestFrameDecoder(t *testing.T) {
	long := bytes.Repeat([]byte{7}, 300)
	tests := []struct {
		name    string
		decoder FrameDecoder
		stream  string
		want    frameRun
		kind    error
	}{
		{name: "nothing"},
		{name: "one", stream: "\x01a", want: frameRun{frames: []string{"a"}}},
		{name: "two", stream: "\x01a\x02bc", want: frameRun{frames: []string{"a", "bc"}}},
		{name: "two-byte prefix", stream: "\xac\x02" + string(long), want: frameRun{frames: []string{string(long)}}},
		{name: "padded to two", stream: "\x81\x00a\x01b", want: frameRun{frames: []string{"a", "b"}}},
		{name: "padded to three", stream: "\x81\x80\x00a\x01b", want: frameRun{frames: []string{"a", "b"}}},
		{name: "padded, strict", decoder: FrameDecoder{Strict: true}, stream: "\x01a\x81\x00b", want: frameRun{frames: []string{"a"}}, kind: ErrPadded},
		{name: "padded zero, strict", decoder: FrameDecoder{Strict: true, SkipEmpty: true}, stream: "\x80\x00", kind: ErrPadded},
		{name: "truncated prefix", stream: "\x01a\x81", want: frameRun{frames: []string{"a"}, buffered: 1}},
		{name: "truncated payload", stream: "\x01a\x03bc", want: frameRun{frames: []string{"a"}, buffered: 3}},
		{name: "zero", stream: "\x00a", kind: ErrEmpty},
		{name: "padded zero", stream: "\x80\x80\x00a", kind: ErrEmpty},
		{name: "zero skipped", decoder: FrameDecoder{SkipEmpty: true}, stream: "\x00\x80\x00\x01a\x00", want: frameRun{frames: []string{"a"}}},
		{name: "four-byte prefix", stream: "\x80\x80\x80\x01", kind: ErrTooLong},
		{name: "negative", stream: "\xff\xff\xff\xff\x0f", kind: ErrTooLong},
		{name: "above the limit", decoder: FrameDecoder{MaxLen: 299}, stream: "\xac\x02" + string(long), kind: ErrOverLimit},
		{name: "at the limit", decoder: FrameDecoder{MaxLen: 300}, stream: "\xac\x02" + string(long), want: frameRun{frames: []string{string(long)}}},
		{name: "limit too high counts as default", decoder: FrameDecoder{MaxLen: MaxFrameLen + 1}, stream: "\xff\xff\x7f", want: frameRun{buffered: 3}},
		{name: "good, then bad", stream: "\x01a\x02bc\x00", want: frameRun{frames: []string{"a", "bc"}}, kind: ErrEmpty},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for step, next := range map[string]func() int{"whole": all, "bytewise": one} {
				d := tt.decoder
				got := decodeSplit(&d, []byte(tt.stream), next)
				want := tt.want
				if tt.kind != nil {
					if d.err == nil || !errors.Is(d.err, tt.kind) {
						t.Fatalf("%s: error %v, want %v", step, d.err, tt.kind)
					}
					want.err = d.err.Error()
				}
				if fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("%s: got %v, want %v", step, got, want)
				}
			}
		})
	}
}

func TestFrameDecoderErrorHasStreamOffset(t *testing.T) {
	d := FrameDecoder{SkipEmpty: true, Strict: true}
	got := decodeSplit(&d, []byte("\x01a\x00\x02bc\x81\x00"), one)
	want := "mpacket: frame length at byte 6: it is longer than its value needs; reject it or leave strict mode"
	if got.err != want {
		t.Errorf("got  %s\nwant %s", got.err, want)
	}
	if _, taken, err := d.Next([]byte{1, 2}); err == nil || taken != 0 {
		t.Errorf("after an error: took %d bytes, error %v; want 0 and the same error", taken, err)
	}
	d.Reset()
	if frame, taken, err := d.Next([]byte{1, 2}); string(frame) != "\x02" || taken != 2 || err != nil {
		t.Errorf("after Reset: %q, %d, %v", frame, taken, err)
	}
}

func TestFrameDecoderEverySplit(t *testing.T) {
	var stream []byte
	for _, n := range []int{1, 127, 128, 3} {
		stream = AppendFrame(stream, bytes.Repeat([]byte{byte(n)}, n))
	}
	stream = append(stream, 0x82, 0x80, 0x00, 'x', 'y')
	want := decodeSplit(&FrameDecoder{}, stream, all)
	for cut := 1; cut < len(stream); cut++ {
		if got := decodeSplit(&FrameDecoder{}, stream, func() int { return cut }); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("chunks of %d bytes give %v, want %v", cut, got, want)
		}
	}
}

func TestFrameRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var stream []byte
	var want frameRun
	for _, n := range []int{1, 2, 127, 128, 129, 16383, 16384, 100_000, MaxFrameLen} {
		payload := make([]byte, n)
		for i := range payload {
			payload[i] = byte(rng.Uint32())
		}
		stream = AppendFrame(stream, payload)
		want.frames = append(want.frames, string(payload))
	}
	var d FrameDecoder
	for range 5 {
		d.Reset()
		got := decodeSplit(&d, stream, func() int { return rng.IntN(70_000) })
		if len(got.frames) != len(want.frames) || got.err != "" {
			t.Fatalf("%d frames, error %q", len(got.frames), got.err)
		}
		for i := range want.frames {
			if got.frames[i] != want.frames[i] {
				t.Fatalf("frame %d differs", i)
			}
		}
	}
}

func TestFrameDecoderMemoryIsBounded(t *testing.T) {
	var d FrameDecoder
	claim := []byte{0xff, 0xff, 0x7f}
	if _, _, err := d.Next(append(claim, 1, 2, 3)); err != nil {
		t.Fatal(err)
	}
	if cap(d.buf) > 1024 {
		t.Errorf("a claim of %d bytes with 3 sent holds %d bytes", MaxFrameLen, cap(d.buf))
	}
	chunk := make([]byte, 999)
	for range MaxFrameLen/len(chunk) - 1 {
		if frame, taken, err := d.Next(chunk); frame != nil || taken != len(chunk) || err != nil {
			t.Fatal(frame, taken, err)
		}
		if cap(d.buf) > MaxFrameLen || cap(d.buf) > max(1024, 2*len(d.buf)) {
			t.Fatalf("%d bytes held for %d received", cap(d.buf), len(d.buf))
		}
	}
}

func TestFrameDecoderDoesNotAllocate(t *testing.T) {
	var stream []byte
	for range 10 {
		stream = AppendFrame(stream, make([]byte, 200))
	}
	var d FrameDecoder
	decode := func(step int) {
		for in := stream; len(in) > 0; {
			chunk := in[:min(step, len(in))]
			_, taken, err := d.Next(chunk)
			if err != nil {
				t.Fatal(err)
			}
			in = in[taken:]
		}
	}
	decode(64)
	for _, step := range []int{1, 64, len(stream)} {
		if n := testing.AllocsPerRun(10, func() { decode(step) }); n != 0 {
			t.Errorf("chunks of %d bytes: %v allocations", step, n)
		}
	}
}
