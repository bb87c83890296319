// Package null serves the fastest replies that a server on this machine can give, with no
// application behind them. It is the ceiling of the instrument: a subject that comes near it is
// limited by the client and the kernel, not by itself. It never checks what it is asked.
package null

import (
	"bytes"
	"context"
	"fmt"
	"net/netip"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"dyno/load/internal/netpoll"
)

// Answer turns received bytes into bytes to send. state belongs to the connection and starts as its
// zero value; scratch may be used for the result.
type Answer func(state *State, in, scratch []byte) []byte

// State is what an answer keeps of a connection from one read to the next.
type State struct {
	seen int    // bytes of a request's last blank line that ended the last read
	rest []byte // of a request that is not whole yet
}

// Framed answers each frame with itself: the bytes are sent back unread.
func Framed(_ *State, in, _ []byte) []byte { return in }

const httpReply = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nhi"

// HTTP answers each request without a body with a fixed 200.
func HTTP(state *State, in, scratch []byte) []byte {
	const end = headEnd
	out := scratch[:0]
	for state.seen > 0 && len(in) > 0 {
		switch {
		case in[0] == end[state.seen]:
			if state.seen++; state.seen == len(end) {
				out = append(out, httpReply...)
				state.seen = 0
			}
		case in[0] == '\r':
			state.seen = 1
		default:
			state.seen = 0
		}
		in = in[1:]
	}
	for {
		i := bytes.Index(in, []byte(end))
		if i < 0 {
			break
		}
		out = append(out, httpReply...)
		in = in[i+len(end):]
	}
	for n := min(len(end)-1, len(in)); n > 0; n-- {
		if bytes.HasSuffix(in, []byte(end[:n])) {
			state.seen = n
			break
		}
	}
	return out
}

// ByName returns the answer for a protocol: "framed" or "http".
func ByName(protocol string) (Answer, error) {
	switch protocol {
	case "framed":
		return Framed, nil
	case "http":
		return HTTP, nil
	}
	return nil, fmt.Errorf("null server: unknown protocol %q; use framed or http", protocol)
}

type conn struct {
	fd     int
	state  State
	unsent []byte
}

// Server is a single-threaded server on one listening socket.
type Server struct {
	answer   Answer
	listener int
	addr     netip.AddrPort
	poller   *netpoll.Poller
	conns    []*conn // by slot
	free     []int32
	rx, tx   []byte
}

const listenerSlot = 0

// Listen opens the socket; port 0 takes a free one.
func Listen(addr netip.AddrPort, answer Answer) (*Server, error) {
	fd, err := netpoll.Listen(addr)
	if err != nil {
		return nil, err
	}
	s := &Server{
		answer: answer, listener: fd,
		conns: []*conn{nil},
		rx:    make([]byte, 256<<10),
		tx:    make([]byte, 0, 1<<20),
	}
	if s.poller, err = netpoll.New(512); err == nil {
		err = s.poller.Add(fd, listenerSlot, 0)
	}
	if err == nil {
		s.addr, err = netpoll.LocalAddr(fd)
	}
	if err != nil {
		netpoll.Close(fd)
		return nil, err
	}
	return s, nil
}

// Addr returns the address that the server listens on.
func (s *Server) Addr() netip.AddrPort { return s.addr }

// Serve answers until ctx ends. It spins for up to spin before it sleeps.
func (s *Server) Serve(ctx context.Context, spin time.Duration) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer s.close()
	for ctx.Err() == nil {
		for _, ev := range s.wait(spin) {
			if ev.Fd == listenerSlot {
				s.accept()
			} else {
				s.serve(ev)
			}
		}
	}
}

func (s *Server) wait(spin time.Duration) []netpoll.Event {
	events := s.poller.Poll()
	if len(events) > 0 {
		return events
	}
	for from := time.Now(); time.Since(from) < spin; {
		if events := s.poller.Poll(); len(events) > 0 {
			return events
		}
	}
	return s.poller.Wait(100 * time.Millisecond)
}

func (s *Server) accept() {
	for {
		fd, err := netpoll.Accept(s.listener)
		if err != nil {
			return
		}
		slot := int32(len(s.conns))
		if n := len(s.free); n > 0 {
			slot, s.free = s.free[n-1], s.free[:n-1]
			s.conns[slot] = &conn{fd: fd}
		} else {
			s.conns = append(s.conns, &conn{fd: fd})
		}
		if s.poller.Add(fd, slot, 0) != nil {
			s.drop(slot)
		}
	}
}

func (s *Server) drop(slot int32) {
	netpoll.Close(s.conns[slot].fd)
	s.conns[slot] = nil
	s.free = append(s.free, slot)
}

// serve reads while the replies fit into the socket. An event that was queued for a connection
// since closed finds an empty slot, or a stranger that simply has nothing to read.
func (s *Server) serve(ev netpoll.Event) {
	c := s.conns[ev.Fd]
	if c == nil || !s.flush(c) {
		return
	}
	hungUp := ev.Events&^unix.EPOLLIN&netpoll.Readable != 0
	for {
		n, err := netpoll.Recv(c.fd, s.rx)
		if err == unix.EAGAIN {
			return
		}
		if err != nil || n == 0 {
			s.drop(ev.Fd)
			return
		}
		if !s.send(c, s.answer(&c.state, s.rx[:n], s.tx)) {
			return
		}
		if n < len(s.rx) && !hungUp {
			return
		}
	}
}

// send reports whether everything went out.
func (s *Server) send(c *conn, b []byte) bool {
	if len(b) == 0 {
		return true
	}
	n, err := netpoll.Send(c.fd, b)
	if err != nil && err != unix.EAGAIN {
		return true // the next read finds the broken connection
	}
	c.unsent = append(c.unsent[:0], b[n:]...)
	return len(c.unsent) == 0
}

func (s *Server) flush(c *conn) bool {
	if len(c.unsent) == 0 {
		return true
	}
	n, err := netpoll.Send(c.fd, c.unsent)
	if err == unix.EAGAIN {
		return false
	}
	if err != nil {
		c.unsent = c.unsent[:0]
		return true
	}
	c.unsent = c.unsent[:copy(c.unsent, c.unsent[n:])]
	return len(c.unsent) == 0
}

func (s *Server) close() {
	for slot, c := range s.conns {
		if c != nil {
			s.drop(int32(slot))
		}
	}
	netpoll.Close(s.listener)
	s.poller.Close()
}
