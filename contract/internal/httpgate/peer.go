// Package httpgate is the gate's end of HTTP/1.1 connections: it sends exact bytes, cut wherever a
// case wants them cut, and says in one line what is wrong with a reply. It never decides what a
// server must answer: contracts do.
package httpgate

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"

	"dyno/contract/internal/gate"
)

// bodyMaxBytes bounds what is read of one reply; no contract asks for as much.
const bodyMaxBytes = 4 << 20

// Peer is one connection to the server.
type Peer struct {
	*gate.Probe
	*gate.Conn
	in replies
	// Foreign holds exchanges of other connections, to name a leak as such.
	Foreign []Exchange
}

// Dial opens a connection that lives until the case ends, or its time is up.
func Dial(p *gate.Probe) (*Peer, error) {
	conn, err := p.Dial()
	if err != nil {
		return nil, err
	}
	return &Peer{Probe: p, Conn: conn, in: newReplies(conn)}, nil
}

// AskFresh makes the exchanges one after the other on a connection of their own.
func AskFresh(p *gate.Probe, exchanges ...Exchange) error {
	c, err := Dial(p)
	if err != nil {
		return err
	}
	defer c.Close()
	return c.Ask(exchanges...)
}

// Ask makes the exchanges one after the other: each request waits for the reply to the one before.
func (c *Peer) Ask(exchanges ...Exchange) error {
	for i := range exchanges {
		if err := c.Send(exchanges[i].Request); err != nil {
			return exchanges[i].blame(err)
		}
		err := c.expect(exchanges, i)
		if err == nil {
			err = c.expectNoMore()
		}
		if err != nil {
			return numbered(err, i, len(exchanges))
		}
	}
	return nil
}

// Pipeline sends all requests in one write, while it checks that the replies come in order.
func (c *Peer) Pipeline(exchanges ...Exchange) error {
	var wire []byte
	for _, x := range exchanges {
		wire = append(wire, x.Request...)
	}
	sent := make(chan error, 1)
	c.Go(func() { sent <- c.Send(wire) })
	if err := c.Expect(exchanges...); err != nil {
		return err
	}
	return <-sent
}

// Expect reads a reply for each exchange, whose requests have been sent, and checks them in order.
func (c *Peer) Expect(exchanges ...Exchange) error {
	for i := range exchanges {
		if err := c.expect(exchanges, i); err != nil {
			return numbered(err, i, len(exchanges))
		}
	}
	return c.expectNoMore()
}

// expectNoMore looks at what came with the last reply.
func (c *Peer) expectNoMore() error {
	if extra := c.in.Buffered(); len(extra) > 0 {
		return gate.Wrong("behind the reply came %s, want nothing: no request was in flight", Quote(extra))
	}
	return nil
}

// AskInPieces makes one exchange whose request is cut after the given bytes, in rising order.
func (c *Peer) AskInPieces(x Exchange, cuts ...int) error {
	from := 0
	for _, cut := range append(cuts, len(x.Request)) {
		if from > 0 {
			c.Pause()
		}
		if err := c.Send(x.Request[from:cut]); err != nil {
			return x.blame(err)
		}
		from = cut
	}
	return c.Expect(x)
}

// expect reads the reply that is owed for exchanges[i]. The others help to say what came instead.
func (c *Peer) expect(exchanges []Exchange, i int) error {
	x := &exchanges[i]
	got, err := c.in.next(x.method())
	if err != nil {
		return x.blame(c.explain(err))
	}
	if err := x.check(got); err != nil {
		if whose := c.whose(got, exchanges, i); whose != "" {
			return x.blame(gate.Wrong("got %s", whose))
		}
		return x.blame(err)
	}
	if got.ends && !x.MayClose {
		return x.blame(gate.Wrong("the server closes the connection after the reply, want it kept open"))
	}
	return nil
}

// tellingBytes is the shortest body that is surely not equal to another one by chance.
const tellingBytes = 5

// whose names the exchange that a reply belongs to when it is not exchanges[i].
func (c *Peer) whose(got *reply, exchanges []Exchange, i int) string {
	if len(got.body) < tellingBytes {
		return ""
	}
	for j := range exchanges {
		switch {
		case exchanges[j].Want.BodyAny || exchanges[j].check(got) != nil || bytes.Equal(exchanges[j].Request, exchanges[i].Request):
		case j < i:
			return fmt.Sprintf("the reply to request %d again", j+1)
		default:
			return fmt.Sprintf("the reply to request %d: out of order", j+1)
		}
	}
	for j := range c.Foreign {
		if c.Foreign[j].check(got) == nil {
			return "the reply to a request of another connection"
		}
	}
	return ""
}

// Refused sends wire, which is no HTTP, ends the stream behind it, and waits for the server to answer
// with no success or to close the connection.
func (c *Peer) Refused(wire []byte) error {
	if c.Send(wire) != nil || c.EndSending() != nil {
		return nil // the server closed it already
	}
	got, err := c.in.next("GET")
	switch {
	case err == nil && got.status < 400:
		return gate.Wrong("status %d, want 4xx or the connection closed", got.status)
	case err == nil, isClosed(err):
		return nil
	}
	return c.explain(err)
}

// explain tells what became of a reply: a failure of the connection, or a reply that is no HTTP.
func (c *Peer) explain(err error) error {
	if fault := (net.Error)(nil); errors.As(err, &fault) || isClosed(err) {
		return c.Explain(err)
	}
	return gate.Wrong("%v", err)
}

func isClosed(err error) bool {
	var op *net.OpError
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &op) && !op.Timeout()
}

func numbered(err error, i, n int) error {
	if n == 1 {
		return err
	}
	return fmt.Errorf("request %d of %d: %w", i+1, n, err)
}
