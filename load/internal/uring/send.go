package uring

import (
	"fmt"
	"math/bits"

	"golang.org/x/sys/unix"
)

// Every send of a batch asks the kernel to do it now or not at all (MSG_DONTWAIT), to count anything
// less than all as a failure (MSG_WAITALL), and to be silent about success. So when the enter that
// submitted it has returned, and its completions are taken, the bytes in the arena are free for the
// next batch; and a send does not end the wait for replies that the same enter begins, as its
// completion would. What a socket did not take is copied aside (a spill) and sent by an ordinary
// operation, which waits in the kernel and completes once.
const (
	sendNow   = unix.MSG_DONTWAIT | unix.MSG_WAITALL | unix.MSG_NOSIGNAL
	sendSpill = unix.MSG_WAITALL | unix.MSG_NOSIGNAL
)

// Send queues a copy of b for the socket of a slot. Bytes go out in the order of the calls.
func (r *Ring) Send(slot int, b []byte) {
	s := &r.slots[slot]
	for len(b) > 0 && r.err == nil && s.fd >= 0 {
		room := len(r.arena) - int(r.used)
		prepared := s.batch == r.batch
		switch {
		case s.spill >= 0:
			r.sendBehind(slot, b)
			return
		case prepared && s.offset+s.bytes == r.used && len(b) <= room:
			copy(r.arena[r.used:], b)
			s.bytes += uint32(len(b))
			r.used += uint32(len(b))
			r.entries[s.entry].length = s.bytes
			return
		case prepared || room == 0 || r.room() == 0:
			// A second send beside the first could overtake what the first leaves over.
			r.Flush()
		default:
			n := copy(r.arena[r.used:], b)
			r.prepareSend(slot, n)
			b = b[n:]
		}
	}
}

// prepareSend makes an entry for the next n bytes of the arena.
func (r *Ring) prepareSend(slot, n int) {
	s := &r.slots[slot]
	s.batch, s.offset, s.bytes, s.entry = r.batch, r.used, uint32(n), r.tail&r.mask
	*r.entry() = sqe{
		opcode: opSend, flags: sqeFixedFile | sqeSkipSuccess, fd: int32(slot),
		addr: address(r.arena) + uint64(r.used), length: uint32(n), opFlags: sendNow,
		userData: pack(kindSend, s.generation, slot),
	}
	r.used += uint32(n)
}

// Sending reports whether bytes of a slot wait for its socket to take them. Sent will come.
func (r *Ring) Sending(slot int) bool { return r.slots[slot].spill >= 0 }

// spill holds bytes that a socket did not take at once.
type spill struct {
	memory  []byte
	sent, n int // bytes that went out; bytes in all
	slot    int32
	queued  bool // waits to be submitted
	flying  bool // is in the kernel's hands
	orphan  bool // its socket was detached meanwhile
}

const (
	spillBytesMin = 64 << 10
	spillClasses  = 15
	spillBytesMax = spillBytesMin << (spillClasses - 1) // 1 GiB; one operation can do 2 GiB
)

// rescue copies aside what a send of the batch left over, before the arena is used again.
func (r *Ring) rescue(slot int, sent uint32) {
	s := &r.slots[slot]
	rest := r.arena[s.offset+sent : s.offset+s.bytes]
	if s.spill = r.borrow(slot, len(rest)); s.spill < 0 {
		return
	}
	r.fillSpill(s.spill, rest)
	r.resendLater(s.spill)
}

// sendBehind appends b to what already waits for the socket.
func (r *Ring) sendBehind(slot int, b []byte) {
	s := &r.slots[slot]
	at := &s.spill
	if r.spills[s.spill].flying {
		at = &s.behind
	}
	need := len(b)
	if *at >= 0 {
		need += r.spills[*at].n
	}
	if *at < 0 || need > len(r.spills[*at].memory) {
		bigger := r.borrow(slot, need)
		if bigger < 0 {
			return
		}
		if old := *at; old >= 0 {
			p := &r.spills[old]
			r.fillSpill(bigger, p.memory[p.sent:p.n])
			if p.queued {
				r.resendLater(bigger)
			}
			r.giveBackSpill(old)
		}
		*at = bigger
	}
	r.fillSpill(*at, b)
}

