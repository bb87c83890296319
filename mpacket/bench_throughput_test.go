package mpacket_test

import (
	"testing"

	"dyno/mpacket"
	"dyno/mpacket/samples"
)

// appendFrames frames payloads into buf, which is used anew whenever it is full.
func appendFrames(buf []byte, part [][]byte) []byte {
	for _, payload := range part {
		if len(buf)+len(payload)+mpacket.MaxFrameHeaderLen > cap(buf) {
			buf = buf[:0]
		}
		buf = mpacket.AppendFrame(buf, payload)
	}
	return buf
}

// benchFraming measures AppendFrame: each payload is moved once.
func benchFraming(b *testing.B, payloads [][]byte) {
	buf := make([]byte, 0, bufferLen(payloads))
	besideCopy(b, payloads, func(part [][]byte) {
		buf = appendFrames(buf, part)
		sink += int64(buf[0])
	})
}

// benchCycle measures framing and taking apart again. A payload is still moved only once: a frame that is
// whole in its chunk is returned as a part of it.
func benchCycle(b *testing.B, payloads [][]byte) {
	buf := make([]byte, 0, bufferLen(payloads))
	var d mpacket.FrameDecoder
	besideCopy(b, payloads, func(part [][]byte) {
		for len(part) > 0 {
			n := fit(part, cap(buf))
			buf = appendFrames(buf[:0], part[:n])
			sink += decodeFrames(b, &d, buf)
			part = part[n:]
		}
	})
}

// fit returns how many payloads fit a buffer as frames, at least one.
func fit(part [][]byte, room int) int {
	used := 0
	for i, payload := range part {
		used += len(payload) + mpacket.MaxFrameHeaderLen
		if used > room {
			return max(1, i)
		}
	}
	return len(part)
}

// decodeFrames takes in apart and returns the sum of the last bytes of all frames.
func decodeFrames(b *testing.B, d *mpacket.FrameDecoder, in []byte) (sum int64) {
	for len(in) > 0 {
		frame, taken, err := d.Next(in)
		if err != nil {
			b.Fatal(err)
		}
		if frame != nil {
			sum += int64(frame[len(frame)-1])
		}
		in = in[taken:]
	}
	return sum
}

func benchSize(b *testing.B, length int) {
	payloads := randomPayloads(length)
	b.Run("Frame", func(b *testing.B) { benchFraming(b, payloads) })
	b.Run("Cycle", func(b *testing.B) { benchCycle(b, payloads) })
}

func BenchmarkThroughput64B(b *testing.B)  { benchSize(b, 64) }
func BenchmarkThroughput512B(b *testing.B) { benchSize(b, 512) }
func BenchmarkThroughput4KB(b *testing.B)  { benchSize(b, 4<<10) }
func BenchmarkThroughput64KB(b *testing.B) { benchSize(b, 64<<10) }

// BenchmarkThroughputSplit takes apart a stream of 512-byte frames that comes in chunks of 1,448 bytes,
// the payload of an Ethernet segment: two frames in three are whole in a chunk, the others are gathered.
func BenchmarkThroughputSplit(b *testing.B) {
	payloads := randomPayloads(512)
	stream := appendFrames(make([]byte, 0, inputBytes+mpacket.MaxFrameHeaderLen*len(payloads)), payloads)
	frameLen := len(stream) / len(payloads)
	var d mpacket.FrameDecoder
	besideCopy(b, payloads, func(part [][]byte) {
		for in := stream[:len(part)*frameLen]; len(in) > 0; {
			chunk := in[:min(len(in), 1448)]
			sink += decodeFrames(b, &d, chunk)
			in = in[len(chunk):]
		}
	})
}

// BenchmarkThroughputEncodingOnly writes medium packets field by field and frames them.
func BenchmarkThroughputEncodingOnly(b *testing.B) {
	packets := mediumPackets()
	payloads := samples.Payloads(packets, samples.WriteMedium)
	w := mpacket.NewWriter(make([]byte, 0, 4096))
	besideCopy(b, payloads, func(part [][]byte) {
		for i := range part {
			if w.Len() > 3000 {
				w.Reset()
			}
			mark := w.BeginFrame()
			samples.WriteMedium(w, &packets[i])
			w.EndFrame(mark)
		}
		sink += int64(w.Len())
	})
	if err := w.Err(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkThroughputDecodingOnly reads medium packets field by field. Every byte is looked at: the text
// is checked to be UTF-8, the rest are numbers that are summed.
func BenchmarkThroughputDecodingOnly(b *testing.B) {
	payloads := samples.Payloads(mediumPackets(), samples.WriteMedium)
	var r mpacket.Reader
	besideCopy(b, payloads, func(part [][]byte) {
		for _, payload := range part {
			r.Reset(payload)
			sink += readMedium(&r)
		}
	})
	if err := r.Finish(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkThroughputRealisticMix frames and takes apart what a game server sends: of 20 packets 13 small
// ones, 6 medium ones and a large one, in random order.
func BenchmarkThroughputRealisticMix(b *testing.B) { benchCycle(b, mixedPayloads()) }

// BenchmarkMassivePayload is a cycle of 10 KB.
func BenchmarkMassivePayload(b *testing.B) { benchCycle(b, randomPayloads(10<<10)) }
