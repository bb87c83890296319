package load

import (
	"fmt"
	"time"

	"dyno/load/internal/netpoll"
	"dyno/load/internal/uring"
)

// ringTransport has the kernel receive and send, a batch for one system call.
type ringTransport struct {
	w     *worker
	ring  *uring.Ring
	event uring.Completion // in work
	held  int              // sends that the kernel has not been given yet
	later bool             // completions were taken in after the batch was
}

const (
	// heldMax bounds how long a request waits for the batch that it leaves with. Its clock runs meanwhile:
	// the send of another request takes a few microseconds.
	heldMax = 16
	// ringBufferBytes is the most that one completion carries. It is no multiple of a page: the beginnings of
	// buffers, all that short replies touch, would share a few places of the processor's caches.
	ringBufferBytes = 4<<10 + 1088
)

func newRingTransport(w *worker) (*ringTransport, error) {
	ring, err := uring.New(uring.Config{Files: len(w.conns), BufferBytes: ringBufferBytes})
	if err != nil {
		return nil, err
	}
	return &ringTransport{w: w, ring: ring}, nil
}

func (t *ringTransport) attach(c *conn, connected bool) error {
	slot := int(c.index)
	if err := t.ring.Attach(slot, int(c.fd)); err != nil {
		netpoll.Close(int(c.fd))
		return err
	}
	if connected {
		t.ring.Receive(slot)
	} else {
		t.ring.AwaitConnect(slot)
	}
	return nil
}

func (t *ringTransport) detach(c *conn) {
	t.ring.Detach(int(c.index))
	t.held, t.later = 0, true
}

func (t *ringTransport) close() { _ = t.ring.Close() }

func (t *ringTransport) blocked(c *conn) bool { return t.ring.Sending(int(c.index)) }

func (t *ringTransport) send(c *conn, b []byte) {
	t.ring.Send(int(c.index), b)
	t.w.result.BytesSent += int64(len(b))
	if t.held++; t.held == heldMax {
		t.flush()
	}
}

func (t *ringTransport) flush() {
	if t.held > 0 {
		t.ring.Flush()
		t.held = 0
	}
}

func (t *ringTransport) poll() bool {
	n, err := t.ring.Poll()
	return t.found(n, err)
}

func (t *ringTransport) sleep(atMost time.Duration) bool {
	n, err := t.ring.Wait(atMost)
	return t.found(n, err)
}

func (t *ringTransport) found(n int, err error) bool {
	t.held = 0
	if err != nil {
		t.w.breakDown(fmt.Errorf("%w; use poller epoll", err))
	}
	return n > 0
}

func (t *ringTransport) deliver() {
	for t.ring.Next(&t.event) {
		if t.later {
			t.later = false
			t.w.tick() // it may answer what was sent after the batch was taken in
		}
		t.handle(&t.w.conns[t.event.Slot], t.event.Err)
		t.w.keepPace()
	}
}

// handle acts on the completion in work.
func (t *ringTransport) handle(c *conn, err error) {
	switch t.event.Kind {
	case uring.Connected:
		if err == nil {
			t.ring.Receive(int(c.index))
		}
		t.w.dialled(c, err)
	case uring.Received:
		t.received(c, t.event.Data)
	case uring.Sent:
		if err != nil {
			t.brokenOff(c, err)
		} else {
			t.w.fill(c)
		}
	case uring.Ended:
		t.ended(c, err)
	}
}

func (t *ringTransport) received(c *conn, in []byte) {
	t.w.result.BytesRead += int64(len(in))
	switch goesOn := t.w.judge(c, in); {
	case !goesOn:
	case c.state == open:
		t.w.fill(c)
	case c.owed == 0:
		t.w.fail(c, c.cause)
	}
}

// brokenOff follows a failed write. A server may have answered early and then reset the connection: what
// it said before is still on its way, and ends with Ended.
func (t *ringTransport) brokenOff(c *conn, err error) {
	if c.owed == 0 {
		t.w.fail(c, IOKind(err))
		return
	}
	c.state, c.cause = broken, IOKind(err)
}

func (t *ringTransport) ended(c *conn, err error) {
	switch {
	case c.state == broken:
		t.w.fail(c, c.cause)
	case err == nil:
		t.w.ended(c)
	default:
		t.w.fail(c, IOKind(err))
	}
}
