package http1

import "bytes"

// Event is what a parser has come upon.
type Event uint8

// The events of a reply, in the order in which they come: GotHead once, GotBody as often as some of
// the body came, Done once. Failed is for good.
const (
	More    Event = iota // all of in is taken, and nothing more can be said without more bytes
	GotHead              // the head is complete: see Head and Ends
	GotBody              // some of the body came: see Body
	Done                 // the reply is complete
	Failed               // this is no reply that can be followed: see Err
)

// Parser reads the replies of one connection, at whatever boundaries their bytes arrive. The zero
// value is ready. For each reply call Begin, then Next until it returns Done.
//
// It allocates nothing but a buffer for heads that arrive in pieces and copies of the last two
// heads, all of which are kept and bounded. Interim replies (1xx) are skipped; 101 is a failure.
type Parser struct {
	HeadMax int // longest head in bytes, interim ones before it included; 0: HeadBytesMax

	head  Head
	known memory
	buf   []byte // what came so far of a head or of a trailer section
	body  []byte
	left  int64 // bytes to come of the body, or of the chunk
	spent int   // bytes of interim heads before the head; of a chunked body, bytes beyond its data

	excerpt   []byte // what shows the problem
	lineBytes int    // of the chunk's line so far
	problem   problem
	state     parserState
	line      lineState
	chunk     chunkState
	digits    uint8 // of the chunk's size so far
	noBody    bool  // the request was HEAD
	ends      bool  // the connection ends after this reply
	parsed    bool  // the head was parsed, not recognised
	plain     bool  // its Content-Length says where the reply ends, and the connection goes on
}

type parserState uint8

const (
	idle parserState = iota // between replies
	inHead
	inLength // in a body of known length
	inChunks
	inTrailer
	untilEOF
	failed
)

// Begin says that the next reply answers a request with that method. It panics within a reply, and
// does nothing after a failure.
func (p *Parser) Begin(method string) { p.begin(method == "HEAD") }

func (p *Parser) begin(noBody bool) {
	switch p.state {
	case idle:
	case failed:
		return
	default:
		panic("http1: Begin within a reply")
	}
	p.state, p.noBody = inHead, noBody
	p.buf, p.spent, p.line = p.buf[:0], 0, lineEmpty
}

// Next reads on in what came, and returns how many bytes it took and what they brought. After
// GotHead and GotBody call it again with what is left, even with nothing: only More asks for bytes.
// Done leaves what belongs to the next reply.
func (p *Parser) Next(in []byte) (taken int, event Event) {
	switch p.state {
	case inHead:
		return p.readHead(in)
	case inLength:
		return p.readLength(in)
	case inChunks:
		return p.readChunks(in)
	case inTrailer:
		return p.readTrailer(in)
	case untilEOF:
		if len(in) == 0 {
			return 0, More
		}
		p.body = in
		return len(in), GotBody
	case idle:
		if len(in) == 0 {
			return 0, More
		}
		return p.fail(unasked, in)
	}
	return 0, Failed
}

// EOF says that the server closed its side in good order: Done when that completes the reply, as
// with HTTP/1.0 without a length, else Failed.
func (p *Parser) EOF() Event {
	switch {
	case p.state == untilEOF:
		p.state = idle
		return Done
	case p.state == idle, p.state == inHead && p.spent+len(p.buf) == 0:
		p.fail(cutBefore, nil)
	case p.state == inHead:
		p.fail(cutHead, p.buf)
	default:
		p.fail(cutBody, nil)
	}
	return Failed
}

// Head returns the head, from GotHead to the next call of Next.
func (p *Parser) Head() *Head { return &p.head }

// Body returns the part of the body that GotBody announced. It is part of what Next was given.
func (p *Parser) Body() []byte { return p.body }

// Ends tells, from GotHead on, whether the connection ends after this reply: the server said so, or
// the end is what ends the body.
func (p *Parser) Ends() bool { return p.ends }

// Reset forgets the reply that was being read, and why it failed: the connection was opened anew.
func (p *Parser) Reset() {
	p.state, p.problem = idle, noProblem
	if cap(p.buf) > knownBytesMax {
		p.buf = nil // grown for a head that no well-meaning server sends
	}
}

// Err says in one line why the parser failed; nil when it did not. It is io.EOF when the connection
// was closed before the reply began, and wraps io.ErrUnexpectedEOF when within it.
func (p *Parser) Err() error { return errorOf(p.problem, p.excerpt) }

// fail takes nothing of in, whose beginning shows the problem. The first failure stays.
func (p *Parser) fail(why problem, in []byte) (taken int, event Event) {
	if p.state != failed {
		p.state, p.problem = failed, why
		p.excerpt = append(p.excerpt[:0], in[:min(len(in), excerptBytes+1)]...)
	}
	return 0, Failed
}

