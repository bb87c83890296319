// Package netpoll is the thin layer between the event loops and the kernel: an epoll set and
// non-blocking socket calls. It knows no protocol and keeps no connection state.
//
// Calls that can never block go straight to the kernel (RawSyscall), because the Go scheduler's
// hand-off costs more than most of them. Of those that may block, Wait goes through the ordinary path,
// and Sleep does not.
package netpoll

import (
	"fmt"
	"net/netip"
	"os"
	"runtime"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Event says that something happened on a registered descriptor.
type Event = unix.EpollEvent

// Readiness bits of an Event.
const (
	Readable = unix.EPOLLIN | unix.EPOLLRDHUP | unix.EPOLLHUP | unix.EPOLLERR
	Writable = unix.EPOLLOUT
)

// Poller is an edge-triggered epoll set. Descriptors are registered once, for reading and writing,
// and never re-armed; closing one removes it.
type Poller struct {
	fd     int
	events []Event
	until  unix.Timespec // of the wait in work
	coarse bool          // the kernel has no epoll_pwait2
}

// New returns a poller that hands out at most batch events at a time.
func New(batch int) (*Poller, error) {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("epoll_create1", err)
	}
	return &Poller{fd: fd, events: make([]Event, batch)}, nil
}

// Close releases the set. Registered descriptors stay open.
func (p *Poller) Close() error { return unix.Close(p.fd) }

// Add registers fd. Its events carry index and generation, by which the owner tells a fresh event
// from one that was already queued for a descriptor since closed.
func (p *Poller) Add(fd int, index, generation int32) error {
	ev := Event{
		Events: unix.EPOLLIN | unix.EPOLLOUT | unix.EPOLLRDHUP | unix.EPOLLET,
		Fd:     index,
		Pad:    generation,
	}
	return os.NewSyscallError("epoll_ctl", unix.EpollCtl(p.fd, unix.EPOLL_CTL_ADD, fd, &ev))
}

// Poll returns the events that are ready now, without blocking. The slice is valid until the next
// call of Poll or Wait.
func (p *Poller) Poll() []Event {
	n, _, errno := unix.RawSyscall6(unix.SYS_EPOLL_PWAIT, uintptr(p.fd),
		uintptr(unsafe.Pointer(&p.events[0])), uintptr(len(p.events)), 0, 0, 0)
	if errno != 0 {
		return nil // EINTR: nothing is lost, the next call finds the events
	}
	return p.events[:n]
}

// Wait blocks until an event is ready or the timeout is over. It may return early with none: kernels
// before 5.11 wait in whole milliseconds, and Wait rounds down, so that nobody oversleeps.
func (p *Poller) Wait(timeout time.Duration) []Event { return p.wait(unix.Syscall6, timeout) }

// Sleep is Wait for an event loop whose processor of the Go scheduler nobody else needs (load.New brings one
// for each loop). It does not give it up: the runtime's monitor, which takes processors away from calls that
// block, looks every 20 µs as long as it finds any, and that costs the client 5 to 10 % of its CPU time.
// A garbage collection can proceed all the same. The signal by which it stops a thread ends the call, and is
// sent again until it did.
func (p *Poller) Sleep(timeout time.Duration) []Event { return p.wait(unix.RawSyscall6, timeout) }

// syscall6 is unix.Syscall6 or unix.RawSyscall6.
type syscall6 func(trap, a1, a2, a3, a4, a5, a6 uintptr) (r1, r2 uintptr, errno syscall.Errno)

func (p *Poller) wait(call syscall6, timeout time.Duration) []Event {
	defer runtime.KeepAlive(p) // what the kernel writes to lies in it
	timeout = max(timeout, 0)
	var n uintptr
	errno := unix.ENOSYS
	if !p.coarse {
		p.until = unix.NsecToTimespec(int64(timeout))
		n, _, errno = call(unix.SYS_EPOLL_PWAIT2, uintptr(p.fd),
			uintptr(unsafe.Pointer(&p.events[0])), uintptr(len(p.events)), uintptr(unsafe.Pointer(&p.until)), 0, 0)
	}
	if errno == unix.ENOSYS || errno == unix.EPERM { // EPERM: some sandboxes refuse what they do not know
		p.coarse = true
		n, _, errno = call(unix.SYS_EPOLL_PWAIT, uintptr(p.fd),
			uintptr(unsafe.Pointer(&p.events[0])), uintptr(len(p.events)), uintptr(timeout/time.Millisecond), 0, 0)
	}
	if errno != 0 {
		return nil
	}
	return p.events[:n]
}

// Recv reads what is there into b. It returns 0, nil at the end of the stream and EAGAIN when
// nothing is there.
func Recv(fd int, b []byte) (int, error) {
	for {
		n, _, errno := unix.RawSyscall6(unix.SYS_RECVFROM, uintptr(fd),
			uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)), unix.MSG_DONTWAIT, 0, 0)
		switch errno {
		case 0:
			return int(n), nil
		case unix.EINTR:
		case unix.EAGAIN:
			return 0, unix.EAGAIN
		default:
			return 0, errno
		}
	}
}

