package mpacket

import "errors"

// Encoder turns packets into the bytes of one direction of a connection: compressed once
// SetCompression was called, framed, encrypted once SetKey was called. The zero value frames only. An
// Encoder belongs to one goroutine, and its packets must be sent in the order in which they were made.
type Encoder struct {
	Level int // of compression, as in Deflater

	deflater *Deflater
	cipher   *CFB8
}

// SetCompression turns compression on, for packets of threshold bytes or more, or off when threshold
// is negative.
func (e *Encoder) SetCompression(threshold int) {
	if threshold < 0 {
		e.deflater = nil
		return
	}
	e.deflater = &Deflater{Threshold: threshold, Level: e.Level}
}

// SetKey turns encryption on for all packets that follow. secret has 16 bytes.
func (e *Encoder) SetKey(secret []byte) (err error) {
	e.cipher, err = NewCFB8Encrypter(secret, secret)
	return err
}

// AppendPacket appends packet (its ID and its fields) to dst as it goes over the wire. On an *Error,
// ErrEmpty or ErrOverLimit, it returns dst unchanged and nothing was sent: the next packet may be.
func (e *Encoder) AppendPacket(dst, packet []byte) ([]byte, error) {
	out, err := e.appendFrame(dst, packet)
	if err == nil && e.cipher != nil {
		e.cipher.XORKeyStream(out[len(dst):], out[len(dst):])
	}
	return out, err
}

// appendFrame is AppendPacket before encryption.
func (e *Encoder) appendFrame(dst, packet []byte) ([]byte, error) {
	switch {
	case e.deflater != nil:
		return e.appendDeflated(dst, packet)
	case len(packet) == 0:
		return dst, homeless(ErrEmpty, "frame")
	case len(packet) > MaxFrameLen:
		return dst, homeless(ErrOverLimit, "frame")
	}
	return AppendFrame(dst, packet), nil
}

// appendDeflated learns the length of the frame last.
func (e *Encoder) appendDeflated(dst, packet []byte) ([]byte, error) {
	out, mark := BeginFrame(dst)
	out, err := e.deflater.AppendPayload(out, packet)
	if err == nil {
		out, err = EndFrame(out, mark)
	}
	if err != nil {
		return dst, err
	}
	return out, nil
}

// Decoder turns the bytes of one direction of a connection into packets: the inverse of an Encoder.
// The zero value expects frames only. Set the options of Frames and Inflater before the first call. A
// Decoder belongs to one goroutine and must not be copied.
type Decoder struct {
	Frames   FrameDecoder
	Inflater Inflater

	inflates  bool
	cipher    *CFB8
	decrypted int // bytes at the start of the next input that are decrypted already
	err       error
}

// SetCompression says that the peer turned compression on, from threshold bytes, or off when threshold
// is negative. Call it between two packets, with the rest of the input not yet passed to Next or left
// over by it.
func (d *Decoder) SetCompression(threshold int) {
	d.inflates = threshold >= 0
	d.Inflater.Threshold = threshold
}

// SetKey says that all bytes which Next has not taken yet are encrypted. secret has 16 bytes.
func (d *Decoder) SetKey(secret []byte) (err error) {
	d.cipher, err = NewCFB8Decrypter(secret, secret)
	d.decrypted = 0
	return err
}

// Next takes bytes from the start of in and returns the next packet, which is valid until in is
// changed or Next is called again, and how many bytes it took. A nil packet without an error means
// that it took all of in and needs more. Call again with in[taken:], to which more bytes may have been
// appended: with a key, Next decrypts in in place and counts on seeing what it left.
//
// The *Error counts from the start of the stream, is that of FrameDecoder.Next or Inflater.Inflate,
// and sticks: the connection must be closed.
func (d *Decoder) Next(in []byte) (packet []byte, taken int, err error) {
	if d.err != nil {
		return nil, 0, d.err
	}
	if d.cipher != nil {
		d.cipher.XORKeyStream(in[d.decrypted:], in[d.decrypted:])
	}
	packet, taken, err = d.Frames.Next(in)
	if d.cipher != nil {
		d.decrypted = len(in) - taken
	}
	if packet != nil && d.inflates {
		packet, err = d.Inflater.Inflate(packet)
		err = d.placed(err)
	}
	d.err = err
	return packet, taken, err
}

// placed moves the offset of an error from the frame's payload to the frame in the stream.
func (d *Decoder) placed(err error) error {
	var e *Error
	if errors.As(err, &e) {
		e.Offset = d.Frames.last
	}
	return err
}
