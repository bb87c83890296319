package load

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/netip"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"dyno/load/internal/netpoll"
)

// TLS is spoken by crypto/tls, which wants a blocking connection. So the handshake runs on a goroutine,
// over a connection of package net; then the loop takes over the socket, and crypto/tls reads from it
// through a wire that says "would block" as a temporary error, the one kind that crypto/tls forgets.
// Its write errors are never forgotten, so writes go to a buffer, which the loop sends.
//
// What it costs beside plain TCP: about 7 KB of memory a connection, two small allocations a read (so
// that a window has garbage collections, which its result reports), and the work of encryption. The loop
// closes sockets without a close_notify.

// handshakes are a worker's connections in the making. The loop starts them and takes the results.
type handshakes struct {
	worker *worker
	config *tls.Config
	waker  netpoll.Waker
	cancel context.CancelFunc // nil when there is no TLS
	ctx    context.Context
	group  sync.WaitGroup

	mu   sync.Mutex
	done []handshake
}

// handshake is one result.
type handshake struct {
	index, generation int32
	fd                int
	stream            *secureStream
	err               error
}

func (s *handshakes) start(w *worker, poller *netpoll.Poller) error {
	s.worker, s.config = w, w.cfg.TLS
	if s.config.ServerName == "" && !s.config.InsecureSkipVerify {
		if w.cfg.UnixPath != "" {
			return errors.New("load: TLS over a Unix socket has no name to verify; set ServerName or InsecureSkipVerify")
		}
		s.config = s.config.Clone()
		s.config.ServerName = w.cfg.Addr.Addr().String()
	}
	var err error
	if s.waker, err = poller.AddWaker(); err != nil {
		return err
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return nil
}

// stop ends every handshake under way and lets go of their sockets.
func (s *handshakes) stop() {
	if s.cancel == nil {
		return
	}
	s.cancel()
	s.group.Wait()
	for _, h := range s.take() {
		if h.err == nil {
			netpoll.Close(h.fd)
		}
	}
	s.waker.Close()
	s.cancel = nil
}

// dial connects and shakes hands on a goroutine of its own.
func (s *handshakes) dial(index, generation int32, source netip.Addr) {
	s.group.Go(func() {
		ctx, cancel := context.WithTimeout(s.ctx, s.worker.cfg.ConnectWithin)
		defer cancel()
		h := handshake{index: index, generation: generation}
		h.fd, h.stream, h.err = s.shake(ctx, source)
		s.mu.Lock()
		s.done = append(s.done, h)
		s.mu.Unlock()
		s.waker.Wake()
	})
}

func (s *handshakes) shake(ctx context.Context, source netip.Addr) (fd int, stream *secureStream, err error) {
	dialer := net.Dialer{KeepAlive: -1}
	network, address := "tcp", s.worker.cfg.target()
	if s.worker.cfg.UnixPath != "" {
		network = "unix"
	}
	if source.IsValid() {
		dialer.Control = func(_, _ string, raw syscall.RawConn) (err error) {
			if controlErr := raw.Control(func(fd uintptr) { err = netpoll.BindSource(int(fd), source) }); controlErr != nil {
				return controlErr
			}
			return err
		}
	}
	plain, err := dialer.DialContext(ctx, network, address)
	if err != nil {
		return -1, nil, err
	}
	defer plain.Close() // the loop has a descriptor of its own by then
	stream = &secureStream{wire: &wire{Conn: plain, worker: s.worker, fd: -1}}
	stream.conn = tls.Client(stream.wire, s.config)
	if err := stream.conn.HandshakeContext(ctx); err != nil {
		return -1, nil, &handshakeError{err}
	}
	fd, err = netpoll.Duplicate(plain)
	stream.wire.Conn, stream.wire.fd = nil, fd
	return fd, stream, err
}

// handshakeError is a failure of TLS on a connection that was made.
type handshakeError struct{ error }

func (e *handshakeError) Unwrap() error { return e.error }

// take returns the handshakes that have ended.
func (s *handshakes) take() []handshake {
	s.mu.Lock()
	defer s.mu.Unlock()
	done := s.done
	s.done = nil
	return done
}

// finished puts the connections to work whose handshakes have ended. Those that the loop has given up
// meanwhile are closed.
func (s *handshakes) finished(t *epollTransport) {
	for _, h := range s.take() {
		c := &s.worker.conns[h.index]
		if c.generation != h.generation || c.state != connecting {
			if h.err == nil {
				netpoll.Close(h.fd)
			}
			continue
		}
		if h.err == nil {
			c.fd, c.tls = int32(h.fd), h.stream
			if h.err = t.attach(c, true); h.err != nil {
				c.fd = -1
			}
		}
		s.worker.dialled(c, h.err)
	}
}

// secureStream is the TLS state of one connection.
type secureStream struct {
	conn *tls.Conn
	wire *wire
}

// seal returns plain as TLS records. They are valid until the next call on any stream of the worker.
func (s *secureStream) seal(plain []byte) ([]byte, error) {
	s.wire.worker.sealed = s.wire.worker.sealed[:0]
	_, err := s.conn.Write(plain)
	return s.wire.worker.sealed, err
}

// wire is the net.Conn below crypto/tls: a real one until the handshake is over, then the loop's socket.
type wire struct {
	net.Conn
	worker  *worker
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
	w.worker.result.BytesRead += int64(n)
	return n, nil
}

func (w *wire) Write(b []byte) (int, error) {
	if w.Conn != nil {
		return w.Conn.Write(b)
	}
	w.worker.sealed = append(w.worker.sealed, b...)
	return len(b), nil
}

// readSecure is read for TLS. What crypto/tls has to say itself while it reads (the answer to a key
// update) is sent at once.
func (t *epollTransport) readSecure(c *conn) {
	w, stream := t.w, c.tls
	stream.wire.drained = false
	for range readsPerTurn * 4 {
		w.sealed = w.sealed[:0]
		n, err := stream.conn.Read(t.rx)
		if len(w.sealed) > 0 {
			t.send(c, w.sealed)
		}
		if n > 0 && c.tls == stream && w.judge(c, t.rx[:n]) {
			w.fill(c)
		}
		if c.tls != stream {
			return // closed, perhaps open anew
		}
		if err != nil {
			w.endSecure(c, err)
			return
		}
		w.tick()
	}
	t.again = append(t.again, c.index)
}

// endSecure follows an error of a TLS stream, which is the end of it unless it would only block.
func (w *worker) endSecure(c *conn, err error) {
	switch {
	case err == netpoll.ErrWouldBlock:
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		w.ended(c)
	case c.tls.wire.err != nil:
		w.fail(c, ioKind(c.tls.wire.err))
	default:
		w.fail(c, TLSFailed)
	}
}
