package load

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/netip"
	"time"
)

// MaxDepth is the largest number of requests in flight on one connection.
const MaxDepth = 64

// Config describes a client: the connections to one server and the traffic on them.
type Config struct {
	Addr     netip.AddrPort // the server; not used with UnixPath
	UnixPath string         // a Unix stream socket instead; a leading @ stands for an abstract name

	// TLS, when not nil, is spoken on every connection; it is never changed. Handshakes run on
	// goroutines of their own, outside of the event loops.
	TLS *tls.Config

	// LocalAddrs are the source addresses, used in turn. When there are none and the server is on IPv4
	// loopback, more connections than one address has ports for are spread over 127.0.0.0/8.
	LocalAddrs []netip.Addr

	Connections   int
	Depth         int                    // requests in flight a connection, 1 to MaxDepth
	NewSession    func(conn int) Session // called once for each connection
	ReplyWithin   time.Duration          // a reply later than this is a timeout; 0 means 10 s
	ConnectWithin time.Duration          // for each connection, its TLS handshake included; 0 means 5 s
}

// connectionsPerSource is how many connections to one server a source address holds for certain: the
// kernel's default range has 28,232 ports, and some are taken.
const connectionsPerSource = 25_000

// check refuses what cannot work and fills in what was left out.
func (c *Config) check() error {
	switch {
	case c.UnixPath == "" && !c.Addr.IsValid():
		return errors.New("load: no address to connect to: set Addr or UnixPath")
	case len(c.UnixPath) > unixPathMax:
		return fmt.Errorf("load: Unix socket path of %d bytes; the kernel takes %d, use a shorter one", len(c.UnixPath), unixPathMax)
	case c.Connections < 1:
		return fmt.Errorf("load: %d connections; at least 1 is needed", c.Connections)
	case c.Depth < 1 || c.Depth > MaxDepth:
		return fmt.Errorf("load: depth %d; it must lie between 1 and %d", c.Depth, MaxDepth)
	case c.NewSession == nil:
		return errors.New("load: no session: nothing to send; set NewSession")
	case c.ReplyWithin < 0 || c.ConnectWithin < 0:
		return errors.New("load: negative timeout; use 0 for the default")
	}
	if c.ReplyWithin == 0 {
		c.ReplyWithin = 10 * time.Second
	}
	if c.ConnectWithin == 0 {
		c.ConnectWithin = 5 * time.Second
	}
	return c.spreadSources()
}

// unixPathMax is the length of sun_path without the final zero.
const unixPathMax = 107

// spreadSources chooses source addresses where one does not have ports enough.
func (c *Config) spreadSources() error {
	for _, source := range c.LocalAddrs {
		if !source.IsValid() || source.Unmap().Is4() != c.Addr.Addr().Unmap().Is4() {
			return fmt.Errorf("load: source address %v cannot reach %v; use addresses of the same family", source, c.Addr)
		}
	}
	sources := (c.Connections + connectionsPerSource - 1) / connectionsPerSource
	if c.UnixPath != "" || len(c.LocalAddrs) > 0 || sources == 1 {
		return nil
	}
	if target := c.Addr.Addr().Unmap(); !target.Is4() || !target.IsLoopback() {
		return fmt.Errorf("load: %d connections to %v need %d source addresses (%d ports each); give them as LocalAddrs",
			c.Connections, c.Addr, sources, connectionsPerSource)
	}
	for i := range sources {
		c.LocalAddrs = append(c.LocalAddrs, netip.AddrFrom4([4]byte{127, 0, byte((i + 1) >> 8), byte(i + 1)}))
	}
	return nil
}

// target names the server in errors.
func (c *Config) target() string {
	if c.UnixPath != "" {
		return c.UnixPath
	}
	return c.Addr.String()
}
