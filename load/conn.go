package load

import (
	"golang.org/x/sys/unix"

	"dyno/load/internal/netpoll"
)

type state uint8

const (
	closed state = iota
	connecting
	open
)

// conn is one connection. It belongs to one worker, and there may be very many: its buffers are
// borrowed while bytes are in flight, and its send times lie in an array of the worker.
type conn struct {
	session    Session
	tls        *secureStream // nil without TLS
	unsent     []byte        // what the socket did not take yet
	freeNs     int64         // open loop: since when it can take a request
	retryNs    int64         // when to dial again (closed), or give up dialling (connecting)
	fd         int32
	index      int32
	generation int32 // grows with every descriptor, so that a late event is recognised
	head       int32 // oldest owed request in the ring
	owed       int32
	failures   int32 // in a row, without a verified reply between them
	state      state
	listed     bool // in the worker's list of free connections
}

// closeConn closes a connection and forgets what is owed on it.
func (w *worker) closeConn(c *conn) {
	if c.fd >= 0 {
		netpoll.Close(int(c.fd))
		c.fd = -1
	}
	w.giveBack(c)
	c.generation++ // a handshake under way belongs to nobody now
	c.state, c.tls = closed, nil
	c.head, c.owed, c.retryNs = 0, 0, 0
	c.session.Reset()
}

// handle acts on one event.
func (w *worker) handle(ev netpoll.Event) {
	if ev.Fd == netpoll.WakeIndex {
		w.secure.finished(w)
		return
	}
	c := &w.conns[ev.Fd]
	if c.generation != ev.Pad || c.state == closed {
		return
	}
	if c.state == connecting {
		if err := netpoll.ConnectError(int(c.fd)); err != nil {
			w.fail(c, connectKind(err))
			return
		}
		w.opened(c)
	}
	if len(c.unsent) > 0 && ev.Events&netpoll.Writable != 0 {
		w.flush(c)
		w.tick() // what is read next may answer what was sent just now
	}
	if ev.Events&netpoll.Readable != 0 && c.state == open {
		w.read(c, ev.Events&^unix.EPOLLIN&netpoll.Readable != 0)
	}
}

// opened puts a connection that has just been made to work.
func (w *worker) opened(c *conn) {
	c.state, c.freeNs = open, w.now
	w.fill(c)
}

// readsPerTurn bounds what one connection may keep the loop from all others with: a server that sends
// as fast as the loop reads would otherwise stop the clock.
const readsPerTurn = 8

// read takes what has arrived, judges it and answers with new requests. Registration is
// edge-triggered: a short read proves that the socket is empty, unless the peer has hung up, when
// the end of the stream is still to be seen.
func (w *worker) read(c *conn, hungUp bool) {
	if c.tls != nil {
		w.readSecure(c)
		return
	}
	for range readsPerTurn {
		n, err := netpoll.Recv(int(c.fd), w.rx)
		switch {
		case err == unix.EAGAIN:
			return
		case err != nil:
			w.fail(c, ioKind(err))
			return
		case n == 0:
			w.ended(c)
			return
		}
		w.result.BytesRead += int64(n)
		if !w.judge(c, w.rx[:n]) {
			return
		}
		w.fill(c)
		if n < len(w.rx) && !hungUp || c.state != open {
			return
		}
		w.tick()
	}
	w.again = append(w.again, c.index)
}

// readAgain goes on with the connections that had more to read than one turn takes.
func (w *worker) readAgain() {
	if len(w.again) == 0 {
		return
	}
	n := len(w.again)
	for _, index := range w.again[:n] {
		if c := &w.conns[index]; c.state == open {
			w.read(c, true)
		}
	}
	w.again = w.again[:copy(w.again, w.again[n:])]
}

// judge hands received bytes to the session and accounts for the replies in them. It returns
// false when the connection had to be closed.
func (w *worker) judge(c *conn, in []byte) bool {
	for len(in) > 0 {
		if c.owed == 0 {
			w.fail(c, Unasked)
			return false
		}
		taken, status := c.session.Reply(in)
		in = in[taken:]
		switch status {
		case OK:
			w.verified(c)
		case Wrong:
			w.wrong(c)
		case OKClose:
			w.verified(c)
			w.closedByServer(c, in)
			return false
		case WrongClose:
			w.wrong(c)
			w.closedByServer(c, in)
			return false
		case Broken:
			w.wrong(c)
			w.fail(c, Malformed)
			return false
		}
	}
	return true
}

// closedByServer follows the announcement that a reply was the last one. What is owed beyond it will not
// come, and what came beyond it, nobody asked for.
func (w *worker) closedByServer(c *conn, beyond []byte) {
	kind := EOF
	if len(beyond) > 0 {
		kind = Unasked
	}
	w.fail(c, kind)
}

// ended follows the end of the stream, which may complete a reply.
func (w *worker) ended(c *conn) {
	if s, asks := c.session.(EOFSession); asks && c.owed > 0 {
		switch s.EOF() {
		case OK, OKClose:
			w.verified(c)
		case Wrong, WrongClose:
			w.wrong(c)
		}
	}
	w.fail(c, EOF)
}

