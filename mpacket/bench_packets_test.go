package mpacket_test

import (
	"testing"

	"dyno/mpacket"
)

// The packets of the seed's cycles: small (a movement), medium (a chat line) and large (a block of data
// with names).

type small struct {
	entity  int32
	x, y, z int16
	ground  bool
}

type medium struct {
	id   mpacket.UUID
	at   mpacket.Position
	time int64
	text string
}

type large struct {
	medium
	name   string
	counts []int32
	data   []byte
}

func (p *small) write(w *mpacket.Writer) {
	w.WriteVarInt(0x2c)
	w.WriteVarInt(p.entity)
	w.WriteInt16(p.x)
	w.WriteInt16(p.y)
	w.WriteInt16(p.z)
	w.WriteBool(p.ground)
}

func readSmall(r *mpacket.Reader) int64 {
	sum := int64(r.ReadVarInt()) + int64(r.ReadVarInt())
	sum += int64(r.ReadInt16()) + int64(r.ReadInt16()) + int64(r.ReadInt16())
	if r.ReadBool() {
		sum++
	}
	return sum
}

func (p *medium) write(w *mpacket.Writer) {
	w.WriteVarInt(0x3b)
	w.WriteUUID(p.id)
	w.WritePosition(p.at)
	w.WriteInt64(p.time)
	w.WriteString(p.text)
}

func readMedium(r *mpacket.Reader) int64 {
	sum := int64(r.ReadVarInt())
	id, at := r.ReadUUID(), r.ReadPosition()
	sum += int64(id[0]) + int64(id[15]) + int64(at.X) + int64(at.Y) + int64(at.Z) + r.ReadInt64()
	return sum + int64(len(r.ReadStringView(256)))
}

func (p *large) write(w *mpacket.Writer) {
	p.medium.write(w)
	w.WriteString(p.name)
	w.WriteVarInts(p.counts)
	w.WriteBytes(p.data)
}

// readLarge reads into counts and own, which are reused.
func readLarge(r *mpacket.Reader, counts []int32, own []byte) int64 {
	sum := readMedium(r) + int64(len(r.ReadStringView(256)))
	for _, count := range r.ReadVarInts(counts, 256) {
		sum += int64(count)
	}
	return sum + int64(copy(own, r.ReadBytes()))
}

// packetCount packets of each kind are made, so many that they are no small input.
const packetCount = inputCount / 4

func smallPackets() []small {
	packets, values := make([]small, packetCount), numbers()
	for i, entity := range mixedNumbers()[:packetCount] {
		v := values[i]
		packets[i] = small{entity: entity & 0x1f_ffff, x: int16(v), y: int16(v >> 16), z: int16(v >> 32), ground: v < 0}
	}
	return packets
}

func mediumPackets() []medium {
	packets, values, texts := make([]medium, packetCount), numbers(), words()
	for i := range packets {
		v := values[i]
		packets[i] = medium{
			id:   mpacket.UUID{0: byte(v), 15: byte(v >> 8)},
			at:   mpacket.Position{X: int32(v) >> 6, Y: int32(v>>32) >> 20, Z: int32(v>>16) >> 6},
			time: v,
			text: texts[i] + " " + texts[i+packetCount] + " " + texts[i+2*packetCount],
		}
	}
	return packets
}

func largePackets() []large {
	packets, numbers, payloads := make([]large, packetCount), mixedNumbers(), randomPayloads(512)
	for i, m := range mediumPackets() {
		counts := numbers[i%(inputCount-32):][:32]
		packets[i] = large{medium: m, name: m.text[:4], counts: counts, data: payloads[i%len(payloads)]}
	}
	return packets
}

// encodeAll returns the payloads of packets.
func encodeAll[P any, W interface {
	*P
	write(w *mpacket.Writer)
}](packets []P) [][]byte {
	payloads := make([][]byte, len(packets))
	var w mpacket.Writer
	for i := range packets {
		w.Reset()
		W(&packets[i]).write(&w)
		payloads[i] = append([]byte(nil), w.Bytes()...)
	}
	return payloads
}

// mixedPayloads returns 13 small packets, 6 medium ones and a large one in 20, in random order.
func mixedPayloads() [][]byte {
	var payloads [][]byte
	for _, kind := range []struct {
		payloads [][]byte
		share    int
	}{{encodeAll(smallPackets()), 13}, {encodeAll(mediumPackets()), 6}, {encodeAll(largePackets()), 1}} {
		payloads = append(payloads, kind.payloads[:packetCount*kind.share/20]...)
	}
	newRand().Shuffle(len(payloads), func(i, j int) { payloads[i], payloads[j] = payloads[j], payloads[i] })
	return payloads
}

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

func (c *cycler) small(p *small) int64 {
	c.w.Reset()
	p.write(c.w)
	c.r.Reset(c.w.Bytes())
	return readSmall(&c.r)
}

func (c *cycler) medium(p *medium) int64 {
	c.w.Reset()
	p.write(c.w)
	c.r.Reset(c.w.Bytes())
	return readMedium(&c.r)
}

func (c *cycler) large(p *large) int64 {
	c.w.Reset()
	p.write(c.w)
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
	eachRound(b, packetCount, roundOps, func(at, n int) {
		for i := at; i < at+n; i++ {
			c.w.Reset()
			for kind := range readers {
				mark := c.w.BeginFrame()
				switch kind {
				case 0:
					smalls[i].write(c.w)
				case 1:
					mediums[i].write(c.w)
				case 2:
					larges[i].write(c.w)
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
