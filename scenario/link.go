package scenario

import (
	"net"

	"dyno/contract/http1"
	"dyno/load"
	"dyno/load/crowd"
)

// link is a connection to one origin. It belongs to one user, or with http.pool to the loop's pool, which
// lends it.
type link struct {
	runner *runner
	origin string
	conn   *crowd.Conn
	user   *user // whose request is on it, or who owns it; nil: idle in the pool
}

// pool is the connections that all users of a loop share, for one origin.
type pool struct {
	idle    []*link
	links   int
	waiting []*user
}

// connect sends the user's request on a connection to its origin, opening one where there is none.
func (r *runner) connect(u *user) error {
	origin := u.flight.hop.url.Host
	if r.poolMax > 0 {
		return r.borrow(u, origin)
	}
	if u.link != nil && u.link.origin == origin && u.link.conn.Open() {
		u.send()
		return nil
	}
	if u.link != nil {
		u.link.close()
	}
	return r.dial(u, origin)
}

// borrow takes a connection of the pool, opens one, or lets the user wait for one.
func (r *runner) borrow(u *user, origin string) error {
	p := r.pools[origin]
	if p == nil {
		p = &pool{}
		r.pools[origin] = p
	}
	if n := len(p.idle); n > 0 {
		u.link = p.idle[n-1]
		p.idle = p.idle[:n-1]
		u.link.user = u
		u.send()
		return nil
	}
	if p.links >= r.poolMax {
		p.waiting = append(p.waiting, u)
		return nil
	}
	p.links++
	err := r.dial(u, origin)
	if err != nil {
		p.links--
	}
	return err
}

func (r *runner) dial(u *user, origin string) error {
	host, port, err := net.SplitHostPort(origin)
	if err != nil {
		host, port = u.flight.hop.url.Hostname(), "80"
	}
	addr, err := r.resolve(host, port)
	if err != nil {
		return err
	}
	k := &link{runner: r, origin: origin, user: u}
	u.link = k
	k.conn = r.loop.Dial(addr, k)
	return nil
}

// Opened implements crowd.Handler.
func (k *link) Opened(c *crowd.Conn) {
	k.conn = c
	if k.user != nil && k.user.waiting == asking {
		k.user.send()
	}
}

// Received implements crowd.Handler.
func (k *link) Received(_ *crowd.Conn, in []byte) {
	if k.user == nil || k.user.waiting != asking {
		k.close() // bytes that nobody asked for
		return
	}
	k.user.received(in)
}

// codes are the names that Node has for failures.
var codes = map[load.Kind]string{
	load.ConnectRefused: "ECONNREFUSED", load.ConnectTimeout: "ETIMEDOUT", load.ConnectFailed: "EADDRNOTAVAIL",
	load.Reset: "ECONNRESET", load.EOF: "ECONNRESET", load.IOError: "EPIPE",
}

// Closed implements crowd.Handler.
func (k *link) Closed(_ *crowd.Conn, why load.Kind) {
	u := k.user
	if u != nil && u.waiting == asking && why == load.EOF && u.flight.firstNs > 0 && u.flight.parser.EOF() == http1.Done {
		u.flight.ends = true
		u.landed()
		return
	}
	k.forget()
	if u != nil && u.waiting == asking {
		u.fail(errorCode(codes[why]))
	}
}

// errorCode is a failure in the words in which Artillery counts it.
type errorCode string

func (e errorCode) Error() string { return string(e) }

// close ends the connection.
func (k *link) close() {
	k.conn.Close()
	k.forget()
}

// forget takes a closed connection from its user, and makes room in the pool.
func (k *link) forget() {
	if k.user != nil && k.user.link == k {
		k.user.link = nil
	}
	k.user = nil
	r := k.runner
	if r.poolMax == 0 {
		return
	}
	p := r.pools[k.origin]
	for i, idle := range p.idle {
		if idle == k {
			p.idle = append(p.idle[:i], p.idle[i+1:]...)
			break
		}
	}
	p.links--
	r.serveWaiting(p, k.origin)
}

// serveWaiting lets the user that waits for longest have a connection.
func (r *runner) serveWaiting(p *pool, origin string) {
	for len(p.waiting) > 0 && (len(p.idle) > 0 || p.links < r.poolMax) {
		u := p.waiting[0]
		p.waiting = p.waiting[1:]
		if u.waiting != asking || u.link != nil {
			continue // given up meanwhile
		}
		if err := r.borrow(u, origin); err != nil {
			u.fail(err)
		}
	}
}

// landed follows a whole reply: a connection that ends is closed, one of the pool is given back.
func (r *runner) landed(u *user) {
	k := u.link
	switch {
	case k == nil:
	case u.flight.ends:
		k.close()
	case r.poolMax > 0:
		r.giveBack(u)
	}
}

func (r *runner) giveBack(u *user) {
	k := u.link
	u.link, k.user = nil, nil
	p := r.pools[k.origin]
	p.idle = append(p.idle, k)
	r.serveWaiting(p, k.origin)
}

// leave lets go of the user's connection and flight. One that is in the middle of something is closed.
func (r *runner) leave(u *user) {
	if u.link != nil {
		u.link.close()
	}
	u.drop()
}
