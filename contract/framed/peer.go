package framed

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"time"

	"dyno/mpacket"
)

// wrongReply says that the server did answer, but not as it must.
type wrongReply struct{ reason string }

func (w *wrongReply) Error() string { return w.reason }

func wrong(format string, args ...any) error { return &wrongReply{fmt.Sprintf(format, args...)} }

// peer is the gate's end of one connection to the server.
type peer struct {
	*probe
	conn *net.TCPConn
	in   *bufio.Reader
	// foreign holds payloads of other connections, to name a leak as such.
	foreign [][]byte
}

// dial opens a connection that lives until the case ends, or its time is up.
func (p *probe) dial() (*peer, error) {
	conn, err := (&net.Dialer{}).DialContext(p.ctx, "tcp", p.addr)
	if err != nil {
		return nil, fmt.Errorf("the server does not accept connections: %w", err)
	}
	c := &peer{probe: p, conn: conn.(*net.TCPConn), in: bufio.NewReaderSize(conn, 64<<10)}
	context.AfterFunc(p.ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })
	p.mu.Lock()
	p.peers = append(p.peers, c)
	p.mu.Unlock()
	return c, nil
}

// close ends the connection; closing it twice does no harm.
func (c *peer) close() { c.conn.Close() }

// reset closes the connection with RST instead of FIN.
func (c *peer) reset() {
	c.conn.SetLinger(0)
	c.conn.Close()
}

// write sends b in one write; TCP_NODELAY, Go's default, makes it a segment of its own.
func (c *peer) write(b []byte) error {
	if _, err := c.conn.Write(b); err != nil {
		return c.explain(err)
	}
	return nil
}

// endWrites half-closes the connection: the server sees the end of the stream.
func (c *peer) endWrites() error {
	if err := c.conn.CloseWrite(); err != nil {
		return c.explain(err)
	}
	return nil
}

// roundTrip sends one frame and checks its reply.
func (c *peer) roundTrip(payload []byte) error {
	if err := c.write(frames(payload)); err != nil {
		return err
	}
	return c.expect(payload)
}

// exchange sends wire in one write while it checks that the replies are payloads, in order.
func (c *peer) exchange(wire []byte, payloads ...[]byte) error {
	sent := make(chan error, 1)
	c.parts.Go(func() { sent <- c.write(wire) })
	if err := c.expect(payloads...); err != nil {
		return err
	}
	return <-sent
}

// expect reads one frame for each payload and checks that it carries it behind a minimal prefix.
func (c *peer) expect(payloads ...[]byte) error {
	for i := range payloads {
		if err := c.expectFrame(payloads, i); err != nil {
			return err
		}
	}
	return nil
}

// expectFrame is expect for payloads[i] alone.
func (c *peer) expectFrame(payloads [][]byte, i int) error {
	err := c.readReply(payloads, i)
	if err != nil && len(payloads) > 1 {
		return fmt.Errorf("frame %d of %d: %w", i+1, len(payloads), err)
	}
	return err
}

func (c *peer) readReply(payloads [][]byte, i int) error {
	want := payloads[i]
	lengthBytes, prefixBytes, err := c.readPrefix()
	if err != nil {
		return fmt.Errorf("reading the length prefix: %w", err)
	}
	if lengthBytes != len(want) && !anyOfLength(lengthBytes, payloads, c.foreign) {
		// Not read on: waiting for a wild length would cost the whole time of the case.
		return wrong("length %d, want %d", lengthBytes, len(want))
	}
	got := make([]byte, lengthBytes)
	if n, err := io.ReadFull(c.in, got); err != nil {
		return fmt.Errorf("after %d of %d payload bytes: %w", n, lengthBytes, c.explain(err))
	}
	if !bytes.Equal(got, want) {
		return c.mismatch(got, payloads, i)
	}
	if shortest := len(mpacket.AppendVarInt(nil, int32(lengthBytes))); prefixBytes != shortest {
		return wrong("prefix of %d bytes, want %d", prefixBytes, shortest)
	}
	return nil
}

// readPrefix reads a VarInt and returns its value and its length on the wire.
func (c *peer) readPrefix() (lengthBytes, prefixBytes int, err error) {
	var prefix [mpacket.MaxVarIntLen]byte
	for n := range prefix {
		b, err := c.in.ReadByte()
		if err != nil {
			return 0, 0, c.explain(err)
		}
		prefix[n] = b
		if v, used := mpacket.ConsumeVarInt(prefix[:n+1]); used > 0 {
			return int(v), used, nil
		}
	}
	return 0, 0, wrong("more than %d bytes, want at most 3", mpacket.MaxVarIntLen)
}

// telling is the shortest payload, in bytes, that is surely not equal to another one by chance.
const telling = 8

// mismatch says what got is, where payloads[i] was owed.
func (c *peer) mismatch(got []byte, payloads [][]byte, i int) error {
	if len(got) >= telling {
		for j, other := range payloads {
			if bytes.Equal(got, other) {
				return wrong("got the reply to frame %d: out of order", j+1)
			}
		}
		for _, other := range c.foreign {
			if bytes.Equal(got, other) {
				return wrong("got a frame of another connection")
			}
		}
	}
	want := payloads[i]
	if len(got) != len(want) {
		return wrong("length %d, want %d", len(got), len(want))
	}
	at := 0
	for got[at] == want[at] {
		at++
	}
	return wrong("payload of %d B differs at offset %d: 0x%02x, want 0x%02x", len(want), at, got[at], want[at])
}

func anyOfLength(n int, lists ...[][]byte) bool {
	for _, list := range lists {
		for _, b := range list {
			if len(b) == n {
				return true
			}
		}
	}
	return false
}

// expectClosed checks that the server ends the connection, in whatever way, and sends nothing more.
func (c *peer) expectClosed() error {
	switch b, err := c.in.ReadByte(); {
	case err == nil:
		return wrong("got a byte (0x%02x), want the connection closed", b)
	case isTimeout(err):
		return wrong("the connection is still open after the %v of the case, want it closed", c.within)
	default:
		return nil
	}
}

// expectEnd checks that the server ends its stream in good order: with FIN, not with a reset.
func (c *peer) expectEnd() error {
	switch b, err := c.in.ReadByte(); {
	case err == nil:
		return wrong("got an unasked byte (0x%02x), want the end of the stream", b)
	case isTimeout(err):
		return wrong("the connection is still open after the %v of the case, want it closed", c.within)
	case errors.Is(err, io.EOF):
		return nil
	default:
		return wrong("%v, want an orderly end", c.explain(err))
	}
}

// explain turns an error of the connection into words about the server.
func (c *peer) explain(err error) error {
	switch {
	case isTimeout(err) && errors.Is(context.Cause(c.ctx), context.DeadlineExceeded):
		return fmt.Errorf("nothing more came in the %v of the case", c.within)
	case isTimeout(err):
		return context.Cause(c.ctx)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the server closed the connection")
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return errors.New("the server reset the connection")
	default:
		return err
	}
}

func isTimeout(err error) bool { return errors.Is(err, os.ErrDeadlineExceeded) }
