package mpacket_test

import (
	"testing"

	"dyno/mpacket"
	"dyno/mpacket/samples"
)

var benchSecret = []byte("sixteen byte key")

func benchCipher(b *testing.B, newCipher func(key, iv []byte) (*mpacket.CFB8, error)) {
	c, err := newCipher(benchSecret, benchSecret)
	if err != nil {
		b.Fatal(err)
	}
	payloads := randomPayloads(1024)
	own := make([]byte, 1024)
	besideCopy(b, payloads, func(part [][]byte) {
		for _, payload := range part {
			c.XORKeyStream(own, payload)
		}
		sink += int64(own[0])
	})
}

// The two directions of CFB8, 1 KB an operation.
func BenchmarkCFB8Encrypt(b *testing.B) { benchCipher(b, mpacket.NewCFB8Encrypter) }
func BenchmarkCFB8Decrypt(b *testing.B) { benchCipher(b, mpacket.NewCFB8Decrypter) }

// BenchmarkDeflate compresses large packets, at the fastest level.
func BenchmarkDeflate(b *testing.B) {
	payloads := samples.Payloads(largePackets(), samples.WriteLarge)
	z := mpacket.Deflater{Level: 1}
	buf := make([]byte, 0, 8192)
	besideCopy(b, payloads, func(part [][]byte) {
		for _, payload := range part {
			out, err := z.AppendPayload(buf, payload)
			if err != nil {
				b.Fatal(err)
			}
			sink += int64(len(out))
		}
	})
}

// BenchmarkInflate reads what BenchmarkDeflate writes.
func BenchmarkInflate(b *testing.B) {
	payloads := samples.Payloads(largePackets(), samples.WriteLarge)[:1024]
	z := mpacket.Deflater{Level: 1}
	for i, payload := range payloads {
		compressed, err := z.AppendPayload(nil, payload)
		if err != nil {
			b.Fatal(err)
		}
		payloads[i] = compressed
	}
	var inflater mpacket.Inflater
	besideCopy(b, payloads, func(part [][]byte) {
		for _, payload := range part {
			packet, err := inflater.Inflate(payload)
			if err != nil {
				b.Fatal(err)
			}
			sink += int64(len(packet))
		}
	})
}
