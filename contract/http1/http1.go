// Package http1 is what all clients of dyno share that speak HTTP/1.1: requests that are prepared
// and checked before the run (Request), an incremental parser of replies (Parser, and Reader above
// it for who may block), and sessions for the load engine that verify status, headers and whole
// body of every reply (Exchange, Corpus, Session).
//
// The parser is strict where a cheat or a smuggler could hide (lengths, chunk sizes, transfer
// codings, names) and lenient where RFC 9112 says that a client must be or may be (obsolete
// folding, bare LF between the lines of a head, a missing reason).
//
// The package never opens a connection, never reads a clock, follows no redirect, keeps no cookie
// and undoes no content coding.
package http1

// Limits that hold whatever a server sends.
const (
	// HeadBytesMax bounds the head of a reply, interim (1xx) heads before it included, unless the
	// parser is told otherwise.
	HeadBytesMax = 64 << 10

	// chunkLineBytesMax bounds the line with the size of a chunk, its extensions included.
	chunkLineBytesMax = 4 << 10

	// chunkExtraBytesMax bounds what a chunked body may carry beyond data: the extensions of all its
	// chunks, and its trailer section.
	chunkExtraBytesMax = 16 << 10

	// knownBytesMax is the longest head that a parser remembers in order to recognise the next one.
	knownBytesMax = 4 << 10

	// followBytesMax is how far the body of a wrong reply is followed, to stay in step with the
	// server; a longer one breaks the connection off.
	followBytesMax = 1 << 20
)
