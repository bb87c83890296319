// Package secure speaks TLS on the sockets of an event loop. It decides nothing about connections: who loads with them
// says when one begins, and what its failure means.
//
// TLS is spoken by crypto/tls, which wants a blocking connection. So the handshake runs on a goroutine,
// over a connection of package net; then the loop takes over the socket, and crypto/tls reads from it
// through a wire that says "would block" as a temporary error, the one kind that crypto/tls forgets.
// Its write errors are never forgotten, so writes go to a buffer, which the loop sends.
//
// What it costs beside plain TCP: about 7 KB of memory a connection, two small allocations a read (so
// that a window has garbage collections, which its result reports), and the work of encryption. The loop
// closes sockets without a close_notify.
package secure

import (
	"context"
	"crypto/tls"
	"net"
	"net/netip"
	"sync"
	"syscall"
	"time"

	"dyno/load/internal/netpoll"
)

// Handshakes are a loop's connections in the making. C is what the loop knows a connection by. The zero value has none.
type Handshakes[C any] struct {
	shared shared
	waker  netpoll.Waker
	ctx    context.Context
	cancel context.CancelFunc // nil unless begun
	group  sync.WaitGroup

	mu   sync.Mutex
	done []Handshake[C]
}

// Handshake is what became of one connection. Its socket is the loop's from then on.
type Handshake[C any] struct {
	Conn   C
	FD     int
	Stream *Stream
	Err    error // a HandshakeError when the connection was made
}

// Target says whom to connect to, and as whom.
type Target struct {
	Network, Address string // as package net has them
	Source           netip.Addr
	Config           *tls.Config
}

// HandshakeError is a failure of TLS on a connection that was made.
type HandshakeError struct{ error }

// Unwrap returns what crypto/tls said.
func (e *HandshakeError) Unwrap() error { return e.error }

// Begin prepares for the first handshake, unless that is done: ends will wake the loop that waits with the poller. The
// streams add to bytesRead what their sockets gave.
func (h *Handshakes[C]) Begin(poller *netpoll.Poller, bytesRead *int64) (err error) {
	if h.cancel != nil {
		return nil
	}
	if h.waker, err = poller.AddWaker(); err == nil {
		h.shared.bytesRead = bytesRead
		h.ctx, h.cancel = context.WithCancel(context.Background())
	}
	return err
}

// Dial connects and shakes hands on a goroutine of its own.
func (h *Handshakes[C]) Dial(conn C, within time.Duration, to Target) {
	h.group.Go(func() {
		ctx, cancel := context.WithTimeout(h.ctx, within)
		defer cancel()
		done := Handshake[C]{Conn: conn}
		done.FD, done.Stream, done.Err = shake(ctx, to, &h.shared)
		h.mu.Lock()
		h.done = append(h.done, done)
		h.mu.Unlock()
		h.waker.Wake()
	})
}

func shake(ctx context.Context, to Target, of *shared) (fd int, s *Stream, err error) {
	dialer := net.Dialer{KeepAlive: -1}
	if to.Source.IsValid() {
		dialer.Control = func(_, _ string, raw syscall.RawConn) (err error) {
			if controlErr := raw.Control(func(fd uintptr) { err = netpoll.BindSource(int(fd), to.Source) }); controlErr != nil {
				return controlErr
			}
			return err
		}
	}
	plain, err := dialer.DialContext(ctx, to.Network, to.Address)
	if err != nil {
		return -1, nil, err
	}
	defer plain.Close() // the loop has a descriptor of its own by then
	s = &Stream{wire: wire{Conn: plain, shared: of, fd: -1}}
	s.conn = tls.Client(&s.wire, to.Config)
	if err := s.conn.HandshakeContext(ctx); err != nil {
		return -1, nil, &HandshakeError{err}
	}
	fd, err = netpoll.Duplicate(plain)
	s.wire.Conn, s.wire.fd = nil, fd
	return fd, s, err
}

// Take returns the handshakes that have ended since the last call.
func (h *Handshakes[C]) Take() []Handshake[C] {
	h.mu.Lock()
	defer h.mu.Unlock()
	done := h.done
	h.done = nil
	return done
}

// Stop ends every handshake under way and lets go of the sockets that nobody took.
func (h *Handshakes[C]) Stop() {
	if h.cancel == nil {
		return
	}
	h.cancel()
	h.group.Wait()
	for _, done := range h.Take() {
		if done.Err == nil {
			netpoll.Close(done.FD)
		}
	}
	h.waker.Close()
	h.cancel = nil
}