// Send writes as much of b as the socket takes. It returns EAGAIN when it takes nothing.
func Send(fd int, b []byte) (int, error) {
	for {
		n, _, errno := unix.RawSyscall6(unix.SYS_SENDTO, uintptr(fd),
			uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)), unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL, 0, 0)
		switch errno {
		case 0:
			return int(n), nil
		case unix.EINTR:
		case unix.EAGAIN:
			return 0, unix.EAGAIN
		default:
			return 0, errno
		}
	}
}

// Connect starts a TCP connection, from the source address when that is valid. done is false while the
// handshake is under way: the descriptor becomes writable when it ends, and ConnectError tells how.
func Connect(addr netip.AddrPort, source netip.Addr) (fd int, done bool, err error) {
	family, target := sockaddr(addr)
	fd, err = socket(family)
	if err != nil {
		return -1, false, err
	}
	if addr.Addr().Unmap().IsLoopback() {
		withoutPacing(fd)
	}
	if err = noDelay(fd); err == nil && source.IsValid() {
		err = BindSource(fd, source)
	}
	if err != nil {
		unix.Close(fd)
		return -1, false, err
	}
	return connect(fd, target)
}

// ConnectUnix starts a connection to a Unix stream socket; a leading @ stands for an abstract name. It
// fails with EAGAIN when the server has too many connections to accept yet.
func ConnectUnix(path string) (fd int, done bool, err error) {
	fd, err = socket(unix.AF_UNIX)
	if err != nil {
		return -1, false, err
	}
	return connect(fd, &unix.SockaddrUnix{Name: path})
}

// BindSource binds fd to a source address and leaves the choice of the port to connect, which may then
// use a port once for every server.
func BindSource(fd int, source netip.Addr) error {
	if err := unix.SetsockoptInt(fd, unix.IPPROTO_IP, unix.IP_BIND_ADDRESS_NO_PORT, 1); err != nil {
		return os.NewSyscallError("setsockopt", err)
	}
	_, from := sockaddr(netip.AddrPortFrom(source, 0))
	if err := unix.Bind(fd, from); err != nil {
		return fmt.Errorf("bind to source address %v: %w", source, err)
	}
	return nil
}

func socket(family int) (int, error) {
	fd, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	return fd, os.NewSyscallError("socket", err)
}

func noDelay(fd int) error {
	return os.NewSyscallError("setsockopt", unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1))
}

// withoutPacing gives fd the congestion control that costs least, on loopback, where there is no congestion.
// Many machines have BBR for their default, whose model of the path and timers cost the client more CPU time
// than parsing and verifying replies does. It is a matter of cost alone: where it cannot be set, the default stays.
func withoutPacing(fd int) {
	_ = unix.SetsockoptString(fd, unix.IPPROTO_TCP, unix.TCP_CONGESTION, "reno")
}

func connect(fd int, target unix.Sockaddr) (int, bool, error) {
	switch err := unix.Connect(fd, target); err {
	case nil:
		return fd, true, nil
	case unix.EINPROGRESS:
		return fd, false, nil
	default:
		unix.Close(fd)
		return -1, false, err
	}
}

// ConnectError returns how the handshake of fd ended: nil when it is connected.
func ConnectError(fd int) error {
	code, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_ERROR)
	if err != nil {
		return os.NewSyscallError("getsockopt", err)
	}
	if code != 0 {
		return unix.Errno(code)
	}
	return nil
}

// Close closes a socket.
func Close(fd int) { unix.Close(fd) }

// Listen opens a non-blocking listening socket.
func Listen(addr netip.AddrPort) (int, error) {
	family, at := sockaddr(addr)
	fd, err := socket(family)
	if err != nil {
		return -1, err
	}
	const backlog = 4096
	err = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1)
	if err == nil {
		err = unix.Bind(fd, at)
	}
	if err == nil {
		err = unix.Listen(fd, backlog)
	}
	if err != nil {
		unix.Close(fd)
		return -1, fmt.Errorf("listen on %v: %w", addr, err)
	}
	return fd, nil
}

// LocalAddr returns the address that fd is bound to.
func LocalAddr(fd int) (netip.AddrPort, error) {
	sa, err := unix.Getsockname(fd)
	if err != nil {
		return netip.AddrPort{}, os.NewSyscallError("getsockname", err)
	}
	switch sa := sa.(type) {
	case *unix.SockaddrInet4:
		return netip.AddrPortFrom(netip.AddrFrom4(sa.Addr), uint16(sa.Port)), nil
	case *unix.SockaddrInet6:
		return netip.AddrPortFrom(netip.AddrFrom16(sa.Addr), uint16(sa.Port)), nil
	}
	return netip.AddrPort{}, fmt.Errorf("getsockname: not a TCP address")
}

// Accept takes the next connection of a listening socket, non-blocking and without Nagle's delay.
// It returns EAGAIN when none waits.
func Accept(listener int) (int, error) {
	fd, _, err := unix.Accept4(listener, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
	if err != nil {
		return -1, err
	}
	if err := noDelay(fd); err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

func sockaddr(addr netip.AddrPort) (family int, sa unix.Sockaddr) {
	if ip := addr.Addr().Unmap(); ip.Is4() {
		return unix.AF_INET, &unix.SockaddrInet4{Port: int(addr.Port()), Addr: ip.As4()}
	}
	return unix.AF_INET6, &unix.SockaddrInet6{Port: int(addr.Port()), Addr: addr.Addr().As16()}
}
