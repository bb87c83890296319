package mpacket

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"hash/adler32"
	"io"
	"slices"
)

const (
	// MaxInflatedLen is the largest packet in bytes that may come compressed.
	MaxInflatedLen = 1 << 23
	// DefaultInflateRatio is how many bytes a connection may inflate for each byte it sends.
	DefaultInflateRatio = 128
	// DefaultInflateBurst is how many bytes a connection may inflate beyond that ratio.
	DefaultInflateBurst = 2 * MaxInflatedLen
	// zlibMaxRatio is what deflate reaches at best: a claim above it is a lie.
	zlibMaxRatio = 1032
)

// Inflater reads the payloads of frames once compression is on: a VarInt with the size of the packet,
// then the packet in zlib form, or a zero and the packet as it is. The zero value is ready to use. Set
// the fields before the first call. An Inflater belongs to one goroutine.
//
// Its limits hold before anything is inflated or allocated: the size that is claimed must be within
// MaxLen, possible for the bytes that came, and within the budget of the connection, a bucket of Burst
// bytes that drains by Ratio for each byte received.
type Inflater struct {
	MaxLen    int  // largest inflated packet in bytes; 0 means MaxInflatedLen
	Ratio     int  // 0 means DefaultInflateRatio
	Burst     int  // 0 means DefaultInflateBurst
	Threshold int  // size from which the peer must compress; looked at when strict
	Strict    bool // reject padded sizes and packets on the wrong side of the threshold

	source bytes.Reader
	flate  io.Reader // nil until the first compressed packet
	buf    []byte
	owed   int64 // bytes inflated beyond the ratio
}

// Inflate returns the packet in the payload of a frame. It is a part of payload, or of memory that
// the next call reuses. The *Error counts from the start of payload: a bad size, ErrBadZlib,
// ErrSizeMismatch, ErrTrailing, ErrBudget or ErrEmpty; when strict also ErrPadded, ErrExtraBits and
// ErrBelowThreshold.
func (z *Inflater) Inflate(payload []byte) (packet []byte, err error) {
	size, n := ConsumeVarInt(payload)
	if z.Strict {
		size, n = ConsumeVarIntStrict(payload)
	}
	if n <= 0 {
		return nil, &Error{Kind: Kind(-n), What: "data length"}
	}
	data := payload[n:]
	if size == 0 {
		return z.plain(data, n)
	}
	if kind := z.admit(int64(size), len(data)); kind != ErrShort {
		return nil, &Error{Kind: kind, What: "data length"}
	}
	z.buf = slices.Grow(z.buf[:0], int(size))[:size]
	if kind := z.fill(data); kind != ErrShort {
		return nil, &Error{Kind: kind, What: "zlib data", Offset: int64(n)}
	}
	return z.buf, nil
}

// plain passes on a packet that was not worth compressing.
func (z *Inflater) plain(packet []byte, at int) ([]byte, error) {
	switch {
	case len(packet) == 0:
		return nil, &Error{Kind: ErrEmpty, What: "packet", Offset: int64(at)}
	case z.Strict && len(packet) >= z.Threshold:
		return nil, &Error{Kind: ErrBelowThreshold, What: "packet", Offset: int64(at)}
	}
	z.owed = max(0, z.owed-int64(len(packet))*z.ratio())
	return packet, nil
}

// admit decides on the claimed size of a compressed packet and charges it to the budget. ErrShort
// stands for a good size, here and in fill.
func (z *Inflater) admit(size int64, received int) Kind {
	switch limit := int64(orDefault(z.MaxLen, MaxInflatedLen)); {
	case size < 0:
		return ErrNegative
	case size > limit:
		return ErrOverLimit
	case z.Strict && size < int64(z.Threshold):
		return ErrBelowThreshold
	case size > int64(received)*zlibMaxRatio:
		return ErrSizeMismatch
	}
	owed := max(0, z.owed+size-int64(received)*z.ratio())
	if owed > int64(orDefault(z.Burst, DefaultInflateBurst)) {
		return ErrBudget
	}
	z.owed = owed
	return ErrShort
}

func (z *Inflater) ratio() int64 { return int64(orDefault(z.Ratio, DefaultInflateRatio)) }

// fill inflates all of data, in zlib form, into exactly z.buf. It takes the zlib form apart itself and
// leaves only the deflate stream in it to the standard library, whose zlib reader allocates each time.
func (z *Inflater) fill(data []byte) Kind {
	if !isZlibHeader(data) {
		return ErrBadZlib
	}
	z.open(data[zlibHeaderLen:])
	got, err := readUntil(z.flate, z.buf)
	if err == nil {
		// Only the end of the stream may follow.
		var extra [1]byte
		var more int
		more, err = readUntil(z.flate, extra[:])
		got += more
	}
	switch rest := data[len(data)-z.source.Len():]; {
	case err != io.EOF && got <= len(z.buf):
		return ErrBadZlib
	case got != len(z.buf):
		return ErrSizeMismatch
	case len(rest) < adler32.Size || binary.BigEndian.Uint32(rest) != adler32.Checksum(z.buf):
		return ErrBadZlib
	case len(rest) > adler32.Size:
		return ErrTrailing
	}
	return ErrShort
}

const zlibHeaderLen = 2

// isZlibHeader reports whether data starts as RFC 1950 has it: deflate with a window of at most 32 KB,
// the check bits right, and no preset dictionary.
func isZlibHeader(data []byte) bool {
	if len(data) < zlibHeaderLen {
		return false
	}
	method, flags := data[0], data[1]
	return method&0x0f == 8 && method>>4 <= 7 && flags&0x20 == 0 && binary.BigEndian.Uint16(data)%31 == 0
}

// open starts on a deflate stream, which is read byte by byte and therefore never past its end.
func (z *Inflater) open(stream []byte) {
	z.source.Reset(stream)
	if z.flate == nil {
		z.flate = flate.NewReader(&z.source)
		return
	}
	// Without a dictionary this cannot fail.
	_ = z.flate.(flate.Resetter).Reset(&z.source, nil)
}

// readUntil is io.ReadFull, except that it keeps the end of the stream (io.EOF) and a stream that was
// cut off (io.ErrUnexpectedEOF) apart.
func readUntil(from io.Reader, buf []byte) (n int, err error) {
	for n < len(buf) && err == nil {
		var more int
		more, err = from.Read(buf[n:])
		n += more
	}
	return n, err
}

func orDefault(v, fallback int) int {
	if v <= 0 {
		return fallback
	}
	return v
}
