// Package uring is the thin layer between the event loops and the kernel's io_uring: it sends and
// receives on many sockets with one system call a batch. It knows no protocol, keeps no account and
// never decides what to do next. netpoll is its sibling for kernels without io_uring, and for loads where
// epoll is cheaper (few connections; BenchmarkAgainstEpoll says which).
//
// # How to drive it
//
// A Ring has a fixed number of slots, one a connection. The owner puts a socket into a slot
// (Attach; while it is still connecting, AwaitConnect), asks once for everything that will arrive on it
// (Receive), and then goes round:
//
//	for running {
//		ring.Wait(timeout) // submits, then sleeps; who spins calls Poll instead, and sleeps at last
//		for ring.Next(&c) { // c.Data is valid until the next call of Next
//			switch c.Kind {
//			case uring.Connected: // c.Err or: Receive, Send
//			case uring.Received:  // judge c.Data, then Send the next requests
//			case uring.Sent:      // c.Err: Detach; or the socket takes bytes again: Send more
//			case uring.Ended:     // end of stream, or c.Err: Detach
//			}
//		}
//	}
//
// Nothing that Send, Receive and AwaitConnect ask for happens before the next Poll, Wait, Flush or Detach,
// which hand the whole batch to the kernel. So a request leaves a little after Send returned, at most one
// batch later; who needs its time more exactly calls Flush. A send that the socket takes whole, as nearly
// all are, ends without any completion. Only when it does not, Sending reports true, the ring goes on by
// itself, and Sent says when it is done; until then a driver should not Send more on that slot (bytes
// would queue up without limit).
//
// After Detach no completion of the old socket comes out of Next, however late the kernel delivers it.
//
// Most of a thread's work is done inside of Wait, so the time spent there is not idle time. Who spins can
// count as idle the time in which Poll, which then makes no system call, finds nothing; who does not, what
// the thread's CPU clock leaves of the window. A Poll before each Wait would make two system calls of one.
//
// # Threads
//
// New and Close may be called by anybody, and so may Attach until the first batch. Everything else
// belongs to one goroutine that is locked to its OS thread: the kernel ties the ring to the thread that
// submits first and refuses all others. Close must not be called while that thread is inside another call.
//
// # Memory
//
// What the kernel reads and writes lies outside of the Go heap, in mapped memory: one arena for the
// bytes of the batch in work, a ring of receive buffers shared by all slots, and buffers for what a
// socket did not take, which are borrowed only while needed. In steady state nothing is allocated. An
// idle connection costs one slot (36 bytes) and no buffer.
package uring

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Limits of a Config, the kernel's own.
const (
	MaxFiles   = 1 << 20
	MaxEntries = 1 << 15
	MaxBuffers = 1 << 15
)

// Config sizes a ring. Zero values are chosen to fit the number of files.
type Config struct {
	Files       int // slots: connections at a time, 1 to MaxFiles
	Entries     int // operations that one system call can submit, rounded up to a power of two
	Buffers     int // receive buffers, rounded up to a power of two
	BufferBytes int // bytes of each: the most that one completion carries; 0 means 4096

	completions int // size of the completion queue; tests make it overflow
}

func (c *Config) check() error {
	switch {
	case c.Files < 1 || c.Files > MaxFiles:
		return fmt.Errorf("uring: %d files; it must lie between 1 and %d", c.Files, MaxFiles)
	case c.Entries < 0 || c.Entries > MaxEntries:
		return fmt.Errorf("uring: %d entries; it must lie between 0 (choose) and %d", c.Entries, MaxEntries)
	case c.Buffers < 0 || c.Buffers > MaxBuffers:
		return fmt.Errorf("uring: %d buffers; it must lie between 0 (choose) and %d", c.Buffers, MaxBuffers)
	case c.BufferBytes < 0 || c.BufferBytes > 1<<30:
		return fmt.Errorf("uring: buffers of %d bytes; it must lie between 0 (choose) and 1 GiB", c.BufferBytes)
	}
	if c.Entries == 0 {
		c.Entries = min(max(2*c.Files, 64), 4096)
	}
	if c.Buffers == 0 {
		c.Buffers = min(max(2*c.Files, 64), 1024)
	}
	if c.BufferBytes == 0 {
		c.BufferBytes = 4096
	}
	c.Entries, c.Buffers = powerOfTwo(c.Entries), powerOfTwo(c.Buffers)
	if c.completions == 0 {
		// Every receive takes a buffer, each entry and each slot can fail once between two harvests:
		// so the queue does not overflow unless the kernel's limit (65,536) makes it smaller.
		c.completions = powerOfTwo(c.Buffers + c.Entries + c.Files)
	}
	return nil
}

func powerOfTwo(atLeast int) int {
	n := 1
	for n < atLeast {
		n *= 2
	}
	return n
}

// slot is the ring's side of one connection.
type slot struct {
	fd         int32  // -1: free
	generation uint32 // of the socket; completions of an older one are dropped
	batch      uint32 // the batch that holds its latest send
	entry      uint32 // where in the submission queue that send is
	offset     uint32 // where in the arena its bytes are
	bytes      uint32 // how many
	spill      int32  // bytes that the socket did not take, none: -1
	behind     int32  // what was sent after them, none: -1
	receiving  bool   // a receive is armed, or about to be
	rearm      bool   // it is about to be
}

// Ring is one io_uring with its sockets and buffers.
type Ring struct {
	queues
	buffers
	arena   []byte
	used    uint32 // bytes of the arena that belong to the batch in work
	batch   uint32
	slots   []slot
	spills  []spill
	unused  [spillClasses][]int32 // spills by size class
	resend  []int32               // spills that wait to be submitted
	rearm   []int32               // slots that wait for their receive to be submitted
	backlog []cqe                 // taken from the kernel, not yet from us
	next    int                   // the first of them that Next has not seen
	err     error                 // the ring is broken: nothing will ever complete again
	closed  bool
}

