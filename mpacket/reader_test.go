package mpacket

import (
	"errors"
	"io"
	"math"
	"strings"
	"testing"
)

var (
	_ io.ByteReader = (*Reader)(nil)
	_ io.ByteWriter = (*Writer)(nil)
)

func TestReaderFirstErrorSticks(t *testing.T) {
	r := NewReader([]byte{1, 2, 3, 4, 5})
	r.ReadInt16()
	if v := r.ReadInt32(); v != 0 {
		t.Errorf("a failed read returns %d", v)
	}
	if v := r.ReadUint8(); v != 0 {
		t.Errorf("a read after a failure returns %d, though bytes are left", v)
	}
	r.ReadString()
	r.ReadNBT(NBTNetwork)
	var e *Error
	if err := r.Err(); !errors.As(err, &e) || e.Kind != ErrShort || e.Offset != 2 {
		t.Errorf("error %v, want short at byte 2", err)
	}
	if r.Offset() != 2 || r.Remaining() != 0 || r.Rest() != nil {
		t.Errorf("offset %d, %d remaining, rest %x", r.Offset(), r.Remaining(), r.Rest())
	}
	if again := r.Err(); again != r.Err() {
		t.Error("Err makes a new error each time")
	}
	r.Reset([]byte{9})
	if v := r.ReadUint8(); v != 9 || r.Finish() != nil {
		t.Errorf("after Reset: %d, %v", v, r.Finish())
	}
}

func TestReaderFinish(t *testing.T) {
	r := NewReader([]byte{1, 2})
	r.ReadUint8()
	if err := r.Finish(); !errors.Is(err, ErrTrailing) || !strings.Contains(err.Error(), "at byte 1") {
		t.Errorf("error %v, want trailing at byte 1", err)
	}
	var empty Reader
	if err := empty.Finish(); err != nil {
		t.Errorf("an empty packet, read: %v", err)
	}
	if _, err := empty.ReadByte(); !errors.Is(err, ErrShort) {
		t.Errorf("ReadByte of an empty packet: %v", err)
	}
}

func TestReaderRaw(t *testing.T) {
	tests := []struct {
		n    int
		want string
		kind error
	}{
		{0, "", nil}, {3, "abc", nil}, {4, "", ErrShort}, {-1, "", ErrNegative}, {math.MinInt, "", ErrNegative}, {math.MaxInt, "", ErrShort},
	}
	for _, tt := range tests {
		r := NewReader([]byte("abc"))
		if got := r.ReadRaw(tt.n); string(got) != tt.want || !errors.Is(r.Err(), tt.kind) {
			t.Errorf("ReadRaw(%d) = %q, %v", tt.n, got, r.Err())
		}
		r.Skip(math.MaxInt) // must stay quiet after a failure too
		r.Skip(1)
		if r.Err() == nil {
			t.Errorf("skipping %d bytes of 3 succeeds", math.MaxInt)
		}
	}
}

func TestReaderSkips(t *testing.T) {
	var w Writer
	w.WriteVarInt(300)
	w.WriteString("passed over")
	w.WriteNBT(NBTNetwork, NBT{Value: NBTCompound{{"a", int8(1)}}})
	w.WriteRaw([]byte("xyz"))
	w.WriteUint8(5)
	r := NewReader(w.Bytes())
	r.SkipVarInt()
	r.SkipBytes()
	r.SkipNBT(NBTNetwork)
	r.Skip(3)
	if v := r.ReadUint8(); v != 5 || r.Finish() != nil {
		t.Errorf("after skipping: %d, %v", v, r.Finish())
	}
}

func TestReaderCopiesAndViews(t *testing.T) {
	packet := AppendBytes(AppendBytes(nil, []byte("abc")), []byte("abc"))
	r := NewReader(packet)
	view, copied := r.ReadBytes(), r.ReadBytesCopy()
	for i := range packet {
		packet[i] = 'x'
	}
	if string(view) != "xxx" || string(copied) != "abc" {
		t.Errorf("view %q, copy %q", view, copied)
	}
	if _ = append(view, 'y'); packet[4] == 'y' {
		t.Error("appending to a view writes into the packet")
	}
}

func TestWriterFirstErrorSticks(t *testing.T) {
	w := NewWriter(make([]byte, 0, 64))
	w.WriteInt32(1)
	w.WriteString("bad \xff")
	w.WriteIdentifier("NO")
	var e *Error
	if err := w.Err(); !errors.As(err, &e) || e.Kind != ErrBadUTF8 || e.Offset != 4 {
		t.Errorf("error %v, want bad-utf8 at byte 4", err)
	}
	if w.Bytes() != nil {
		t.Errorf("a failed Writer hands out %x", w.Bytes())
	}
	w.Reset()
	w.WriteString("good")
	if w.Err() != nil || string(w.Bytes()) != "\x04good" {
		t.Errorf("after Reset: %q, %v", w.Bytes(), w.Err())
	}
}

func TestWriterFrames(t *testing.T) {
	for _, n := range []int{1, 127, 128, 16383, 16384, MaxFrameLen} {
		payload := make([]byte, n)
		payload[n-1] = 7
		var w Writer
		w.WriteRaw([]byte("before"))
		mark := w.BeginFrame()
		w.WriteRaw(payload)
		w.EndFrame(mark)
		if want := AppendFrame([]byte("before"), payload); string(w.Bytes()) != string(want) {
			t.Errorf("a frame of %d bytes written in place differs from an appended one (%v)", n, w.Err())
		}
	}
	for n, kind := range map[int]Kind{0: ErrEmpty, MaxFrameLen + 1: ErrOverLimit} {
		var w Writer
		mark := w.BeginFrame()
		w.WriteRaw(make([]byte, n))
		w.EndFrame(mark)
		if !errors.Is(w.Err(), kind) {
			t.Errorf("a frame of %d bytes: %v, want %v", n, w.Err(), kind)
		}
	}
}
