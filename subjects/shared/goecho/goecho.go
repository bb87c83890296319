// Package goecho is the TCP server that framed-go and its baseline share, so that they differ only in what
// they do with the bytes.
package goecho

import (
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"
)

const readBytes = 64 << 10

// Answer appends the replies that chunk completes to out. An error means that the client broke the
// protocol: what is in out is owed, then the connection must be closed.
type Answer func(chunk, out []byte) ([]byte, error)

// Main listens on HOST and PORT and serves until SIGTERM. newAnswer is called for each connection.
func Main(name string, newAnswer func() Answer) {
	err := run(os.Getenv("HOST"), os.Getenv("PORT"), newAnswer)
	fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
	os.Exit(1)
}

// run returns only when it cannot serve.
func run(host, port string, newAnswer func() Answer) error {
	if host == "" {
		host = "127.0.0.1"
	}
	if port == "" {
		return fmt.Errorf("PORT is empty; set it to the TCP port to listen on, 1 to 65535")
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return err
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	go func() {
		<-stop
		os.Exit(0) // closes the listener and every connection
	}()
	for {
		conn, err := listener.Accept()
		if err != nil {
			return err
		}
		go serve(conn, newAnswer())
	}
}

// serve answers one connection until its FIN, its reset or a hostile length. Package net sets
// TCP_NODELAY by itself, and Write returns early only with an error; not reading while it writes
// is the backpressure.
func serve(conn net.Conn, answer Answer) {
	defer conn.Close()
	in := make([]byte, readBytes)
	var out []byte
	for {
		n, readErr := conn.Read(in)
		replies, hostile := answer(in[:n], out[:0])
		if len(replies) > 0 {
			if _, err := conn.Write(replies); err != nil {
				return
			}
		}
		if readErr != nil || hostile != nil {
			return
		}
		if out = replies; cap(out) > 2*readBytes {
			out = nil // what one huge frame needed is not kept for the life of the connection
		}
	}
}
