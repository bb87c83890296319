package framed

import (
	"fmt"

	"dyno/mpacket"
)

// randomPayload sends frames one at a time. Their lengths all differ and are spread over 1 to
// 2,048 B, so that no list of expected sizes covers them.
func randomPayload(p probe) error {
	const count, stepBytes = 64, 32
	c, err := p.dial()
	if err != nil {
		return err
	}
	for i, step := range p.Perm(count) {
		payload := p.Bytes(step*stepBytes + p.Between(1, stepBytes))
		if err := c.roundTrip(payload); err != nil {
			return fmt.Errorf("exchange %d of %d: %w", i+1, count, err)
		}
	}
	return nil
}

// lookAlikes catches replies remembered by length, by first bytes or by a sample of the payload.
func lookAlikes(p probe) error {
	c, err := p.dial()
	if err != nil {
		return err
	}
	for _, n := range []int{p.Between(2, 16), p.Between(100, 127), p.Between(500, 1500)} {
		payload := p.Bytes(n)
		for _, at := range []int{0, n - 1, n / 2, p.IntN(n), p.IntN(n), p.IntN(n)} {
			payload[at] ^= byte(p.Between(1, 255))
			if err := c.roundTrip(payload); err != nil {
				return fmt.Errorf("%d B, byte %d changed: %w", n, at, err)
			}
		}
	}
	return nil
}

// sizes walks over the borders at which prefixes grow and buffers end.
func sizes(p probe) error {
	c, err := p.dial()
	if err != nil {
		return err
	}
	lengths := []int{
		1, 2, 3, 126, 127, 128, 129, 255, 256, 257, 1023, 1024, 1025,
		1<<12 - 3, 1 << 12, 1<<12 + 1, 1<<14 - 1, 1 << 14, 1<<14 + 1,
		1<<16 - 3, 1<<16 - 1, 1 << 16, 1<<16 + 1, 1<<18 + 1, 1<<20 - 1, 1 << 20,
	}
	for _, low := range []int{1 << 11, 1 << 13, 1 << 15, 1 << 17, 1 << 19} {
		lengths = append(lengths, p.Between(low, 2*low))
	}
	for _, n := range lengths {
		payload := p.Bytes(n)
		if err := c.exchange(frames(payload), payload); err != nil {
			return fmt.Errorf("%d B: %w", n, err)
		}
	}
	return nil
}

func longestFrame(p probe) error {
	c, err := p.dial()
	if err != nil {
		return err
	}
	payload := p.Bytes(mpacket.MaxFrameLen)
	return c.exchange(frames(payload), payload)
}

// paddedLength is what an echo of raw bytes cannot pass.
func paddedLength(p probe) error {
	c, err := p.dial()
	if err != nil {
		return err
	}
	for _, pad := range []struct{ prefixBytes, lowBytes, highBytes int }{
		{2, 1, 127}, {3, 1, 127}, {3, 128, 16383},
	} {
		for range 8 {
			before, payload, after := p.Bytes(pingBytes), p.Bytes(p.Between(pad.lowBytes, pad.highBytes)), p.Bytes(pingBytes)
			wire := append(frames(before), paddedFrame(payload, pad.prefixBytes)...)
			wire = append(wire, frames(after)...)
			if err := c.exchange(wire, before, payload, after); err != nil {
				return fmt.Errorf("%d B padded to a prefix of %d bytes: %w", len(payload), pad.prefixBytes, err)
			}
		}
	}
	return nil
}

// coalesced sends groups of frames, each group in one write that fits one loopback segment.
func coalesced(p probe) error {
	c, err := p.dial()
	if err != nil {
		return err
	}
	for _, group := range []struct{ count, lowBytes, highBytes int }{
		{2, 1, 64}, {10, 1, 100}, {500, 1, 60}, {100, 100, 300},
	} {
		payloads := p.payloads(group.count, group.lowBytes, group.highBytes)
		if err := c.exchange(frames(payloads...), payloads...); err != nil {
			return fmt.Errorf("%d frames in one segment: %w", group.count, err)
		}
	}
	return nil
}

// pipelined keeps the deepest pipeline that the engine drives full: a new frame for each reply.
func pipelined(p probe) error {
	c, err := p.dial()
	if err != nil {
		return err
	}
	payloads := p.payloads(8*depthMax, 1, 1024)
	for i, payload := range payloads {
		if err := c.Send(frames(payload)); err != nil {
			return err
		}
		if i < depthMax {
			continue
		}
		if err := c.expectFrame(payloads, i-depthMax); err != nil {
			return err
		}
	}
	for i := len(payloads) - depthMax; i < len(payloads); i++ {
		if err := c.expectFrame(payloads, i); err != nil {
			return err
		}
	}
	return nil
}

// manyFrames outlasts servers that are right for a while only.
func manyFrames(p probe) error {
	c, err := p.dial()
	if err != nil {
		return err
	}
	payloads := p.payloads(20_000, 1, 64)
	return c.exchange(frames(payloads...), payloads...)
}
