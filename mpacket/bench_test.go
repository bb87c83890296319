package mpacket_test

import (
	"math/rand/v2"
	"testing"
	"time"
)

// The benchmarks keep to rules that make their figures mean something:
//
//   - Values are many and shuffled (inputCount), because a branch predictor learns a few by heart.
//     Payloads that are only moved steer no branch: there are inputBytes of them, which stay in the
//     second-level cache, so that the codec is measured and not the memory.
//   - What is read is summed into sink, so that no work can be left out.
//   - SetBytes counts bytes that were moved or looked at one by one, never those of a view.
//   - A throughput has the cost of copying the same bytes beside it, measured in turns with it.
//
// Allocation counts are proven by TestNothingAllocates; here they are only shown.

const (
	inputCount = 1 << 17
	inputBytes = 256 << 10
	// roundOps is how many values are written before the buffer is used anew, as a server does with its
	// output buffer. It stays in the fastest cache.
	roundOps = 512
)

// sink keeps results alive.
var sink int64

func newRand() *rand.Rand { return rand.New(rand.NewPCG(0x6d7061636b6574, 1)) }

// eachRound calls round for b.N operations in all, n at a time, with the index of the first in a list of
// total inputs.
func eachRound(b *testing.B, total, perRound int, round func(at, n int)) {
	b.ReportAllocs()
	b.ResetTimer()
	for at, left := 0, b.N; left > 0; {
		n := min(left, perRound, total-at)
		round(at, n)
		left -= n
		at = (at + n) % total
	}
}

// besideCopy runs codec over the payloads, b.N in all, and in turns with it a plain copy of the same
// payloads to the same kind of buffer, which is not in the benchmark's time. It reports what the codec
// costs in multiples of the copy. A turn takes longer than switching the benchmark's clock does.
func besideCopy(b *testing.B, payloads [][]byte, codec func(part [][]byte)) {
	const turnOps = 1 << 16
	buf := make([]byte, 0, bufferLen(payloads))
	var codecTime, copyTime time.Duration
	b.ReportAllocs()
	b.ResetTimer()
	for left := b.N; left > 0; {
		turn := min(left, turnOps)
		left -= turn
		start := time.Now()
		eachPart(payloads, turn, codec)
		codecTime += time.Since(start)
		b.StopTimer()
		start = time.Now()
		eachPart(payloads, turn, func(part [][]byte) { buf = copyAll(buf, part) })
		copyTime += time.Since(start)
		b.StartTimer()
	}
	b.StopTimer()
	sink += int64(len(buf))
	reportBits(b, payloads, codecTime)
	b.ReportMetric(float64(codecTime)/float64(copyTime), "x-copy")
	b.ReportMetric(float64(copyTime.Nanoseconds())/float64(b.N), "copy-ns/op")
}

// eachPart calls do with n payloads in all, from the start of the list over and over.
func eachPart(payloads [][]byte, n int, do func(part [][]byte)) {
	for n > 0 {
		part := payloads[:min(n, len(payloads))]
		do(part)
		n -= len(part)
	}
}

// copyAll copies payloads into buf, which is used anew whenever it is full.
func copyAll(buf []byte, part [][]byte) []byte {
	for _, payload := range part {
		if len(buf)+len(payload) > cap(buf) {
			buf = buf[:0]
		}
		buf = append(buf, payload...)
	}
	return buf
}

// reportBits reports the mean payload as bytes moved and as the seed's Gbit/s.
func reportBits(b *testing.B, payloads [][]byte, taken time.Duration) {
	total := 0
	for _, payload := range payloads {
		total += len(payload)
	}
	mean := float64(total) / float64(len(payloads))
	b.SetBytes(int64(mean))
	b.ReportMetric(8*mean*float64(b.N)/float64(taken.Nanoseconds()), "Gbit/s")
}

// bufferLen is the length of an output buffer: 4 KB, or more where a payload needs it.
func bufferLen(payloads [][]byte) int {
	longest := 0
	for _, payload := range payloads {
		longest = max(longest, len(payload))
	}
	return max(4096, longest+8)
}

// randomPayloads returns inputBytes of payloads of one length.
func randomPayloads(length int) (payloads [][]byte) {
	rng := newRand()
	all := make([]byte, inputBytes)
	for i := range all {
		all[i] = byte(rng.Uint32())
	}
	for ; len(all) >= length; all = all[length:] {
		payloads = append(payloads, all[:length:length])
	}
	rng.Shuffle(len(payloads), func(i, j int) { payloads[i], payloads[j] = payloads[j], payloads[i] })
	return payloads
}

// numbers returns inputCount random numbers.
func numbers() []int64 {
	rng := newRand()
	values := make([]int64, inputCount)
	for i := range values {
		values[i] = int64(rng.Uint64())
	}
	return values
}

// smallNumbers returns numbers that take one byte as a VarInt.
func smallNumbers() []int32 {
	values := make([]int32, inputCount)
	for i, v := range numbers() {
		values[i] = int32(v & 0x7f)
	}
	return values
}

// mixedNumbers returns numbers whose VarInts have every length equally often, in random order.
func mixedNumbers() []int32 {
	rng := newRand()
	values := make([]int32, inputCount)
	for i := range values {
		bits := [...]int{7, 14, 21, 28, 32}[rng.IntN(5)]
		values[i] = int32(rng.Uint32()>>(32-bits) | 1<<(bits-1))
	}
	return values
}

// words returns inputCount strings of 4 to 28 characters, one in eight not ASCII.
func words() []string {
	rng := newRand()
	values := make([]string, inputCount)
	for i := range values {
		letters := make([]rune, 4+rng.IntN(25))
		for j := range letters {
			letters[j] = 'a' + rng.Int32N(26)
		}
		if i%8 == 0 {
			letters[0] = 'ä'
		}
		values[i] = string(letters)
	}
	return values
}
