package uring

import (
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// buffers are the receive buffers of all slots. The kernel takes one when bytes arrive, not before;
// so connections that wait need none.
type buffers struct {
	memory, table []byte
	ring          []bufferEntry
	size          int
	given         uint16 // how many were given back; the kernel sees it when published
	held          int32  // the buffer that the last completion of Next lies in, none: -1
}

const bufferGroup = 0

func (b *buffers) setup(q *queues, cfg Config) (err error) {
	if b.memory, err = mapMemory(cfg.Buffers * cfg.BufferBytes); err != nil {
		return err
	}
	if b.table, err = mapMemory(cfg.Buffers * int(unsafe.Sizeof(bufferEntry{}))); err != nil {
		return err
	}
	b.ring = unsafe.Slice((*bufferEntry)(unsafe.Pointer(&b.table[0])), cfg.Buffers)
	b.size = cfg.BufferBytes
	registration := bufferRegistration{
		ringAddr: address(b.table), ringEntries: uint32(cfg.Buffers), group: bufferGroup,
	}
	if errno := q.register(registerBufferRing, unsafe.Pointer(&registration), 1); errno == unix.EINVAL {
		return unsupported("the kernel has no rings of receive buffers (before Linux 5.19)")
	} else if errno != 0 {
		return registerError(errno)
	}
	for id := range cfg.Buffers {
		b.giveBack(uint16(id))
	}
	b.publish()
	return nil
}

// bytes returns the first n bytes of a buffer.
func (b *buffers) bytes(id uint16, n int) []byte {
	from := int(id) * b.size
	return b.memory[from : from+n : from+n]
}

// giveBack puts a buffer at the end of the ring.
func (b *buffers) giveBack(id uint16) {
	e := &b.ring[int(b.given)&(len(b.ring)-1)]
	e.addr, e.length, e.id = address(b.memory)+uint64(id)*uint64(b.size), uint32(b.size), id
	b.given++
}

// release gives back the buffer that the last completion of Next lies in.
func (b *buffers) release() {
	if b.held >= 0 {
		b.giveBack(uint16(b.held))
		b.held = -1
	}
}

// publish shows the kernel what was given back. The tail shares four aligned bytes with the first
// entry's id; there is no atomic store of two.
func (b *buffers) publish() {
	first := &b.ring[0]
	word := (*uint32)(unsafe.Pointer(&first.id))
	atomic.StoreUint32(word, uint32(first.id)|uint32(b.given)<<16)
}

func (b *buffers) close() {
	unmapMemory(b.memory)
	unmapMemory(b.table)
	*b = buffers{held: -1}
}
