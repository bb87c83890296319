package codec

import (
	"dyno/mpacket"
	"dyno/mpacket/samples"
)

func appendSmall(dst []byte, p samples.Small) []byte {
	dst = mpacket.AppendVarInt(dst, samples.SmallID)
	dst = mpacket.AppendVarInt(dst, p.Entity)
	dst = mpacket.AppendInt16(dst, p.X)
	dst = mpacket.AppendInt16(dst, p.Y)
	dst = mpacket.AppendInt16(dst, p.Z)
	return mpacket.AppendBool(dst, p.Ground)
}

func appendMedium(dst []byte, p samples.Medium) []byte {
	dst = mpacket.AppendVarInt(dst, samples.MediumID)
	dst = mpacket.AppendUUID(dst, p.ID)
	dst = mpacket.AppendPosition(dst, p.At)
	dst = mpacket.AppendInt64(dst, p.Time)
	return mpacket.AppendString(dst, p.Text)
}

func appendLarge(dst []byte, p samples.Large) []byte {
	dst = appendMedium(dst, p.Medium)
	dst = mpacket.AppendString(dst, p.Name)
	dst = mpacket.AppendVarInts(dst, p.Counts)
	return mpacket.AppendBytes(dst, p.Data)
}

// The sums of what reading a packet must give: numbers as they are, of bytes the first and the last, of
// text its length in bytes.

func sumSmall(p samples.Small) uint32 {
	sum := samples.SmallID + uint32(p.Entity) + uint32(p.X) + uint32(p.Y) + uint32(p.Z)
	if p.Ground {
		sum++
	}
	return sum
}

func sumMedium(p samples.Medium) uint32 {
	return samples.MediumID + uint32(p.ID[0]) + uint32(p.ID[15]) +
		uint32(p.At.X) + uint32(p.At.Y) + uint32(p.At.Z) + halves(p.Time) + uint32(len(p.Text))
}

func sumLarge(p samples.Large) uint32 {
	sum := sumMedium(p.Medium) + uint32(len(p.Name))
	for _, count := range p.Counts {
		sum += uint32(count)
	}
	return sum + uint32(p.Data[0]) + uint32(p.Data[len(p.Data)-1])
}

// halves folds a 64-bit number, so that languages without such numbers can do it too.
func halves(v int64) uint32 { return uint32(v>>32) ^ uint32(v) }

// sumFrame is what taking a frame apart must give.
func sumFrame(payload []byte) uint32 {
	return uint32(len(payload)) + uint32(payload[0]) + uint32(payload[len(payload)-1])
}

// mixedPayloads draws packets as a game server sends them.
func mixedPayloads(values *samples.Source, count int) [][]byte {
	return samples.Many(count, func() []byte {
		switch values.Kind() {
		case samples.KindSmall:
			return appendSmall(nil, values.Small())
		case samples.KindMedium:
			return appendMedium(nil, values.Medium())
		default:
			return appendLarge(nil, values.Large())
		}
	})
}
