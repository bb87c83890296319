// Package loopback serves what tests connect to. Only tests import it.
package loopback

import (
	"net"
	"net/netip"
	"testing"
)

// Listen serves every connection to a free port of 127.0.0.1 until the test ends.
func Listen(t testing.TB, handle func(net.Conn)) netip.AddrPort {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	Serve(l, handle)
	return l.Addr().(*net.TCPAddr).AddrPort()
}

// Serve calls handle for every connection, each on a goroutine, and then closes it. It ends when the listener is
// closed, and does not wait for that.
func Serve(l net.Listener, handle func(net.Conn)) {
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				handle(c)
			}()
		}
	}()
}
