package main

import (
	"fmt"
	"io"
	"net"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// workerServer is the server of the capacity bench: one worker that needs exactly workerService for a request,
// first come, first served. It echoes what it reads.
const workerServer = "worker"

const (
	workerService = time.Millisecond
	// workerLost is by how much the worker may be late before it takes the time as lost: somebody else had its
	// CPU, and to catch up would be to serve faster than it says.
	workerLost  = 100 * time.Microsecond
	workerReads = 4 << 10
)

// serveWorker serves until it is killed. It polls without sleeping, on one thread, with a CPU of its own.
func serveWorker(stdout io.Writer) error {
	runtime.LockOSThread()
	listener, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return err
	}
	file, err := listener.File()
	if err != nil {
		return err
	}
	w := &worker{listener: int(file.Fd()), in: make([]byte, workerReads), free: time.Now()}
	if w.poll, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return err
	}
	if err := unix.SetNonblock(w.listener, true); err != nil {
		return err
	}
	if err := w.watch(w.listener, unix.EPOLLIN); err != nil {
		return err
	}
	fmt.Fprintln(stdout, listener.Addr())
	return w.serve()
}

// worker is a server with one worker.
type worker struct {
	poll, listener int
	in             []byte
	free           time.Time // when the worker has done what it was given
}

// watch adds a descriptor. Edges, not levels: a connection then stands in the kernel's queue by when its request
// came.
func (w *worker) watch(fd int, events uint32) error {
	return unix.EpollCtl(w.poll, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: events, Fd: int32(fd)})
}

func (w *worker) serve() error {
	events := make([]unix.EpollEvent, 64)
	idle := true
	for {
		n, err := unix.EpollWait(w.poll, events, 0)
		if err != nil && err != unix.EINTR {
			return err
		}
		idle = idle || n <= 0
		for _, e := range events[:max(n, 0)] {
			if int(e.Fd) == w.listener {
				w.accept()
				continue
			}
			got, err := unix.Read(int(e.Fd), w.in)
			if err == unix.EAGAIN {
				continue
			}
			if err != nil || got <= 0 {
				unix.Close(int(e.Fd))
				continue
			}
			w.work(idle)
			idle = false
			_, _ = unix.Write(int(e.Fd), w.in[:got]) // who does not read gets no reply, which the client counts
		}
	}
}

// work keeps the worker busy for a service time: from when it was done with the last request, if this one was
// waiting by then, else from now. What reading and writing take is part of it.
func (w *worker) work(idle bool) {
	if now := time.Now(); idle || now.Sub(w.free) > workerLost {
		w.free = now
	}
	w.free = w.free.Add(workerService)
	for time.Now().Before(w.free) {
	}
}

func (w *worker) accept() {
	for {
		fd, _, err := unix.Accept4(w.listener, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
		if err != nil {
			return
		}
		if err := unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1); err == nil {
			err = w.watch(fd, unix.EPOLLIN|unix.EPOLLET)
			if err == nil {
				continue
			}
		}
		unix.Close(fd)
	}
}
