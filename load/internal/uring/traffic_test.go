package uring

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// echoInPieces sends back what it reads, cut at random places.
func echoInPieces(peer *net.TCPConn, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 0))
	in := make([]byte, 32<<10)
	for {
		n, err := peer.Read(in[:1+rng.IntN(len(in))])
		if err != nil {
			return
		}
		for b := in[:n]; len(b) > 0; {
			k := 1 + rng.IntN(len(b))
			if _, err := peer.Write(b[:k]); err != nil {
				return
			}
			b = b[k:]
		}
	}
}

// TestEcho sends random messages on many connections, several in one batch, and compares the streams
// that come back. Rings that are too small in every respect must do it as well as large ones.
func TestEcho(t *testing.T) {
	for _, test := range []struct {
		name        string
		cfg         Config
		connections int
		bytes       int // of each stream
		messageMax  int
	}{
		{"roomy", Config{}, 64, 60_000, 8_000},
		{"one connection", Config{}, 1, 1_000_000, 100_000},
		{"two small buffers", Config{Buffers: 2, BufferBytes: 64}, 16, 10_000, 3_000},
		{"one entry", Config{Entries: 1}, 16, 50_000, 3_000},
		{"completions overflow", Config{Buffers: 64, BufferBytes: 128, completions: 2, Entries: 1}, 16, 6_000, 3_000},
		{"messages beyond the arena", Config{}, 2, 4 << 20, 2 << 20},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.cfg.Files = test.connections
			r := newTestRing(t, test.cfg)
			var echoes sync.WaitGroup
			defer echoes.Wait()
			streams := make([][]byte, test.connections)
			sent, seen := make([]int, test.connections), make([]int, test.connections)
			rng := rand.New(rand.NewPCG(1, 2))
			fill := func(slot int) {
				for range 2 {
					if r.Sending(slot) || sent[slot] == test.bytes {
						return
					}
					n := min(1+rng.IntN(test.messageMax), test.bytes-sent[slot])
					r.Send(slot, streams[slot][sent[slot]:sent[slot]+n])
					sent[slot] += n
				}
			}
			for slot := range streams {
				streams[slot] = noise(rng, test.bytes)
				peer := tcpPair(t, r, slot)
				echoes.Go(func() { echoInPieces(peer, uint64(slot)) })
				r.Receive(slot)
				fill(slot)
			}
			complete := 0
			drive(t, r, func(c *Completion) {
				switch c.Kind {
				case Received:
					if want := streams[c.Slot][seen[c.Slot]:]; !bytes.HasPrefix(want, c.Data) {
						t.Fatalf("slot %d: wrong bytes from %d on", c.Slot, seen[c.Slot])
					}
					if seen[c.Slot] += len(c.Data); seen[c.Slot] == test.bytes {
						complete++
					}
				case Ended:
					t.Fatalf("slot %d ended: %v", c.Slot, c.Err)
				}
				if c.Err != nil {
					t.Fatalf("slot %d: %v: %v", c.Slot, c.Kind, c.Err)
				}
				fill(c.Slot)
			}, func() bool { return complete == test.connections })
			for slot := range streams {
				r.Detach(slot)
			}
		})
	}
}

// TestSlowReader sends far more than the socket takes, and goes on sending while it is blocked.
func TestSlowReader(t *testing.T) {
	r := newTestRing(t, Config{Files: 2})
	peer, neighbour := tcpPair(t, r, 0), tcpPair(t, r, 1)
	rng := rand.New(rand.NewPCG(3, 4))
	want := noise(rng, 9<<20)
	r.Send(0, want[:8<<20])
	r.Flush()
	if !r.Sending(0) {
		t.Skip("the kernel buffers 8 MiB for a connection; nothing blocks")
	}
	for at := 8 << 20; at < len(want); at += 1 << 17 { // some before the rest flies, some behind it
		r.Send(0, want[at:at+1<<17])
		if _, err := r.Poll(); err != nil {
			t.Fatal(err)
		}
	}
	r.Send(1, []byte("passes"))
	r.Flush()
	if b := make([]byte, 6); read(t, neighbour, b) != "passes" {
		t.Error("a blocked connection holds up another")
	}
	arrived := make(chan []byte)
	go func() {
		b, err := io.ReadAll(peer)
		if err != nil {
			t.Error(err)
		}
		arrived <- b
	}()
	if c := next(t, r); c.Slot != 0 || c.Kind != Sent || c.Err != nil || r.Sending(0) {
		t.Errorf("after the reader caught up: %+v", c)
	}
	r.Detach(0)
	if !bytes.Equal(<-arrived, want) {
		t.Error("wrong bytes arrived")
	}
}

