package main

import (
	"dyno/mpacket"
	"dyno/mpacket/samples"
)

// mover does one round of payloads: what it writes is appended to out, and what it reads is summed.
type mover func(out []byte, payloads [][]byte) (written []byte, sum uint32)

func newCopy() mover {
	return func(out []byte, payloads [][]byte) ([]byte, uint32) {
		for _, payload := range payloads {
			out = append(out, payload...)
		}
		return out, 0
	}
}

// The kinds of movers. Each lane has one of its own, since some keep a state.
var (
	copyOnly  = newCopy
	frameOnly = func() mover {
		return func(out []byte, payloads [][]byte) ([]byte, uint32) { return appendFrames(out, payloads), 0 }
	}
	frameAndTakeApart = func() mover {
		var d mpacket.FrameDecoder
		return func(out []byte, payloads [][]byte) ([]byte, uint32) {
			out = appendFrames(out, payloads)
			return out, takeApart(&d, out)
		}
	}
	writeByteStrings = func() mover {
		var w mpacket.Writer
		return func(_ []byte, payloads [][]byte) ([]byte, uint32) {
			w.Reset()
			for _, payload := range payloads {
				w.WriteBytes(payload)
			}
			return w.Bytes(), 0
		}
	}
)

func appendFrames(out []byte, payloads [][]byte) []byte {
	for _, payload := range payloads {
		out = mpacket.AppendFrame(out, payload)
	}
	return out
}

// takeApart looks at every frame of a chunk: its length, its first and its last byte.
func takeApart(d *mpacket.FrameDecoder, in []byte) (sum uint32) {
	for len(in) > 0 {
		frame, taken, err := d.Next(in)
		if err != nil || frame == nil {
			return ^sum
		}
		sum += uint32(len(frame)) + uint32(frame[0]) + uint32(frame[len(frame)-1])
		in = in[taken:]
	}
	return sum
}

// payloadsOf draws payloads of one length, and says how many make a round.
func payloadsOf(s *samples.Source, size int) (payloads [][]byte, perRound int) {
	payloads = samples.Many(payloadBytes/size, func() []byte { return s.Bytes(size / 4) })
	return payloads, max(1, payloadRoundBytes/size)
}

// ofPayloads is an operation on payloads of one length.
func ofPayloads(size int, newMover func() mover) func(*samples.Source) operation {
	return func(s *samples.Source) operation {
		payloads, perRound := payloadsOf(s, size)
		return moving(payloads, perRound, newMover)
	}
}

// ofMix is an operation on packets as a game server sends them.
func ofMix(newMover func() mover) func(*samples.Source) operation {
	return func(s *samples.Source) operation {
		return moving(s.MixedPayloads(mixedCount), packetsPerRound, newMover)
	}
}

func moving(payloads [][]byte, perRound int, newMover func() mover) operation {
	return operation{rounds: len(payloads) / perRound, newLane: func() lane {
		move := newMover()
		out := make([]byte, 0, 2*payloadRoundBytes)
		return lane{
			round: func(i int) (sum uint32) {
				out, sum = move(out[:0], payloads[i*perRound:][:perRound])
				return tail(out) + sum
			},
			output: func() []byte { return out },
		}
	}}
}

// readingByteStrings reads 1 KB as a view and copies it into memory that is reused.
func readingByteStrings(s *samples.Source) operation {
	payloads, perRound := payloadsOf(s, 1<<10)
	packets := encoded(payloads, perRound, func(w *mpacket.Writer, part [][]byte) {
		for _, payload := range part {
			w.WriteBytes(payload)
		}
	})
	return operation{rounds: len(packets), newLane: func() lane {
		var r mpacket.Reader
		own := make([]byte, 0, payloadRoundBytes)
		return lane{
			round: func(i int) uint32 {
				r.Reset(packets[i])
				own = own[:0]
				for range perRound {
					own = append(own, r.ReadBytes()...)
				}
				return done(&r, tail(own))
			},
			output: func() []byte { return own },
		}
	}}
}

// decodingOnly takes frames of 4 KB apart and copies what is in them.
func decodingOnly(s *samples.Source) operation {
	payloads, perRound := payloadsOf(s, 4<<10)
	var chunks [][]byte
	for ; len(payloads) >= perRound; payloads = payloads[perRound:] {
		chunks = append(chunks, appendFrames(nil, payloads[:perRound]))
	}
	return operation{rounds: len(chunks), newLane: func() lane {
		var d mpacket.FrameDecoder
		own := make([]byte, 0, payloadRoundBytes)
		return lane{
			round: func(i int) uint32 {
				own = own[:0]
				for in := chunks[i]; len(in) > 0; {
					frame, taken, err := d.Next(in)
					if err != nil {
						return 0
					}
					own = append(own, frame...)
					in = in[taken:]
				}
				return tail(own)
			},
			output: func() []byte { return own },
		}
	}}
}

// maxLoad serves 1,000 players in turns, each with a buffer and a decoder of its own: what the codec costs when
// the memory of a connection is seldom in the cache.
func maxLoad(s *samples.Source) operation {
	payloads := s.MixedPayloads(players * playerRounds)
	return operation{rounds: playerRounds, newLane: func() lane {
		decoders := make([]mpacket.FrameDecoder, players)
		outs := make([][]byte, players)
		for i := range outs {
			outs[i] = make([]byte, 0, 1024)
		}
		return lane{
			round: func(i int) (sum uint32) {
				for player, payload := range payloads[i*players:][:players] {
					outs[player] = mpacket.AppendFrame(outs[player][:0], payload)
					sum += takeApart(&decoders[player], outs[player])
				}
				return sum
			},
			output: func() (all []byte) {
				for _, out := range outs {
					all = append(all, out...)
				}
				return all
			},
		}
	}}
}
