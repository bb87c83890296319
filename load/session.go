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
	// and the engine calls again with what is left. It is never called with an empty in.
	Reply(in []byte) (taken int, status Status)

	// Reset forgets every owed reply: the connection was closed and opened anew.
	Reset()

	// Fault describes the last Wrong or Broken reply in one line: what was expected, what came.
	Fault() string
}

// Status is a session's judgement on the bytes that it was given.
type Status uint8

// The judgements.
const (
	More   Status = iota // the reply is not complete yet
	OK                   // a reply is complete, and it is the one that was owed
	Wrong                // a reply is complete and not the one owed; the stream can still be followed
	Broken               // the stream can no longer be followed; the connection must be closed
)
