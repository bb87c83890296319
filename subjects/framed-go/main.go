// Command framed-go is the framed echo on package net: the row outside JavaScript. HOST and PORT
// say where it listens; SIGTERM stops it.
package main

import (
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"

	"dyno/mpacket"
)

const readBytes = 64 << 10

func main() {
	err := run(os.Getenv("HOST"), os.Getenv("PORT"))
	fmt.Fprintln(os.Stderr, "framed-go:", err)
	os.Exit(1)
}

// run listens and serves until SIGTERM, which ends the process. It returns only when it cannot serve.
func run(host, port string) error {
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
		go serve(conn)
	}
}

// serve answers one connection until its FIN, its reset or a hostile length. Package net sets
// TCP_NODELAY by itself, and Write returns early only with an error; not reading while it writes
// is the backpressure.
func serve(conn net.Conn) {
	defer conn.Close()
	var decoder mpacket.FrameDecoder
	in := make([]byte, readBytes)
	var out []byte
	for {
		n, readErr := conn.Read(in)
		replies, hostile := answer(&decoder, in[:n], out[:0])
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

// answer appends the replies that chunk completes to out: every frame decoded, its payload encoded
// anew. The replies before a hostile length are still owed.
func answer(decoder *mpacket.FrameDecoder, chunk, out []byte) ([]byte, error) {
	for len(chunk) > 0 {
		frame, taken, err := decoder.Next(chunk)
		if err != nil {
			return out, err
		}
		chunk = chunk[taken:]
		if frame != nil {
			out = mpacket.AppendFrame(out, frame)
		}
	}
	return out, nil
}
