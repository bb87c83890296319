package mpacket_test

import (
	"testing"

	"dyno/mpacket"
	"dyno/mpacket/samples"
)

// The packets of the seed's cycles are those of the suite codec: small (a movement), medium (a chat line) and
// large (a block of data with a name).

func readSmall(r *mpacket.Reader) int64 {
	sum := int64(r.ReadVarInt()) + int64(r.ReadVarInt())
	sum += int64(r.ReadInt16()) + int64(r.ReadInt16()) + int64(r.ReadInt16())
	if r.ReadBool() {
		sum++
	}
	return sum
}

func readMedium(r *mpacket.Reader) int64 {
	sum := int64(r.ReadVarInt())
	id, at := r.ReadUUID(), r.ReadPosition()
	sum += int64(id[0]) + int64(id[15]) + int64(at.X) + int64(at.Y) + int64(at.Z) + r.ReadInt64()
	return sum + int64(len(r.ReadStringView(256)))
}

// readLarge reads into counts and own, which are reused.
func readLarge(r *mpacket.Reader, counts []int32, own []byte) int64 {
	sum := readMedium(r) + int64(len(r.ReadStringView(256)))
	for _, count := range r.ReadVarInts(counts, 256) {
		sum += int64(count)
	}
	return sum + int64(copy(own, r.ReadBytes()))
}

// So many packets are made that no branch predictor learns them; the large ones stay in the second-level cache.
const (
	packetCount = 1 << 14
	largeCount  = 1 << 11
)

// draw returns count packets of one kind.
func draw[P any](count int, packet func(*samples.Source) P) []P {
	source := samples.NewSource(0x6d70)
	return samples.Many(count, func() P { return packet(source) })
}

func smallPackets() []samples.Small   { return draw(packetCount, (*samples.Source).Small) }
func mediumPackets() []samples.Medium { return draw(packetCount, (*samples.Source).Medium) }
func largePackets() []samples.Large   { return draw(largeCount, (*samples.Source).Large) }

// mixedPayloads returns what a game server sends.
func mixedPayloads() [][]byte { return samples.NewSource(0x6d70).MixedPayloads(packetCount) }

// cycler writes a packet and reads it again, with buffers of its own.
type cycler struct {
	w      *mpacket.Writer
	r      mpacket.Reader
	counts []int32
	own    []byte
}

func newCycler() *cycler {
	return &cycler{w: mpacket.NewWriter(make([]byte, 0, 4096)), counts: make([]int32, 64), own: make([]byte, 4096)}
}

func (c *cycler) small(p *samples.Small) int64 {
	c.w.Reset()
	samples.WriteSmall(c.w, p)
	c.r.Reset(c.w.Bytes())
	return readSmall(&c.r)
}

func (c *cycler) medium(p *samples.Medium) int64 {
	c.w.Reset()
	samples.WriteMedium(c.w, p)
	c.r.Reset(c.w.Bytes())
	return readMedium(&c.r)
}

func (c *cycler) large(p *samples.Large) int64 {
	c.w.Reset()
	samples.WriteLarge(c.w, p)
	c.r.Reset(c.w.Bytes())
	return readLarge(&c.r, c.counts, c.own)
}

// benchCycles writes and reads each packet once.
func benchCycles[P any](b *testing.B, packets []P, cycle func(c *cycler, p *P) int64) {
	c := newCycler()
	eachRound(b, len(packets), roundOps, func(at, n int) {
		for i := range packets[at : at+n] {
			sink += cycle(c, &packets[at+i])
		}
	})
	if err := c.r.Finish(); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkSmallPacket(b *testing.B)  { benchCycles(b, smallPackets(), (*cycler).small) }
func BenchmarkMediumPacket(b *testing.B) { benchCycles(b, mediumPackets(), (*cycler).medium) }
func BenchmarkLargePacket(b *testing.B)  { benchCycles(b, largePackets(), (*cycler).large) }

// BenchmarkStressTest takes one packet of each kind through writing, framing, taking apart and reading.
func BenchmarkStressTest(b *testing.B) {
	smalls, mediums, larges := smallPackets(), mediumPackets(), largePackets()
	c := newCycler()
	var d mpacket.FrameDecoder
	readers := [...]func() int64{
		func() int64 { return readSmall(&c.r) },
		func() int64 { return readMedium(&c.r) },
		func() int64 { return readLarge(&c.r, c.counts, c.own) },
	}
	eachRound(b, largeCount, roundOps, func(at, n int) {
		for i := at; i < at+n; i++ {
			c.w.Reset()
			for kind := range readers {
				mark := c.w.BeginFrame()
				switch kind {
				case 0:
					samples.WriteSmall(c.w, &smalls[i])
				case 1:
					samples.WriteMedium(c.w, &mediums[i])
				case 2:
					samples.WriteLarge(c.w, &larges[i])
				}
				c.w.EndFrame(mark)
			}
			in := c.w.Bytes()
			for _, read := range readers {
				packet, taken, err := d.Next(in)
				if err != nil || packet == nil {
					b.Fatal(err)
				}
				c.r.Reset(packet)
				sink += read()
				in = in[taken:]
			}
		}
	})
	if err := c.r.Finish(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkHighVolumeWrites writes 1,000 numbers an operation.
func BenchmarkHighVolumeWrites(b *testing.B) {
	values := numbers()
	w := mpacket.NewWriter(make([]byte, 0, 8*1000))
	eachRound(b, inputCount-1000, 1, func(at, _ int) {
		w.Reset()
		writeInt64s(w, values[at:at+1000])
		sink += int64(w.Len())
	})
}

// BenchmarkHighVolumeReads reads 1,000 numbers an operation.
func BenchmarkHighVolumeReads(b *testing.B) {
	var w mpacket.Writer
	writeInt64s(&w, numbers())
	var r mpacket.Reader
	eachRound(b, inputCount-1000, 1, func(at, _ int) {
		r.Reset(w.Bytes()[8*at:])
		for range 1000 {
			sink += r.ReadInt64()
		}
	})
}
