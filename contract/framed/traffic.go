package framed

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"

	"dyno"
	"dyno/contract/internal/gate"
	"dyno/load"
	"dyno/mpacket"
)

const (
	// depthMax is the deepest pipeline of a session: the size of its ring of owed replies.
	depthMax = 64

	// A corpus has up to corpusFramesMax frames (their index fits a byte), fewer when they are so
	// large that they would fill corpusBytesMax, and never fewer than corpusFramesMin.
	corpusFramesMax = 256
	corpusFramesMin = 8
	corpusBytesMax  = 4 << 20
)

// Workloads is empty: payloads may have any size.
func (Contract) Workloads() []dyno.Workload { return nil }

// Traffic makes a corpus of distinct random payloads of w.PayloadBytes each, or of the sizes that players
// send, and returns a function that makes the session of connection conn. The corpus is shared and never
// written to, so sessions of different event loops may use it at the same time.
func (Contract) Traffic(w dyno.Workload, depth int, seed uint64) (func(conn int) load.Session, error) {
	sizes := playerSizes()
	if w != Players {
		if w.PayloadBytes < 1 || w.PayloadBytes > mpacket.MaxFrameLen {
			return nil, fmt.Errorf("framed traffic: payload of %d B; choose 1 to %d", w.PayloadBytes, mpacket.MaxFrameLen)
		}
		sizes = equalSizes(w.PayloadBytes)
	}
	if depth < 1 || depth > depthMax {
		return nil, fmt.Errorf("framed traffic: depth %d; choose 1 to %d", depth, depthMax)
	}
	c := newCorpus(sizes, seed)
	return func(conn int) load.Session { return newSession(c, conn, depth, seed) }, nil
}

// corpus holds frames, one behind the other.
type corpus struct {
	wire   []byte
	starts []int32 // of each frame in wire, and the end of the last one
	frames int
}

// equalSizes returns the payload sizes of a corpus in which all are equal.
func equalSizes(payloadBytes int) []int {
	frameBytes := len(mpacket.AppendVarInt(nil, int32(payloadBytes))) + payloadBytes
	return slices.Repeat([]int{payloadBytes}, min(max(corpusBytesMax/frameBytes, corpusFramesMin), corpusFramesMax))
}

func newCorpus(sizes []int, seed uint64) *corpus {
	values := gate.NewSource(seed, "traffic")
	c := &corpus{frames: len(sizes), starts: make([]int32, 1, len(sizes)+1)}
	known := make(map[string]bool, len(sizes))
	for _, size := range sizes {
		payload := values.Bytes(size)
		for known[string(payload[:min(size, 32)])] {
			payload = values.Bytes(size)
		}
		known[string(payload[:min(size, 32)])] = true
		c.wire = mpacket.AppendFrame(c.wire, payload)
		c.starts = append(c.starts, int32(len(c.wire)))
	}
	return c
}

// frame returns frame i, its prefix included.
func (c *corpus) frame(i uint8) []byte { return c.wire[c.starts[i]:c.starts[int(i)+1]] }

// session is the load.Session of one connection. It walks the corpus in a random order of its own
// and never sends the same frame twice running, so that a reply that is lost, repeated or swapped
// with its neighbour is always seen.
type session struct {
	corpus *corpus
	rest   []byte // what must come next of the oldest owed reply; empty when none is owed
	order  rand.PCG
	conn   int
	depth  int
	owing  int // replies owed
	oldest int // place of the oldest owed reply in the ring
	last   uint8
	owed   [depthMax]uint8 // ring of indices into the corpus

	replies int64 // complete and right, since the last Reset
	fault   fault
}

// fault is what went wrong, in numbers: the words are made when someone asks.
type fault struct {
	kind       faultKind
	at         int // offset in the frame
	frameBytes int
	got, want  byte
}

type faultKind uint8

const (
	noFault faultKind = iota
	mismatched
	unasked
)

