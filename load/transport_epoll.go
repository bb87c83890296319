package load

import (
	"time"

	"golang.org/x/sys/unix"

	"dyno/load/internal/netpoll"
)

// epollTransport is told when sockets are ready, and reads and writes them itself. It also carries TLS.
type epollTransport struct {
	w      *worker
	poller *netpoll.Poller
	events []netpoll.Event // not yet delivered
	rx     []byte
	spare  [][]byte // buffers for what a socket did not take, kept for reuse
	again  []int32  // connections that have more to read than one turn takes
}

const (
	eventBatch   = 512
	receiveBytes = 256 << 10 // one read takes what a socket buffer usually holds
)

func newEpollTransport(w *worker) (*epollTransport, error) {
	poller, err := netpoll.New(eventBatch)
	if err != nil {
		return nil, err
	}
	t := &epollTransport{w: w, poller: poller, rx: make([]byte, receiveBytes)}
	if w.cfg.TLS != nil {
		if err := w.beginTLS(poller); err != nil {
			poller.Close()
			return nil, err
		}
	}
	return t, nil
}

func (t *epollTransport) attach(c *conn, _ bool) error {
	err := t.poller.Add(int(c.fd), c.index, c.generation)
	if err != nil {
		netpoll.Close(int(c.fd))
	}
	return err
}

func (t *epollTransport) detach(c *conn) {
	netpoll.Close(int(c.fd))
	t.giveBack(c)
}

func (t *epollTransport) blocked(c *conn) bool { return len(c.unsent) > 0 }

func (t *epollTransport) flush() {} // nothing is ever held back

func (t *epollTransport) poll() bool {
	t.events = t.poller.Poll()
	return len(t.events) > 0 || len(t.again) > 0
}

func (t *epollTransport) sleep(atMost time.Duration) bool {
	t.events = t.poller.Sleep(atMost)
	return len(t.events) > 0
}

func (t *epollTransport) close() {
	t.w.secure.Stop()
	for i := range t.w.conns {
		if c := &t.w.conns[i]; c.fd >= 0 {
			netpoll.Close(int(c.fd))
			c.fd = -1
		}
	}
	t.poller.Close()
}

func (t *epollTransport) deliver() {
	for _, ev := range t.events {
		t.handle(ev)
		t.w.keepPace()
	}
	t.events = nil
	t.readAgain()
}

// handle acts on one event.
func (t *epollTransport) handle(ev netpoll.Event) {
	if ev.Fd == netpoll.WakeIndex {
		t.shaken()
		return
	}
	c := &t.w.conns[ev.Fd]
	if c.generation != ev.Pad || c.state == closed {
		return
	}
	if c.state == connecting {
		if t.w.dialled(c, netpoll.ConnectError(int(c.fd))); c.state != open {
			return
		}
	}
	if len(c.unsent) > 0 && ev.Events&netpoll.Writable != 0 {
		t.sendRest(c)
		t.w.tick() // what is read next may answer what was sent just now
	}
	if ev.Events&netpoll.Readable != 0 && c.state == open {
		t.read(c, ev.Events&^unix.EPOLLIN&netpoll.Readable != 0)
	}
}

// readsPerTurn bounds what one connection may keep the loop from all others with: a server that sends
// as fast as the loop reads would otherwise stop the clock.
const readsPerTurn = 8

// read takes what has arrived, judges it and answers with new requests. Registration is
// edge-triggered: a short read proves that the socket is empty, unless the peer has hung up, when
// the end of the stream is still to be seen.
func (t *epollTransport) read(c *conn, hungUp bool) {
	if c.tls != nil {
		t.readSecure(c)
		return
	}
	for range readsPerTurn {
		n, err := netpoll.Recv(int(c.fd), t.rx)
		switch {
		case err == unix.EAGAIN:
			return
		case err != nil:
			t.w.fail(c, IOKind(err))
			return
		case n == 0:
			t.w.ended(c)
			return
		}
		t.w.result.BytesRead += int64(n)
		if !t.w.judge(c, t.rx[:n]) {
			return
		}
		t.w.fill(c)
		if n < len(t.rx) && !hungUp || c.state != open {
			return
		}
		t.w.tick()
	}
	t.again = append(t.again, c.index)
}

// readAgain goes on with the connections that had more to read than one turn takes.
func (t *epollTransport) readAgain() {
	if len(t.again) == 0 {
		return
	}
	n := len(t.again)
	for _, index := range t.again[:n] {
		if c := &t.w.conns[index]; c.state == open {
			t.read(c, true)
		}
	}
	t.again = t.again[:copy(t.again, t.again[n:])]
}

// send hands b to the socket; what that does not take is kept for when it is writable again.
func (t *epollTransport) send(c *conn, b []byte) {
	if len(c.unsent) > 0 {
		c.unsent = append(c.unsent, b...)
		return
	}
	n, err := netpoll.Send(int(c.fd), b)
	if err != nil && err != unix.EAGAIN {
		t.brokenOff(c, err)
		return
	}
	t.w.result.BytesSent += int64(n)
	if n < len(b) {
		c.unsent = append(t.borrow(len(b)-n), b[n:]...)
	}
}

// sendRest goes on with what send could not write.
func (t *epollTransport) sendRest(c *conn) {
	n, err := netpoll.Send(int(c.fd), c.unsent)
	if err == unix.EAGAIN {
		return
	}
	if err != nil {
		t.brokenOff(c, err)
		return
	}
	t.w.result.BytesSent += int64(n)
	if n < len(c.unsent) {
		c.unsent = c.unsent[:copy(c.unsent, c.unsent[n:])]
		return
	}
	t.giveBack(c)
	t.w.fill(c)
}

// brokenOff follows a failed write. A server may have answered early and then reset the connection: what
// it said before still counts.
func (t *epollTransport) brokenOff(c *conn, cause error) {
	for range readsPerTurn {
		if c.tls != nil || c.owed == 0 {
			break
		}
		n, err := netpoll.Recv(int(c.fd), t.rx)
		if err != nil || n == 0 {
			break
		}
		t.w.result.BytesRead += int64(n)
		if !t.w.judge(c, t.rx[:n]) {
			return
		}
	}
	t.w.fail(c, IOKind(cause))
}

const (
	spareMax      = 64
	spareBytesMin = 4 << 10
)

// borrow returns an empty buffer for n unsent bytes.
func (t *epollTransport) borrow(n int) []byte {
	for i := len(t.spare) - 1; i >= 0; i-- {
		if b := t.spare[i]; cap(b) >= n {
			last := len(t.spare) - 1
			t.spare[i], t.spare[last] = t.spare[last], nil
			t.spare = t.spare[:last]
			return b
		}
	}
	return make([]byte, 0, powerOfTwo(max(n, spareBytesMin)))
}

// giveBack keeps a connection's buffer for the next one that needs it, or lets it go: a thousand servers
// that do not read must not leave a thousand buffers behind.
func (t *epollTransport) giveBack(c *conn) {
	if c.unsent != nil && len(t.spare) < spareMax {
		t.spare = append(t.spare, c.unsent[:0])
	}
	c.unsent = nil
}
