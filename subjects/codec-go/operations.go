package main

import (
	"dyno/mpacket"
	"dyno/mpacket/samples"
)

// How many inputs there are and how many make a round, as the contract says.
const (
	valueCount     = 1 << 16
	valuesPerRound = 512

	smallCount, mediumCount, largeCount = 1 << 14, 1 << 14, 1 << 11
	packetsPerRound                     = 64
	largePerRound                       = 16

	numbersPerOperation = 1000

	payloadBytes      = 256 << 10
	payloadRoundBytes = 16 << 10

	mixedCount   = 1 << 14
	players      = 1000
	playerRounds = 16
)

// operations makes each operation from a source of values.
var operations = map[string]func(*samples.Source) operation{
	"WriteByte":         writing((*samples.Source).Int32, writeBytes8),
	"WriteInt16":        writing((*samples.Source).Int32, writeInt16s),
	"WriteInt32":        writing((*samples.Source).Int32, writeInt32s),
	"WriteInt64":        writing((*samples.Source).Int64, writeInt64s),
	"WriteVarInt":       writing((*samples.Source).VarInt, writeVarInts),
	"WriteString":       writing((*samples.Source).Text, writeStrings),
	"WriteBytes (1 KB)": ofPayloads(1<<10, writeByteStrings),

	"ReadByte":         reading((*samples.Source).Int32, writeBytes8, readBytes8),
	"ReadInt16":        reading((*samples.Source).Int32, writeInt16s, readInt16s),
	"ReadInt32":        reading((*samples.Source).Int32, writeInt32s, readInt32s),
	"ReadInt64":        reading((*samples.Source).Int64, writeInt64s, readInt64s),
	"ReadVarInt":       reading((*samples.Source).VarInt, writeVarInts, readVarInts),
	"ReadString":       readingStrings,
	"ReadBytes (1 KB)": readingByteStrings,

	"Small":                      smallCycle,
	"Medium":                     mediumCycle,
	"Large":                      largeCycle,
	"High volume writes (1000×)": highVolumeWrites,
	"High volume reads (1000×)":  highVolumeReads,
	"Massive payload (10 KB)":    ofPayloads(10<<10, frameAndTakeApart),
	"Stress test":                stress,

	"Parallel write":  onAllCPUs(mediumWrites),
	"Parallel read":   onAllCPUs(mediumReads),
	"Parallel small":  onAllCPUs(smallCycle),
	"Parallel medium": onAllCPUs(mediumCycle),
	"Parallel large":  onAllCPUs(largeCycle),

	"Throughput 64 B":         ofPayloads(64, frameAndTakeApart),
	"Throughput 512 B":        ofPayloads(512, frameAndTakeApart),
	"Throughput 4 KB":         ofPayloads(4<<10, frameAndTakeApart),
	"Throughput 64 KB":        ofPayloads(64<<10, frameAndTakeApart),
	"Encoding only":           ofPayloads(4<<10, frameOnly),
	"Decoding only":           decodingOnly,
	"Realistic mix":           ofMix(frameAndTakeApart),
	"Max load (1000 players)": maxLoad,

	"Copy 64 B":  ofPayloads(64, copyOnly),
	"Copy 512 B": ofPayloads(512, copyOnly),
	"Copy 4 KB":  ofPayloads(4<<10, copyOnly),
	"Copy 64 KB": ofPayloads(64<<10, copyOnly),
	"Copy mix":   ofMix(copyOnly),
}

// onAllCPUs lets every CPU do the same work at the same time.
func onAllCPUs(make func(*samples.Source) operation) func(*samples.Source) operation {
	return func(s *samples.Source) operation {
		o := make(s)
		o.parallel = true
		return o
	}
}

// draws returns count values that a method of the source draws.
func draws[T any](s *samples.Source, count int, draw func(*samples.Source) T) []T {
	return samples.Many(count, func() T { return draw(s) })
}

