package http1

import (
	"bytes"
	"fmt"
	"math/bits"
	"math/rand/v2"

	"dyno/load"
)

// session is the load.Session of one connection.
type session struct {
	corpus *Corpus
	parser Parser
	order  rand.PCG
	owed   []uint32 // ring of indices into the corpus; its length is a power of two
	conn   int
	depth  int
	owing  int // replies owed
	oldest int // place of the oldest owed reply in the ring
	last   uint32

	current *entry // what the reply being read must be; nil between replies
	want    []byte // its body
	at      int    // bytes of want that have come
	other   []byte // the body so far, where it differs from want and may still be the same
	follows int64  // bytes of a wrong reply's body that were followed
	verdict verdict

	status  int // of the head that came
	codes   []codeCount
	code    int   // place of the last status in codes
	replies int64 // complete, since the last Reset
	fault   *fault
	broken  bool
}

// verdict is what is known so far about the reply that is being read.
type verdict uint8

const (
	matching   verdict = iota // all that came is as wanted
	collecting                // the body is not the one wanted to the byte, and Same will be asked
	refused                   // it is wrong, and followed to its end
)

func newSession(c *Corpus, conn, depth int, seed uint64) *session {
	if depth < 1 || depth > load.MaxDepth {
		panic(fmt.Sprintf("http1: a session of depth %d; it must lie between 1 and %d", depth, load.MaxDepth))
	}
	ring := 1 << bits.Len(uint(depth-1))
	return &session{corpus: c, conn: conn, depth: depth, order: *rand.NewPCG(seed, uint64(conn)), owed: make([]uint32, ring)}
}

// Request appends the next request to dst. It panics when depth replies are owed: the engine has
// lost count.
func (s *session) Request(dst []byte) []byte {
	if s.owing == s.depth {
		panic(fmt.Sprintf("http1: a request beyond the session's depth of %d", s.depth))
	}
	s.step()
	s.owed[(s.oldest+s.owing)&(len(s.owed)-1)] = s.last
	s.owing++
	return append(dst, s.corpus.entries[s.last].request...)
}

// step moves on in the corpus by a random number of places, never 0 unless there is only one.
func (s *session) step() {
	others := uint64(len(s.corpus.entries) - 1)
	if others == 0 {
		return
	}
	step := 1 + (s.order.Uint64()>>32)*others>>32
	s.last = uint32((uint64(s.last) + step) % (others + 1))
}

// Reply reads on in what came. After Broken every byte is Broken until Reset.
func (s *session) Reply(in []byte) (taken int, status load.Status) {
	if s.current == nil {
		if s.owing == 0 {
			return 0, s.unasked(in)
		}
		e := &s.corpus.entries[s.owed[s.oldest]]
		if n := s.repeated(in, e); n > 0 {
			s.pop()
			return n, load.OK
		}
		s.begin(e)
	}
	return s.follow(in)
}

// repeated is the fast path: it returns the length of the reply that in begins with if it is whole,
// has a head that the parser knows, and is right in every respect; else 0.
func (s *session) repeated(in []byte, e *entry) int {
	n, length := s.parser.known.match(in)
	head := s.parser.known.last()
	if n == 0 || head.class != e.class || !head.plain || int64(len(in)-n) < length {
		return 0
	}
	end := n + int(length)
	if !e.bodyAny && string(in[n:end]) != string(e.expected()) {
		return 0
	}
	s.count(head.head.Status)
	return end
}

func (s *session) begin(e *entry) {
	s.parser.begin(e.noBody)
	s.current, s.want, s.at = e, e.expected(), 0
	s.verdict, s.follows = matching, 0
}

// follow lets the parser find the parts of the reply, and judges them.
func (s *session) follow(in []byte) (taken int, status load.Status) {
	for {
		n, event := s.parser.Next(in[taken:])
		taken += n
		goesOn := true
		switch event {
		case More:
			return taken, load.More
		case GotHead:
			goesOn = s.judgeHead()
		case GotBody:
			goesOn = s.judgeBody(s.parser.Body())
		case Done:
			return taken, s.finish()
		case Failed:
			s.blame(fault{kind: unfollowable})
			goesOn = false
		}
		if !goesOn {
			return taken, s.breakOff()
		}
	}
}

// judgeHead looks at status, fields and announced length. It returns false when what follows is too
// long to be followed.
func (s *session) judgeHead() bool {
	e, h := s.current, s.parser.Head()
	s.status = h.Status
	if known := s.parser.known.last(); known.class != e.class {
		known.class = 0
		switch w := e.missing(h); {
		case !e.acceptsStatus(h.Status):
			s.refuse(fault{kind: otherStatus, got: int64(h.Status)})
		case w != nil:
			s.refuse(fault{kind: otherField, field: w})
			s.fault.keepValue(h)
		case !e.lengthWanted:
			known.class, known.plain = e.class, s.parser.plain
		}
	}
	return s.judgeLength(s.parser.announced())
}

