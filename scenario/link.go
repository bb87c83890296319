package scenario

import (
	"bytes"
	"crypto/x509"
	"errors"
	"net/url"

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
	origin := originOf(u.flight.hop.url)
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
	to := u.flight.hop.url
	addr, err := r.resolve(to.Hostname(), portOf(to))
	if err != nil {
		return err
	}
	k := &link{runner: r, origin: origin, user: u}
	u.link = k
	if to.Scheme == "https" {
		k.conn = r.loop.DialTLS(addr, r.program.tlsFor(to.Hostname()), k)
	} else {
		k.conn = r.loop.Dial(addr, k)
	}
	return nil
}

// originOf is what connections are kept apart by.
func originOf(u *url.URL) string { return u.Scheme + "://" + u.Host }

// portOf is the port of a URL, or that of its scheme.
func portOf(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
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
func (k *link) Closed(c *crowd.Conn, why load.Kind) {
	u := k.user
	if u != nil && u.waiting == asking && why == load.EOF && u.flight.firstNs > 0 && u.flight.parser.EOF() == http1.Done {
		u.flight.ends = true
		u.landed()
		return
	}
	k.forget()
	if u != nil && u.waiting == asking {
		u.fail(errorCode(codeOf(why, c.Err())))
	}
}

// codeOf is the name that Node has for a failure.
func codeOf(why load.Kind, err error) string {
	var invalid x509.CertificateInvalidError
	var unknown x509.UnknownAuthorityError
	switch {
	case why != load.TLSFailed:
		return codes[why]
	case errors.As(err, new(x509.HostnameError)):
		return "ERR_TLS_CERT_ALTNAME_INVALID"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "CERT_HAS_EXPIRED"
	case errors.As(err, &unknown) && unknown.Cert != nil && bytes.Equal(unknown.Cert.RawIssuer, unknown.Cert.RawSubject):
		return "DEPTH_ZERO_SELF_SIGNED_CERT"
	case errors.As(err, &unknown):
		return "UNABLE_TO_VERIFY_LEAF_SIGNATURE"
	}
	return "EPROTO"
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
