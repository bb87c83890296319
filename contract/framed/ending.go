package framed

import (
	"bufio"
	"fmt"
	"sync/atomic"
	"time"
)

const (
	// owedBytes is more than what the kernel's socket buffers hold when the client reads nothing, so
	// that the server itself must keep the rest.
	owedBytes = 8 << 20

	// receiveBytes keeps the client's own buffer small, for the same reason. Much smaller buffers
	// make loopback TCP, with its segments of 64 KiB, wait for timers.
	receiveBytes = 128 << 10
)

// slowReader lets replies pile up until the server takes nothing more, then reads them in drips,
// then at full speed.
func slowReader(p probe) error {
	c, err := p.dial()
	if err != nil {
		return err
	}
	c.SetReadBuffer(receiveBytes)
	payloads := p.bulk(owedBytes)
	sent := c.pileUp(frames(payloads...))
	c.in = bufio.NewReaderSize(&drip{peer: c, left: 64}, 8<<10)
	if err := c.expect(payloads...); err != nil {
		return err
	}
	if err := <-sent; err != nil {
		return err
	}
	return c.roundTrip(p.Bytes(pingBytes))
}

// halfClose ends the stream with nothing owed, with a few replies owed, and with more owed than the
// kernel holds.
func halfClose(p probe) error {
	for _, owed := range []struct {
		name     string
		payloads [][]byte
	}{
		{"no frame", nil},
		{"one frame", p.payloads(1, 1, 100)},
		{"50 frames", p.payloads(50, 1, 1000)},
		{"8 MiB owed", p.bulk(owedBytes)},
	} {
		if err := p.halfCloseAfter(owed.payloads); err != nil {
			return fmt.Errorf("end of stream after %s: %w", owed.name, err)
		}
	}
	return nil
}

func (p probe) halfCloseAfter(payloads [][]byte) error {
	c, err := p.dial()
	if err != nil {
		return err
	}
	c.SetReadBuffer(receiveBytes)
	sent := c.pileUp(frames(payloads...), c.EndSending)
	if err := c.expect(payloads...); err != nil {
		return err
	}
	if err := <-sent; err != nil {
		return err
	}
	return c.expectEnd()
}

// pileUp starts to send wire, and then what follows it, without reading. It returns as soon as all
// is sent or nothing more is taken; the channel tells how the sending ended.
func (c *peer) pileUp(wire []byte, then ...func() error) (sent <-chan error) {
	const pieceBytes, tick, patience = 64 << 10, 2 * time.Millisecond, 10
	var progress atomic.Int64
	result := make(chan error, 1)
	c.Go(func() {
		var err error
		for from := 0; from < len(wire) && err == nil; from += pieceBytes {
			err = c.Send(wire[from:min(from+pieceBytes, len(wire))])
			progress.Add(1)
		}
		for _, next := range then {
			if err == nil {
				err = next()
			}
		}
		result <- err
	})
	last, idle := int64(0), 0
	for idle < patience && len(result) == 0 {
		time.Sleep(tick)
		now := progress.Load()
		if idle++; now != last {
			last, idle = now, 0
		}
	}
	return result
}

// drip reads a little at a time, with rests, until left is used up.
type drip struct {
	*peer
	left int
}

func (d *drip) Read(b []byte) (int, error) {
	if d.left > 0 {
		d.left--
		d.Pause()
		b = b[:min(len(b), 4<<10)]
	}
	return d.Conn.Read(b)
}

// truncatedFrame ends the stream inside a frame, which then must not be answered, not even in part:
// a server that passes bytes on before it has the frame does not decode frames.
func truncatedFrame(p probe) error {
	other, err := p.bystander()
	if err != nil {
		return err
	}
	payload := p.Bytes(p.Between(300, 400))
	wire := frames(payload)
	for _, cut := range []int{1, 2, 3, len(wire) / 2, len(wire) - 1} {
		c, err := p.dial()
		if err != nil {
			return err
		}
		err = c.openFrame(wire[:cut])
		if err == nil {
			err = c.EndSending()
		}
		if err == nil {
			err = c.expectClosed()
		}
		if err != nil {
			return fmt.Errorf("frame of %d B ended after byte %d: %w", len(payload), cut, err)
		}
	}
	return other.unharmed()
}

// reset closes connections with RST at every stage of a frame's life.
func reset(p probe) error {
	other, err := p.bystander()
	if err != nil {
		return err
	}
	large := frames(p.Bytes(1 << 20))
	small := frames(p.Bytes(p.Between(300, 400)))
	err = p.AbortAll(3, nil, small[:1], small[:len(small)/2], small, large[:len(large)/2], large)
	if err != nil {
		return err
	}
	return other.unharmed()
}