func (r *Ring) fillSpill(index int32, b []byte) {
	p := &r.spills[index]
	p.n += copy(p.memory[p.n:], b)
}

func (r *Ring) resendLater(index int32) {
	r.spills[index].queued = true
	r.resend = append(r.resend, index)
}

// submitSpill makes an entry for what is left of a spill.
func (r *Ring) submitSpill(index int32) {
	p := &r.spills[index]
	p.queued, p.flying = false, true
	*r.entry() = sqe{
		opcode: opSend, flags: sqeFixedFile, fd: p.slot,
		addr: address(p.memory) + uint64(p.sent), length: uint32(p.n - p.sent), opFlags: sendSpill,
		userData: pack(kindSpill, 0, int(index)),
	}
}

// abandon drops what waits to be sent on a slot. The kernel may still read what it has in hand.
func (r *Ring) abandon(s *slot) {
	if s.spill >= 0 && r.spills[s.spill].flying {
		r.spills[s.spill].orphan = true
	} else if s.spill >= 0 {
		r.giveBackSpill(s.spill)
	}
	if s.behind >= 0 {
		r.giveBackSpill(s.behind)
	}
	s.spill, s.behind = -1, -1
}

// spillDone goes on after a spill left the kernel's hands. It reports whether c is worth showing.
func (r *Ring) spillDone(index, res int32, c *Completion) bool {
	p := &r.spills[index]
	p.flying = false
	if p.orphan {
		r.giveBackSpill(index)
		return false
	}
	s := &r.slots[p.slot]
	*c = Completion{Slot: int(p.slot), Kind: Sent}
	switch errno := unix.Errno(-res); {
	case res > 0 && p.sent+int(res) < p.n: // cut short by something that the next attempt will name
		p.sent += int(res)
		r.resendLater(index)
		return false
	case res > 0:
		r.giveBackSpill(index)
		if s.spill, s.behind = s.behind, -1; s.spill >= 0 {
			r.resendLater(s.spill)
			return false
		}
		return true
	case errno == unix.EAGAIN || errno == unix.EINTR:
		r.resendLater(index)
		return false
	case res == 0:
		c.Err = unix.EIO // a stream that takes nothing and names no error
	default:
		c.Err = errno
	}
	r.abandon(s)
	return true
}

// borrow returns an empty spill for at least n bytes, or -1 when that is impossible, which breaks the
// ring: bytes of a stream would be missing.
func (r *Ring) borrow(slot, n int) int32 {
	class := spillClass(n)
	if class == spillClasses {
		r.err = fmt.Errorf("uring: more than %d bytes wait on slot %d; send less while Sending", spillBytesMax, slot)
		return -1
	}
	if list := r.unused[class]; len(list) > 0 {
		index := list[len(list)-1]
		r.unused[class] = list[:len(list)-1]
		r.spills[index] = spill{memory: r.spills[index].memory, slot: int32(slot)}
		return index
	}
	memory, err := mapMemory(spillBytesMin << class)
	if err != nil {
		r.err = err
		return -1
	}
	r.spills = append(r.spills, spill{memory: memory, slot: int32(slot)})
	return int32(len(r.spills) - 1)
}

func (r *Ring) giveBackSpill(index int32) {
	p := &r.spills[index]
	p.queued = false
	class := spillClass(len(p.memory))
	r.unused[class] = append(r.unused[class], index)
}

// spillClass is the size class that holds n bytes: spillBytesMin << class; spillClasses when none does.
func spillClass(n int) int {
	return min(bits.Len(uint((n-1)/spillBytesMin)), spillClasses)
}
