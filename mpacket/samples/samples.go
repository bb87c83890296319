// Package samples draws values and packets to try a codec with. Equal seeds give equal values in every
// language that follows the few lines of Source, so that programs in different languages can be asked for
// the same work and held to the same result. It never reads what it wrote: that is what is tried.
package samples

import "dyno/mpacket"

// Source is a small generator of 32-bit words: a counter, mixed as MurmurHash3 finishes its hashes. It is
// not meant for statistics, and foretelling it is easy.
type Source struct{ state uint32 }

// NewSource returns the source that belongs to a seed.
func NewSource(seed uint32) *Source { return &Source{seed} }

// Uint32 returns the next word.
func (s *Source) Uint32() uint32 {
	s.state += 0x9e3779b9
	z := s.state
	z = (z ^ z>>16) * 0x85ebca6b
	z = (z ^ z>>13) * 0xc2b2ae35
	return z ^ z>>16
}

// Below returns a number from 0 to limit-1.
func (s *Source) Below(limit uint32) uint32 { return s.Uint32() % limit }

// Int32 returns any 32-bit integer.
func (s *Source) Int32() int32 { return int32(s.Uint32()) }

// Int64 returns any 64-bit integer, whose upper half is drawn first.
func (s *Source) Int64() int64 {
	hi := s.Uint32()
	return int64(hi)<<32 | int64(s.Uint32())
}

// VarInt returns a number whose VarInt has 1 to 5 bytes, each length equally often.
func (s *Source) VarInt() int32 {
	bits := [...]uint32{7, 14, 21, 28, 32}[s.Below(5)]
	return int32(s.Uint32()>>(32-bits) | 1<<(bits-1))
}

// Text returns 4 to 28 small letters. One text in eight begins with a letter that is not ASCII; the last
// letter always is.
func (s *Source) Text() string {
	letters := make([]byte, 4+s.Below(25))
	for i := range letters {
		letters[i] = 'a' + byte(s.Below(26))
	}
	if s.Below(8) == 0 {
		return "ä" + string(letters[1:])
	}
	return string(letters)
}

// Bytes returns words words, each with its lowest byte first.
func (s *Source) Bytes(words int) []byte {
	b := make([]byte, 0, 4*words)
	for range words {
		v := s.Uint32()
		b = append(b, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
	}
	return b
}

// Many draws count values.
func Many[T any](count int, draw func() T) []T {
	all := make([]T, count)
	for i := range all {
		all[i] = draw()
	}
	return all
}

// Small is a movement.
type Small struct {
	Entity  int32 // three bytes as a VarInt at most
	X, Y, Z int16
	Ground  bool
}

// Medium is a chat line.
type Medium struct {
	ID   mpacket.UUID
	At   mpacket.Position
	Time int64
	Text string // three texts
}

// Large is a block of data with a name.
type Large struct {
	Medium
	Name   string
	Counts []int32 // 32 VarInts
	Data   []byte  // 512 bytes
}

// The ids that packets begin with.
const (
	SmallID  = 0x2c
	MediumID = 0x3b
)

// Small draws a small packet, its fields in their order.
func (s *Source) Small() Small {
	return Small{
		Entity: s.VarInt() & 0x1f_ffff,
		X:      int16(s.Int32()), Y: int16(s.Int32()), Z: int16(s.Int32()),
		Ground: s.Below(2) == 1,
	}
}

// Medium draws a medium packet, its fields in their order.
func (s *Source) Medium() Medium {
	var m Medium
	for i := 0; i < len(m.ID); i += 4 {
		v := s.Uint32()
		m.ID[i], m.ID[i+1], m.ID[i+2], m.ID[i+3] = byte(v>>24), byte(v>>16), byte(v>>8), byte(v)
	}
	m.At.X, m.At.Y, m.At.Z = s.Int32()>>6, s.Int32()>>20, s.Int32()>>6
	m.Time = s.Int64()
	m.Text = s.Text() + " " + s.Text() + " " + s.Text()
	return m
}

// Large draws a large packet, its fields in their order.
func (s *Source) Large() Large {
	return Large{Medium: s.Medium(), Name: s.Text(), Counts: Many(32, s.VarInt), Data: s.Bytes(128)}
}

// Kind is one of the three kinds of packets.
type Kind int

// The kinds.
const (
	KindSmall Kind = iota
	KindMedium
	KindLarge
)

// Kind draws what a game server sends next: of 20 packets 13 are small, 6 medium and one large.
func (s *Source) Kind() Kind {
	switch n := s.Below(20); {
	case n < 13:
		return KindSmall
	case n < 19:
		return KindMedium
	default:
		return KindLarge
	}
}
