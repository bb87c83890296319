package main

import (
	"encoding/binary"
	"hash/fnv"
	"math/rand/v2"
)

// The inputs of both sides: many and shuffled, because a branch predictor learns a few by heart.
const (
	valueCount = 1 << 17
	// payloadBytes of payloads stay in the second-level cache: framing is measured, not the memory.
	payloadBytes = 256 << 10
	// partValues are written before the buffer is used anew, as a server does with its output buffer.
	partValues = 512
)

func newRand() *rand.Rand { return rand.New(rand.NewPCG(0x636f646563, 1)) }

func randomInts() []int64 {
	rng := newRand()
	values := make([]int64, valueCount)
	for i := range values {
		values[i] = int64(rng.Uint64())
	}
	return values
}

// shortInts take one byte as a VarInt.
func shortInts() []int32 {
	values := make([]int32, valueCount)
	for i, v := range randomInts() {
		values[i] = int32(v & 0x7f)
	}
	return values
}

// mixedInts take every length as a VarInt equally often, in random order.
func mixedInts() []int32 {
	rng := newRand()
	values := make([]int32, valueCount)
	for i := range values {
		bits := [...]int{7, 14, 21, 28, 32}[rng.IntN(5)]
		values[i] = int32(rng.Uint32()>>(32-bits) | 1<<(bits-1))
	}
	return values
}

// names are strings of 4 to 28 letters.
func names() []string {
	rng := newRand()
	values := make([]string, valueCount/8)
	for i := range values {
		letters := make([]byte, 4+rng.IntN(25))
		for j := range letters {
			letters[j] = byte('a' + rng.IntN(26))
		}
		values[i] = string(letters)
	}
	return values
}

// payloads have the lengths that length returns. They begin with a packet ID of one byte, which go-mc
// takes apart from the rest. They lie in random order in one piece of memory: in order, the places that
// are read and written would stay a multiple of the page size apart, which stalls some processors.
func payloads(length func(rng *rand.Rand) int) (list [][]byte) {
	rng := newRand()
	all := make([]byte, payloadBytes)
	for i := range all {
		all[i] = byte(rng.Uint32())
	}
	for n := length(rng); n <= len(all); n = length(rng) {
		all[0] &= 0x7f
		list = append(list, all[:n:n])
		all = all[n:]
	}
	rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

func ofLength(n int) func(*rand.Rand) int { return func(*rand.Rand) int { return n } }

// gameLength is what a game server sends: of 20 packets 13 of 11 bytes, 6 of about 70 and one of 700.
func gameLength(rng *rand.Rand) int {
	switch kind := rng.IntN(20); {
	case kind < 13:
		return 11
	case kind < 19:
		return 50 + rng.IntN(40)
	default:
		return 700
	}
}

// digest makes checksums of what both sides must agree on.
type digest struct{ sum uint64 }

func (d *digest) bytes(b []byte) {
	h := fnv.New64a()
	h.Write(binary.LittleEndian.AppendUint64(nil, d.sum))
	h.Write(b)
	d.sum = h.Sum64()
}

func (d *digest) number(v int64) { d.bytes(binary.LittleEndian.AppendUint64(nil, uint64(v))) }
