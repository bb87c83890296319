package load

import (
	"errors"
	"io"

	"dyno/load/internal/netpoll"
)

// handshaker is a connection of a worker as it was when its handshake began.
type handshaker struct{ index, generation int32 }

// beginTLS prepares a worker for handshakes.
func (w *worker) beginTLS(poller *netpoll.Poller) error {
	w.secureTo.Network, w.secureTo.Address, w.secureTo.Config = "tcp", w.cfg.target(), w.cfg.TLS
	if w.cfg.UnixPath != "" {
		w.secureTo.Network = "unix"
	}
	if config := w.cfg.TLS; config.ServerName == "" && !config.InsecureSkipVerify {
		if w.cfg.UnixPath != "" {
			return errors.New("load: TLS over a Unix socket has no name to verify; set ServerName or InsecureSkipVerify")
		}
		w.secureTo.Config = config.Clone()
		w.secureTo.Config.ServerName = w.cfg.Addr.Addr().String()
	}
	return w.secure.Begin(poller, &w.result.BytesRead)
}

// dialTLS connects and shakes hands, meanwhile.
func (w *worker) dialTLS(c *conn) {
	to := w.secureTo
	to.Source = w.source(c)
	w.secure.Dial(handshaker{c.index, c.generation}, w.cfg.ConnectWithin, to)
}

// shaken puts the connections to work whose handshakes have ended. Those that the loop has given up
// meanwhile are closed.
func (t *epollTransport) shaken() {
	for _, h := range t.w.secure.Take() {
		c := &t.w.conns[h.Conn.index]
		if c.generation != h.Conn.generation || c.state != connecting {
			if h.Err == nil {
				netpoll.Close(h.FD)
			}
			continue
		}
		if h.Err == nil {
			c.fd, c.tls = int32(h.FD), h.Stream
			if h.Err = t.attach(c, true); h.Err != nil {
				c.fd = -1
			}
		}
		t.w.dialled(c, h.Err)
	}
}

// readSecure is read for TLS.
func (t *epollTransport) readSecure(c *conn) {
	w, stream := t.w, c.tls
	stream.Turn()
	for range readsPerTurn * 4 {
		n, records, err := stream.Read(t.rx)
		if len(records) > 0 {
			t.send(c, records)
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
	case c.tls.SocketErr() != nil:
		w.fail(c, IOKind(c.tls.SocketErr()))
	default:
		w.fail(c, TLSFailed)
	}
}
