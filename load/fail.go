package load

import (
	"math"
	"time"
)

// fail closes a connection, accounts for what was owed on it, and plans the next attempt. A peer
// that closes a connection on which it owes nothing has done no wrong.
func (w *worker) fail(c *conn, kind Kind) {
	if c.rested && (c.owed > 0 || w.sending) && !w.open && w.failure == nil && (kind == EOF || kind == Reset) {
		w.sendAgain(c)
		return
	}
	if c.owed > 0 || kind != EOF {
		w.result.Failures[kind]++
		w.result.Lost[kind] += int64(c.owed)
		w.owed -= int64(c.owed)
	}
	w.closeConn(c)
	c.failures++
	c.retryNs = w.now + int64(backoff(c.failures))
	if c.failures == 1 {
		w.redial(c)
	} else {
		w.sweepNs = min(w.sweepNs, c.retryNs)
	}
}

// restMin is the shortest rest after which a server may be closing a connection for being idle. None that
// dyno knows of waits less.
const restMin = time.Second

// sendAgain opens a connection anew which the server was closing at the end of its rest, so that the news
// crossed with the first requests. No reply to them has begun. HTTP clients send them again (RFC 9112,
// section 9.3.1), and so does this, once for each connection and window: whoever closes the new one, too,
// has failed. When the news comes after the end of the window, there is no time to send them in: then they
// count as not sent, and the next window opens the connection.
func (w *worker) sendAgain(c *conn) {
	c.rested = false
	allWereSent := w.quota == 0 && !w.stop.Load()
	w.result.Sent -= int64(c.owed)
	w.quota += int64(c.owed)
	w.owed -= int64(c.owed)
	w.closeConn(c)
	if !w.sending && !allWereSent {
		return
	}
	w.sending = true
	w.result.Renewed++
	if err := w.dial(c); err != nil {
		w.fail(c, ConnectKind(err))
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
		w.fail(c, ConnectKind(err))
	}
}

// giveUpAfter ends a run that has no limit in time once every connection has failed so often in a
// row: nobody is there to answer.
const giveUpAfter = 8

// sweepMax is how many connections one sweep looks at. A look at fifty thousand would hold up requests
// that are due meanwhile.
const sweepMax = 1024

// sweepEvery is the distance of two sweeps; a round of sweeps over all connections takes at most a
// quarter of a second.
func (w *worker) sweepEvery() int64 {
	round := min(max(int64(w.cfg.ReplyWithin)/20, int64(10*time.Millisecond)), int64(250*time.Millisecond))
	return round / int64((len(w.conns)+sweepMax-1)/sweepMax)
}

// sweep gives up what is overdue and dials again where it is time, on the next few connections.
func (w *worker) sweep() {
	w.sweepNs = w.now + w.sweepEvery()
	w.publish()
	until := min(w.sweepAt+sweepMax, len(w.conns))
	for ; w.sweepAt < until; w.sweepAt++ {
		c := &w.conns[w.sweepAt]
		w.lookAfter(c)
		if c.failures >= giveUpAfter {
			w.hopeless++
		}
	}
	if w.sweepAt < len(w.conns) {
		return
	}
	if w.hopeless == len(w.conns) && w.endNs == math.MaxInt64 && w.sending {
		w.giveUp()
	}
	w.sweepAt, w.hopeless = 0, 0
}

func (w *worker) giveUp() {
	if w.open {
		w.endSchedule(w.now)
	}
	w.sending = false
}

func (w *worker) lookAfter(c *conn) {
	switch {
	case c.state == open || c.state == broken:
		if w.overdue(c) {
			w.timeOut(c)
		}
	case c.state == connecting && w.now > c.retryNs:
		w.fail(c, ConnectTimeout)
	case c.state == closed && w.now >= c.retryNs:
		w.redial(c)
	}
}

// overdue reports whether the oldest owed request has waited longer than any may. Sweeps are too far apart to find
// every such request before its reply comes, so that is asked when something arrives, too.
func (w *worker) overdue(c *conn) bool {
	oldest := int(c.index)*w.ring + int(c.head)
	return c.owed > 0 && w.now-w.sentAt[oldest] > int64(w.cfg.ReplyWithin)
}

// timeOut gives up every request owed on a connection. Their ages enter the latency histogram.
func (w *worker) timeOut(c *conn) {
	for i := range int(c.owed) {
		slot := int(c.index)*w.ring + (int(c.head)+i)&(w.ring-1)
		switch {
		case w.open:
			w.recordAge(w.dueAt[slot], w.now)
		case w.counting:
			w.result.Latency.Record(w.now - w.sentAt[slot])
		}
	}
	w.fail(c, Timeout)
}
