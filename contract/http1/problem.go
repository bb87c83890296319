package http1

import (
	"errors"
	"io"
	"strconv"
)

// problem says why a reply cannot be followed.
type problem uint8

const (
	noProblem problem = iota
	notHTTP
	badStatusLine
	badFieldLine
	badFieldName
	badFieldValue
	badLength
	twoLengths
	badCoding
	codingIn10
	lengthAndCoding
	headTooLong
	switched
	badChunkSize
	chunkLineTooLong
	badChunkEnd
	tooMuchExtra
	badTrailer
	unasked
	cutBefore
	cutHead
	cutBody

	folded // not a problem: the head must be unfolded first
)

// problemWords are the cause, and what the server must do instead.
var problemWords = [...]string{
	notHTTP:          `the reply does not begin with "HTTP/1."; the server must speak HTTP/1.1`,
	badStatusLine:    "malformed status line; it must read e.g. HTTP/1.1 200 OK",
	badFieldLine:     "a line of the header has no name; it must read NAME: VALUE",
	badFieldName:     "a name in the header is not a word; it must be followed by its colon at once",
	badFieldValue:    "a value in the header holds a control character; the server must leave it out",
	badLength:        "malformed Content-Length; it must be one decimal number without a sign",
	twoLengths:       "two Content-Length fields that differ; the server must send one",
	badCoding:        `a Transfer-Encoding other than "chunked"; the server must send chunked alone or none`,
	codingIn10:       "Transfer-Encoding in HTTP/1.0, which has none; the server must answer with HTTP/1.1",
	lengthAndCoding:  "Content-Length and Transfer-Encoding together; the server must send one of them",
	headTooLong:      "the head is too long; the server must keep it below the limit",
	switched:         "status 101 without a request to switch protocols; the server must go on with HTTP/1.1",
	badChunkSize:     "malformed chunk size; it must be hexadecimal digits, then CRLF or ;",
	chunkLineTooLong: "a chunk's line is too long; the server must keep it below 4096 bytes",
	badChunkEnd:      "a chunk does not end with CRLF where its size says; the size must be that of its data",
	tooMuchExtra:     "chunk extensions and trailers are too long; the server must keep them below 16 KiB",
	badTrailer:       "malformed trailer section; each line must read NAME: VALUE and end with CRLF",
	unasked:          "bytes came that no request asked for; the server must send one reply a request, as long as it says",
	cutBefore:        "the connection was closed before the reply began",
	cutHead:          "the connection was closed in the middle of the head",
	cutBody:          "the connection was closed in the middle of the body",
}

// excerptBytes bounds what an error repeats of what the server sent.
const excerptBytes = 48

// errorOf puts a problem into one line, with the bytes that show it.
func errorOf(p problem, excerpt []byte) error {
	if p == noProblem {
		return nil
	}
	if p == cutBefore {
		return io.EOF
	}
	message := "HTTP reply: " + problemWords[p]
	if len(excerpt) > 0 {
		message += ": got " + quote(excerpt, excerptBytes)
	}
	if p == cutHead || p == cutBody {
		return &cutOffError{message}
	}
	return errors.New(message)
}

// cutOffError is io.ErrUnexpectedEOF in words.
type cutOffError struct{ message string }

func (e *cutOffError) Error() string { return e.message }
func (e *cutOffError) Unwrap() error { return io.ErrUnexpectedEOF }

// quote repeats what came in one line of printable characters, cut after so many bytes.
func quote(b []byte, bytesMax int) string {
	if len(b) > bytesMax {
		return strconv.QuoteToASCII(string(b[:bytesMax])) + "…"
	}
	return strconv.QuoteToASCII(string(b))
}
