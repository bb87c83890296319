package main

import (
	"dyno/mpacket"
	"dyno/mpacket/samples"
)

// scratch is what a reader of packets reads into.
type scratch struct {
	counts []int32
	data   []byte
}

func newScratch() *scratch { return &scratch{make([]int32, 64), make([]byte, 1024)} }

func readSmall(r *mpacket.Reader, _ *scratch) uint32 {
	sum := uint32(r.ReadVarInt()) + uint32(r.ReadVarInt())
	sum += uint32(r.ReadInt16()) + uint32(r.ReadInt16()) + uint32(r.ReadInt16())
	if r.ReadBool() {
		sum++
	}
	return sum
}

// textUnitsMax is the longest text of a packet, in UTF-16 units.
const textUnitsMax = 256

func readMedium(r *mpacket.Reader, _ *scratch) uint32 {
	sum := uint32(r.ReadVarInt())
	id, at := r.ReadUUID(), r.ReadPosition()
	sum += uint32(id[0]) + uint32(id[15]) + uint32(at.X) + uint32(at.Y) + uint32(at.Z) + halves(r.ReadInt64())
	return sum + uint32(len(r.ReadStringView(textUnitsMax)))
}

func readLarge(r *mpacket.Reader, s *scratch) uint32 {
	sum := readMedium(r, s) + uint32(len(r.ReadStringView(textUnitsMax)))
	for _, count := range r.ReadVarInts(s.counts, len(s.counts)) {
		sum += uint32(count)
	}
	n := copy(s.data, r.ReadBytes())
	return sum + uint32(s.data[0]) + uint32(s.data[max(n, 1)-1])
}

// packets is an operation on one packet: write puts it behind the others, and read, which gets the bytes of
// it alone, takes it apart again.
func packets[P any](
	s *samples.Source, count, perRound int, draw func(*samples.Source) P,
	write func(*mpacket.Writer, *P), read func(*mpacket.Reader, *scratch) uint32,
) operation {
	all := draws(s, count, draw)
	return operation{rounds: count / perRound, newLane: func() lane {
		w := mpacket.NewWriter(make([]byte, 0, 2*payloadRoundBytes))
		var r mpacket.Reader
		own := newScratch()
		return lane{
			round: func(i int) (sum uint32) {
				w.Reset()
				part := all[i*perRound:][:perRound]
				for k := range part {
					from := w.Len()
					write(w, &part[k])
					r.Reset(w.Bytes()[from:])
					sum += done(&r, read(&r, own))
				}
				return sum + tail(w.Bytes())
			},
			output: w.Bytes,
		}
	}}
}

func smallCycle(s *samples.Source) operation {
	return packets(s, smallCount, packetsPerRound, (*samples.Source).Small, samples.WriteSmall, readSmall)
}

func mediumCycle(s *samples.Source) operation {
	return packets(s, mediumCount, packetsPerRound, (*samples.Source).Medium, samples.WriteMedium, readMedium)
}

func largeCycle(s *samples.Source) operation {
	return packets(s, largeCount, largePerRound, (*samples.Source).Large, samples.WriteLarge, readLarge)
}

func mediumWrites(s *samples.Source) operation {
	all := draws(s, mediumCount, (*samples.Source).Medium)
	return operation{rounds: mediumCount / packetsPerRound, newLane: func() lane {
		w := mpacket.NewWriter(make([]byte, 0, payloadRoundBytes))
		return lane{
			round: func(i int) uint32 {
				w.Reset()
				part := all[i*packetsPerRound:][:packetsPerRound]
				for k := range part {
					samples.WriteMedium(w, &part[k])
				}
				return tail(w.Bytes())
			},
			output: w.Bytes,
		}
	}}
}

func mediumReads(s *samples.Source) operation {
	payloads := samples.Payloads(draws(s, mediumCount, (*samples.Source).Medium), samples.WriteMedium)
	return operation{rounds: mediumCount / packetsPerRound, newLane: func() lane {
		var r mpacket.Reader
		return lane{round: func(i int) (sum uint32) {
			for _, payload := range payloads[i*packetsPerRound:][:packetsPerRound] {
				r.Reset(payload)
				sum += done(&r, readMedium(&r, nil))
			}
			return sum
		}}
	}}
}

// trio is one packet of each kind.
type trio struct {
	small  samples.Small
	medium samples.Medium
	large  samples.Large
}

// stress takes one packet of each kind through writing, framing, taking apart and reading.
func stress(s *samples.Source) operation {
	all := samples.Many(largeCount, func() trio { return trio{s.Small(), s.Medium(), s.Large()} })
	return operation{rounds: largeCount / largePerRound, newLane: func() lane {
		w := mpacket.NewWriter(make([]byte, 0, 2*payloadRoundBytes))
		var d mpacket.FrameDecoder
		var r mpacket.Reader
		own := newScratch()
		return lane{
			round: func(i int) uint32 {
				w.Reset()
				part := all[i*largePerRound:][:largePerRound]
				for k := range part {
					mark := w.BeginFrame()
					samples.WriteSmall(w, &part[k].small)
					w.EndFrame(mark)
					mark = w.BeginFrame()
					samples.WriteMedium(w, &part[k].medium)
					w.EndFrame(mark)
					mark = w.BeginFrame()
					samples.WriteLarge(w, &part[k].large)
					w.EndFrame(mark)
				}
				return tail(w.Bytes()) + readFrames(&d, &r, own, w.Bytes())
			},
			output: w.Bytes,
		}
	}}
}

// readers read the kinds of packets in the order in which stress sends them.
var readers = [...]func(*mpacket.Reader, *scratch) uint32{readSmall, readMedium, readLarge}

func readFrames(d *mpacket.FrameDecoder, r *mpacket.Reader, own *scratch, in []byte) (sum uint32) {
	for kind := 0; len(in) > 0; kind = (kind + 1) % len(readers) {
		frame, taken, err := d.Next(in)
		if err != nil || frame == nil {
			return ^sum
		}
		r.Reset(frame)
		sum += done(r, readers[kind](r, own))
		in = in[taken:]
	}
	return sum
}
