package netpoll

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// wouldBlock is a temporary net.Error.
type wouldBlock struct{}

func (wouldBlock) Error() string   { return "would block" }
func (wouldBlock) Timeout() bool   { return true }
func (wouldBlock) Temporary() bool { return true }

// ErrWouldBlock says that nothing is there to be read. It is a temporary error, the one kind that crypto/tls forgets.
var ErrWouldBlock net.Error = wouldBlock{}

// Duplicate returns a descriptor of its own for the socket of a connection.
func Duplicate(c net.Conn) (fd int, err error) {
	raw, err := c.(syscall.Conn).SyscallConn()
	if err != nil {
		return -1, err
	}
	if controlErr := raw.Control(func(old uintptr) { fd, err = unix.FcntlInt(old, unix.F_DUPFD_CLOEXEC, 0) }); controlErr != nil {
		return -1, controlErr
	}
	return fd, err
}