// judgeLength looks at how long the body will be; -1 when nobody knows.
func (s *session) judgeLength(length int64) bool {
	e := s.current
	if e.bodyAny || length < 0 {
		return true
	}
	if s.verdict == matching && length != int64(len(s.want)) && (e.same == nil || length > int64(e.sameBytesMax())) {
		s.refuse(fault{kind: otherLength, got: length})
	}
	return s.verdict != refused || length <= followBytesMax
}

// judgeBody looks at a part of the body. It returns false when a wrong body is too long.
func (s *session) judgeBody(part []byte) bool {
	e := s.current
	if s.verdict == matching && !e.bodyAny {
		part = s.compare(part)
	}
	switch s.verdict {
	case collecting:
		if len(s.other)+len(part) <= e.sameBytesMax() {
			s.other = append(s.other, part...)
			return true
		}
		s.refuse(fault{kind: tooLong, got: int64(len(s.other))})
		s.fault.sample(s.other)
	case refused:
		s.fault.sample(part)
	default:
		return true
	}
	s.follows += int64(len(part))
	return e.bodyAny || s.follows <= followBytesMax
}

// compare compares a part of the body with what is wanted there, and returns what is left of it for
// whoever takes over: nothing when all is as wanted.
func (s *session) compare(part []byte) []byte {
	rest := s.want[s.at:]
	if len(part) <= len(rest) && string(part) == string(rest[:len(part)]) {
		s.at += len(part)
		return nil
	}
	if s.current.same != nil {
		s.collect()
		return part
	}
	same := commonPrefix(part, rest)
	s.refuse(fault{kind: otherBody, at: s.at + same})
	return part[same:]
}

// collect begins to keep the body, of which the first bytes were as wanted.
func (s *session) collect() {
	s.verdict = collecting
	s.other = append(s.other[:0], s.want[:s.at]...)
}

func commonPrefix(a, b []byte) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// finish judges the reply, which is complete.
func (s *session) finish() load.Status {
	e := s.current
	if s.verdict == matching && !e.bodyAny && s.at < len(s.want) {
		if e.same != nil {
			s.collect()
		} else {
			s.refuse(fault{kind: otherBody, at: s.at})
		}
	}
	if s.verdict == collecting {
		s.askSame()
	}
	s.count(s.status)
	right, ends := s.verdict != refused, s.parser.Ends()
	s.pop()
	switch {
	case right && ends:
		return load.OKClose
	case right:
		return load.OK
	case ends:
		return load.WrongClose
	}
	return load.Wrong
}

// askSame decides about a body that is not the one wanted to the byte.
func (s *session) askSame() {
	e := s.current
	if bytes.Equal(s.other, e.body) || e.same(s.other) {
		e.learn(s.other)
		return
	}
	same := commonPrefix(s.other, e.body)
	s.refuse(fault{kind: otherBody, at: same})
	s.fault.sample(s.other[same:])
}

// pop takes the oldest owed reply off the ring.
func (s *session) pop() {
	s.oldest = (s.oldest + 1) & (len(s.owed) - 1)
	s.owing--
	s.replies++
	s.current = nil
}

// EOF judges the end of the stream, which completes a body that has no other end. Broken says that
// it cut a reply off.
func (s *session) EOF() load.Status {
	if s.owing == 0 {
		return load.Broken
	}
	if s.current == nil {
		s.begin(&s.corpus.entries[s.owed[s.oldest]])
	}
	if s.parser.EOF() == Done {
		return s.finish()
	}
	s.blame(fault{kind: unfollowable})
	return s.breakOff()
}

// unasked answers for bytes that belong to no reply.
func (s *session) unasked(in []byte) load.Status {
	if !s.broken {
		s.blame(fault{kind: unaskedBytes})
		s.fault.sample(in)
	}
	return s.breakOff()
}

// breakOff makes every later byte Broken: nothing is owed any more.
func (s *session) breakOff() load.Status {
	s.broken = true
	s.owing, s.current = 0, nil
	return load.Broken
}

// Reset forgets all owed replies and the fault. The walk through the corpus goes on, and what the
// server's heads look like stays known.
func (s *session) Reset() {
	s.parser.Reset()
	s.owing, s.oldest, s.current = 0, 0, nil
	s.replies, s.broken = 0, false
	if s.fault != nil {
		s.fault.kind = noFault
	}
	if cap(s.other) > keptBytesMax {
		s.other = nil
	}
}

// keptBytesMax is the largest buffer that a session keeps from one connection to the next.
const keptBytesMax = 64 << 10

var _ load.EOFSession = (*session)(nil)
