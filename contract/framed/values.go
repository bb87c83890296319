package framed

import (
	"encoding/binary"
	"hash/fnv"
	"math/rand/v2"

	"dyno/mpacket"
)

// source makes the values of one case or one corpus: equal seeds and names give equal values, and
// nobody who does not know the seed can have them ready.
type source struct {
	*rand.Rand
	bytes *rand.ChaCha8
}

func newSource(seed uint64, name string) *source {
	h := fnv.New64a()
	h.Write([]byte(name))
	var key [32]byte
	binary.LittleEndian.PutUint64(key[0:], seed)
	binary.LittleEndian.PutUint64(key[8:], h.Sum64())
	c := rand.NewChaCha8(key)
	return &source{Rand: rand.New(c), bytes: c}
}

// between returns a number from low to high, both included.
func (s *source) between(low, high int) int { return low + s.IntN(high-low+1) }

// payload returns n random bytes.
func (s *source) payload(n int) []byte {
	b := make([]byte, n)
	s.bytes.Read(b) // never fails
	return b
}

// payloads returns count payloads of lowBytes to highBytes each.
func (s *source) payloads(count, lowBytes, highBytes int) [][]byte {
	all := make([][]byte, count)
	for i := range all {
		all[i] = s.payload(s.between(lowBytes, highBytes))
	}
	return all
}

// bulk returns payloads of 1 B to 64 KiB that make up totalBytes.
func (s *source) bulk(totalBytes int) [][]byte {
	var all [][]byte
	for left := totalBytes; left > 0; {
		n := min(s.between(1, 64<<10), left)
		all = append(all, s.payload(n))
		left -= n
	}
	return all
}

// frames returns the payloads as they go over the wire, each with a minimal prefix.
func frames(payloads ...[]byte) []byte {
	var wire []byte
	for _, payload := range payloads {
		wire = mpacket.AppendFrame(wire, payload)
	}
	return wire
}

// paddedFrame returns a frame whose prefix takes prefixBytes, which must be at least as many as it
// needs.
func paddedFrame(payload []byte, prefixBytes int) []byte {
	return append(paddedVarInt(uint32(len(payload)), prefixBytes), payload...)
}

// paddedVarInt encodes v in exactly n bytes.
func paddedVarInt(v uint32, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(v)&0x7f | 0x80
		v >>= 7
	}
	b[n-1] &= 0x7f
	return b
}
