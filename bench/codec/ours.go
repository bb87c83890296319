package main

import (
	"crypto/cipher"

	"dyno/mpacket"
)

// sink keeps results alive.
var sink int64

// ourOps are the operations of mpacket, and the ceilings that they are held against.
func ourOps() []op {
	ops := []op{}
	for _, f := range framedPayloads() {
		ops = append(ops, copying(f.name, f.payloads), ourFraming(f.name, f.payloads), ourUnframing(f.name, f.payloads))
	}
	ops = append(ops, ourFixed()...)
	ops = append(ops, ourVarInts()...)
	ops = append(ops, ourStrings()...)
	ops = append(ops, ourCiphers()...)
	return append(ops, ourNBT()...)
}

// namedPayloads are what a framing operation frames.
type namedPayloads struct {
	name     string
	payloads [][]byte
}

func framedPayloads() []namedPayloads {
	return []namedPayloads{
		{"64 B", payloads(ofLength(64))}, {"1 KB", payloads(ofLength(1 << 10))}, {"64 KB", payloads(ofLength(64 << 10))},
		{"game", payloads(gameLength)},
	}
}

// bufferLen is the length of an output buffer for payloads: 4 KB, or more where one needs it.
func bufferLen(list [][]byte) int {
	longest := 0
	for _, payload := range list {
		longest = max(longest, len(payload))
	}
	return max(4096, longest+8)
}

// The loops that are timed are functions of their own, so that what they use stays in registers.

func copyInto(buf []byte, part [][]byte) []byte {
	for _, payload := range part {
		if len(buf)+len(payload) > cap(buf) {
			buf = buf[:0]
		}
		buf = append(buf, payload...)
	}
	return buf
}

func frameInto(buf []byte, part [][]byte) []byte {
	for _, payload := range part {
		if len(buf)+len(payload)+mpacket.MaxFrameHeaderLen > cap(buf) {
			buf = buf[:0]
		}
		buf = mpacket.AppendFrame(buf, payload)
	}
	return buf
}

// unframe takes n frames from in, or as many as there are.
func unframe(d *mpacket.FrameDecoder, in []byte, n int) (rest []byte, frames int, sum int64) {
	for frames < n && len(in) > 0 {
		frame, taken, err := d.Next(in)
		must(err)
		sum += int64(frame[len(frame)-1])
		in = in[taken:]
		frames++
	}
	return in, frames, sum
}

func copying(name string, list [][]byte) op {
	buf := make([]byte, 0, bufferLen(list))
	var at cursor
	return op{name: "copy " + name, run: func(n int) {
		at.each(n, len(list), len(list), func(from, count int) { buf = copyInto(buf, list[from:from+count]) })
		sink += int64(len(buf))
	}}
}

func ourFraming(name string, list [][]byte) op {
	buf := make([]byte, 0, bufferLen(list))
	var at cursor
	return op{
		name: "frame " + name,
		run: func(n int) {
			at.each(n, len(list), len(list), func(from, count int) { buf = frameInto(buf, list[from:from+count]) })
			sink += int64(len(buf))
		},
		sum: func() uint64 {
			var d digest
			d.bytes(frameAll(list))
			return d.sum
		},
	}
}

func frameAll(list [][]byte) (stream []byte) {
	for _, payload := range list {
		stream = mpacket.AppendFrame(stream, payload)
	}
	return stream
}

func ourUnframing(name string, list [][]byte) op {
	stream := frameAll(list)
	var d mpacket.FrameDecoder
	rest := stream
	return op{
		name: "unframe " + name,
		run: func(n int) {
			for n > 0 {
				if len(rest) == 0 {
					rest = stream
				}
				left, frames, sum := unframe(&d, rest, n)
				rest = left
				n -= frames
				sink += sum
			}
		},
		sum: func() uint64 {
			var sum digest
			for in := stream; len(in) > 0; {
				frame, taken, err := d.Next(in)
				must(err)
				sum.bytes(frame)
				in = in[taken:]
			}
			return sum.sum
		},
	}
}

// written is an operation that writes one value a time with a Writer.
func written[T any](name string, values []T, write func(w *mpacket.Writer, part []T)) op {
	w := mpacket.NewWriter(make([]byte, 0, 64*partValues))
	var at cursor
	return op{
		name: name,
		run: func(n int) {
			at.each(n, len(values), partValues, func(from, count int) {
				w.Reset()
				write(w, values[from:from+count])
				sink += int64(w.Len())
			})
		},
		sum: func() uint64 {
			var d digest
			d.bytes(encode(values[:partValues], write))
			return d.sum
		},
	}
}

func encode[T any](values []T, write func(w *mpacket.Writer, part []T)) []byte {
	var w mpacket.Writer
	write(&w, values)
	return w.Bytes()
}

// read is an operation that reads one value a time with a Reader.
func read[T any](name string, values []T, write func(w *mpacket.Writer, part []T), readAll func(r *mpacket.Reader, n int) int64) op {
	packet := encode(values, write)
	r := mpacket.NewReader(packet)
	var at cursor
	return op{
		name: name,
		run: func(n int) {
			at.each(n, len(values), partValues, func(from, count int) {
				if from == 0 {
					r.Reset(packet)
				}
				sink += readAll(r, count)
			})
			must(r.Err())
		},
		sum: func() uint64 {
			var d digest
			d.number(readAll(mpacket.NewReader(packet), len(values)))
			return d.sum
		},
	}
}

func writeStrings(w *mpacket.Writer, part []string) {
	for _, s := range part {
		w.WriteString(s)
	}
}

func encodedNames() []byte { return encode(names(), writeStrings) }

func ourStrings() []op {
	list := names()
	return []op{
		written("write string", list, writeStrings),
		read("read string", list, writeStrings, func(r *mpacket.Reader, n int) (sum int64) {
			for range n {
				lastString = r.ReadString()
				sum += int64(len(lastString))
			}
			return sum
		}),
	}
}

// lastString makes the strings that are read escape, as they do where they are used.
var lastString string

var secret = []byte("sixteen byte key")

// cipherBytes are encrypted or decrypted an operation.
const cipherBytes = 1024

func ourCiphers() []op {
	encrypter, err := mpacket.NewCFB8Encrypter(secret, secret)
	must(err)
	decrypter, err := mpacket.NewCFB8Decrypter(secret, secret)
	must(err)
	return []op{streaming("encrypt", encrypter), streaming("decrypt", decrypter)}
}

// streaming takes payloads through a stream cipher.
func streaming(name string, stream cipher.Stream) op {
	list := payloads(ofLength(cipherBytes))
	own := make([]byte, cipherBytes)
	var first digest
	for _, payload := range list[:3] {
		stream.XORKeyStream(own, payload)
		first.bytes(own)
	}
	var at cursor
	return op{
		name: name,
		run: func(n int) {
			at.each(n, len(list), len(list), func(from, count int) {
				for _, payload := range list[from : from+count] {
					stream.XORKeyStream(own, payload)
				}
			})
			sink += int64(own[0])
		},
		sum: func() uint64 { return first.sum },
	}
}
