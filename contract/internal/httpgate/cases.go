package httpgate

import (
	"bytes"
	"fmt"
	"slices"

	"dyno/contract/internal/gate"
)

// The checks of this file are the same for every contract: how requests arrive, not what they ask.
// requests(n) makes n exchanges with new values.

// PipelineDepth is the deepest pipeline of the seeds (autocannon -p 50).
const PipelineDepth = 50

// Pipelined keeps many requests in flight, in several rounds on one connection.
func Pipelined(p *gate.Probe, requests func(n int) []Exchange) error {
	c, err := Dial(p)
	if err != nil {
		return err
	}
	for range 4 {
		if err := c.Pipeline(requests(PipelineDepth)...); err != nil {
			return err
		}
	}
	return nil
}

// SplitHead cuts the head of a request between any two of its bytes, then sends heads byte by byte.
func SplitHead(p *gate.Probe, requests func(n int) []Exchange) error {
	c, err := Dial(p)
	if err != nil {
		return err
	}
	x := longestHead(requests(8))
	for cut := 1; cut < headBytes(x.Request); cut++ {
		if err := c.AskInPieces(x, cut); err != nil {
			return fmt.Errorf("cut after byte %d of %d: %w", cut, len(x.Request), err)
		}
	}
	for _, x := range requests(2) {
		var cuts []int
		for cut := 1; cut < headBytes(x.Request); cut++ {
			cuts = append(cuts, cut)
		}
		if err := c.AskInPieces(x, cuts...); err != nil {
			return fmt.Errorf("head in segments of one byte: %w", err)
		}
	}
	return nil
}

func longestHead(exchanges []Exchange) Exchange {
	return slices.MaxFunc(exchanges, func(a, b Exchange) int { return headBytes(a.Request) - headBytes(b.Request) })
}

func headBytes(request []byte) int { return bytes.Index(request, []byte("\r\n\r\n")) + 4 }

// SplitBody cuts bodies: behind the head, so that they come alone, and at random, characters of
// several bytes included. Each body must have at least four bytes.
func SplitBody(p *gate.Probe, requests func(n int) []Exchange) error {
	c, err := Dial(p)
	if err != nil {
		return err
	}
	for round, x := range requests(24) {
		head := headBytes(x.Request)
		cuts := []int{head}
		if round%4 > 0 {
			first := p.Between(head+1, len(x.Request)-2)
			cuts = []int{first, p.Between(first+1, len(x.Request)-1)}
		}
		if err := c.AskInPieces(x, cuts...); err != nil {
			return fmt.Errorf("cut after byte %d of %d: %w", cuts[0], len(x.Request), err)
		}
	}
	return nil
}

// Interleaved gives two connections half requests in turn. A server that gathers requests in a
// shared place, or answers on the wrong connection, mixes them up.
func Interleaved(p *gate.Probe, requests func(n int) []Exchange) error {
	a, err := Dial(p)
	if err != nil {
		return err
	}
	b, err := Dial(p)
	if err != nil {
		return err
	}
	for round := range 16 {
		one, two := requests(1), requests(1)
		a.Foreign, b.Foreign = two, one
		if err := a.interleave(b, one[0], two[0]); err != nil {
			return fmt.Errorf("round %d: %w", round+1, err)
		}
	}
	return nil
}

// interleave makes two exchanges at once: the heads of x and y go out on c and other, then the tails
// the other way round.
func (c *Peer) interleave(other *Peer, x, y Exchange) error {
	cutX, cutY := c.Between(1, len(x.Request)-1), c.Between(1, len(y.Request)-1)
	for _, step := range []struct {
		peer *Peer
		send []byte
		want []Exchange
		name string
	}{
		{c, x.Request[:cutX], nil, "first connection, half a request"},
		{other, y.Request[:cutY], nil, "second connection, half a request"},
		{other, y.Request[cutY:], []Exchange{y}, "second connection"},
		{c, x.Request[cutX:], []Exchange{x}, "first connection"},
	} {
		err := step.peer.Send(step.send)
		if err == nil {
			c.Pause()
			err = step.peer.Expect(step.want...)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
	}
	return nil
}

// ManyConnections opens all connections before it uses any, and uses all of them at once.
func ManyConnections(p *gate.Probe, requests func(n int) []Exchange) error {
	const count, requestsEach = 64, 12
	var peers [count]*Peer
	var exchanges [count][]Exchange
	for i := range peers {
		c, err := Dial(p)
		if err != nil {
			return fmt.Errorf("connection %d of %d: %w", i+1, count, err)
		}
		peers[i], exchanges[i] = c, requests(requestsEach)
	}
	return p.Together(count, func(i int) error {
		peers[i].Foreign = exchanges[(i+1)%count]
		if err := peers[i].Ask(exchanges[i]...); err != nil {
			return fmt.Errorf("connection %d of %d: %w", i+1, count, err)
		}
		return nil
	})
}

// ManyRequests outlasts servers that are right for a while only.
func ManyRequests(p *gate.Probe, requests func(n int) []Exchange) error {
	const count, batch = 2000, 20
	c, err := Dial(p)
	if err != nil {
		return err
	}
	for done := 0; done < count; done += batch {
		if err := c.Pipeline(requests(batch)...); err != nil {
			return fmt.Errorf("after %d requests: %w", done, err)
		}
	}
	return nil
}

// Aborted closes connections with RST at every stage of the life of two requests.
func Aborted(p *gate.Probe, small, large Exchange) error {
	err := p.AbortAll(2, nil, small.Request[:1], small.Request[:len(small.Request)/2], small.Request,
		large.Request[:len(large.Request)/2], large.Request)
	if err != nil {
		return err
	}
	return p.Others()
}
