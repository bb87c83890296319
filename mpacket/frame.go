package mpacket

const (
	// MaxFrameLen is the largest payload of a frame in bytes: what a three-byte VarInt can say.
	MaxFrameLen = 1<<21 - 1
	// MaxFrameHeaderLen is the longest length prefix of a frame in bytes.
	MaxFrameHeaderLen = 3
)

// AppendFrame appends a frame to dst: the length of payload as a minimal VarInt, then payload.
// It does not check: peers reject a payload that is empty or longer than MaxFrameLen.
func AppendFrame(dst, payload []byte) []byte {
	if len(payload) < 0x80 {
		return append(append(dst, byte(len(payload))), payload...)
	}
	return appendLongFrame(dst, payload)
}

// appendLongFrame stays a call so that AppendFrame can be inlined.
//
//go:noinline
func appendLongFrame(dst, payload []byte) []byte {
	return append(appendLongVarInt(dst, uint32(len(payload))), payload...)
}

// BeginFrame starts a frame at the end of dst whose payload is not known yet: append the payload to
// what it returns, then call EndFrame with the same mark.
func BeginFrame(dst []byte) (framed []byte, mark int) {
	return append(dst, 0), len(dst)
}

// EndFrame completes the frame that began at mark: the length prefix is written, minimal, and the
// payload moved behind it. It returns dst unchanged with ErrEmpty when there is no payload and with
// ErrOverLimit when it is longer than MaxFrameLen.
func EndFrame(dst []byte, mark int) (framed []byte, err error) {
	length := len(dst) - mark - 1
	switch {
	case length <= 0:
		return dst, homeless(ErrEmpty, "frame")
	case length > MaxFrameLen:
		return dst, homeless(ErrOverLimit, "frame")
	}
	n := SizeVarInt(int32(length))
	if n > 1 {
		dst = append(dst, 0, 0)[:len(dst)+n-1]
		copy(dst[mark+n:], dst[mark+1:])
	}
	AppendVarInt(dst[:mark], int32(length))
	return dst, nil
}

// ConsumeFrameLen reads the length prefix of a frame from the start of b: 1 to MaxFrameLen and the
// bytes read (1 to 3, more than needed when the prefix is padded). n is 0 when b ends inside the
// prefix, -ErrTooLong when the prefix does not end within three bytes, as every negative length
// does not, and -ErrEmpty when it says zero.
func ConsumeFrameLen(b []byte) (length, n int) {
	if len(b) > 0 && b[0] < 0x80 && b[0] != 0 {
		return int(b[0]), 1
	}
	for n < len(b) && n < MaxFrameHeaderLen {
		length |= int(b[n]&0x7f) << (7 * n)
		n++
		if b[n-1] < 0x80 {
			if length == 0 {
				return 0, -int(ErrEmpty)
			}
			return length, n
		}
	}
	if n == MaxFrameHeaderLen {
		return 0, -int(ErrTooLong)
	}
	return 0, 0
}

// FrameDecoder cuts a byte stream into frames. Chunks may be split anywhere; every split of the
// same bytes gives the same frames and the same error. The zero value is ready to use. Set the
// fields before the first call. A FrameDecoder belongs to one goroutine.
//
// Its memory is bounded: a frame that is whole in a chunk is returned as a part of that chunk; any
// other is gathered in a buffer that grows with the bytes that came, never with the length that was
// claimed, to at most MaxLen.
type FrameDecoder struct {
	MaxLen    int  // longest payload in bytes; 0 and anything above MaxFrameLen mean MaxFrameLen
	Strict    bool // reject length prefixes that are longer than they must be
	SkipEmpty bool // pass over frames of length zero instead of rejecting them

	busy    bool                    // a frame was begun, or err is set
	head    [MaxFrameHeaderLen]byte // a prefix that a chunk ended in
	headLen int
	want    int    // length of the frame being gathered; 0 outside a frame
	buf     []byte // its payload so far
	start   int64  // offset of the current frame in the stream
	last    int64  // offset of the frame that was returned last
	err     error
}

