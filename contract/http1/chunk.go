package http1

import "bytes"

// chunkState is where in a chunk the parser is. Chunks are read byte by byte but for their data, so
// that a size line needs no buffer.
type chunkState uint8

const (
	inSize chunkState = iota
	inExtension
	sizeLF
	inData
	dataCR
	dataLF
)

// readChunks takes chunks until some data has come or the last chunk's line is over. Lines must end
// with CRLF here: what one recipient takes for a line's end and another does not is where a smuggler
// hides a reply (RFC 9112, section 11.2).
func (p *Parser) readChunks(in []byte) (taken int, event Event) {
	for at := 0; at < len(in); {
		if p.chunk == inData {
			taken, event = p.takeBody(in, at)
			if p.left == 0 {
				p.chunk = dataCR
			}
			return taken, event
		}
		if why := p.chunkByte(in[at]); why != noProblem {
			return p.fail(why, in[at:])
		}
		at++
		if p.state == inTrailer {
			taken, event = p.readTrailer(in[at:])
			return at + taken, event
		}
	}
	return len(in), More
}

// chunkByte takes one byte that is not data.
func (p *Parser) chunkByte(c byte) problem {
	switch p.chunk {
	case inSize:
		return p.sizeByte(c)
	case inExtension:
		return p.extensionByte(c)
	case sizeLF:
		if c != '\n' {
			return badChunkSize
		}
		p.startChunk()
	case dataCR:
		if c != '\r' {
			return badChunkEnd
		}
		p.chunk = dataLF
	case dataLF:
		if c != '\n' {
			return badChunkEnd
		}
		p.chunk, p.digits = inSize, 0
	}
	return noProblem
}

// chunkDigitsMax is how many hexadecimal digits a size may have: enough for any body, too few to
// overflow, and no room to hide in leading zeros.
const chunkDigitsMax = 15

// sizeByte takes a byte of the size. RFC 9112 lets a recipient remove blanks before an extension;
// nobody sends them, so none is taken.
func (p *Parser) sizeByte(c byte) problem {
	if digit, ok := hexDigit(c); ok {
		if p.digits == chunkDigitsMax {
			return badChunkSize
		}
		if p.digits == 0 {
			p.left = 0
		}
		p.digits++
		p.left = p.left<<4 | int64(digit)
		return noProblem
	}
	switch {
	case p.digits == 0:
		return badChunkSize
	case c == '\r':
		p.chunk = sizeLF
	case c == ';':
		p.chunk, p.lineBytes = inExtension, int(p.digits)
		return p.extensionByte(c)
	default:
		return badChunkSize
	}
	return noProblem
}

func hexDigit(c byte) (digit byte, ok bool) {
	switch {
	case isDigit(c):
		return c - '0', true
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, true
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}

// extensionByte skips a byte of an extension.
func (p *Parser) extensionByte(c byte) problem {
	if c == '\r' {
		p.chunk = sizeLF
		return noProblem
	}
	p.lineBytes++
	p.spent++
	switch {
	case isControl(c):
		return badChunkSize
	case p.lineBytes >= chunkLineBytesMax:
		return chunkLineTooLong
	case p.spent > chunkExtraBytesMax:
		return tooMuchExtra
	}
	return noProblem
}

func (p *Parser) startChunk() {
	if p.left > 0 {
		p.chunk = inData
		return
	}
	p.state = inTrailer
	p.buf, p.line = p.buf[:0], lineEmpty
}

// readTrailer takes the trailer section, whose fields mean nothing to anybody here but must be fields.
func (p *Parser) readTrailer(in []byte) (taken int, event Event) {
	section, n := p.gather(in, chunkExtraBytesMax, tooMuchExtra)
	if p.state == failed {
		return 0, Failed
	}
	if section == nil {
		return n, More
	}
	if line, ok := isTrailer(section); !ok {
		return p.fail(badTrailer, line)
	}
	p.state = idle
	return n, Done
}

// isTrailer checks lines of which the last is empty; with false comes the line that is wrong.
func isTrailer(section []byte) (line []byte, ok bool) {
	for at := 0; ; {
		line, next := cutLine(section, at)
		if next-at < 2 || section[next-2] != '\r' {
			return line, false
		}
		if len(line) == 0 {
			return nil, true
		}
		colon := bytes.IndexByte(line, ':')
		if colon < 0 || !isToken(line[:colon]) || !isCleanBytes(line[colon+1:]) {
			return line, false
		}
		at = next
	}
}
