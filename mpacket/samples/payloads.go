package samples

import (
	"bytes"

	"dyno/mpacket"
)

// WriteSmall writes a packet: its id, then its fields in their order.
func WriteSmall(w *mpacket.Writer, p *Small) {
	w.WriteVarInt(SmallID)
	w.WriteVarInt(p.Entity)
	w.WriteInt16(p.X)
	w.WriteInt16(p.Y)
	w.WriteInt16(p.Z)
	w.WriteBool(p.Ground)
}

// WriteMedium writes a packet: its id, then its fields in their order.
func WriteMedium(w *mpacket.Writer, p *Medium) {
	w.WriteVarInt(MediumID)
	w.WriteUUID(p.ID)
	w.WritePosition(p.At)
	w.WriteInt64(p.Time)
	w.WriteString(p.Text)
}

// WriteLarge writes a packet: a medium one, then its other fields in their order.
func WriteLarge(w *mpacket.Writer, p *Large) {
	WriteMedium(w, &p.Medium)
	w.WriteString(p.Name)
	w.WriteVarInts(p.Counts)
	w.WriteBytes(p.Data)
}

// Payloads returns what each packet is when written.
func Payloads[P any](packets []P, write func(*mpacket.Writer, *P)) [][]byte {
	payloads := make([][]byte, len(packets))
	var w mpacket.Writer
	for i := range packets {
		w.Reset()
		write(&w, &packets[i])
		payloads[i] = bytes.Clone(w.Bytes())
	}
	return payloads
}

// MixedPayloads draws packets as a game server sends them.
func (s *Source) MixedPayloads(count int) [][]byte {
	var w mpacket.Writer
	return Many(count, func() []byte {
		w.Reset()
		switch s.Kind() {
		case KindSmall:
			p := s.Small()
			WriteSmall(&w, &p)
		case KindMedium:
			p := s.Medium()
			WriteMedium(&w, &p)
		case KindLarge:
			p := s.Large()
			WriteLarge(&w, &p)
		}
		return bytes.Clone(w.Bytes())
	})
}
