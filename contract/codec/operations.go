package codec

import (
	"fmt"

	"dyno/mpacket"
	"dyno/mpacket/samples"
)

// How many inputs there are, and how many make a round. The inputs of values are so many that no branch
// predictor learns them, those that are only moved stay in the second-level cache, and what a round writes
// fits the first-level cache, as the output of a server does.
const (
	valueCount     = 1 << 16
	valuesPerRound = 512

	smallCount, mediumCount, largeCount = 1 << 14, 1 << 14, 1 << 11
	packetsPerRound                     = 64
	largePerRound                       = 16

	numbersPerOperation = 1000 // of the high-volume operations

	payloadBytes      = 256 << 10 // of all payloads together
	payloadRoundBytes = 16 << 10
	kilobyte          = 1 << 10

	mixedCount   = 1 << 14
	players      = 1000
	playerRounds = 16
)

// operations lists them in the order of the tables.
var operations = concat(
	valueOperations(),
	packetOperations(),
	throughputOperations(),
)

func concat(lists ...[]operation) (all []operation) {
	for _, list := range lists {
		all = append(all, list...)
	}
	return all
}

func valueOperations() []operation {
	draw32, draw64 := (*samples.Source).Int32, (*samples.Source).Int64
	sum := func(v int32) uint32 { return uint32(v) }
	write := func(name string, follow func(*samples.Source, *expectation)) operation {
		return operation{name: name, perRound: valuesPerRound, follow: follow}
	}
	kilobytes := func(name string, appendTo func(dst, payload []byte) []byte) operation {
		return operation{name: name, perRound: payloadRoundBytes / kilobyte, follow: moving(kilobyte, appendTo, false)}
	}
	return []operation{
		write("WriteByte", writing(draw32, func(b []byte, v int32) []byte { return mpacket.AppendUint8(b, uint8(v)) })),
		write("WriteInt16", writing(draw32, func(b []byte, v int32) []byte { return mpacket.AppendInt16(b, int16(v)) })),
		write("WriteInt32", writing(draw32, mpacket.AppendInt32)),
		write("WriteInt64", writing(draw64, mpacket.AppendInt64)),
		write("WriteVarInt", writing((*samples.Source).VarInt, mpacket.AppendVarInt)),
		write("WriteString", writing((*samples.Source).Text, mpacket.AppendString)),
		kilobytes("WriteBytes (1 KB)", mpacket.AppendBytes),

		write("ReadByte", reading(draw32, func(v int32) uint32 { return uint32(uint8(v)) })),
		write("ReadInt16", reading(draw32, func(v int32) uint32 { return uint32(int16(v)) })),
		write("ReadInt32", reading(draw32, sum)),
		write("ReadInt64", readingInt64s),
		write("ReadVarInt", reading((*samples.Source).VarInt, sum)),
		write("ReadString", readingStrings),
		kilobytes("ReadBytes (1 KB)", appendRaw),
	}
}

func packetOperations() []operation {
	small := cycle(smallCount, packetsPerRound, (*samples.Source).Small, appendSmall, sumSmall)
	medium := cycle(mediumCount, packetsPerRound, (*samples.Source).Medium, appendMedium, sumMedium)
	large := cycle(largeCount, largePerRound, (*samples.Source).Large, appendLarge, sumLarge)
	noSum := func(samples.Medium) uint32 { return 0 }
	nothing := func(dst []byte, _ samples.Medium) []byte { return dst }
	return []operation{
		{"Small", packetsPerRound, false, small},
		{"Medium", packetsPerRound, false, medium},
		{"Large", largePerRound, false, large},
		{"High volume writes (1000×)", 1, false, highVolumeWrites},
		{"High volume reads (1000×)", 1, false, highVolumeReads},
		{"Massive payload (10 KB)", 1, false, uncounted(framing(10*kilobyte, true))},
		{"Stress test", largePerRound, false, stress},
		{"Parallel write", packetsPerRound, true, cycle(mediumCount, packetsPerRound, (*samples.Source).Medium, appendMedium, noSum)},
		{"Parallel read", packetsPerRound, true, cycle(mediumCount, packetsPerRound, (*samples.Source).Medium, nothing, sumMedium)},
		{"Parallel small", packetsPerRound, true, small},
		{"Parallel medium", packetsPerRound, true, medium},
		{"Parallel large", largePerRound, true, large},
	}
}

func throughputOperations() (all []operation) {
	sizes := []int{64, 512, 4 << 10, 64 << 10}
	for _, size := range sizes {
		all = append(all, operation{"Throughput " + sizeName(size), groupOf(size), false, framing(size, true)})
	}
	all = append(all,
		operation{"Encoding only", groupOf(4 << 10), false, framing(4<<10, false)},
		operation{"Decoding only", groupOf(4 << 10), false, moving(4<<10, appendRaw, true)},
		operation{"Realistic mix", packetsPerRound, false, mixed(mixedCount, packetsPerRound, mixFramed)},
		operation{"Max load (1000 players)", players, false, mixed(players*playerRounds, players, mixPlayed)},
	)
	for _, size := range sizes {
		all = append(all, operation{"Copy " + sizeName(size), groupOf(size), false, moving(size, appendRaw, true)})
	}
	return append(all, operation{"Copy mix", packetsPerRound, false, mixed(mixedCount, packetsPerRound, mixCopied)})
}

func sizeName(bytes int) string {
	if bytes < kilobyte {
		return fmt.Sprintf("%d B", bytes)
	}
	return fmt.Sprintf("%d KB", bytes/kilobyte)
}

// groupOf returns how many payloads of a size make a round.
func groupOf(size int) int { return max(1, payloadRoundBytes/size) }

func appendRaw(dst, payload []byte) []byte { return append(dst, payload...) }
