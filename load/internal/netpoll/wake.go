package netpoll

import (
	"os"

	"golang.org/x/sys/unix"
)

// Waker wakes a loop that waits, from another goroutine.
type Waker struct{ fd int }

// WakeIndex is the index that the event of a Waker carries.
const WakeIndex = -1

// AddWaker registers a new waker.
func (p *Poller) AddWaker() (Waker, error) {
	fd, err := unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC)
	if err != nil {
		return Waker{-1}, os.NewSyscallError("eventfd", err)
	}
	if err := p.Add(fd, WakeIndex, 0); err != nil {
		unix.Close(fd)
		return Waker{-1}, err
	}
	return Waker{fd}, nil
}

// Wake makes the loop's present or next wait return with the waker's event.
func (w Waker) Wake() {
	one := [8]byte{1}
	_, _ = unix.Write(w.fd, one[:]) // it fails only when it is as good as rung already
}

// Close releases the waker. Wake must not be called any more.
func (w Waker) Close() { unix.Close(w.fd) }