// Next takes bytes from the start of in and returns the payload of the next frame, which is valid
// until in is changed or Next is called again, and how many bytes it took. A nil frame without an
// error means that it took all of in and needs more. Call again with in[taken:] while bytes are left.
//
// The error is an *Error whose offset counts from the start of the stream: ErrTooLong, ErrEmpty,
// ErrOverLimit or, when strict, ErrPadded. After an error the stream can no longer be followed;
// Next returns the same error until Reset.
func (d *FrameDecoder) Next(in []byte) (frame []byte, taken int, err error) {
	if d.busy {
		return d.gather(in)
	}
	var length, n int
	if len(in) > 0 && in[0] < 0x80 { // the call is spared for most frames
		length, n = int(in[0]), 1
	} else {
		length, n = ConsumeFrameLen(in)
	}
	end := n + length
	if n <= 0 || length == 0 || end > len(in) || length > d.limit() || d.Strict && padded(in[:n]) {
		return d.gather(in)
	}
	d.last = d.start
	d.start += int64(end)
	return in[n:end:end], end, nil
}

// gather is Next for a frame that is not whole in the chunk, and for bad prefixes.
func (d *FrameDecoder) gather(in []byte) (frame []byte, taken int, err error) {
	d.busy = true
	for d.want == 0 && d.err == nil {
		if taken == len(in) {
			d.busy = d.headLen > 0
			return nil, taken, nil
		}
		d.head[d.headLen] = in[taken]
		d.headLen++
		taken++
		d.endOfPrefix()
	}
	if d.err != nil {
		return nil, taken, d.err
	}
	more := min(d.want-len(d.buf), len(in)-taken)
	if more == d.want {
		frame = in[taken : taken+more : taken+more]
	} else {
		d.reserve(more)
		d.buf = append(d.buf, in[taken:taken+more]...)
		frame = d.buf
	}
	taken += more
	if len(frame) < d.want {
		return nil, taken, nil
	}
	d.last = d.start
	d.start += int64(d.headLen + d.want)
	d.headLen, d.want, d.buf, d.busy = 0, 0, d.buf[:0], false
	return frame, taken, nil
}

// reserve makes room for n more bytes of the frame being gathered. It grows the buffer twofold at a
// time, so that a peer has to send half of what it makes us hold, and never past the frame's length.
func (d *FrameDecoder) reserve(n int) {
	held := len(d.buf)
	if held+n <= cap(d.buf) {
		return
	}
	grown := make([]byte, held, min(d.want, max(2*cap(d.buf), held+n, 512)))
	copy(grown, d.buf)
	d.buf = grown
}

// endOfPrefix looks at the prefix gathered so far and opens the frame, or fails, once it is known.
func (d *FrameDecoder) endOfPrefix() {
	head := d.head[:d.headLen]
	length, n := ConsumeFrameLen(head)
	switch {
	case n == 0:
	case d.Strict && padded(head):
		d.fail(ErrPadded)
	case n == -int(ErrEmpty) && d.SkipEmpty:
		d.start += int64(d.headLen)
		d.headLen = 0
	case n < 0:
		d.fail(Kind(-n))
	case length > d.limit():
		d.fail(ErrOverLimit)
	default:
		d.want = length
	}
}

func (d *FrameDecoder) fail(kind Kind) {
	d.err = &Error{Kind: kind, What: "frame length", Offset: d.start}
}

func (d *FrameDecoder) limit() int {
	if d.MaxLen <= 0 || d.MaxLen > MaxFrameLen {
		return MaxFrameLen
	}
	return d.MaxLen
}

// Buffered returns how many bytes of an unfinished frame the decoder holds, its prefix included.
// When a stream ends and this is not 0, the last frame was truncated.
func (d *FrameDecoder) Buffered() int { return d.headLen + len(d.buf) }

// Reset forgets the unfinished frame and the error: a new stream begins. The options and the buffer
// stay.
func (d *FrameDecoder) Reset() {
	d.headLen, d.want, d.start, d.last, d.err, d.busy = 0, 0, 0, 0, nil, false
	d.buf = d.buf[:0]
}

// padded reports whether a complete VarInt is longer than its value needs.
func padded(varint []byte) bool { return len(varint) > 1 && varint[len(varint)-1] == 0 }