func read(t *testing.T, from io.Reader, b []byte) string {
	t.Helper()
	n, err := io.ReadFull(from, b)
	if err != nil {
		t.Error(err)
	}
	return string(b[:n])
}

func TestReset(t *testing.T) {
	r := newTestRing(t, Config{Files: 1})
	peer := tcpPair(t, r, 0)
	r.Receive(0)
	r.Poll()
	peer.SetLinger(0)
	peer.Close()
	if c := next(t, r); c.Kind != Ended || c.Err != unix.ECONNRESET {
		t.Errorf("after a reset: %+v", c)
	}
	r.Send(0, []byte("into the void"))
	if c := next(t, r); c.Kind != Sent || c.Err != unix.EPIPE {
		t.Errorf("sending after a reset: %+v", c)
	}
}

func TestResetOfABlockedSend(t *testing.T) {
	r := newTestRing(t, Config{Files: 1})
	peer := tcpPair(t, r, 0)
	r.Send(0, make([]byte, 32<<20))
	r.Flush()
	r.Send(0, make([]byte, 1<<20))
	if !r.Sending(0) {
		t.Skip("the kernel buffers 32 MiB for a connection; nothing blocks")
	}
	peer.SetLinger(0)
	peer.Close()
	if c := next(t, r); c.Kind != Sent || c.Err == nil || r.Sending(0) {
		t.Errorf("after a reset: %+v, still sending: %v", c, r.Sending(0))
	}
}

func TestHalfClose(t *testing.T) {
	r := newTestRing(t, Config{Files: 1})
	peer := tcpPair(t, r, 0)
	r.Receive(0)
	peer.Write([]byte("last words"))
	peer.CloseWrite()
	var heard []byte
	ended := false
	drive(t, r, func(c *Completion) {
		heard = append(heard, c.Data...)
		if c.Kind == Ended {
			ended = true
			if c.Err != nil {
				t.Errorf("end of stream: %v", c.Err)
			}
		}
	}, func() bool { return ended })
	if string(heard) != "last words" {
		t.Errorf("heard %q", heard)
	}
	r.Send(0, []byte("still here"))
	r.Flush()
	if got := read(t, peer, make([]byte, 10)); got != "still here" {
		t.Errorf("the peer got %q", got)
	}
	r.Detach(0)
	if _, err := peer.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("after Detach the peer reads %v, want the end of the stream", err)
	}
}

func TestDetachLetsOutWhatWasSent(t *testing.T) {
	r := newTestRing(t, Config{Files: 1})
	peer := tcpPair(t, r, 0)
	r.Send(0, []byte("good"))
	r.Send(0, []byte("bye"))
	r.Detach(0)
	r.Send(0, []byte("to nobody"))
	if b, err := io.ReadAll(peer); err != nil || string(b) != "goodbye" {
		t.Errorf("the peer got %q, %v", b, err)
	}
}

// TestSlotReuse replaces the sockets of a few slots again and again, at moments when completions of the
// old ones are in the kernel, in the backlog, or about to be made. No slot may ever hear a stranger.
func TestSlotReuse(t *testing.T) {
	const slots, lives = 4, 200
	r := newTestRing(t, Config{Files: slots, Buffers: 8, BufferBytes: 32})
	rng := rand.New(rand.NewPCG(5, 6))
	var name [slots]byte
	var peers [slots]int
	for i := range slots {
		peers[i] = -1
	}
	life := 0
	reborn := func(slot int) {
		r.Detach(slot)
		life++
		name[slot] = byte(life)
		peers[slot] = socketPair(t, r, slot)
		if rng.IntN(8) > 0 {
			r.Receive(slot)
		}
	}
	for i := range slots {
		reborn(i)
	}
	drive(t, r, func(c *Completion) {
		if c.Kind != Received {
			t.Fatalf("%+v", *c)
		}
		if stranger := bytes.Trim(c.Data, string(name[c.Slot:c.Slot+1])); len(stranger) > 0 {
			t.Fatalf("slot %d, socket %d heard %v", c.Slot, name[c.Slot], stranger)
		}
		if rng.IntN(3) == 0 {
			reborn(rng.IntN(slots)) // this one, or one whose completions follow
		}
	}, func() bool {
		for slot, peer := range peers {
			unix.Write(peer, bytes.Repeat(name[slot:slot+1], 1+rng.IntN(100)))
			if rng.IntN(4) == 0 { // a send that stays in flight
				r.Send(slot, make([]byte, rng.IntN(1<<20)))
			}
			if rng.IntN(6) == 0 {
				reborn(slot)
			}
		}
		return life > lives
	})
	spilled := 0
	for i := range r.spills {
		spilled += len(r.spills[i].memory)
	}
	if spilled > 64<<20 {
		t.Errorf("%d bytes of spill buffers for %d slots: they are not reused", spilled, slots)
	}
}