// verified counts the oldest owed request as answered.
func (w *worker) verified(c *conn) {
	slot := w.pop(c)
	latencyNs := w.now - w.sentAt[slot]
	c.failures = 0
	w.result.Verified++
	if w.open {
		w.respond(slot, latencyNs)
		return
	}
	w.bucket.Latency.record(latencyNs)
	if w.counting {
		w.result.Counted++
		w.lastNs = w.now
		w.result.Latency.Record(latencyNs)
	}
}

func (w *worker) wrong(c *conn) {
	w.pop(c)
	w.result.Wrong++
	if w.result.FirstFault == "" {
		w.result.FirstFault = c.session.Fault()
	}
}

// pop takes the oldest owed request off the ring and returns its slot in the worker's arrays.
func (w *worker) pop(c *conn) int {
	slot := int(c.index)*w.ring + int(c.head)
	c.head = (c.head + 1) & int32(w.ring-1)
	c.owed--
	w.owed--
	return slot
}

// push notes that a request is owed from sentNs on and returns its slot.
func (w *worker) push(c *conn, sentNs int64) int {
	slot := int(c.index)*w.ring + int(c.head+c.owed)&(w.ring-1)
	w.sentAt[slot] = sentNs
	c.owed++
	return slot
}

// fill sends as many requests as may be sent now, in one write where they fit.
func (w *worker) fill(c *conn) {
	if w.open {
		w.fillDue(c)
		return
	}
	for w.sending && c.state == open && len(c.unsent) == 0 {
		room := min(int64(w.cfg.Depth)-int64(c.owed), w.quota)
		if room <= 0 {
			return
		}
		tx, n := w.tx[:0], int64(0)
		for n < room && len(tx) < sendBytes {
			tx = c.session.Request(tx)
			n++
		}
		w.tx = tx
		sentNs := w.clock()
		for range n {
			w.push(c, sentNs)
		}
		w.owed += n
		w.quota -= n
		w.result.Sent += n
		w.write(c, tx)
	}
}

// write sends plain bytes, through TLS where that is spoken.
func (w *worker) write(c *conn, plain []byte) {
	if c.tls == nil {
		w.send(c, plain)
		return
	}
	sealed, err := c.tls.seal(plain)
	if err != nil {
		w.fail(c, TLSFailed)
		return
	}
	w.send(c, sealed)
}

// send hands b to the socket; what that does not take is kept for when it is writable again.
func (w *worker) send(c *conn, b []byte) {
	if len(c.unsent) > 0 {
		c.unsent = append(c.unsent, b...)
		return
	}
	n, err := netpoll.Send(int(c.fd), b)
	if err != nil && err != unix.EAGAIN {
		w.brokenOff(c, err)
		return
	}
	w.result.BytesSent += int64(n)
	if n < len(b) {
		c.unsent = append(w.borrow(len(b)-n), b[n:]...)
	}
}

// flush goes on with what send could not write.
func (w *worker) flush(c *conn) {
	n, err := netpoll.Send(int(c.fd), c.unsent)
	if err == unix.EAGAIN {
		return
	}
	if err != nil {
		w.brokenOff(c, err)
		return
	}
	w.result.BytesSent += int64(n)
	if n < len(c.unsent) {
		c.unsent = c.unsent[:copy(c.unsent, c.unsent[n:])]
		return
	}
	w.giveBack(c)
	w.fill(c)
}

// brokenOff follows a failed write. A server may have answered early and then reset the connection: what
// it said before still counts.
func (w *worker) brokenOff(c *conn, cause error) {
	for range readsPerTurn {
		if c.tls != nil || c.owed == 0 {
			break
		}
		n, err := netpoll.Recv(int(c.fd), w.rx)
		if err != nil || n == 0 {
			break
		}
		w.result.BytesRead += int64(n)
		if !w.judge(c, w.rx[:n]) {
			return
		}
	}
	w.fail(c, ioKind(cause))
}

const (
	spareMax      = 64
	spareBytesMin = 4 << 10
)

// borrow returns an empty buffer for n unsent bytes.
func (w *worker) borrow(n int) []byte {
	for i := len(w.spare) - 1; i >= 0; i-- {
		if b := w.spare[i]; cap(b) >= n {
			last := len(w.spare) - 1
			w.spare[i], w.spare[last] = w.spare[last], nil
			w.spare = w.spare[:last]
			return b
		}
	}
	return make([]byte, 0, powerOfTwo(max(n, spareBytesMin)))
}

// giveBack keeps a connection's buffer for the next one that needs it, or lets it go: a thousand servers
// that do not read must not leave a thousand buffers behind.
func (w *worker) giveBack(c *conn) {
	if c.unsent != nil && len(w.spare) < spareMax {
		w.spare = append(w.spare, c.unsent[:0])
	}
	c.unsent = nil
}
