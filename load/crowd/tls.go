package crowd

import (
	"crypto/tls"
	"errors"
	"io"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"

	"dyno/load"
	"dyno/load/internal/netpoll"
	"dyno/load/internal/secure"
)

// handshakeWithin is how long a connection and its handshake may take. Whoever waits for less closes it before.
const handshakeWithin = time.Minute

// DialTLS is Dial with a TLS handshake by config before the connection stands. Why it failed is in Conn.Err.
func (l *Loop) DialTLS(addr netip.AddrPort, config *tls.Config, h Handler) *Conn {
	c := &Conn{loop: l, handler: h, state: connecting, fd: -1}
	l.take(c)
	to := secure.Target{Network: "tcp", Address: addr.String(), Source: l.source(addr.Addr()), Config: config}
	if err := l.secure.Begin(l.poller, &l.BytesRead); err != nil {
		l.NewTimer(func() { c.fail(load.TLSFailed) }).Set(l.nowNs)
		return c
	}
	l.secure.Dial(c, handshakeWithin, to)
	return c
}

// shaken puts the connections to work whose handshakes have ended. Those that were closed meanwhile are let go.
func (l *Loop) shaken() {
	for _, h := range l.secure.Take() {
		c := h.Conn
		if c.state != connecting {
			if h.Err == nil {
				netpoll.Close(h.FD)
			}
			continue
		}
		if h.Err == nil {
			c.fd, c.secure = int32(h.FD), h.Stream
			h.Err = l.poller.Add(h.FD, c.index, c.generation)
		}
		if c.err = h.Err; c.err != nil {
			c.fail(handshakeKind(c.err))
			continue
		}
		c.opened()
		if c.state == open {
			c.read(false) // what came with the handshake brings no event
		}
	}
}

// handshakeKind is load.ConnectKind for handshakes: whatever ended one, TLS failed.
func handshakeKind(err error) load.Kind {
	var number unix.Errno
	switch {
	case errors.As(err, new(*secure.HandshakeError)):
		return load.TLSFailed
	case errors.As(err, &number):
		return load.ConnectKind(number)
	}
	return load.ConnectFailed
}

// readSecure is read for TLS.
func (c *Conn) readSecure() {
	stream := c.secure
	stream.Turn()
	for range readsPerTurn * 4 {
		n, records, err := stream.Read(c.loop.rx)
		if len(records) > 0 {
			c.push(records)
		}
		if n > 0 {
			c.handler.Received(c, c.loop.rx[:n])
		}
		if c.state != open {
			return
		}
		switch {
		case err == nil:
		case err == netpoll.ErrWouldBlock:
			return
		case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
			c.fail(load.EOF)
			return
		case stream.SocketErr() != nil:
			c.fail(load.IOKind(stream.SocketErr()))
			return
		default:
			c.err = err
			c.fail(load.TLSFailed)
			return
		}
	}
	c.loop.again = append(c.loop.again, c)
}