func newSession(c *corpus, conn, depth int, seed uint64) *session {
	return &session{corpus: c, conn: conn, depth: depth, order: *rand.NewPCG(seed, uint64(conn))}
}

// Request appends the next frame to dst. It panics when depth replies are owed: the engine has lost
// count.
func (s *session) Request(dst []byte) []byte {
	if s.owing == s.depth {
		panic(fmt.Sprintf("framed: a request beyond the session's depth of %d", s.depth))
	}
	frame := s.corpus.frame(s.next())
	if s.owing == 0 {
		s.rest = frame
	}
	s.owed[(s.oldest+s.owing)%depthMax] = s.last
	s.owing++
	return append(dst, frame...)
}

// next moves on by a random step of 1 to frames-1, never 0, and returns the index of the frame.
func (s *session) next() uint8 {
	frames := s.corpus.frames
	step := 1 + int((s.order.Uint64()>>32)*uint64(frames-1)>>32)
	i := int(s.last) + step
	if i >= frames {
		i -= frames
	}
	s.last = uint8(i)
	return s.last
}

// Reply compares in with the frames that are owed, byte by byte as they come. A wrong byte, or one
// that nobody asked for, is Broken and stays so until Reset.
func (s *session) Reply(in []byte) (taken int, status load.Status) {
	n := min(len(in), len(s.rest))
	if n == 0 || !bytes.Equal(in[:n], s.rest[:n]) {
		return 0, s.breakOff(in)
	}
	s.rest = s.rest[n:]
	if len(s.rest) > 0 {
		return n, load.More
	}
	s.replies++
	s.owing--
	s.oldest = (s.oldest + 1) % depthMax
	if s.owing > 0 {
		s.rest = s.corpus.frame(s.owed[s.oldest])
	}
	return n, load.OK
}

// breakOff remembers the first fault. Nothing is owed from then on, so that every later byte comes
// here too.
func (s *session) breakOff(in []byte) load.Status {
	if s.fault.kind != noFault {
		return load.Broken
	}
	if len(s.rest) == 0 {
		s.fault = fault{kind: unasked, got: in[0]}
		return load.Broken
	}
	i := 0
	for in[i] == s.rest[i] {
		i++
	}
	frameBytes := len(s.corpus.frame(s.owed[s.oldest]))
	s.fault = fault{mismatched, frameBytes - len(s.rest) + i, frameBytes, in[i], s.rest[i]}
	s.rest, s.owing = nil, 0
	return load.Broken
}

// Reset forgets all owed replies and the fault. The walk through the corpus goes on.
func (s *session) Reset() {
	s.rest, s.owing, s.oldest = nil, 0, 0
	s.replies, s.fault = 0, fault{}
}

// Fault says in one line which byte of which reply was wrong; it is empty when none was.
func (s *session) Fault() string {
	f := s.fault
	prefixBytes := prefixOf(f.frameBytes)
	where := fmt.Sprintf("connection %d, reply %d", s.conn, s.replies+1)
	switch {
	case f.kind == noFault:
		return ""
	case f.kind == unasked:
		return fmt.Sprintf("%s: got 0x%02x, want nothing: no request was in flight", where, f.got)
	case f.at < prefixBytes:
		return fmt.Sprintf("%s: length prefix differs at byte %d of %d: 0x%02x, want 0x%02x",
			where, f.at+1, prefixBytes, f.got, f.want)
	default:
		return fmt.Sprintf("%s: payload of %d B differs at offset %d: 0x%02x, want 0x%02x",
			where, f.frameBytes-prefixBytes, f.at-prefixBytes, f.got, f.want)
	}
}

// prefixOf returns how many bytes of a frame its length takes.
func prefixOf(frameBytes int) int {
	n := 1
	for len(mpacket.AppendVarInt(nil, int32(frameBytes-n))) > n {
		n++
	}
	return n
}

var _ load.Session = (*session)(nil)
