package load

import (
	"math"
	"time"

	"golang.org/x/sys/unix"

	"dyno/load/internal/netpoll"
)

type state uint8

const (
	closed state = iota
	connecting
	open
)

// conn is one connection. It belongs to one worker.
type conn struct {
	session    Session
	sentAt     []int64 // ring of the send times of the owed requests; its length is a power of two
	unsent     []byte  // what the socket did not take yet
	fd         int32
	index      int32
	generation int32 // grows with every descriptor, so that a late event is recognised
	head       int32 // oldest owed request in the ring
	owed       int32
	failures   int32 // in a row, without a verified reply between them
	state      state
	retryNs    int64 // when to dial again (closed), or give up dialling (connecting)
}

func (c *conn) close() {
	if c.fd >= 0 {
		netpoll.Close(int(c.fd))
		c.fd = -1
	}
	c.state = closed
	c.head, c.owed = 0, 0
	c.session.Reset()
}

// dial opens a closed connection; it may still be connecting on return.
func (w *worker) dial(c *conn) error {
	fd, done, err := netpoll.Connect(w.cfg.Addr)
	if err != nil {
		return err
	}
	c.fd = int32(fd)
	c.generation++
	if err := w.poller.Add(fd, c.index, c.generation); err != nil {
		c.close()
		return err
	}
	c.state = connecting
	c.retryNs = w.now + int64(w.cfg.ConnectWithin)
	if done {
		c.state = open
	}
	return nil
}

// handle acts on one event.
func (w *worker) handle(ev netpoll.Event) {
	c := &w.conns[ev.Fd]
	if c.generation != ev.Pad || c.state == closed {
		return
	}
	if c.state == connecting {
		if err := netpoll.ConnectError(int(c.fd)); err != nil {
			w.fail(c, connectKind(err))
			return
		}
		c.state = open
		w.fill(c)
	}
	if len(c.unsent) > 0 && ev.Events&netpoll.Writable != 0 {
		w.flush(c)
		w.tick() // what is read next may answer what was sent just now
	}
	if ev.Events&netpoll.Readable != 0 && c.state == open {
		w.read(c, ev.Events&^unix.EPOLLIN&netpoll.Readable != 0)
	}
}

// read takes what has arrived, judges it and answers with new requests. Registration is
// edge-triggered: a short read proves that the socket is empty, unless the peer has hung up, when
// the end of the stream is still to be seen.
func (w *worker) read(c *conn, hungUp bool) {
	for {
		n, err := netpoll.Recv(int(c.fd), w.rx)
		switch {
		case err == unix.EAGAIN:
			return
		case err != nil:
			w.fail(c, ioKind(err))
			return
		case n == 0:
			w.fail(c, EOF)
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
		case Broken:
			w.wrong(c)
			w.fail(c, Malformed)
			return false
		}
	}
	return true
}

