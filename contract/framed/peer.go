package framed

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"dyno/contract/internal/gate"
	"dyno/mpacket"
)

// peer is the gate's end of one connection to the server.
type peer struct {
	probe
	*gate.Conn
	in *bufio.Reader
	// foreign holds payloads of other connections, to name a leak as such.
	foreign [][]byte
}

// roundTrip sends one frame and checks its reply.
func (c *peer) roundTrip(payload []byte) error {
	if err := c.Send(frames(payload)); err != nil {
		return err
	}
	return c.expect(payload)
}

// exchange sends wire in one write while it checks that the replies are payloads, in order.
func (c *peer) exchange(wire []byte, payloads ...[]byte) error {
	sent := make(chan error, 1)
	c.Go(func() { sent <- c.Send(wire) })
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
		return gate.Wrong("length %d, want %d", lengthBytes, len(want))
	}
	got := make([]byte, lengthBytes)
	if n, err := io.ReadFull(c.in, got); err != nil {
		return fmt.Errorf("after %d of %d payload bytes: %w", n, lengthBytes, c.Explain(err))
	}
	if !bytes.Equal(got, want) {
		return c.mismatch(got, payloads, i)
	}
	if shortest := len(mpacket.AppendVarInt(nil, int32(lengthBytes))); prefixBytes != shortest {
		return gate.Wrong("prefix of %d bytes, want %d", prefixBytes, shortest)
	}
	return nil
}

// readPrefix reads a VarInt and returns its value and its length on the wire.
func (c *peer) readPrefix() (lengthBytes, prefixBytes int, err error) {
	var prefix [mpacket.MaxVarIntLen]byte
	for n := range prefix {
		b, err := c.in.ReadByte()
		if err != nil {
			return 0, 0, c.Explain(err)
		}
		prefix[n] = b
		if v, used := mpacket.ConsumeVarInt(prefix[:n+1]); used > 0 {
			return int(v), used, nil
		}
	}
	return 0, 0, gate.Wrong("more than %d bytes, want at most 3", mpacket.MaxVarIntLen)
}

// telling is the shortest payload, in bytes, that is surely not equal to another one by chance.
const telling = 8

// mismatch says what got is, where payloads[i] was owed.
func (c *peer) mismatch(got []byte, payloads [][]byte, i int) error {
	if len(got) >= telling {
		for j, other := range payloads {
			if bytes.Equal(got, other) {
				return gate.Wrong("got the reply to frame %d: out of order", j+1)
			}
		}
		for _, other := range c.foreign {
			if bytes.Equal(got, other) {
				return gate.Wrong("got a frame of another connection")
			}
		}
	}
	want := payloads[i]
	if len(got) != len(want) {
		return gate.Wrong("length %d, want %d", len(got), len(want))
	}
	at := 0
	for got[at] == want[at] {
		at++
	}
	return gate.Wrong("payload of %d B differs at offset %d: 0x%02x, want 0x%02x", len(want), at, got[at], want[at])
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
		return gate.Wrong("got a byte (0x%02x), want the connection closed", b)
	case gate.IsTimeout(err):
		return gate.Wrong("the connection is still open after the %v of the case, want it closed", c.Within())
	default:
		return nil
	}
}

// expectEnd checks that the server ends its stream in good order: with FIN, not with a reset.
func (c *peer) expectEnd() error {
	switch b, err := c.in.ReadByte(); {
	case err == nil:
		return gate.Wrong("got an unasked byte (0x%02x), want the end of the stream", b)
	case gate.IsTimeout(err):
		return gate.Wrong("the connection is still open after the %v of the case, want it closed", c.Within())
	case errors.Is(err, io.EOF):
		return nil
	default:
		return gate.Wrong("%v, want an orderly end", c.Explain(err))
	}
}
