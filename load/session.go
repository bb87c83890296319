// Package load is the load engine: event loops, connections, pacing and counting. It knows bytes
// and time, and no protocol: what to send and whether a reply is right is the business of a
// Session, which contracts provide.
package load

// Session makes the traffic of one connection and judges what comes back. It belongs to one event
// loop and is never called from two goroutines. In the measured window none of its methods may
// allocate or block.
type Session interface {
	// Request appends the bytes of the next request to dst. The session remembers what reply is
	// owed for it. At most Depth requests are owed at a time.
	Request(dst []byte) []byte

	// Reply reads on in what the server sent and returns how many bytes it took, and what that
	// completed. With More it has taken all of in. Otherwise it took the rest of exactly one reply,
	// and the engine calls again with what is left. It is never called with an empty in, nor when
	// no reply is owed.
	Reply(in []byte) (taken int, status Status)

	// Reset forgets every owed reply: the connection was closed and opened anew.
	Reset()

	// Fault describes the last Wrong or Broken reply in one line: what was expected, what came.
	Fault() string
}

// EOFSession is a Session whose replies may be ended by the end of the stream, as a body of HTTP/1.0
// without a length is. The engine asks only it what such an end means; for all others it is a failure.
type EOFSession interface {
	Session

	// EOF is called when the server closed its side in good order while replies were owed. OK or
	// OKClose says that the oldest owed reply is complete with it, and right; Wrong or WrongClose
	// that it is complete and not the one owed. Anything else means that it was cut off.
	EOF() Status
}

// Status is a session's judgement on the bytes that it was given.
type Status uint8

// The judgements.
const (
	More       Status = iota // the reply is not complete yet
	OK                       // a reply is complete, and it is the one that was owed
	Wrong                    // a reply is complete and not the one owed; the stream can still be followed
	Broken                   // the stream can no longer be followed; the connection must be closed
	OKClose                  // as OK, and the server closes this connection after it, as it may
	WrongClose               // as Wrong, and the server closes this connection after it
)
