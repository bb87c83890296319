package load

import "dyno/load/internal/secure"

type state uint8

const (
	closed state = iota
	connecting
	open
	broken // a write failed: nothing more is sent, and what the server said before is still being read
)

// conn is one connection. It belongs to one worker, and there may be very many: its buffers are
// borrowed while bytes are in flight, and its send times lie in an array of the worker.
type conn struct {
	session    Session
	tls        *secure.Stream // nil without TLS
	unsent     []byte         // what the socket did not take yet (epoll)
	freeNs     int64          // open loop: since when it can take a request
	retryNs    int64          // when to dial again (closed), or give up dialling (connecting)
	fd         int32
	index      int32
	generation int32 // grows with every descriptor, so that a late event is recognised
	head       int32 // oldest owed request in the ring
	owed       int32
	failures   int32 // in a row, without a verified reply between them
	state      state
	cause      Kind // why it is broken
	listed     bool // in the worker's list of free connections
	rested     bool // silent since an earlier window: the server may have given it up meanwhile
}

// closeConn closes a connection and forgets what is owed on it.
func (w *worker) closeConn(c *conn) {
	if c.fd >= 0 {
		w.io.detach(c)
		c.fd = -1
	}
	if c.state == connecting {
		w.opening--
	}
	c.generation++ // a handshake under way belongs to nobody now
	c.state, c.tls = closed, nil
	c.head, c.owed, c.retryNs = 0, 0, 0
	c.session.Reset()
}

// judge hands received bytes to the session and accounts for the replies in them. It returns
// false when the connection had to be closed.
func (w *worker) judge(c *conn, in []byte) bool {
	c.rested = false
	if w.overdue(c) {
		w.timeOut(c)
		return false
	}
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
			w.blame(c)
			w.fail(c, Malformed) // which accounts for this request and for those behind it
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
	if w.overdue(c) {
		w.timeOut(c)
		return
	}
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
	w.blame(c)
}

// blame keeps the session's words on the first fault of the window.
func (w *worker) blame(c *conn) {
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
	for w.sending && c.state == open && !w.io.blocked(c) {
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
		w.io.send(c, plain)
		return
	}
	sealed, err := c.tls.Seal(plain)
	if err != nil {
		w.fail(c, TLSFailed)
		return
	}
	w.io.send(c, sealed)
}