// verified counts the oldest owed request as answered.
func (w *worker) verified(c *conn) {
	latencyNs := w.now - w.pop(c)
	c.failures = 0
	w.result.Verified++
	w.result.Series[w.slot]++
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

// pop takes the oldest owed request off the ring and returns when it was sent.
func (w *worker) pop(c *conn) int64 {
	sentNs := c.sentAt[c.head]
	c.head = (c.head + 1) & int32(len(c.sentAt)-1)
	c.owed--
	w.owed--
	return sentNs
}

// fill sends as many requests as the depth and the quota allow, in one write where they fit.
func (w *worker) fill(c *conn) {
	for w.sending && c.state == open && len(c.unsent) == 0 {
		room := min(int64(w.cfg.Depth)-int64(c.owed), w.quota)
		if room <= 0 {
			return
		}
		tx, n := w.tx[:0], int32(0)
		for int64(n) < room && len(tx) < sendBytes {
			tx = c.session.Request(tx)
			n++
		}
		w.tx = tx
		sentNs := w.clock()
		for i := range n {
			c.sentAt[(c.head+c.owed+i)&int32(len(c.sentAt)-1)] = sentNs
		}
		c.owed += n
		w.owed += int64(n)
		w.quota -= int64(n)
		w.result.Sent += int64(n)
		w.send(c, tx)
	}
}

// send writes b; what the socket does not take is kept for when it is writable again.
func (w *worker) send(c *conn, b []byte) {
	n, err := netpoll.Send(int(c.fd), b)
	if err != nil && err != unix.EAGAIN {
		w.fail(c, ioKind(err))
		return
	}
	w.result.BytesSent += int64(n)
	if n < len(b) {
		c.unsent = append(w.borrow(), b[n:]...)
	}
}

// flush goes on with what send could not write.
func (w *worker) flush(c *conn) {
	n, err := netpoll.Send(int(c.fd), c.unsent)
	if err == unix.EAGAIN {
		return
	}
	if err != nil {
		w.fail(c, ioKind(err))
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

// borrow returns an empty buffer for unsent bytes.
func (w *worker) borrow() []byte {
	if n := len(w.spare); n > 0 {
		b := w.spare[n-1]
		w.spare = w.spare[:n-1]
		return b
	}
	return make([]byte, 0, cap(w.tx))
}

func (w *worker) giveBack(c *conn) {
	if c.unsent != nil {
		w.spare = append(w.spare, c.unsent[:0])
		c.unsent = nil
	}
}

// fail closes a connection, accounts for what was owed on it, and plans the next attempt. A peer
// that closes a connection on which it owes nothing has done no wrong.
func (w *worker) fail(c *conn, kind Kind) {
	if c.owed > 0 || kind != EOF {
		w.result.Failures[kind]++
		w.result.Lost[kind] += int64(c.owed)
		w.owed -= int64(c.owed)
	}
	w.giveBack(c)
	c.close()
	c.failures++
	c.retryNs = w.now + int64(backoff(c.failures))
	if c.failures == 1 {
		w.redial(c)
	} else {
		w.sweepNs = min(w.sweepNs, c.retryNs)
	}
}

// backoff doubles from 10 ms to 640 ms; the first attempt is immediate.
func backoff(failures int32) time.Duration {
	if failures <= 1 {
		return 0
	}
	return 10 * time.Millisecond << min(failures-2, 6)
}

func (w *worker) redial(c *conn) {
	if !w.sending {
		return
	}
	w.result.Reconnects++
	if err := w.dial(c); err != nil {
		w.fail(c, connectKind(err))
		return
	}
	w.fill(c)
}

// giveUpAfter ends a run that has no limit in time once every connection has failed so often in a
// row: nobody is there to answer.
const giveUpAfter = 8

func (w *worker) sweepEvery() int64 {
	return min(max(int64(w.cfg.ReplyWithin)/20, int64(10*time.Millisecond)), int64(250*time.Millisecond))
}

// sweep gives up what is overdue and dials again where it is time.
func (w *worker) sweep() {
	w.sweepNs = w.now + w.sweepEvery()
	hopeless := 0
	for i := range w.conns {
		c := &w.conns[i]
		switch {
		case c.state == open && c.owed > 0:
			if ageNs := w.now - c.sentAt[c.head]; ageNs > int64(w.cfg.ReplyWithin) {
				w.timeOut(c)
			}
		case c.state == connecting && w.now > c.retryNs:
			w.fail(c, ConnectTimeout)
		case c.state == closed && w.now >= c.retryNs:
			w.redial(c)
		}
		if c.failures >= giveUpAfter {
			hopeless++
		}
	}
	if hopeless == len(w.conns) && w.endNs == math.MaxInt64 {
		w.sending = false
	}
}

// timeOut gives up every request owed on a connection. Their ages enter the latency histogram.
func (w *worker) timeOut(c *conn) {
	if w.counting {
		for i := range c.owed {
			w.result.Latency.Record(w.now - c.sentAt[(c.head+i)&int32(len(c.sentAt)-1)])
		}
	}
	w.fail(c, Timeout)
}
