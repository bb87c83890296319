package framed

import (
	"bufio"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"syscall"
	"time"

	"dyno/contract/internal/fixture"
)

var errHostile = errors.New("hostile length")

// readLength reads the prefix of a frame. It returns io.EOF only where a frame may end. It is
// written apart from mpacket on purpose: a fault there must not hide here.
func readLength(r *bufio.Reader) (int, error) {
	length := 0
	for i := range 3 {
		b, err := r.ReadByte()
		if err != nil {
			if i > 0 && err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return 0, err
		}
		length |= int(b&0x7f) << (7 * i)
		if b < 0x80 {
			if length == 0 {
				return 0, errHostile
			}
			return length, nil
		}
	}
	return 0, errHostile
}

func readFrame(r *bufio.Reader) ([]byte, error) {
	length, err := readLength(r)
	if err != nil {
		return nil, err
	}
	payload := make([]byte, length)
	if _, err := io.ReadFull(r, payload); err != nil {
		return nil, io.ErrUnexpectedEOF
	}
	return payload, nil
}

// frameOf is frames for one payload, written apart from mpacket on purpose.
func frameOf(payload []byte) []byte {
	n := len(payload)
	switch {
	case n < 1<<7:
		return append([]byte{byte(n)}, payload...)
	case n < 1<<14:
		return append([]byte{byte(n) | 0x80, byte(n >> 7)}, payload...)
	default:
		return append([]byte{byte(n) | 0x80, byte(n>>7) | 0x80, byte(n >> 14)}, payload...)
	}
}

// echoFrames is a right server but for what reply makes of a payload. A nil reply is not sent.
func echoFrames(reply func(payload []byte) []byte) fixture.Handler {
	return func(c *net.TCPConn) {
		w := bufio.NewWriterSize(c, 64<<10)
		r := bufio.NewReaderSize(readAfter(c, w.Flush), 64<<10)
		for {
			payload, err := readFrame(r)
			if err != nil {
				return
			}
			w.Write(reply(payload))
		}
	}
}

// readAfter returns a reader of c that calls before ahead of each read: replies are flushed when, and
// only when, the server would wait.
func readAfter(c *net.TCPConn, before func() error) io.Reader {
	return readFunc(func(b []byte) (int, error) {
		if err := before(); err != nil {
			return 0, err
		}
		return c.Read(b)
	})
}

type readFunc func(b []byte) (int, error)

func (f readFunc) Read(b []byte) (int, error) { return f(b) }

// plain is the honest server.
func plain(*fixture.Server) fixture.Handler { return echoFrames(frameOf) }

// inPieces is honest, and sends the start of each reply byte by byte and the rest in odd pieces.
func inPieces(*fixture.Server) fixture.Handler {
	return func(c *net.TCPConn) {
		r := bufio.NewReader(c)
		for {
			payload, err := readFrame(r)
			if err != nil {
				return
			}
			wire := frameOf(payload)
			for i := 0; len(wire) > 0; i++ {
				n := 1
				if i >= 8 {
					n = 1 + rand.IntN(5000)
				}
				n = min(n, len(wire))
				if _, err := c.Write(wire[:n]); err != nil {
					return
				}
				wire = wire[n:]
			}
		}
	}
}

// late is honest, and answers after random delays.
func late(*fixture.Server) fixture.Handler {
	return func(c *net.TCPConn) {
		w := bufio.NewWriterSize(c, 64<<10)
		r := bufio.NewReaderSize(readAfter(c, func() error {
			time.Sleep(time.Duration(rand.IntN(1500)) * time.Microsecond)
			return w.Flush()
		}), 64<<10)
		for {
			payload, err := readFrame(r)
			if err != nil {
				return
			}
			w.Write(frameOf(payload))
		}
	}
}

// delayed is honest, writes each reply by itself and leaves Nagle's algorithm on: with the delayed
// acknowledgements of the client, every second reply takes 40 ms.
func delayed(*fixture.Server) fixture.Handler {
	return func(c *net.TCPConn) {
		c.SetNoDelay(false)
		r := bufio.NewReaderSize(c, 64<<10)
		for {
			payload, err := readFrame(r)
			if err != nil {
				return
			}
			if _, err := c.Write(frameOf(payload)); err != nil {
				return
			}
		}
	}
}

// writeOnce makes a single attempt to write b and forgets what the kernel did not take.
func writeOnce(c *net.TCPConn, b []byte) {
	raw, err := c.SyscallConn()
	if err != nil {
		return
	}
	raw.Write(func(fd uintptr) bool {
		syscall.Write(int(fd), b)
		return true
	})
}
