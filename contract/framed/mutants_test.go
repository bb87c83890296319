package framed

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"dyno/contract/internal/fixture"
)

// mutant is a server that cheats or is broken, and the case that must be the first to say so.
type mutant struct {
	name    string
	caught  string // name of the case
	hangs   bool   // it is caught by waiting in vain
	program func(*fixture.Server) fixture.Handler
}

var mutants = []mutant{
	{"always the same reply", "random-payload", false, func(*fixture.Server) fixture.Handler {
		return echoFrames(func([]byte) []byte { return frameOf([]byte("pong")) })
	}},
	{"hard-coded sizes", "random-payload", true, func(*fixture.Server) fixture.Handler {
		return echoFrames(func(payload []byte) []byte {
			if slices.Contains([]int{8, 16, 32, 64, 128, 256, 512, 1024}, len(payload)) {
				return frameOf(payload)
			}
			return nil
		})
	}},
	{"prefix always of three bytes", "random-payload", false, func(*fixture.Server) fixture.Handler {
		return echoFrames(func(payload []byte) []byte { return paddedFrame(payload, 3) })
	}},
	{"length prefix in network byte order", "random-payload", false, func(*fixture.Server) fixture.Handler {
		return echoFrames(func(payload []byte) []byte {
			return append(binary.BigEndian.AppendUint16(nil, uint16(len(payload))), payload...)
		})
	}},
	{"closes after each reply", "random-payload", false, func(*fixture.Server) fixture.Handler {
		return func(c *net.TCPConn) {
			if payload, err := readFrame(bufio.NewReader(c)); err == nil {
				c.Write(frameOf(payload))
			}
		}
	}},
	{"remembers replies by length", "look-alikes", false, func(*fixture.Server) fixture.Handler {
		var mu sync.Mutex
		known := map[int][]byte{}
		return echoFrames(func(payload []byte) []byte {
			mu.Lock()
			defer mu.Unlock()
			if known[len(payload)] == nil {
				known[len(payload)] = frameOf(payload)
			}
			return known[len(payload)]
		})
	}},
	{"truncates large frames", "sizes", false, func(*fixture.Server) fixture.Handler {
		return echoFrames(func(payload []byte) []byte { return frameOf(payload[:min(len(payload), 1<<16)]) })
	}},
	{"drops partial writes", "sizes", true, func(*fixture.Server) fixture.Handler {
		return func(c *net.TCPConn) {
			c.SetWriteBuffer(4 << 10)
			r := bufio.NewReader(c)
			for {
				payload, err := readFrame(r)
				if err != nil {
					return
				}
				writeOnce(c, frameOf(payload))
			}
		}
	}},
	{"limit off by one", "longest-frame", false, func(*fixture.Server) fixture.Handler {
		return func(c *net.TCPConn) {
			echoFrames(func(payload []byte) []byte {
				if len(payload) == 1<<21-1 {
					c.Close()
				}
				return frameOf(payload)
			})(c)
		}
	}},
	{"first frame of a segment only", "coalesced", true, func(*fixture.Server) fixture.Handler {
		return func(c *net.TCPConn) {
			r := bufio.NewReaderSize(c, 64<<10)
			for {
				payload, err := readFrame(r)
				if err != nil {
					return
				}
				r.Discard(r.Buffered())
				c.Write(frameOf(payload))
			}
		}
	}},
	{"last frame of a segment first", "coalesced", false, func(*fixture.Server) fixture.Handler {
		return func(c *net.TCPConn) {
			r := bufio.NewReaderSize(c, 64<<10)
			for {
				var batch []byte
				for batch == nil || r.Buffered() > 0 {
					payload, err := readFrame(r)
					if err != nil {
						return
					}
					batch = append(frameOf(payload), batch...)
				}
				c.Write(batch)
			}
		}
	}},
	{"a worker for each segment", "pipelined", false, outOfOrder},
	{"echo of raw bytes", "padded-length", false, func(*fixture.Server) fixture.Handler {
		return func(c *net.TCPConn) { io.Copy(c, c) }
	}},
	{"refuses padded lengths", "padded-length", false, func(*fixture.Server) fixture.Handler {
		return func(c *net.TCPConn) {
			r := bufio.NewReaderSize(c, 64<<10)
			for {
				start, _ := r.Peek(1)
				if len(start) == 1 && start[0] >= 0x80 {
					if prefix, _ := r.Peek(2); len(prefix) == 2 && prefix[1] == 0 {
						return
					}
				}
				payload, err := readFrame(r)
				if err != nil {
					return
				}
				c.Write(frameOf(payload))
			}
		}
	}},
	{"ignores split frames", "split-frame", true, func(*fixture.Server) fixture.Handler { return segmentParser(true) }},
	{"holds replies back for half a frame", "split-frame", true, func(*fixture.Server) fixture.Handler {
		return func(c *net.TCPConn) {
			r, w := bufio.NewReaderSize(c, 64<<10), bufio.NewWriterSize(c, 64<<10)
			for {
				payload, err := readFrame(r)
				if err != nil {
					return
				}
				w.Write(frameOf(payload))
				if r.Buffered() == 0 {
					w.Flush()
				}
			}
		}
	}},
	{"needs the prefix in one segment", "split-prefix", true, func(*fixture.Server) fixture.Handler { return segmentParser(false) }},
	{"gives up on frames in many segments", "byte-by-byte", false, func(*fixture.Server) fixture.Handler {
		return func(c *net.TCPConn) {
			reads := 0
			r := bufio.NewReaderSize(readAfter(c, func() error { reads++; return nil }), 64<<10)
			for {
				reads = 0
				payload, err := readFrame(r)
				if err != nil || len(payload) < 4096 && reads > 20 {
					return
				}
				c.Write(frameOf(payload))
			}
		}
	}},
	{"one buffer for all connections", "interleaved", true, sharedBuffer},
	{"answers on the newest connection", "interleaved", true, func(*fixture.Server) fixture.Handler {
		var newest atomic.Pointer[net.TCPConn]
		return func(c *net.TCPConn) {
			newest.Store(c)
			r := bufio.NewReaderSize(c, 64<<10)
			for {
				payload, err := readFrame(r)
				if err != nil {
					return
				}
				newest.Load().Write(frameOf(payload))
			}
		}
	}},
	{"one connection at a time", "interleaved", true, func(*fixture.Server) fixture.Handler {
		var mu sync.Mutex
		return func(c *net.TCPConn) {
			mu.Lock()
			defer mu.Unlock()
			echoFrames(frameOf)(c)
		}
	}},
	{"at most 32 connections", "many-connections", false, func(s *fixture.Server) fixture.Handler {
		return func(c *net.TCPConn) {
			if s.Open() <= 32 {
				echoFrames(frameOf)(c)
			}
		}
	}},
	{"right for 10,000 frames", "many-frames", false, func(*fixture.Server) fixture.Handler {
		return func(c *net.TCPConn) {
			count := 0
			echoFrames(func(payload []byte) []byte {
				if count++; count > 10_000 {
					payload[len(payload)-1]++
				}
				return frameOf(payload)
			})(c)
		}
	}},
	{"drops what a slow client does not take", "slow-reader", true, dropsBacklog},
	{"closes at half-close without flushing", "half-close", false, func(*fixture.Server) fixture.Handler {
		return func(c *net.TCPConn) {
			replies := make(chan []byte, 1024)
			defer close(replies)
			go func() {
				for wire := range replies {
					if len(replies) == 0 {
						time.Sleep(time.Millisecond)
					}
					c.Write(wire)
				}
			}()
			r := bufio.NewReaderSize(c, 64<<10)
			for {
				payload, err := readFrame(r)
				if err != nil {
					c.Close()
					return
				}
				replies <- frameOf(payload)
			}
		}
	}},
	{"never closes after half-close", "half-close", true, func(s *fixture.Server) fixture.Handler {
		return func(c *net.TCPConn) {
			r := bufio.NewReaderSize(c, 64<<10)
			for {
				payload, err := readFrame(r)
				if err == io.EOF {
					fixture.WaitForEnd(c)
				}
				if err != nil {
					return
				}
				c.Write(frameOf(payload))
			}
		}
	}},
	{"passes bytes on before it has the frame", "truncated-frame", false, func(*fixture.Server) fixture.Handler {
		return func(c *net.TCPConn) {
			r := bufio.NewReaderSize(c, 64<<10)
			for {
				length, err := readLength(r)
				if err != nil {
					return
				}
				prefix := frameOf(make([]byte, length))
				c.Write(prefix[:len(prefix)-length])
				if _, err := io.CopyN(c, r, int64(length)); err != nil {
					return
				}
			}
		}
	}},
	{"dies of a truncated frame", "truncated-frame", false, func(s *fixture.Server) fixture.Handler {
		return diesOf(s, func(err error) bool { return err == io.ErrUnexpectedEOF })
	}},
	{"accepts any length", "zero-length", false, func(*fixture.Server) fixture.Handler { return acceptsLength(func(uint32, int) bool { return true }) }},
	{"waits after a hostile length", "zero-length", true, func(*fixture.Server) fixture.Handler {
		return func(c *net.TCPConn) {
			if err := readAndEcho(c); err == errHostile {
				fixture.WaitForEnd(c)
			}
		}
	}},
	{"closes all connections for a bad one", "zero-length", false, func(s *fixture.Server) fixture.Handler {
		return func(c *net.TCPConn) {
			if err := readAndEcho(c); err == errHostile {
				s.CloseAll()
			}
		}
	}},
	{"dies of a hostile length", "zero-length", false, func(s *fixture.Server) fixture.Handler {
		return diesOf(s, func(err error) bool { return err == errHostile })
	}},
	{"checks the first length only", "zero-length", false, func(s *fixture.Server) fixture.Handler {
		return func(c *net.TCPConn) {
			first := true
			acceptsLength(func(length uint32, prefixBytes int) bool {
				ok := !first || length > 0 && prefixBytes <= 3
				first = false
				return ok
			})(c)
		}
	}},
	{"takes a negative length for none", "negative-length", false, func(*fixture.Server) fixture.Handler {
		return acceptsLength(func(length uint32, prefixBytes int) bool {
			return int32(length) < 0 || length > 0 && prefixBytes <= 3
		})
	}},
	{"accepts prefixes of five bytes", "over-long-length", false, func(*fixture.Server) fixture.Handler {
		return acceptsLength(func(length uint32, prefixBytes int) bool { return length > 0 && length < 1<<21 })
	}},
	{"accepts large lengths", "too-large-length", true, func(*fixture.Server) fixture.Handler {
		return acceptsLength(func(length uint32, prefixBytes int) bool {
			return int32(length) > 0 && (prefixBytes <= 3 || length >= 1<<21)
		})
	}},
	{"dies of a reset", "reset", false, func(s *fixture.Server) fixture.Handler {
		return diesOf(s, func(err error) bool {
			return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
		})
	}},
}
