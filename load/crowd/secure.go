package crowd

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/netip"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"dyno/load"
	"dyno/load/internal/netpoll"
)

// TLS is spoken by crypto/tls, which wants a blocking connection. So the handshake runs on a goroutine of its own; then
// the loop takes over the socket, as package load does it, where the reasons stand.

// handshakeWithin is how long a connection and its handshake may take. Whoever waits for less closes it before.
const handshakeWithin = time.Minute

// handshakes are a loop's connections in the making. The zero value has none.
type handshakes struct {
	waker  netpoll.Waker
	ctx    context.Context
	cancel context.CancelFunc // nil until the first
	group  sync.WaitGroup

	mu   sync.Mutex
	done []handshake
}

// handshake is one result.
type handshake struct {
	conn   *Conn
	fd     int
	stream *stream
	err    error
}

// DialTLS is Dial with a TLS handshake by config before the connection stands. Why it failed is in Conn.Err.
func (l *Loop) DialTLS(addr netip.AddrPort, config *tls.Config, h Handler) *Conn {
	c := &Conn{loop: l, handler: h, state: connecting, fd: -1}
	l.take(c)
	source := l.source(addr.Addr())
	if err := l.secure.begin(l.poller); err != nil {
		l.NewTimer(func() { c.fail(load.TLSFailed) }).Set(l.nowNs)
		return c
	}
	l.secure.group.Go(func() {
		ctx, cancel := context.WithTimeout(l.secure.ctx, handshakeWithin)
		defer cancel()
		done := handshake{conn: c}
		done.fd, done.stream, done.err = shake(ctx, l, addr, source, config)
		l.secure.mu.Lock()
		l.secure.done = append(l.secure.done, done)
		l.secure.mu.Unlock()
		l.secure.waker.Wake()
	})
	return c
}

// begin prepares for the first handshake.
func (s *handshakes) begin(poller *netpoll.Poller) (err error) {
	if s.cancel != nil {
		return nil
	}
	if s.waker, err = poller.AddWaker(); err == nil {
		s.ctx, s.cancel = context.WithCancel(context.Background())
	}
	return err
}

// shake connects and shakes hands.
func shake(ctx context.Context, l *Loop, addr netip.AddrPort, source netip.Addr, config *tls.Config) (fd int, s *stream, err error) {
	dialer := net.Dialer{KeepAlive: -1}
	if source.IsValid() {
		dialer.Control = func(_, _ string, raw syscall.RawConn) (err error) {
			if controlErr := raw.Control(func(fd uintptr) { err = netpoll.BindSource(int(fd), source) }); controlErr != nil {
				return controlErr
			}
			return err
		}
	}
	plain, err := dialer.DialContext(ctx, "tcp", addr.String())
	if err != nil {
		return -1, nil, err
	}
	defer plain.Close() // the loop has a descriptor of its own by then
	s = &stream{loop: l, below: plain, fd: -1}
	s.conn = tls.Client(s, config)
	if err := s.conn.HandshakeContext(ctx); err != nil {
		return -1, nil, &handshakeError{err}
	}
	fd, err = netpoll.Duplicate(plain)
	s.below, s.fd = nil, fd
	return fd, s, err
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

// finished puts the connections to work whose handshakes have ended. Those that were closed meanwhile are let go.
func (l *Loop) finished() {
	for _, h := range l.secure.take() {
		c := h.conn
		if c.state != connecting {
			if h.err == nil {
				netpoll.Close(h.fd)
			}
			continue
		}
		if h.err == nil {
			c.fd, c.secure = int32(h.fd), h.stream
			h.err = l.poller.Add(h.fd, c.index, c.generation)
		}
		if c.err = h.err; c.err != nil {
			c.fail(handshakeKind(c.err))
			continue
		}
		c.opened()
		if c.state == open {
			c.read(false) // what came with the handshake brings no event
		}
	}
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
}

func handshakeKind(err error) load.Kind {
	var number unix.Errno
	switch {
	case errors.As(err, new(*handshakeError)):
		return load.TLSFailed
	case errors.As(err, &number):
		return connectKind(number)
	}
	return load.ConnectFailed
}

// stream is the TLS state of a connection, and the net.Conn below it: a real one until the handshake is over, then the
// loop's socket.
type stream struct {
	net.Conn // never set: only Read and Write are called after the handshake
	conn     *tls.Conn
	loop     *Loop
	below    net.Conn // during the handshake
	fd       int
	sealed   []byte // records to be sent
}

// Read implements net.Conn for crypto/tls.
func (s *stream) Read(b []byte) (int, error) {
	if s.below != nil {
		return s.below.Read(b)
	}
	n, err := netpoll.Recv(s.fd, b)
	switch {
	case err == unix.EAGAIN:
		return 0, netpoll.ErrWouldBlock
	case err != nil:
		return 0, err
	case n == 0:
		return 0, io.EOF
	}
	s.loop.BytesRead += int64(n)
	return n, nil
}

// Write implements net.Conn for crypto/tls.
func (s *stream) Write(b []byte) (int, error) {
	if s.below != nil {
		return s.below.Write(b)
	}
	s.sealed = append(s.sealed, b...)
	return len(b), nil
}

// Close implements net.Conn for crypto/tls, which calls it when a handshake is given up.
func (s *stream) Close() error {
	if s.below != nil {
		return s.below.Close()
	}
	return nil
}

// seal returns plain as TLS records, valid until the next call.
func (s *stream) seal(plain []byte) ([]byte, error) {
	s.sealed = s.sealed[:0]
	_, err := s.conn.Write(plain)
	return s.sealed, err
}

// readSecure is read for TLS. What crypto/tls has to say itself while it reads (the answer to a key update) is sent at
// once.
func (c *Conn) readSecure() {
	s := c.secure
	for range readsPerTurn * 4 {
		s.sealed = s.sealed[:0]
		n, err := s.conn.Read(c.loop.rx)
		if len(s.sealed) > 0 {
			c.push(s.sealed)
		}
		if n > 0 {
			c.handler.Received(c, c.loop.rx[:n])
		}
		if c.state != open {
			return
		}
		var number unix.Errno
		switch {
		case err == nil:
		case err == netpoll.ErrWouldBlock:
			return
		case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
			c.fail(load.EOF)
			return
		case errors.As(err, &number):
			c.fail(ioKind(number))
			return
		default:
			c.err = err
			c.fail(load.TLSFailed)
			return
		}
	}
	c.loop.again = append(c.loop.again, c)
}
