package framed

import (
	"fmt"
	"slices"

	"dyno/mpacket"
)

func zeroLength(p probe) error {
	return p.refused([]byte{0}, paddedVarInt(0, 2), paddedVarInt(0, 3))
}

func negativeLength(p probe) error {
	return p.refused(
		mpacket.AppendVarInt(nil, -1),
		mpacket.AppendVarInt(nil, -1<<31),
		mpacket.AppendVarInt(nil, int32(-p.Between(2, 1<<30))),
	)
}

// overLongLength pads lengths that would be legal past three bytes, and never ends one.
func overLongLength(p probe) error {
	endless := p.Bytes(64)
	for i := range endless {
		endless[i] |= 0x80
	}
	return p.refused(paddedVarInt(1, 4), paddedVarInt(uint32(p.Between(1, 1000)), 5), paddedVarInt(pingBytes, 6), endless)
}

func tooLargeLength(p probe) error {
	return p.refused(
		mpacket.AppendVarInt(nil, mpacket.MaxFrameLen+1),
		mpacket.AppendVarInt(nil, int32(p.Between(mpacket.MaxFrameLen+2, 1<<30))),
		mpacket.AppendVarInt(nil, 1<<31-1),
	)
}

// refused checks that each of the prefixes gets its connection closed without an answer, wherever
// it stands, and that nobody else notices.
func (p probe) refused(prefixes ...[]byte) error {
	other, err := p.bystander()
	if err != nil {
		return err
	}
	places := []struct {
		name string
		send func(c *peer, hostile []byte) error
	}{
		{"at the start of the stream", func(c *peer, hostile []byte) error { return c.Send(hostile) }},
		{"after a good frame", (*peer).sendLater},
		{"in segments of one byte", (*peer).trickle},
	}
	for _, prefix := range prefixes {
		for _, place := range places {
			if err := p.refusedOnce(prefix, place.send); err != nil {
				return fmt.Errorf("length % x %s: %w", prefix[:min(8, len(prefix))], place.name, err)
			}
		}
	}
	return other.unharmed()
}

func (p probe) refusedOnce(prefix []byte, send func(c *peer, hostile []byte) error) error {
	c, err := p.dial()
	if err != nil {
		return err
	}
	// The good frame behind it shows whether the server goes on reading as if nothing was.
	if err := send(c, append(slices.Clip(prefix), frames(p.Bytes(pingBytes))...)); err != nil {
		return err
	}
	return c.expectClosed()
}

// sendLater sends hostile on a connection that has been served already.
func (c *peer) sendLater(hostile []byte) error {
	if err := c.roundTrip(c.Bytes(pingBytes)); err != nil {
		return err
	}
	return c.Send(hostile)
}

// trickle sends the first bytes of hostile one by one: enough for any length to be seen whole. The
// server may close the connection before the last one.
func (c *peer) trickle(hostile []byte) error {
	for i := range min(8, len(hostile)) {
		if c.Send(hostile[i:i+1]) != nil {
			return nil
		}
		c.Pause()
	}
	return nil
}
