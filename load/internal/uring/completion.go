package uring

import (
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// Kind says what a Completion tells.
type Kind uint8

// The kinds of completions.
const (
	Connected Kind = iota + 1 // the socket is connected, or Err
	Received                  // Data has arrived
	Ended                     // nothing more will arrive: the peer closed its side, or Err
	Sent                      // what the socket did not take at once has gone out; Err: it never will
)

// String names the kind as its constant does.
func (k Kind) String() string {
	switch k {
	case Connected:
		return "Connected"
	case Received:
		return "Received"
	case Ended:
		return "Ended"
	case Sent:
		return "Sent"
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// Completion is one thing that happened on a slot.
type Completion struct {
	Slot int
	Kind Kind
	Data []byte // of Received: what arrived, valid until the next call of Next
	Err  error  // a unix.Errno, or nil
}

// What an operation was, as its completion brings it back: kind, generation of the socket, and slot
// (of a spill: its index).
type operation uint8

const (
	kindSilent operation = iota // its outcome interests nobody
	kindConnect
	kindReceive
	kindSend
	kindSpill
)

const generationBits = 24

func pack(op operation, generation uint32, slot int) uint64 {
	return uint64(op)<<56 | uint64(generation&(1<<generationBits-1))<<32 | uint64(uint32(slot))
}

func (e *cqe) operation() operation { return operation(e.userData >> 56) }
func (e *cqe) slot() int            { return int(uint32(e.userData)) }

// of reports whether a completion belongs to the socket that is in the slot now.
func (e *cqe) of(s *slot) bool {
	return uint32(e.userData>>32)&(1<<generationBits-1) == s.generation&(1<<generationBits-1) && s.fd >= 0
}

// Next sets c to the next completion. It returns false when all are seen.
func (r *Ring) Next(c *Completion) bool {
	r.release()
	for r.next < len(r.backlog) {
		e := &r.backlog[r.next]
		r.next++
		if r.show(e, c) {
			return true
		}
	}
	r.backlog, r.next = r.backlog[:0], 0
	return false
}

// show translates a completion and reports whether the owner should see it.
func (r *Ring) show(e *cqe, c *Completion) bool {
	switch e.operation() {
	case kindSilent:
		return false
	case kindSpill:
		return r.spillDone(int32(e.slot()), e.res, c)
	case kindReceive:
		return r.received(e, c)
	}
	s := &r.slots[e.slot()]
	if !e.of(s) {
		return false
	}
	*c = Completion{Slot: e.slot(), Kind: Sent}
	if e.res < 0 {
		c.Err = unix.Errno(-e.res)
	}
	if e.operation() == kindConnect {
		if c.Kind = Connected; c.Err == nil {
			c.Err = socketError(int(s.fd))
		}
	}
	return true
}

// socketError returns how connecting a socket ended.
func socketError(fd int) error {
	code, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_ERROR)
	if err == nil && code != 0 {
		err = unix.Errno(code)
	}
	return err
}

// received translates the completion of a receive. The kernel goes on receiving as long as it says
// that more will come; when it stopped for a reason of its own it is asked again.
func (r *Ring) received(e *cqe, c *Completion) bool {
	s, buffer := &r.slots[e.slot()], int32(-1)
	if e.flags&cqeBuffer != 0 {
		buffer = int32(e.flags >> cqeBufferIDBits)
	}
	if !e.of(s) || e.res <= 0 {
		if buffer >= 0 {
			r.giveBack(uint16(buffer))
		}
		return e.of(s) && r.receiveEnded(e, c)
	}
	if e.flags&cqeMore == 0 {
		r.armLater(e.slot())
	}
	r.held = buffer
	*c = Completion{Slot: e.slot(), Kind: Received, Data: r.buffers.bytes(uint16(buffer), int(e.res))}
	return true
}

// receiveEnded handles a completion that carries no bytes.
func (r *Ring) receiveEnded(e *cqe, c *Completion) bool {
	errno := unix.Errno(-e.res)
	switch errno {
	case unix.ENOBUFS, unix.EAGAIN, unix.EINTR:
		// All buffers were full of bytes that we had not seen. By the next batch they are free.
		r.armLater(e.slot())
		return false
	}
	*c = Completion{Slot: e.slot(), Kind: Ended}
	if errno != 0 {
		c.Err = errno
	}
	r.slots[e.slot()].receiving = false
	return true
}

// idle reports whether Poll can do without a system call.
func (r *Ring) idle() bool {
	return r.err != nil || len(r.rearm) == 0 && len(r.resend) == 0 && r.quiet()
}

// entry returns a free entry of the submission queue. The caller sets all of it.
func (r *Ring) entry() *sqe {
	if r.room() == 0 {
		r.Flush()
	}
	e := &r.entries[r.tail&r.mask]
	if r.err == nil { // a broken ring takes nothing in
		r.tail++
		r.pending++
	}
	return e
}

// submitAttempts bounds how often the kernel may refuse a batch for want of memory.
const submitAttempts = 1000

// submit hands the batch and what earlier completions left to do to the kernel, and takes in every
// completion. With a timeout it blocks for one.
func (r *Ring) submit(timeout time.Duration) {
	if !r.ready() {
		return
	}
	r.prepare()
	r.submitWith(func() unix.Errno {
		errno := r.enter(timeout)
		timeout = 0 // of further attempts
		return errno
	})
}

// ready ties the ring to the calling thread, once, and reports whether it works.
func (r *Ring) ready() bool {
	if r.err == nil && !r.enabled {
		r.fail("io_uring_register", r.enable())
	}
	return r.err == nil
}

// submitWith goes on until the kernel has taken every entry, so that the arena and the entries are free
// again.
func (r *Ring) submitWith(enter func() unix.Errno) {
	for attempt := 0; ; attempt++ {
		errno := enter()
		switch errno {
		case 0, unix.ETIME, unix.EINTR, unix.EAGAIN, unix.EBUSY:
		default:
			r.fail("io_uring_enter", errno)
			return
		}
		r.harvest()
		if r.pending == 0 || r.err != nil {
			break
		}
		if attempt == submitAttempts {
			r.fail("io_uring_enter", max(errno, unix.EAGAIN))
			return
		}
	}
	r.used = 0
	r.batch++
}

// fail breaks the ring when a call on it failed.
func (r *Ring) fail(call string, errno unix.Errno) {
	if err := callError(call, errno); err != nil {
		r.err = fmt.Errorf("uring: %w", err)
	}
}

// prepare makes entries for what earlier completions left to do, as far as there is room.
func (r *Ring) prepare() {
	r.publish()
	done := 0
	for ; done < len(r.resend) && r.room() > 0; done++ {
		if index := r.resend[done]; r.spills[index].queued {
			r.submitSpill(index)
		}
	}
	r.resend = r.resend[:copy(r.resend, r.resend[done:])]
	for done = 0; done < len(r.rearm) && r.room() > 0; done++ {
		slot := int(r.rearm[done])
		if s := &r.slots[slot]; s.rearm {
			s.rearm = false
			*r.entry() = sqe{
				opcode: opRecv, flags: sqeFixedFile | sqeBufferSelect, ioprio: recvMultishot, fd: int32(slot),
				bufferGroup: bufferGroup, userData: pack(kindReceive, s.generation, slot),
			}
		}
	}
	r.rearm = r.rearm[:copy(r.rearm, r.rearm[done:])]
}

// harvest takes every completion out of the kernel, those that overflowed the queue included, and
// saves what sends of this batch left over.
func (r *Ring) harvest() {
	for {
		from := len(r.backlog)
		r.backlog = r.take(r.backlog)
		r.rescueFrom(from)
		if atomic.LoadUint32(r.sqFlag)&sqOverflow == 0 || r.err != nil {
			return
		}
		switch errno := r.enter(0); errno {
		case 0, unix.EINTR, unix.EAGAIN, unix.EBUSY:
		default:
			r.fail("io_uring_enter", errno)
		}
	}
}

// rescueFrom looks through new completions for sends that did not do all. Only failures complete.
func (r *Ring) rescueFrom(from int) {
	for i := from; i < len(r.backlog); i++ {
		e := &r.backlog[i]
		if e.operation() != kindSend || e.res < 0 && unix.Errno(-e.res) != unix.EAGAIN && unix.Errno(-e.res) != unix.EINTR {
			continue
		}
		if e.of(&r.slots[e.slot()]) {
			r.rescue(e.slot(), uint32(max(e.res, 0)))
		}
		e.userData = pack(kindSilent, 0, 0)
	}
}
