package http1

import "bytes"

// Head is the head of a reply: its status line and header. Its bytes belong to the parser or to
// whoever feeds it: they are valid until the next call of the parser.
type Head struct {
	Status  int   // 100 to 999
	Minor   int   // the x of HTTP/1.x
	Length  int64 // Content-Length; -1 when there is none
	Chunked bool  // Transfer-Encoding: chunked
	Close   bool  // the server says, or HTTP/1.0 means, that it closes after this reply

	raw      []byte // status line to blank line, both included
	fieldsAt int    // where the header begins in raw
	lengthAt int    // where the digits of the only Content-Length are in raw:
	lengthTo int    // raw[lengthAt:lengthTo]; 0 when there is not exactly one such field
}

// Raw returns the head from the status line to the blank line, as it came, but that lines which the
// server folded are joined.
func (h *Head) Raw() []byte { return h.raw }

// Value returns the value of the first field of that name (in any case), and whether there is one.
func (h *Head) Value(name string) (value []byte, ok bool) {
	for n, v := range h.Fields {
		if isFold(n, name) {
			return v, true
		}
	}
	return nil, false
}

// Fields goes through the header in order, blanks around values removed.
func (h *Head) Fields(yield func(name, value []byte) bool) {
	for line, at := cutLine(h.raw, h.fieldsAt); len(line) > 0; line, at = cutLine(h.raw, at) {
		colon := bytes.IndexByte(line, ':')
		if !yield(line[:colon], trim(line[colon+1:])) {
			return
		}
	}
}

// cutLine returns the line of b that begins at from, without its CRLF or LF, and where the next one
// begins. b ends with a line's end.
func cutLine(b []byte, from int) (line []byte, next int) {
	next = from + bytes.IndexByte(b[from:], '\n') + 1
	line = b[from : next-1]
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line, next
}

// parse reads raw, which ends with the first blank line in it. With a problem comes the line that
// shows it. The problem folded means that nothing is wrong so far and the next line is folded.
func (h *Head) parse(raw []byte) (p problem, where []byte) {
	*h = Head{Length: -1, raw: raw}
	line, at := cutLine(raw, 0)
	if p := h.parseStatus(line); p != noProblem {
		return p, raw
	}
	h.fieldsAt = at
	var seen framing
	for {
		from := at
		if line, at = cutLine(raw, at); len(line) == 0 {
			break
		}
		if isBlank(raw[at]) && !isBlank(line[0]) {
			return folded, line
		}
		if p := h.parseField(line, from, &seen); p != noProblem {
			return p, line
		}
	}
	h.Close = seen.close || h.Minor == 0 && !seen.keepAlive
	if seen.lengths != 1 {
		h.lengthAt, h.lengthTo = 0, 0
	}
	if h.Chunked && h.Length >= 0 {
		return lengthAndCoding, raw[h.fieldsAt:]
	}
	return noProblem, nil
}

// parseStatus reads e.g. "HTTP/1.1 200 OK". The blank before an empty reason may be missing.
func (h *Head) parseStatus(line []byte) problem {
	if len(line) < len(version) || string(line[:len(version)]) != version {
		return notHTTP
	}
	const codeAt, reasonAt = len(version) + 2, len(version) + 5
	if len(line) < reasonAt || !isDigit(line[codeAt-2]) || line[codeAt-1] != ' ' ||
		len(line) > reasonAt && line[reasonAt] != ' ' || !isCleanBytes(line[reasonAt:]) {
		return badStatusLine
	}
	for _, c := range line[codeAt:reasonAt] {
		if !isDigit(c) {
			return badStatusLine
		}
		h.Status = h.Status*10 + int(c-'0')
	}
	if h.Status < 100 {
		return badStatusLine
	}
	h.Minor = int(line[codeAt-2] - '0')
	return noProblem
}

// version is how every reply begins, but for the minor version.
const version = "HTTP/1."

// framing is what the fields said so far about where the reply and the connection end.
type framing struct {
	lengths          int
	close, keepAlive bool
}

// parseField reads the line that begins at from in raw.
func (h *Head) parseField(line []byte, from int, seen *framing) problem {
	n := 0
	for n < len(line) && tokenByte[line[n]] {
		n++
	}
	switch {
	case n == len(line) || n == 0:
		return badFieldLine
	case line[n] != ':':
		return badFieldName
	case !isCleanBytes(line[n+1:]):
		return badFieldValue
	}
	name := line[:n]
	switch n {
	case len("Connection"):
		if isFold(name, "Connection") {
			seen.connection(line[n+1:])
		}
	case len("Content-Length"):
		if isFold(name, "Content-Length") {
			return h.parseLength(line, n+1, from, seen)
		}
	case len("Transfer-Encoding"):
		if isFold(name, "Transfer-Encoding") {
			return h.parseCoding(trim(line[n+1:]))
		}
	}
	return noProblem
}

// parseLength reads the value that begins at line[at]; the line begins at from in raw. A length that
// is given twice is as good as once (RFC 9110, section 8.6); a list of lengths is not.
func (h *Head) parseLength(line []byte, at, from int, seen *framing) problem {
	for at < len(line) && isBlank(line[at]) {
		at++
	}
	value := trim(line[at:])
	length, ok := parseLength(value)
	if !ok {
		return badLength
	}
	if seen.lengths > 0 && length != h.Length {
		return twoLengths
	}
	seen.lengths++
	h.Length = length
	h.lengthAt = from + at
	h.lengthTo = h.lengthAt + len(value)
	return noProblem
}

// parseCoding takes chunked and nothing else, once: what is not understood has an unknown end.
func (h *Head) parseCoding(value []byte) problem {
	switch {
	case h.Minor == 0:
		return codingIn10
	case h.Chunked || !isFold(value, "chunked"):
		return badCoding
	}
	h.Chunked = true
	return noProblem
}

// connection reads the list of options in a Connection field.
func (f *framing) connection(value []byte) {
	for len(value) > 0 {
		option, rest, _ := bytes.Cut(value, comma)
		option, value = trim(option), rest
		f.close = f.close || isFold(option, "close")
		f.keepAlive = f.keepAlive || isFold(option, "keep-alive")
	}
}

var comma = []byte(",")

// unfold joins folded lines in place: each line's end before a blank becomes blanks, as RFC 9112,
// section 5.2, has user agents do.
func unfold(raw []byte) {
	for i := range len(raw) - 1 {
		if raw[i] == '\n' && isBlank(raw[i+1]) {
			raw[i] = ' '
			if raw[i-1] == '\r' {
				raw[i-1] = ' '
			}
		}
	}
}
