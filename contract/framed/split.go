package framed

import "fmt"

// splitFrame cuts frames at every point, in two ways. A head that arrives alone needs a pause, or
// the kernel may join it with its tail. A head that arrives behind a whole frame needs none: the
// reply to that frame shows that the server has read on.
func splitFrame(p probe) error {
	c, err := p.dial()
	if err != nil {
		return err
	}
	const firstBytes, secondBytes = 5, 41 // with their prefixes every cut up to the last byte is tried
	for cut := 1; cut < firstBytes+secondBytes+2; cut++ {
		payloads := [][]byte{p.Bytes(firstBytes), p.Bytes(secondBytes)}
		if err := c.sendSplit(frames(payloads...), cut, payloads...); err != nil {
			return fmt.Errorf("two frames cut after byte %d: %w", cut, err)
		}
	}
	const longestShort = 0x7f // bytes of the longest payload with a prefix of one byte
	for cut := 1; cut <= longestShort; cut++ {
		payload := p.Bytes(longestShort)
		var after [][]byte
		if cut%16 == 0 { // not always: where Nagle's algorithm is on, a second reply comes 40 ms late
			after = p.payloads(2, 1, 50)
		}
		if err := c.sendAcknowledgedSplit(frames(payload), cut, payload, after...); err != nil {
			return fmt.Errorf("frame of %d B behind a whole one, cut after byte %d: %w", len(payload), cut, err)
		}
	}
	return nil
}

// splitPrefix cuts inside length prefixes of two and three bytes, minimal and padded.
func splitPrefix(p probe) error {
	c, err := p.dial()
	if err != nil {
		return err
	}
	for range 3 {
		for _, prefix := range []struct{ bytes, payloadBytes int }{
			{2, p.Between(128, 300)},
			{3, p.Between(1<<14, 1<<14+300)},
			{2, p.Between(1, 100)},
			{3, p.Between(1, 100)},
			{3, p.Between(128, 300)},
		} {
			for cut := 1; cut < prefix.bytes; cut++ {
				payload := p.Bytes(prefix.payloadBytes)
				wire := paddedFrame(payload, prefix.bytes)
				err := c.sendSplit(wire, cut, payload)
				if err == nil {
					err = c.sendAcknowledgedSplit(wire, cut, payload, p.Bytes(pingBytes))
				}
				if err != nil {
					return fmt.Errorf("%d B, prefix of %d bytes cut after byte %d: %w", len(payload), prefix.bytes, cut, err)
				}
			}
		}
	}
	return nil
}

// byteByByte delivers short frames, and one with a longer prefix, in segments of one byte.
func byteByByte(p probe) error {
	c, err := p.dial()
	if err != nil {
		return err
	}
	payloads := [][]byte{p.Bytes(1), p.Bytes(p.Between(2, 9)), p.Bytes(p.Between(128, 140))}
	wire := frames(payloads...)
	for i := range wire {
		if err := c.Send(wire[i : i+1]); err != nil {
			return err
		}
		p.Pause()
	}
	return c.expect(payloads...)
}

// sendSplit sends wire in two segments and checks the replies.
func (c *peer) sendSplit(wire []byte, cut int, payloads ...[]byte) error {
	if err := c.Send(wire[:cut]); err != nil {
		return err
	}
	c.Pause()
	return c.exchange(wire[cut:], payloads...)
}

// sendAcknowledgedSplit sends a whole frame with the head of wire behind it, waits for its reply,
// and then sends the tail, with more whole frames behind.
func (c *peer) sendAcknowledgedSplit(wire []byte, cut int, payload []byte, after ...[]byte) error {
	if err := c.openFrame(wire[:cut]); err != nil {
		return err
	}
	tail := append(wire[cut:len(wire):len(wire)], frames(after...)...)
	return c.exchange(tail, append([][]byte{payload}, after...)...)
}

// openFrame leaves the server with the head of a frame: it has read it when openFrame returns.
func (c *peer) openFrame(head []byte) error {
	before := c.Bytes(pingBytes)
	if err := c.Send(append(frames(before), head...)); err != nil {
		return err
	}
	return c.expect(before)
}
