package uring

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// ErrUnsupported is wrapped by every error that says that this kernel, or the rules that this process
// runs under, cannot do what a Ring needs.
var ErrUnsupported = errors.New("io_uring is not usable here")

func unsupported(cause string) error {
	return fmt.Errorf("%w: %s; use epoll", ErrUnsupported, cause)
}

// Supported returns nil when rings work here, and otherwise why they do not, in one line. It tries what
// a Ring relies on once, on a pair of sockets, rather than trust version numbers.
var Supported = sync.OnceValue(func() error {
	outcome := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		outcome <- tryOut()
	}()
	return <-outcome
})

func setupError(errno unix.Errno) error {
	switch errno {
	case unix.ENOSYS:
		return unsupported("the kernel was built without it")
	case unix.EPERM, unix.EACCES:
		return unsupported("it is forbidden (sysctl kernel.io_uring_disabled, or a container's seccomp rules)")
	case unix.EINVAL:
		return unsupported("the kernel is older than Linux 6.1")
	case unix.ENOMEM:
		return fmt.Errorf("uring: io_uring_setup: %w; raise the limit of locked memory (ulimit -l)", errno)
	}
	return fmt.Errorf("uring: %w", os.NewSyscallError("io_uring_setup", errno))
}

func registerError(errno unix.Errno) error { return callError("io_uring_register", errno) }

// callError says what a failed call on a ring means; nil when it did not fail.
func callError(call string, errno unix.Errno) error {
	switch errno {
	case 0:
		return nil
	case unix.EEXIST:
		return fmt.Errorf("%s: the ring belongs to another thread; lock the goroutine that drives it", call)
	}
	return os.NewSyscallError(call, errno)
}

// tryOut drives a small ring over a pair of sockets.
func tryOut() error {
	cfg := Config{Files: 1, Entries: 8, Buffers: 8}
	if err := cfg.check(); err != nil {
		return err
	}
	r, err := newRing(cfg)
	if err != nil {
		return err
	}
	defer r.Close()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return os.NewSyscallError("socketpair", err)
	}
	defer unix.Close(pair[1])
	if err := r.Attach(0, pair[0]); err != nil {
		unix.Close(pair[0])
		return err
	}
	if err := r.tryReceive(pair[1]); err != nil {
		return err
	}
	return r.trySend(pair[1])
}

const tryWithin = time.Second

// tryReceive checks that one receive delivers more than once.
func (r *Ring) tryReceive(peer int) error {
	r.Receive(0)
	if _, err := r.Poll(); err != nil { // armed from here on
		return err
	}
	for range 2 {
		if _, err := unix.Write(peer, []byte("x")); err != nil {
			return os.NewSyscallError("write", err)
		}
		if _, err := r.Wait(tryWithin); err != nil {
			return err
		}
		var c Completion
		if !r.Next(&c) || c.Kind != Received || string(c.Data) != "x" {
			return unsupported("a receive that shall repeat does not (before Linux 6.0)")
		}
		if r.Next(&c); len(r.rearm) != 0 {
			return unsupported("a receive that shall repeat ends after its first bytes")
		}
	}
	return nil
}

// trySend checks that a send that fits completes silently, and that one that does not tells, as soon
// as it is submitted, how much went out.
func (r *Ring) trySend(peer int) error {
	r.Send(0, []byte("y"))
	if n, err := r.Poll(); err != nil {
		return err
	} else if n != 0 || r.Sending(0) {
		return unsupported("a send that was whole is not silent")
	}
	sent := append([]byte("y"), bytes.Repeat([]byte("0123456789abcdef"), arenaBytes/16/2)...)
	r.Send(0, sent[1:])
	if _, err := r.Poll(); err != nil {
		return err
	} else if !r.Sending(0) {
		return unsupported("a send that was cut short does not tell (before Linux 6.1)")
	}
	var arrived []byte
	in := make([]byte, 64<<10)
	for deadline := time.Now().Add(tryWithin); len(arrived) < len(sent) && time.Now().Before(deadline); {
		n, err := unix.Read(peer, in)
		if err != nil && err != unix.EAGAIN && err != unix.EINTR {
			return os.NewSyscallError("read", err)
		}
		arrived = append(arrived, in[:max(n, 0)]...)
		if _, err := r.Poll(); err != nil {
			return err
		}
		for c := (Completion{}); r.Next(&c); {
		}
	}
	if !bytes.Equal(arrived, sent) {
		return unsupported("a send that was cut short does not go on where it was cut")
	}
	return nil
}
