package framed

import "fmt"

// interleaved gives two connections half frames in turn. A server that gathers frames in a shared
// buffer, or answers on the wrong connection, mixes them up.
func interleaved(p probe) error {
	a, err := p.dial()
	if err != nil {
		return err
	}
	b, err := p.dial()
	if err != nil {
		return err
	}
	for round := range 32 {
		ours, theirs := p.payloads(2, 20, 300), p.payloads(2, 20, 300)
		a.foreign, b.foreign = theirs, ours
		if err := a.interleave(b, ours, theirs); err != nil {
			return fmt.Errorf("round %d: %w", round+1, err)
		}
	}
	return nil
}

// interleave makes one round: heads on a and b, then tails on b and a.
func (c *peer) interleave(b *peer, ours, theirs [][]byte) error {
	wireA, wireB := frames(ours...), frames(theirs...)
	// The cuts lie inside the second frames, so that the reply to the first shows that the head of
	// the second was read.
	cutA := len(wireA) - c.Between(1, len(ours[1]))
	cutB := len(wireB) - c.Between(1, len(theirs[1]))
	for _, step := range []struct {
		peer *peer
		send []byte
		want []byte
		name string
	}{
		{c, wireA[:cutA], ours[0], "first connection, whole frame"},
		{b, wireB[:cutB], theirs[0], "second connection, whole frame"},
		{b, wireB[cutB:], theirs[1], "second connection, split frame"},
		{c, wireA[cutA:], ours[1], "first connection, split frame"},
	} {
		err := step.peer.Send(step.send)
		if err == nil {
			err = step.peer.expect(step.want)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
	}
	return nil
}

// manyConnections opens all connections before it uses any, and uses all of them at once, twice.
func manyConnections(p probe) error {
	const count, framesEach = 64, 32
	peers := make([]*peer, count)
	payloads := make([][][]byte, count)
	for i := range peers {
		c, err := p.dial()
		if err != nil {
			return fmt.Errorf("connection %d of %d: %w", i+1, count, err)
		}
		peers[i] = c
		payloads[i] = p.payloads(2*framesEach, 1, 2048)
	}
	return p.Together(count, func(i int) error {
		for _, half := range [][][]byte{payloads[i][:framesEach], payloads[i][framesEach:]} {
			if err := peers[i].exchange(frames(half...), half...); err != nil {
				return fmt.Errorf("connection %d of %d: %w", i+1, count, err)
			}
		}
		return nil
	})
}

// bystander is a connection that must not notice what happens to others. It is opened before, and
// has half a frame on its way.
type bystander struct {
	*peer
	owed []byte // payload of the frame that is on its way
	tail []byte // what is still to be sent of that frame
}

func (p probe) bystander() (*bystander, error) {
	c, err := p.dial()
	if err != nil {
		return nil, err
	}
	payload := p.Bytes(p.Between(200, 300))
	wire := frames(payload)
	cut := p.Between(1, len(wire)-1)
	return &bystander{c, payload, wire[cut:]}, c.openFrame(wire[:cut])
}

// unharmed checks that the bystander, and connections opened since, are still served. It looks
// more than once, so that a server that dies a little later is seen too.
func (b *bystander) unharmed() error {
	err := b.exchange(b.tail, b.owed)
	if err == nil {
		b.Pause()
		err = b.roundTrip(b.Bytes(pingBytes))
	}
	if err != nil {
		return fmt.Errorf("another connection, opened before: %w", err)
	}
	for range 2 {
		b.Pause()
		if err := b.fresh(); err != nil {
			return fmt.Errorf("another connection, opened after: %w", err)
		}
	}
	return nil
}