// writing is an operation that writes one value. write has a loop of its own for each type, so that no call
// per value is measured that users would not make.
func writing[T any](draw func(*samples.Source) T, write func(w *mpacket.Writer, part []T)) func(*samples.Source) operation {
	return func(s *samples.Source) operation {
		values := draws(s, valueCount, draw)
		return operation{rounds: valueCount / valuesPerRound, newLane: func() lane {
			w := mpacket.NewWriter(make([]byte, 0, 64*valuesPerRound))
			return lane{
				round: func(i int) uint32 {
					w.Reset()
					write(w, values[i*valuesPerRound:][:valuesPerRound])
					return tail(w.Bytes())
				},
				output: w.Bytes,
			}
		}}
	}
}

// encoded returns a packet for each round of values.
func encoded[T any](values []T, perRound int, write func(w *mpacket.Writer, part []T)) (packets [][]byte) {
	var w mpacket.Writer
	for ; len(values) >= perRound; values = values[perRound:] {
		w.Reset()
		write(&w, values[:perRound])
		packets = append(packets, append([]byte(nil), w.Bytes()...))
	}
	return packets
}

// done returns sum, unless the reader met an error: then something that is never right by chance alone.
func done(r *mpacket.Reader, sum uint32) uint32 {
	if r.Finish() != nil {
		return ^sum
	}
	return sum
}

// reading is an operation that reads one value from a packet of many.
func reading[T any](draw func(*samples.Source) T, write func(*mpacket.Writer, []T), read func(*mpacket.Reader) uint32) func(*samples.Source) operation {
	return func(s *samples.Source) operation {
		packets := encoded(draws(s, valueCount, draw), valuesPerRound, write)
		return operation{rounds: len(packets), newLane: func() lane {
			var r mpacket.Reader
			return lane{round: func(i int) uint32 {
				r.Reset(packets[i])
				return done(&r, read(&r))
			}}
		}}
	}
}

// readingStrings makes a string of each text and keeps the last ones, as a program that needs them would.
func readingStrings(s *samples.Source) operation {
	packets := encoded(draws(s, valueCount, (*samples.Source).Text), valuesPerRound, writeStrings)
	return operation{rounds: len(packets), newLane: func() lane {
		var r mpacket.Reader
		texts := make([]string, valuesPerRound)
		return lane{
			round: func(i int) uint32 {
				r.Reset(packets[i])
				sum := uint32(0)
				for k := range texts {
					text := r.ReadString()
					texts[k] = text
					if text != "" {
						sum += uint32(text[len(text)-1])
					}
				}
				return done(&r, sum)
			},
			output: func() (all []byte) {
				for _, text := range texts {
					all = append(all, text...)
				}
				return all
			},
		}
	}}
}

func highVolumeWrites(s *samples.Source) operation {
	values := draws(s, valueCount, (*samples.Source).Int64)
	return operation{rounds: valueCount / numbersPerOperation, newLane: func() lane {
		w := mpacket.NewWriter(make([]byte, 0, 8*numbersPerOperation))
		return lane{
			round: func(i int) uint32 {
				w.Reset()
				writeInt64s(w, values[i*numbersPerOperation:][:numbersPerOperation])
				return tail(w.Bytes())
			},
			output: w.Bytes,
		}
	}}
}

func highVolumeReads(s *samples.Source) operation {
	packets := encoded(draws(s, valueCount, (*samples.Source).Int64), numbersPerOperation, writeInt64s)
	return operation{rounds: len(packets), newLane: func() lane {
		var r mpacket.Reader
		return lane{round: func(i int) uint32 {
			r.Reset(packets[i])
			x := int64(0)
			for range numbersPerOperation {
				x ^= r.ReadInt64()
			}
			return done(&r, halves(x))
		}}
	}}
}

// halves folds a 64-bit number, so that languages without such numbers can do it too.
func halves(v int64) uint32 { return uint32(v>>32) ^ uint32(v) }
