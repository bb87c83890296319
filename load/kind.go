package load

import (
	"context"
	"errors"

	"golang.org/x/sys/unix"

	"dyno/load/internal/secure"
)

// Kind says how a connection failed.
type Kind uint8

// The kinds of failure, in the order in which they are reported.
const (
	ConnectRefused Kind = iota // nobody listens
	ConnectTimeout             // no answer to the handshake in time
	ConnectFailed              // any other failure to connect
	TLSFailed                  // the TLS handshake failed, or a record could not be read
	Reset                      // the peer reset the connection
	EOF                        // the peer closed the connection while replies were owed
	Timeout                    // a reply did not come in time
	Malformed                  // a reply was wrong in a way that left no following what came behind it
	Unasked                    // bytes came that no request asked for
	IOError                    // any other failure to read or write
	Kinds                      // how many there are
)

var kindNames = [Kinds]string{
	"connect-refused", "connect-timeout", "connect-failed", "tls",
	"reset", "eof", "timeout", "malformed", "unasked", "io-error",
}

// String returns the kind's stable name, e.g. "connect-refused".
func (k Kind) String() string {
	if k >= Kinds {
		return "unknown"
	}
	return kindNames[k]
}

// ConnectKind returns the kind of failure to connect that an error is.
func ConnectKind(err error) Kind {
	var handshake *secure.HandshakeError
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return ConnectTimeout
	case errors.As(err, &handshake):
		return TLSFailed
	case errors.Is(err, unix.ECONNREFUSED):
		return ConnectRefused
	case errors.Is(err, unix.ETIMEDOUT):
		return ConnectTimeout
	}
	return ConnectFailed
}

// IOKind returns the kind of failure of an open socket that an error is.
func IOKind(err error) Kind {
	if errors.Is(err, unix.ECONNRESET) || errors.Is(err, unix.EPIPE) {
		return Reset
	}
	return IOError
}
