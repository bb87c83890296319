package uring

import "unsafe"

// What the kernel's io_uring interface looks like in memory, as linux/io_uring.h lays it down. The
// numbers are the same on every 64-bit architecture; the layout of the buffer ring's tail assumes a
// little-endian one.

const (
	setupCQSize       = 1 << 3
	setupClamp        = 1 << 4
	setupDisabled     = 1 << 6
	setupSubmitAll    = 1 << 7
	setupTaskrunFlag  = 1 << 9
	setupSingleIssuer = 1 << 12
	setupDeferTaskrun = 1 << 13

	featSingleMmap = 1 << 0
	featNoDrop     = 1 << 1
	featExtArg     = 1 << 8
	featCQESkip    = 1 << 11

	offsetSQRing = 0
	offsetSQEs   = 0x10000000

	registerFilesUpdate = 6
	registerEnable      = 12
	registerFiles2      = 13
	registerBufferRing  = 22
	registerSparse      = 1

	enterGetEvents = 1 << 0
	enterExtArg    = 1 << 3

	sqOverflow = 1 << 1 // completions wait in the kernel because the completion queue was full
	sqTaskrun  = 1 << 2 // an enter would find something to do

	opPollAdd     = 6
	opAsyncCancel = 14
	opClose       = 19
	opSend        = 26
	opRecv        = 27

	sqeFixedFile    = 1 << 0
	sqeBufferSelect = 1 << 5
	sqeSkipSuccess  = 1 << 6

	cancelAll       = 1 << 0
	cancelFD        = 1 << 1
	cancelFDFixed   = 1 << 3
	recvMultishot   = 1 << 1
	cqeBuffer       = 1 << 0
	cqeMore         = 1 << 1
	cqeBufferIDBits = 16
)

type sqOffsets struct {
	head, tail, ringMask, ringEntries, flags, dropped, array, _ uint32
	_                                                           uint64
}

type cqOffsets struct {
	head, tail, ringMask, ringEntries, overflow, cqes, flags, _ uint32
	_                                                           uint64
}

type setupParams struct {
	sqEntries, cqEntries, flags, sqThreadCPU, sqThreadIdle, features, wqFD uint32
	_                                                                      [3]uint32
	sq                                                                     sqOffsets
	cq                                                                     cqOffsets
}

// sqe is one operation for the kernel.
type sqe struct {
	opcode, flags uint8
	ioprio        uint16 // of a receive: its flags
	fd            int32
	off, addr     uint64
	length        uint32
	opFlags       uint32
	userData      uint64
	bufferGroup   uint16
	_             uint16
	fileIndex     uint32
	_             [2]uint64
}

// cqe is one answer of the kernel.
type cqe struct {
	userData uint64
	res      int32
	flags    uint32
}

// bufferEntry hands one receive buffer to the kernel. The last two bytes of the first entry of a
// buffer ring are the ring's tail.
type bufferEntry struct {
	addr   uint64
	length uint32
	id     uint16
	_      uint16
}

type bufferRegistration struct {
	ringAddr    uint64
	ringEntries uint32
	group       uint16
	_           uint16
	_           [3]uint64
}

type filesRegistration struct {
	count, flags uint32
	_            uint64
	data, tags   uint64
}

type filesUpdate struct {
	offset, _ uint32
	fds       uint64
}

type timespec struct{ sec, nsec int64 }

type waitArgument struct {
	sigmask      uint64
	sigmaskBytes uint32
	_            uint32
	timeout      uint64
}

// Each line fails to compile when the layout is not the kernel's.
var (
	_ [120]byte = [unsafe.Sizeof(setupParams{})]byte{}
	_ [64]byte  = [unsafe.Sizeof(sqe{})]byte{}
	_ [16]byte  = [unsafe.Sizeof(cqe{})]byte{}
	_ [16]byte  = [unsafe.Sizeof(bufferEntry{})]byte{}
	_ [40]byte  = [unsafe.Sizeof(bufferRegistration{})]byte{}
	_ [32]byte  = [unsafe.Sizeof(filesRegistration{})]byte{}
	_ [16]byte  = [unsafe.Sizeof(filesUpdate{})]byte{}
	_ [24]byte  = [unsafe.Sizeof(waitArgument{})]byte{}
)
