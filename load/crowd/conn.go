package crowd

import (
	"net/netip"

	"golang.org/x/sys/unix"

	"dyno/load"
	"dyno/load/internal/netpoll"
	"dyno/load/internal/secure"
)

// Handler is told what happens on a connection. Its methods may call any method of the connection
// and of the loop.
type Handler interface {
	// Opened says that the connection stands. It may come within Dial.
	Opened(c *Conn)
	// Received hands over what came; in is valid within the call only.
	Received(c *Conn, in []byte)
	// Closed says that the connection ended, and why; load.EOF when the peer closed it in good
	// order. It is not called for Close, nor twice.
	Closed(c *Conn, why load.Kind)
}

type state uint8

const (
	closed state = iota
	connecting
	open
)

// Conn is one connection.
type Conn struct {
	loop       *Loop
	handler    Handler
	unsent     []byte
	secure     *secure.Stream // of TLS; else nil
	err        error          // of TLS
	fd         int32
	index      int32
	generation int32
	state      state
}

// dialsPerSource is how many connections in a row come from one address: fewer than a source has ports,
// of which those of closed connections stay taken for a while.
const (
	dialsPerSource = 10_000
	sources        = 64
)

// Dial opens a connection. On IPv4 loopback the connections come from 127.0.0.1 and, beyond what one
// address has ports for, from others in turn. A failure is reported by Closed, never within Dial.
func (l *Loop) Dial(addr netip.AddrPort, h Handler) *Conn {
	c := &Conn{loop: l, handler: h, state: connecting, fd: -1}
	l.take(c)
	fd, done, err := netpoll.Connect(addr, l.source(addr.Addr()))
	if err == nil {
		c.fd = int32(fd)
		err = l.poller.Add(fd, c.index, c.generation)
	}
	switch {
	case err != nil:
		kind := load.ConnectKind(err)
		l.NewTimer(func() { c.fail(kind) }).Set(l.nowNs)
	case done:
		c.opened()
	}
	return c
}

func (l *Loop) source(target netip.Addr) netip.Addr {
	l.dials++
	nth := l.dials / dialsPerSource % sources
	if target = target.Unmap(); nth == 0 || !target.Is4() || !target.IsLoopback() {
		return netip.Addr{}
	}
	return netip.AddrFrom4([4]byte{127, 0, 1, byte(nth)})
}

// take gives a connection a slot.
func (l *Loop) take(c *Conn) {
	if n := len(l.free); n > 0 {
		c.index, l.free = l.free[n-1], l.free[:n-1]
	} else {
		c.index = int32(len(l.conns))
		l.conns = append(l.conns, nil)
	}
	c.generation = int32(l.dials)
	l.conns[c.index] = c
}

func (c *Conn) opened() {
	c.state = open
	c.handler.Opened(c)
}

// Open reports whether the connection stands.
func (c *Conn) Open() bool { return c.state == open }

// Err says in detail why the connection failed with load.TLSFailed.
func (c *Conn) Err() error { return c.err }

// Close closes the connection. Its handler hears no more of it.
func (c *Conn) Close() {
	if c.state == closed {
		return
	}
	if c.fd >= 0 {
		netpoll.Close(int(c.fd))
		c.fd = -1
	}
	c.state, c.unsent, c.secure = closed, nil, nil
	c.loop.conns[c.index] = nil
	c.loop.free = append(c.loop.free, c.index)
}

// fail closes the connection and says why.
func (c *Conn) fail(why load.Kind) {
	if c.state == closed {
		return
	}
	c.Close()
	c.handler.Closed(c, why)
}

// Send sends b; what the socket does not take is copied and follows. A failure is reported by Closed,
// never within Send.
func (c *Conn) Send(b []byte) {
	if c.state != open || len(b) == 0 {
		return
	}
	if c.secure != nil {
		sealed, err := c.secure.Seal(b)
		if err != nil {
			c.loop.again = append(c.loop.again, c) // reading tells what is wrong
			return
		}
		b = sealed
	}
	c.push(b)
}

// push sends bytes as they are.
func (c *Conn) push(b []byte) {
	if len(c.unsent) > 0 {
		c.unsent = append(c.unsent, b...)
		return
	}
	n, err := netpoll.Send(int(c.fd), b)
	if err != nil && err != unix.EAGAIN {
		// The peer may have answered before it closed: what it said is read first, and tells.
		c.loop.again = append(c.loop.again, c)
		return
	}
	c.loop.BytesSent += int64(n)
	if n < len(b) {
		c.unsent = append([]byte(nil), b[n:]...)
	}
}

func (c *Conn) handle(events uint32) {
	if c.state == connecting {
		// A connection that failed shows it in the event; asking for the error of every other costs a system call.
		if events&(unix.EPOLLERR|unix.EPOLLHUP) != 0 {
			if err := netpoll.ConnectError(int(c.fd)); err != nil {
				c.fail(load.ConnectKind(err))
				return
			}
		}
		c.opened()
	}
	if c.state == open && len(c.unsent) > 0 && events&netpoll.Writable != 0 {
		c.flush()
	}
	if c.state == open && events&netpoll.Readable != 0 {
		c.read(events&^unix.EPOLLIN&netpoll.Readable != 0)
	}
}

func (c *Conn) flush() {
	n, err := netpoll.Send(int(c.fd), c.unsent)
	switch {
	case err == unix.EAGAIN:
	case err != nil:
		c.read(true)
	default:
		c.loop.BytesSent += int64(n)
		if c.unsent = c.unsent[n:]; len(c.unsent) == 0 {
			c.unsent = nil
		}
	}
}

// read takes what has arrived. A short read proves that the socket is empty, unless the peer has hung up,
// when the end of the stream is still to be seen.
func (c *Conn) read(hungUp bool) {
	if c.secure != nil {
		c.readSecure()
		return
	}
	for range readsPerTurn {
		n, err := netpoll.Recv(int(c.fd), c.loop.rx)
		switch {
		case err == unix.EAGAIN:
			return
		case err != nil:
			c.fail(load.IOKind(err))
			return
		case n == 0:
			c.fail(load.EOF)
			return
		}
		c.loop.BytesRead += int64(n)
		c.handler.Received(c, c.loop.rx[:n])
		if c.state != open || n < len(c.loop.rx) && !hungUp {
			return
		}
	}
	c.loop.again = append(c.loop.again, c)
}