// arenaBytes is how much one batch can carry; a larger one is submitted in parts.
const arenaBytes = 1 << 20

// New returns an idle ring. The error wraps ErrUnsupported where the kernel cannot do what is needed.
func New(cfg Config) (*Ring, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	if err := Supported(); err != nil {
		return nil, err
	}
	return newRing(cfg)
}

func newRing(cfg Config) (*Ring, error) {
	r := &Ring{
		batch:   1,
		slots:   make([]slot, cfg.Files),
		rearm:   make([]int32, 0, cfg.Files),
		backlog: make([]cqe, 0, cfg.Buffers+2*cfg.Entries),
	}
	r.queues.fd, r.held = -1, -1
	for i := range r.slots {
		r.slots[i] = slot{fd: -1, spill: -1, behind: -1}
	}
	err := r.queues.setup(cfg)
	if err == nil {
		err = r.queues.registerFiles(cfg.Files)
	}
	if err == nil {
		err = r.buffers.setup(&r.queues, cfg)
	}
	if err == nil {
		r.arena, err = mapMemory(arenaBytes)
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// Attach puts the socket fd into a free slot and owns it from then on: Detach closes it.
func (r *Ring) Attach(slot, fd int) error {
	s := &r.slots[slot]
	if r.err != nil {
		return r.err
	}
	if s.fd >= 0 {
		return fmt.Errorf("uring: slot %d is taken; detach its socket first", slot)
	}
	if err := r.updateFile(slot, fd); err != nil {
		return fmt.Errorf("uring: slot %d, descriptor %d: %w", slot, fd, err)
	}
	s.fd = int32(fd)
	return nil
}

// Detach closes the socket of a slot and frees the slot. What was sent before goes out; what waits for
// the socket to take it is dropped. Detaching a free slot does nothing. As Poll does, it takes in what has
// completed.
func (r *Ring) Detach(slot int) {
	s := &r.slots[slot]
	if s.fd < 0 {
		return
	}
	s.generation++
	s.receiving, s.rearm = false, false
	r.abandon(s)
	*r.entry() = sqe{
		opcode: opAsyncCancel, flags: sqeFixedFile | sqeSkipSuccess, fd: int32(slot),
		opFlags: cancelAll | cancelFD | cancelFDFixed, userData: pack(kindSilent, 0, slot),
	}
	*r.entry() = sqe{
		opcode: opClose, flags: sqeSkipSuccess, fileIndex: uint32(slot) + 1, userData: pack(kindSilent, 0, slot),
	}
	// At once, not with the batch: the next socket in this slot must not be hit, and the peer shall
	// see the end of the connection now. The kernel lets go of the socket when it delivers completions.
	r.submit(0)
	unix.Close(int(s.fd))
	s.fd = -1
}

// AwaitConnect asks for Connected, once the connection that was begun on the slot's socket before Attach
// is made, or has failed.
func (r *Ring) AwaitConnect(slot int) {
	*r.entry() = sqe{
		opcode: opPollAdd, flags: sqeFixedFile, fd: int32(slot), opFlags: unix.POLLOUT,
		userData: pack(kindConnect, r.slots[slot].generation, slot),
	}
}

// Receive asks for everything that arrives on a slot from now on, until it has Ended.
func (r *Ring) Receive(slot int) {
	if s := &r.slots[slot]; !s.receiving {
		s.receiving = true
		r.armLater(slot)
	}
}

func (r *Ring) armLater(slot int) {
	r.slots[slot].rearm = true
	r.rearm = append(r.rearm, int32(slot))
}

// Poll submits the batch and takes in what has completed, without blocking. It makes no system call when
// there is nothing to do. n is how many completions wait for Next, at most: some may be stale.
func (r *Ring) Poll() (n int, err error) {
	if r.idle() {
		return len(r.backlog) - r.next, r.err
	}
	r.submit(0)
	return len(r.backlog) - r.next, r.err
}

// Wait is Poll that blocks until something completes or the timeout is over. It may return early
// with nothing.
func (r *Ring) Wait(timeout time.Duration) (n int, err error) {
	if timeout <= 0 || r.next < len(r.backlog) {
		return r.Poll()
	}
	r.submit(timeout)
	return len(r.backlog) - r.next, r.err
}

// Flush submits the batch now, and takes in nothing: no Received comes of it before the next Poll or Wait,
// so that whoever goes through completions knows when they came. The owner needs it only for the sake of
// time. Errors come out of the next Poll or Wait.
func (r *Ring) Flush() {
	if r.ready() {
		r.submitWith(r.give)
	}
}

// Close closes the ring and every socket in it. Closing twice does nothing.
func (r *Ring) Close() error {
	if r.closed {
		return nil
	}
	r.closed = true
	if r.err == nil {
		r.err = os.ErrClosed
	}
	for i := range r.slots {
		if s := &r.slots[i]; s.fd >= 0 {
			// The kernel takes the ring apart in its own time. The peers shall know now.
			_ = unix.Shutdown(int(s.fd), unix.SHUT_RDWR)
			unix.Close(int(s.fd))
			s.fd = -1
		}
	}
	// Completions are delivered to the owner's thread, inside of an enter, or not at all. So once
	// the descriptor is closed nothing touches the memory any more.
	err := r.queues.close()
	r.buffers.close()
	unmapMemory(r.arena)
	for i := range r.spills {
		unmapMemory(r.spills[i].memory)
	}
	r.arena, r.spills, r.backlog, r.next = nil, nil, nil, 0
	return err
}