func TestBuffersComeBack(t *testing.T) {
	const buffers = 8
	r := newTestRing(t, Config{Files: 1, Buffers: buffers, BufferBytes: 16})
	for range 3 {
		peer := socketPair(t, r, 0)
		r.Receive(0)
		unix.Write(peer, make([]byte, 16*buffers*2))
		r.Poll()
		r.Detach(0) // while every buffer is full of unseen bytes
		for c := (Completion{}); r.Next(&c); {
			t.Fatalf("after Detach: %+v", c)
		}
		r.Flush()
	}
	peer := socketPair(t, r, 0)
	r.Receive(0)
	want := bytes.Repeat([]byte("0123456789abcdef"), buffers)
	unix.Write(peer, want)
	var got []byte
	drive(t, r, func(c *Completion) { got = append(got, c.Data...) }, func() bool { return len(got) >= len(want) })
	if !bytes.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// TestAwaitConnect begins connections as the engine does and waits for them in a ring too small for all.
func TestAwaitConnect(t *testing.T) {
	const connections = 8
	r := newTestRing(t, Config{Files: connections, Entries: 2})
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for slot := range connections {
		begin(t, r, slot, inet4(l.Addr()))
		if slot > 0 {
			r.AwaitConnect(slot)
		}
	}
	r.Send(0, []byte("at once")) // waits for its connection by itself
	connected := 1
	drive(t, r, func(c *Completion) {
		if connected++; c.Kind != Connected || c.Err != nil {
			t.Errorf("%+v", *c)
		}
		r.Receive(c.Slot)
	}, func() bool { return connected == connections })
	for range connections {
		peer, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer peer.Close()
		peer.Write([]byte("welcome"))
	}
	heard := 0
	r.Receive(0)
	drive(t, r, func(c *Completion) { heard += len(c.Data) }, func() bool { return heard == connections*len("welcome") })
}

func TestRefusedConnection(t *testing.T) {
	r := newTestRing(t, Config{Files: 1})
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := inet4(l.Addr())
	l.Close()
	begin(t, r, 0, nobody)
	r.AwaitConnect(0)
	if c := next(t, r); c.Kind != Connected || c.Err != unix.ECONNREFUSED {
		t.Errorf("%+v", c)
	}
}

// begin puts a socket into a slot that is connecting or, rarely, connected.
func begin(t *testing.T, r *Ring, slot int, to unix.Sockaddr) {
	t.Helper()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Connect(fd, to); err != nil && err != unix.EINPROGRESS {
		t.Fatal(err)
	}
	if err := r.Attach(slot, fd); err != nil {
		t.Fatal(err)
	}
}

// TestNoAllocation runs round trips, and sends that block, and counts.
func TestNoAllocation(t *testing.T) {
	r := newTestRing(t, Config{Files: 1})
	peer := socketPair(t, r, 0)
	r.Receive(0)
	request, in := []byte("request"), make([]byte, 64<<10)
	long := make([]byte, 1<<20)
	var c Completion
	roundTrip := func() {
		r.Send(0, request)
		r.Poll()
		n, _ := unix.Read(peer, in)
		unix.Write(peer, in[:n])
		for got := 0; got < len(request); {
			r.Wait(within)
			for r.Next(&c) {
				got += len(c.Data)
			}
		}
	}
	blocked := func() {
		r.Send(0, long)
		for got := 0; got < len(long) || r.Sending(0); {
			r.Poll()
			for r.Next(&c) {
			}
			if n, _ := unix.Read(peer, in); n > 0 {
				got += n
			}
		}
	}
	if n := testing.AllocsPerRun(200, roundTrip); n != 0 {
		t.Errorf("%v allocations a round trip", n)
	}
	if n := testing.AllocsPerRun(20, blocked); n != 0 {
		t.Errorf("%v allocations a send that blocks", n)
	}
}
