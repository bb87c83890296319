package uring

import (
	"fmt"
	"os"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// queues are the two rings shared with the kernel: operations go one way, completions the other.
type queues struct {
	fd      int
	enabled bool // the ring belongs to the thread that enabled it

	sqRing, sqeMemory, page []byte

	entries        []sqe
	mask           uint32
	tail           uint32 // ours; the kernel sees it with the next enter
	pending        uint32 // entries that the kernel has not taken
	sqTail, sqFlag *uint32

	completions    []cqe
	cqMask         uint32
	cqHead, cqTail *uint32

	control *control
}

// control is what system calls point to. It lies in mapped memory, like everything that they use.
type control struct {
	wait    waitArgument
	timeout timespec
	update  filesUpdate
	fd      int32
}

func (q *queues) setup(cfg Config) error {
	params := setupParams{
		flags: setupCQSize | setupClamp | setupDisabled | setupSubmitAll |
			setupTaskrunFlag | setupSingleIssuer | setupDeferTaskrun,
		cqEntries: uint32(cfg.completions),
	}
	fd, _, errno := unix.RawSyscall(unix.SYS_IO_URING_SETUP, uintptr(cfg.Entries), uintptr(unsafe.Pointer(&params)), 0)
	if errno != 0 {
		return setupError(errno)
	}
	q.fd = int(fd)
	const need = featSingleMmap | featNoDrop | featExtArg | featCQESkip
	if params.features&need != need {
		return unsupported("the kernel's io_uring lacks features of Linux 6.1")
	}
	return q.mapRings(&params)
}

func (q *queues) mapRings(p *setupParams) (err error) {
	bytes := max(p.sq.array+p.sqEntries*4, p.cq.cqes+p.cqEntries*uint32(unsafe.Sizeof(cqe{})))
	const flags, protection = unix.MAP_SHARED | unix.MAP_POPULATE, unix.PROT_READ | unix.PROT_WRITE
	if q.sqRing, err = unix.Mmap(q.fd, offsetSQRing, int(bytes), protection, flags); err != nil {
		return os.NewSyscallError("mmap", err)
	}
	bytes = p.sqEntries * uint32(unsafe.Sizeof(sqe{}))
	if q.sqeMemory, err = unix.Mmap(q.fd, offsetSQEs, int(bytes), protection, flags); err != nil {
		return os.NewSyscallError("mmap", err)
	}
	if q.page, err = mapMemory(int(unsafe.Sizeof(control{}))); err != nil {
		return err
	}
	word := func(offset uint32) *uint32 { return (*uint32)(unsafe.Pointer(&q.sqRing[offset])) }
	q.entries = unsafe.Slice((*sqe)(unsafe.Pointer(&q.sqeMemory[0])), p.sqEntries)
	q.mask, q.sqTail, q.sqFlag = p.sqEntries-1, word(p.sq.tail), word(p.sq.flags)
	q.completions = unsafe.Slice((*cqe)(unsafe.Pointer(&q.sqRing[p.cq.cqes])), p.cqEntries)
	q.cqMask, q.cqHead, q.cqTail = p.cqEntries-1, word(p.cq.head), word(p.cq.tail)
	// The kernel reads entries through a table of indices; ours says: in order.
	for i := range p.sqEntries {
		*word(p.sq.array + 4*i) = i
	}
	q.control = (*control)(unsafe.Pointer(&q.page[0]))
	q.control.wait.timeout = pointer(unsafe.Pointer(&q.control.timeout))
	q.control.update.fds = pointer(unsafe.Pointer(&q.control.fd))
	return nil
}

// registerFiles makes an empty table of sockets: naming one by its place in it spares the kernel
// a look-up and a reference for each operation.
func (q *queues) registerFiles(count int) error {
	registration := filesRegistration{count: uint32(count), flags: registerSparse}
	errno := q.register(registerFiles2, unsafe.Pointer(&registration), unsafe.Sizeof(registration))
	if errno == unix.EMFILE {
		return fmt.Errorf("uring: %d files are more than the limit of open files; raise it (ulimit -n)", count)
	}
	return registerError(errno)
}

// updateFile puts a socket into the table.
func (q *queues) updateFile(place, fd int) error {
	q.control.update.offset, q.control.fd = uint32(place), int32(fd)
	return registerError(q.register(registerFilesUpdate, unsafe.Pointer(&q.control.update), 1))
}

func (q *queues) register(what uintptr, argument unsafe.Pointer, count uintptr) unix.Errno {
	_, _, errno := unix.RawSyscall6(unix.SYS_IO_URING_REGISTER, uintptr(q.fd), what, uintptr(argument), count, 0, 0)
	return errno
}

// enable ties the ring to the calling thread.
func (q *queues) enable() unix.Errno {
	errno := q.register(registerEnable, nil, 0)
	q.enabled = errno == 0
	return errno
}

// give hands the pending entries to the kernel. Only what these complete at once is delivered.
func (q *queues) give() unix.Errno {
	atomic.StoreUint32(q.sqTail, q.tail)
	taken, _, errno := unix.RawSyscall6(unix.SYS_IO_URING_ENTER, uintptr(q.fd), uintptr(q.pending), 0, 0, 0, 0)
	if errno == 0 {
		q.pending -= uint32(taken)
	}
	return errno
}

// enter hands the pending entries to the kernel and lets it deliver completions. It blocks for one when
// timeout is positive, and stays outside of Go's scheduler all the same: see netpoll.Poller.Sleep.
func (q *queues) enter(timeout time.Duration) unix.Errno {
	atomic.StoreUint32(q.sqTail, q.tail)
	var taken uintptr
	var errno unix.Errno
	if timeout > 0 {
		q.control.timeout = timespec{int64(timeout / time.Second), int64(timeout % time.Second)}
		taken, _, errno = unix.RawSyscall6(unix.SYS_IO_URING_ENTER, uintptr(q.fd), uintptr(q.pending), 1,
			enterGetEvents|enterExtArg, uintptr(unsafe.Pointer(&q.control.wait)), unsafe.Sizeof(waitArgument{}))
	} else {
		taken, _, errno = unix.RawSyscall6(unix.SYS_IO_URING_ENTER, uintptr(q.fd), uintptr(q.pending), 0,
			enterGetEvents, 0, 0)
	}
	if errno == 0 {
		q.pending -= uint32(taken)
	}
	return errno
}

// room is how many entries can be prepared before the next enter.
func (q *queues) room() int { return len(q.entries) - int(q.pending) }

// quiet reports whether an enter would find nothing to submit and nothing to deliver.
func (q *queues) quiet() bool {
	return q.pending == 0 && atomic.LoadUint32(q.sqFlag)&(sqTaskrun|sqOverflow) == 0 &&
		atomic.LoadUint32(q.cqTail) == *q.cqHead
}

// take moves all completions from the kernel's queue to the end of list.
func (q *queues) take(list []cqe) []cqe {
	head, tail := *q.cqHead, atomic.LoadUint32(q.cqTail)
	for ; head != tail; head++ {
		list = append(list, q.completions[head&q.cqMask])
	}
	atomic.StoreUint32(q.cqHead, head)
	return list
}

func (q *queues) close() error {
	var err error
	if q.fd >= 0 {
		err = os.NewSyscallError("close", unix.Close(q.fd))
		q.fd = -1
	}
	unmapMemory(q.sqRing)
	unmapMemory(q.sqeMemory)
	unmapMemory(q.page)
	*q = queues{fd: -1}
	return err
}

// mapMemory returns zeroed memory outside of the Go heap, untouched as yet.
func mapMemory(bytes int) ([]byte, error) {
	m, err := unix.Mmap(-1, 0, bytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return nil, fmt.Errorf("uring: map %d bytes: %w", bytes, err)
	}
	return m, nil
}

func unmapMemory(m []byte) {
	if m != nil {
		_ = unix.Munmap(m) // fails for memory only that was not mapped
	}
}

// pointer and address tell the kernel where mapped memory is. Go never moves it.
func pointer(p unsafe.Pointer) uint64 { return uint64(uintptr(p)) }
func address(mapped []byte) uint64    { return pointer(unsafe.Pointer(unsafe.SliceData(mapped))) }
