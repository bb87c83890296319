package mpacket

import "compress/zlib"

// Deflater writes the payloads of frames once compression is on. The zero value compresses every
// packet at zlib's usual level. A Deflater belongs to one goroutine.
type Deflater struct {
	Threshold int // packets shorter than this, in bytes, are sent as they are
	Level     int // 1 (fastest) to 9 (smallest); 0 means zlib's usual level, 6

	zlib *zlib.Writer // nil until the first compressed packet
	sink sliceWriter
}

// sliceWriter lets zlib append to a slice.
type sliceWriter struct{ buf []byte }

func (s *sliceWriter) Write(p []byte) (int, error) {
	s.buf = append(s.buf, p...)
	return len(p), nil
}

// AppendPayload appends the payload of a frame with the packet: its size as a VarInt and the packet
// in zlib form, or a zero and the packet as it is. The *Error is ErrEmpty or, above MaxInflatedLen,
// ErrOverLimit; or ErrOutOfRange for a level that zlib does not have.
func (z *Deflater) AppendPayload(dst, packet []byte) ([]byte, error) {
	switch {
	case len(packet) == 0:
		return dst, homeless(ErrEmpty, "packet")
	case len(packet) > MaxInflatedLen:
		return dst, homeless(ErrOverLimit, "packet")
	case len(packet) < z.Threshold:
		return append(append(dst, 0), packet...), nil
	}
	z.sink.buf = AppendVarInt(dst, int32(len(packet)))
	if err := z.deflate(packet); err != nil {
		return dst, err
	}
	out := z.sink.buf
	z.sink.buf = nil // dst is the caller's
	return out, nil
}

func (z *Deflater) deflate(packet []byte) (err error) {
	if z.zlib == nil {
		level := z.Level
		if level == 0 {
			level = zlib.DefaultCompression
		}
		if z.zlib, err = zlib.NewWriterLevel(&z.sink, level); err != nil {
			return homeless(ErrOutOfRange, "compression level")
		}
	} else {
		z.zlib.Reset(&z.sink)
	}
	if _, err = z.zlib.Write(packet); err != nil {
		return err
	}
	return z.zlib.Close()
}
