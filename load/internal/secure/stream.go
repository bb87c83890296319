package secure

import (
	"crypto/tls"
	"io"
	"net"

	"golang.org/x/sys/unix"

	"dyno/load/internal/netpoll"
)

// shared is what the streams of a loop have in common.
type shared struct {
	sealed    []byte // records to be sent
	bytesRead *int64
}

// Stream is the TLS state of one connection.
type Stream struct {
	conn *tls.Conn
	wire wire
}

// Turn begins a turn of reading: the socket may have something again.
func (s *Stream) Turn() { s.wire.drained = false }

// Read reads plain bytes, until netpoll.ErrWouldBlock. What crypto/tls has to say itself meanwhile (the answer to a key
// update) is in records, to be sent at once; they are valid until the next call on any stream of the loop.
func (s *Stream) Read(plain []byte) (n int, records []byte, err error) {
	of := s.wire.shared
	of.sealed = of.sealed[:0]
	n, err = s.conn.Read(plain)
	return n, of.sealed, err
}

// Seal returns plain as TLS records. They are valid until the next call on any stream of the loop.
func (s *Stream) Seal(plain []byte) (records []byte, err error) {
	of := s.wire.shared
	of.sealed = of.sealed[:0]
	_, err = s.conn.Write(plain)
	return of.sealed, err
}

// SocketErr returns the error of the socket that ended the stream, or nil when it was something else.
func (s *Stream) SocketErr() error { return s.wire.err }

// wire is the net.Conn below crypto/tls: a real one until the handshake is over, then the loop's socket, of which only
// Read and Write are called.
type wire struct {
	net.Conn
	shared  *shared
	fd      int
	drained bool  // the socket was seen empty in this turn
	err     error // of the socket
}

func (w *wire) Read(b []byte) (int, error) {
	if w.Conn != nil {
		return w.Conn.Read(b)
	}
	if w.drained {
		return 0, netpoll.ErrWouldBlock
	}
	n, err := netpoll.Recv(w.fd, b)
	switch {
	case err == unix.EAGAIN:
		w.drained = true
		return 0, netpoll.ErrWouldBlock
	case err != nil:
		w.err = err
		return 0, err
	case n == 0:
		return 0, io.EOF
	}
	*w.shared.bytesRead += int64(n)
	return n, nil
}

func (w *wire) Write(b []byte) (int, error) {
	if w.Conn != nil {
		return w.Conn.Write(b)
	}
	w.shared.sealed = append(w.shared.sealed, b...)
	return len(b), nil
}
