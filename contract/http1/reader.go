package http1

import (
	"bytes"
	"fmt"
	"io"
)

// Reply is a whole reply.
type Reply struct {
	Head        // its bytes are its own: they stay valid
	Body []byte // chunks joined; nil when empty
	Ends bool   // the connection ends after this reply
}

// Reader reads whole replies from a stream that may block, for gates and tests. Deadlines are the
// business of the stream.
type Reader struct {
	src     io.Reader
	bodyMax int
	parser  Parser
	buf     []byte
	rest    []byte // what came and was not taken
}

// NewReader returns a Reader of replies with bodies of at most bodyMax bytes.
func NewReader(src io.Reader, bodyMax int) *Reader {
	return &Reader{src: src, bodyMax: bodyMax, buf: make([]byte, 16<<10)}
}

// Buffered returns the bytes that came behind the last reply.
func (r *Reader) Buffered() []byte { return r.rest }

// Next reads the reply to a request with that method. The error is io.EOF when the stream ended
// before it began, wraps io.ErrUnexpectedEOF when within it, and wraps the stream's error when
// reading failed; after any error there is no next reply.
func (r *Reader) Next(method string) (*Reply, error) {
	r.parser.Begin(method)
	reply := new(Reply)
	for {
		n, event := r.parser.Next(r.rest)
		r.rest = r.rest[n:]
		if event == More {
			var err error
			if event, err = r.fill(); err != nil {
				return nil, fmt.Errorf("HTTP reply: %w", err)
			}
		}
		switch event {
		case GotHead:
			reply.Head = r.parser.head
			reply.raw = bytes.Clone(reply.raw)
		case GotBody:
			if len(reply.Body)+len(r.parser.Body()) > r.bodyMax {
				return nil, fmt.Errorf("HTTP reply: the body is longer than the %d bytes that are read", r.bodyMax)
			}
			reply.Body = append(reply.Body, r.parser.Body()...)
		case Done:
			reply.Ends = r.parser.Ends()
			return reply, nil
		case Failed:
			return nil, r.parser.Err()
		}
	}
}

// fill reads on. The end of the stream is no error: it may complete the reply.
func (r *Reader) fill() (Event, error) {
	for range emptyReadsMax {
		n, err := r.src.Read(r.buf)
		if n > 0 {
			r.rest = r.buf[:n] // an error beside it comes again
			return More, nil
		}
		if err == io.EOF {
			return r.parser.EOF(), nil
		}
		if err != nil {
			return More, err
		}
	}
	return More, io.ErrNoProgress
}

// emptyReadsMax is how often a stream may return nothing and no error.
const emptyReadsMax = 100
