package load

import (
	"fmt"
	"time"

	"dyno/load/internal/uring"
)

// Poller names what the event loops ask the kernel with.
type Poller string

// The pollers.
const (
	// Auto, also when empty, is the one that costs less for the client's load (see cheaperWithRing), and
	// epoll on a machine without io_uring.
	Auto    Poller = "auto"
	Epoll   Poller = "epoll"    // readiness; a receive and a send a round trip
	IOUring Poller = "io_uring" // completions; one system call a batch. TLS has epoll all the same
)

// Pollers returns the names of all pollers.
func Pollers() []string { return []string{string(Auto), string(Epoll), string(IOUring)} }

// check refuses a poller that is none, or does not work here.
func (p Poller) check() error {
	switch p {
	case "", Auto, Epoll:
		return nil
	case IOUring:
		return uring.Supported()
	}
	return fmt.Errorf("load: no poller %q; use auto, epoll or io_uring", p)
}

// resolve chooses the poller of one client, with that many connections on each of its loops.
func (p Poller) resolve(cfg *Config, connectionsPerLoop int, spins bool) Poller {
	switch {
	case p == Epoll || cfg.TLS != nil:
		return Epoll
	case p == IOUring || cheaperWithRing(connectionsPerLoop, cfg.Depth, spins) && uring.Supported() == nil:
		return IOUring
	}
	return Epoll
}

// cheaperWithRing says where io_uring takes less CPU time for a reply than epoll, as measured by
// `make bench-load` (load-pollers). A batch has to be worth the ring's own work: few connections make small
// ones, and deep pipelines make few calls as it is.
func cheaperWithRing(connectionsPerLoop, depth int, spins bool) bool {
	if spins && depth > 1 {
		return connectionsPerLoop >= 64
	}
	return connectionsPerLoop >= 16
}

// transport moves the bytes of a worker's connections, and tells it what happened to them. It decides
// nothing: the worker's methods dialled, judge, ended and fail do.
type transport interface {
	// attach takes over the socket of c, connected or still connecting; of that dialled will be told.
	// With an error the socket is closed.
	attach(c *conn, connected bool) error
	// detach closes the socket of c, and forgets what waits to be sent on it.
	detach(c *conn)
	// send sends b as soon as the socket takes it, and no later than the next poll or sleep.
	send(c *conn, b []byte)
	// blocked reports whether the socket of c has still to take what was sent before.
	blocked(c *conn) bool
	// flush sends now what send may have held back.
	flush()
	// poll looks for events without sleeping, sleep waits for them. They report whether there are any.
	poll() bool
	sleep(atMost time.Duration) bool
	// deliver acts on the events that poll or sleep found, and lets the worker keep its pace between them.
	deliver()
	// close closes every socket. It may be called from any goroutine once the loop is at rest.
	close()
}

func newTransport(p Poller, w *worker) (transport, error) {
	if p == IOUring {
		return newRingTransport(w)
	}
	return newEpollTransport(w)
}
