package load

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"

	"dyno/load/internal/netpoll"
)

// A server's listening socket holds so many connections until they are accepted; what comes beyond is
// dropped silently, and tried again by the kernel after a second. So connecting keeps to a pace that
// servers can follow.
const (
	connectBurst = 256
	connectPerMs = 25
)

// connectAll opens every closed connection and waits until all are open. It returns the first
// failure.
func (w *worker) connectAll() error {
	w.now = w.clock()
	beganNs, lastNs := w.now, w.now
	next, dialled, opening := 0, int64(0), 0
	for {
		allowed := connectBurst + connectPerMs*(w.now-beganNs)/1e6
		for next < len(w.conns) && opening < connectBurst && dialled < allowed {
			c := &w.conns[next]
			if c.state == closed {
				err := w.dial(c)
				if errors.Is(err, unix.EAGAIN) && w.cfg.UnixPath != "" {
					break // the server must accept first
				}
				if err != nil {
					return err
				}
				dialled++
				if c.state == connecting {
					opening++
				}
			}
			next++
		}
		if next == len(w.conns) && opening == 0 {
			return nil
		}
		n, err := w.awaitOpening()
		if err != nil {
			return err
		}
		w.now = w.clock()
		switch opening -= n; {
		case n > 0 || opening == 0 && w.cfg.UnixPath == "":
			lastNs = w.now
		case w.now > lastNs+int64(w.cfg.ConnectWithin):
			return w.connectError(context.DeadlineExceeded)
		}
		if w.stop.Load() {
			return errors.New("interrupted")
		}
	}
}

// awaitOpening waits a moment and returns how many connections became open.
func (w *worker) awaitOpening() (opened int, err error) {
	for _, ev := range w.poller.Wait(time.Millisecond) {
		if ev.Fd == netpoll.WakeIndex {
			for _, h := range w.secure.take() {
				if c := w.claim(h); c != nil {
					if h.err != nil {
						w.closeConn(c)
						return opened, w.connectError(h.err)
					}
					c.state = open
					opened++
				}
			}
			continue
		}
		c := &w.conns[ev.Fd]
		if c.generation != ev.Pad || c.state != connecting {
			continue
		}
		if err := netpoll.ConnectError(int(c.fd)); err != nil {
			w.closeConn(c)
			return opened, err
		}
		c.state = open
		opened++
	}
	return opened, nil
}

// connectError puts the end of the time to connect into words that name it.
func (w *worker) connectError(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("no answer within %v", w.cfg.ConnectWithin)
	}
	return err
}

// dial opens a closed connection; it may still be connecting on return.
func (w *worker) dial(c *conn) error {
	c.generation++
	c.retryNs = w.now + int64(w.cfg.ConnectWithin)
	if w.cfg.TLS != nil {
		c.state = connecting
		w.secure.dial(c.index, c.generation, w.source(c))
		return nil
	}
	fd, done, err := w.connect(c)
	if err != nil {
		return err
	}
	c.fd = int32(fd)
	if err := w.poller.Add(fd, c.index, c.generation); err != nil {
		w.closeConn(c)
		return err
	}
	c.state = connecting
	if done {
		w.opened(c)
	}
	return nil
}

func (w *worker) connect(c *conn) (fd int, done bool, err error) {
	if w.cfg.UnixPath != "" {
		return netpoll.ConnectUnix(w.cfg.UnixPath)
	}
	return netpoll.Connect(w.cfg.Addr, w.source(c))
}

// source returns the address that a connection comes from; the zero Addr leaves it to the kernel.
func (w *worker) source(c *conn) netip.Addr {
	if len(w.cfg.LocalAddrs) == 0 {
		return netip.Addr{}
	}
	return w.cfg.LocalAddrs[(w.loop+int(c.index)*w.loops)%len(w.cfg.LocalAddrs)]
}