// readHead takes interim heads and the head.
func (p *Parser) readHead(in []byte) (taken int, event Event) {
	for taken < len(in) {
		rest := in[taken:]
		if n := p.recognise(rest); n > 0 {
			p.startBody()
			return taken + n, GotHead
		}
		if len(p.buf) == 0 && !beginsRight(rest) {
			return p.fail(notHTTP, rest)
		}
		raw, n := p.gather(rest, p.headMax(), headTooLong)
		if p.state == failed {
			return 0, Failed
		}
		if !beginsRight(p.buf) {
			return p.fail(notHTTP, p.buf)
		}
		taken += n
		if raw == nil {
			break
		}
		if why, line := p.parseHead(raw); why != noProblem {
			return p.fail(why, line)
		}
		if p.head.Status >= 200 {
			p.startBody()
			return taken, GotHead
		}
		if p.head.Status == 101 {
			return p.fail(switched, nil)
		}
		p.spent += len(raw)
		p.buf, p.line = p.buf[:0], lineEmpty
	}
	return taken, More
}

func (p *Parser) headMax() int {
	if p.HeadMax > 0 {
		return p.HeadMax
	}
	return HeadBytesMax
}

// recognise returns the length of the head that in begins with if it means the same as a known
// one, else 0.
func (p *Parser) recognise(in []byte) int {
	if len(p.buf) > 0 {
		return 0
	}
	n, length := p.known.match(in)
	if n == 0 || p.spent+n > p.headMax() {
		return 0
	}
	p.head, p.parsed = p.known.last().head, false
	p.head.raw, p.head.Length = in[:n], length
	return n
}

// beginsRight tells at once when what comes is no HTTP, so that an endless something is not gathered.
func beginsRight(b []byte) bool {
	n := min(len(b), len(version))
	return string(b[:n]) == version[:n]
}

// parseHead parses, and remembers what it parsed.
func (p *Parser) parseHead(raw []byte) (why problem, line []byte) {
	p.parsed = true
	why, line = p.head.parse(raw)
	if why == noProblem && p.head.Status < 200 {
		return why, line
	}
	p.known.turn()
	if why == folded {
		if len(p.buf) == 0 {
			p.buf = append(p.buf, raw...)
		}
		unfold(p.buf)
		p.known.last().forget()
		return p.head.parse(p.buf)
	}
	if why == noProblem {
		p.known.last().learn(&p.head, raw)
	}
	return why, line
}

// startBody decides how the body ends (RFC 9112, section 6.3).
func (p *Parser) startBody() {
	h := &p.head
	p.ends, p.left, p.plain = h.Close, 0, false
	switch {
	case p.noBody, h.Status == 204, h.Status == 304:
		p.state = inLength
	case h.Chunked:
		p.state, p.chunk, p.digits, p.spent = inChunks, inSize, 0, 0
	case h.Length >= 0:
		p.state, p.left, p.plain = inLength, h.Length, !h.Close
	default:
		p.state, p.ends = untilEOF, true
	}
}

// announced returns, after GotHead, how long the body will be; -1 when only its end will tell.
func (p *Parser) announced() int64 {
	if p.state == inLength {
		return p.left
	}
	return -1
}

func (p *Parser) readLength(in []byte) (taken int, event Event) {
	if p.left == 0 {
		p.state = idle
		return 0, Done
	}
	if len(in) == 0 {
		return 0, More
	}
	return p.takeBody(in, 0)
}

// takeBody takes what in has of the body from at on.
func (p *Parser) takeBody(in []byte, at int) (taken int, event Event) {
	n := int(min(p.left, int64(len(in)-at)))
	p.body = in[at : at+n]
	p.left -= int64(n)
	return at + n, GotBody
}

// lineState is what came so far of the line that is being gathered.
type lineState uint8

const (
	lineEmpty lineState = iota
	lineCR              // a CR and nothing else
	lineFilled
)

// gather takes lines up to and including the first empty one. It returns all of them when that has
// come, as part of in where it can, else nil. Beyond limit bytes, those spent before included, it
// fails with tooLong.
func (p *Parser) gather(in []byte, limit int, tooLong problem) (section []byte, taken int) {
	end := p.emptyLine(in)
	n := end
	if end == 0 {
		n = len(in)
	}
	if p.spent+len(p.buf)+n > limit {
		p.fail(tooLong, nil)
		return nil, 0
	}
	if end > 0 && len(p.buf) == 0 {
		return in[:end], end
	}
	p.buf = append(p.buf, in[:n]...)
	if end == 0 {
		return nil, n
	}
	return p.buf, n
}

// emptyLine returns where the first empty line in in ends, 0 when there is none, and remembers how
// in ends.
func (p *Parser) emptyLine(in []byte) int {
	for at := 0; ; {
		i := bytes.IndexByte(in[at:], '\n')
		if i < 0 {
			p.line = p.line.with(in[at:])
			return 0
		}
		if p.line.with(in[at:at+i]) != lineFilled {
			return at + i + 1
		}
		p.line = lineEmpty
		at += i + 1
	}
}

// with is the state after more of the line.
func (s lineState) with(more []byte) lineState {
	switch {
	case len(more) == 0:
		return s
	case s == lineEmpty && len(more) == 1 && more[0] == '\r':
		return lineCR
	}
	return lineFilled
}
