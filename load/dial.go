package load

import (
	"cmp"
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
	w.connecting, w.dialErr = true, nil
	defer func() { w.connecting = false }()
	w.now = w.clock()
	beganNs, lastNs := w.now, w.now
	next, dialled := 0, int64(0)
	for {
		allowed := connectBurst + connectPerMs*(w.now-beganNs)/1e6
		for next < len(w.conns) && w.opening < connectBurst && dialled < allowed {
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
			}
			next++
		}
		if next == len(w.conns) && w.opening == 0 {
			return nil
		}
		before := w.opening
		if w.io.sleep(time.Millisecond) {
			w.now = w.clock()
			w.io.deliver()
		}
		w.now = w.clock()
		switch {
		case w.failure != nil:
			return w.failure
		case w.dialErr != nil:
			return w.connectError(w.dialErr)
		case w.opening < before || w.opening == 0 && w.cfg.UnixPath == "":
			lastNs = w.now
		case w.now > lastNs+int64(w.cfg.ConnectWithin):
			return w.connectError(context.DeadlineExceeded)
		}
		if w.stop.Load() {
			return errors.New("interrupted")
		}
	}
}

// dialled follows the end of an attempt to connect.
func (w *worker) dialled(c *conn, err error) {
	switch {
	case err == nil:
		w.opened(c)
	case w.connecting:
		w.dialErr = cmp.Or(w.dialErr, err)
		w.closeConn(c)
	default:
		w.fail(c, ConnectKind(err))
	}
}

// opened puts a connection that has just been made to work.
func (w *worker) opened(c *conn) {
	w.opening--
	c.state, c.freeNs = open, w.now
	w.fill(c)
}

// connectError puts the end of the time to connect into words that name it.
func (w *worker) connectError(err error) error {
	switch {
	case errors.Is(err, context.DeadlineExceeded) && w.cfg.TLS != nil:
		return fmt.Errorf("no answer to the TLS handshake within %v; does the server speak TLS at all?", w.cfg.ConnectWithin)
	case errors.Is(err, context.DeadlineExceeded):
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
		w.opening++
		w.dialTLS(c)
		return nil
	}
	fd, done, err := w.connect(c)
	if err != nil {
		return err
	}
	c.fd = int32(fd)
	if err := w.io.attach(c, done); err != nil {
		c.fd = -1
		return err
	}
	c.state = connecting
	w.opening++
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
