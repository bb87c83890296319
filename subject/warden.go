package subject

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"dyno/host"
)

// WardenCommand is the hidden command of dyno that runs WardenMain.
const WardenCommand = "warden"

// openFiles is the limit on open files that subjects get: enough for 10,000 connections and more.
const openFiles = 1 << 16

// order is what dyno tells a warden on its standard input, once. The warden lives until that input
// closes, which the kernel sees to when dyno dies.
type order struct {
	Command []string
	Dir     string
	Env     []string
}

// report is what a warden tells dyno on its standard output.
type report struct {
	PID      int    // of the server, once it runs
	ExecAtNs int64  // CLOCK_MONOTONIC just before the server was started
	Fault    string // why it could not be started
	Ended    bool   // the server has ended, with Status
	Status   uint32 // as wait(2) tells it
}

// warden keeps watch over one server. All that the server starts stays below the warden, whatever it
// forks and however it detaches itself, because orphans go to the nearest subreaper.
type warden struct {
	reports *json.Encoder
	signals chan os.Signal
	killing sync.Once
}

// WardenMain is the main function of `dyno warden`, which dyno starts for every subject: it starts the
// server that dyno orders, says how it ends, and when dyno closes its input or dies, or the server
// ends, it kills every process that is left and ends itself. It returns the exit status.
func WardenMain(args []string) int {
	var o order
	input := json.NewDecoder(os.Stdin)
	if len(args) > 0 || input.Decode(&o) != nil || len(o.Command) == 0 {
		fmt.Fprintln(os.Stderr, "dyno warden: no order on the standard input; this command is for dyno itself, use dyno run")
		return 2
	}
	// The kernel kills the server (Pdeathsig) when the thread that forked it ends, not when the process
	// does. This goroutine keeps its thread until WardenMain returns.
	runtime.LockOSThread()
	w := warden{reports: json.NewEncoder(os.Stdout), signals: make(chan os.Signal, 8)}
	if err := w.prepare(); err != nil {
		w.tell(report{Fault: err.Error()})
		return 1
	}
	go w.watchDyno(io.MultiReader(input.Buffered(), os.Stdin))
	server, err := w.start(o)
	if err != nil {
		w.tell(report{Fault: err.Error()})
		return 1
	}
	w.reap(server)
	return 0
}

func (w *warden) prepare() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("prctl(PR_SET_CHILD_SUBREAPER): %w; dyno needs Linux 3.4 or newer", err)
	}
	// Signals are caught rather than ignored, because a server would inherit that they are ignored.
	// SIGPIPE would end the warden when it reports to a dyno that is dead.
	signal.Notify(w.signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGPIPE)
	// What dyno's own parent left open (a log, a pipe of a CI system) is no business of a subject. An
	// older kernel (before 5.11) cannot, and nothing worse follows.
	_ = unix.CloseRange(uint(os.Stderr.Fd())+1, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC)
	_, _ = host.RaiseOpenFiles(openFiles) // what there is must do; dyno doctor reports it
	return nil
}

// watchDyno waits until dyno is gone, or asks for the end, and then kills.
func (w *warden) watchDyno(input io.Reader) {
	go func() {
		for s := range w.signals {
			if s == syscall.SIGTERM { // also what the kernel sends when dyno dies
				w.killAll()
			}
		}
	}()
	_, _ = io.Copy(io.Discard, input) // an error is an end, too
	w.killAll()
}

// start starts the server in a process group of its own and returns its number.
func (w *warden) start(o order) (pid int, err error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return 0, fmt.Errorf("%w; dyno needs %s", err, os.DevNull)
	}
	defer null.Close()
	execAtNs := monotonicNs()
	pid, err = syscall.ForkExec(o.Command[0], o.Command, &syscall.ProcAttr{
		Dir:   o.Dir,
		Env:   o.Env,
		Files: []uintptr{null.Fd(), null.Fd(), os.Stderr.Fd()},
		Sys:   &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL},
	})
	if err != nil {
		return 0, fmt.Errorf("exec %s in %s: %w; check that both exist and that the file is a program for this machine", o.Command[0], o.Dir, err)
	}
	w.tell(report{PID: pid, ExecAtNs: execAtNs})
	return pid, nil
}

// reap waits for every descendant until none is left. When the server ends, the rest must, too.
func (w *warden) reap(server int) {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return // ECHILD: nobody is left
		case pid == server:
			w.tell(report{Ended: true, Status: uint32(status)})
			go w.killAll()
		}
	}
}

// killAll kills descendants until the process ends, which it does when reap has waited for the last
// one. A process may fork while the list is made, so the list is made again and again; what cannot be
// killed at once (it waits for a disk) is tried less and less often.
func (w *warden) killAll() { w.killing.Do(w.kill) }

func (w *warden) kill() {
	const shortest, longest = time.Millisecond, 100 * time.Millisecond
	self := os.Getpid()
	var known []int
	for pause := shortest; ; pause = min(2*pause, longest) {
		living := host.Descendants(self)
		for _, pid := range living {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended by itself
			if !slices.Contains(known, pid) {
				pause = shortest
			}
		}
		known = living
		time.Sleep(pause)
	}
}

// tell reports to dyno. A dyno that is gone hears nothing, and watchDyno knows it.
func (w *warden) tell(r report) { _ = w.reports.Encode(r) }

// monotonicNs reads CLOCK_MONOTONIC, which all processes of a machine share.
func monotonicNs() int64 {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &t) // cannot fail with a clock that exists
	return t.Nano()
}
