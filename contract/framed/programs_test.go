package framed

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"dyno/contract/internal/fixture"
)

// readAndEcho is an honest connection that tells how it ended.
func readAndEcho(c *net.TCPConn) (err error) {
	r := bufio.NewReaderSize(&keepError{Reader: c, err: &err}, 64<<10)
	for {
		payload, frameErr := readFrame(r)
		if frameErr == nil {
			_, frameErr = c.Write(frameOf(payload))
		}
		if frameErr != nil {
			if err == nil || err == io.EOF {
				err = frameErr
			}
			return err
		}
	}
}

// keepError remembers the last error of a reader: readFrame reports any end inside a frame alike.
type keepError struct {
	io.Reader
	err *error
}

func (k *keepError) Read(b []byte) (int, error) {
	n, err := k.Reader.Read(b)
	if err != nil {
		*k.err = err
	}
	return n, err
}

// diesOf is honest until a connection ends with an error that is fatal to it.
func diesOf(s *fixture.Server, fatal func(error) bool) fixture.Handler {
	return func(c *net.TCPConn) {
		if err := readAndEcho(c); fatal(err) {
			s.Die()
		}
	}
}

// acceptsLength echoes frames with prefixes of up to five bytes when accept agrees. What is negative
// counts as empty.
func acceptsLength(accept func(length uint32, prefixBytes int) bool) fixture.Handler {
	return func(c *net.TCPConn) {
		r := bufio.NewReaderSize(c, 64<<10)
		for {
			length, prefixBytes := uint32(0), 0
			for more := true; more; prefixBytes++ {
				b, err := r.ReadByte()
				if err != nil || prefixBytes == 5 {
					return
				}
				length |= uint32(b&0x7f) << (7 * prefixBytes)
				more = b >= 0x80
			}
			if !accept(length, prefixBytes) {
				return
			}
			var payload bytes.Buffer
			if _, err := io.CopyN(&payload, r, max(int64(int32(length)), 0)); err != nil {
				return
			}
			c.Write(frameOf(payload.Bytes()))
		}
	}
}

// segmentParser takes for granted that a read returns what was written: a short frame, or only its
// prefix, must lie in one segment. Long frames it gathers rightly.
func segmentParser(wholeFrame bool) fixture.Handler {
	return func(c *net.TCPConn) {
		buf := make([]byte, 1<<20)
		for {
			n, err := c.Read(buf)
			if err != nil {
				return
			}
			r := bufio.NewReader(bytes.NewReader(buf[:n]))
			for {
				length, err := readLength(r)
				if err == errHostile {
					return
				}
				if err != nil {
					break // the head of the next frame is forgotten
				}
				payload := make([]byte, length)
				got, _ := io.ReadFull(r, payload)
				if got < length && wholeFrame && length < 4096 {
					break
				}
				if _, err := io.ReadFull(c, payload[got:]); err != nil {
					return
				}
				if _, err := c.Write(frameOf(payload)); err != nil {
					return
				}
			}
		}
	}
}

// outOfOrder answers every second segment a little later, while it goes on reading.
func outOfOrder(*fixture.Server) fixture.Handler {
	return func(c *net.TCPConn) {
		var pending sync.WaitGroup
		defer pending.Wait()
		r := bufio.NewReaderSize(c, 1<<20)
		for segment := 0; ; segment++ {
			var batch []byte
			for batch == nil || r.Buffered() > 0 {
				payload, err := readFrame(r)
				if err != nil {
					return
				}
				batch = append(batch, frameOf(payload)...)
			}
			if segment%2 == 1 {
				c.Write(batch)
				continue
			}
			pending.Go(func() {
				time.Sleep(time.Millisecond)
				c.Write(batch)
			})
		}
	}
}

// sharedBuffer gathers the frames of all connections in the same place.
func sharedBuffer(*fixture.Server) fixture.Handler {
	var mu sync.Mutex
	var held []byte
	return func(c *net.TCPConn) {
		buf := make([]byte, 64<<10)
		for {
			n, err := c.Read(buf)
			if err != nil {
				return
			}
			mu.Lock()
			held = append(held, buf[:n]...)
			var replies []byte
			for {
				r := bytes.NewReader(held)
				payload, err := readFrame(bufio.NewReaderSize(r, len(held)+16))
				if err != nil {
					break
				}
				replies = append(replies, frameOf(payload)...)
				held = held[len(held)-restOf(held, len(payload)):]
			}
			mu.Unlock()
			if _, err := c.Write(replies); err != nil {
				return
			}
		}
	}
}

// restOf returns how many bytes of held follow its first frame, which has payloadBytes.
func restOf(held []byte, payloadBytes int) int {
	prefixBytes := 1
	for held[prefixBytes-1] >= 0x80 {
		prefixBytes++
	}
	return len(held) - prefixBytes - payloadBytes
}

// dropsBacklog queues 2 MiB of replies for a client that does not read, and drops the rest. What a client
// has just read may still count as queued: two of the largest frames that are exchanged one by one fit.
func dropsBacklog(*fixture.Server) fixture.Handler {
	return func(c *net.TCPConn) {
		const queueBytesMax = 2 << 20
		var queued atomic.Int64
		replies := make(chan []byte, 1<<15)
		var writer sync.WaitGroup
		writer.Go(func() {
			for wire := range replies {
				c.Write(wire)
				queued.Add(-int64(len(wire)))
			}
		})
		defer writer.Wait()
		defer close(replies)
		echo := func(payload []byte) []byte {
			wire := frameOf(payload)
			if queued.Load() < queueBytesMax {
				queued.Add(int64(len(wire)))
				replies <- wire
			}
			return nil
		}
		echoFrames(echo)(c)
	}
}
