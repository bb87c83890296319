package subject

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"dyno/host"
)

const (
	// lastWordsWithin is how long an exit is held back for what the server wrote last.
	lastWordsWithin = time.Second
	// deathWithin is how long killed processes may take to be gone: only one that waits for a broken
	// disk or a driver takes longer than some ms.
	deathWithin = 10 * time.Second
)

// Process is a running subject. Its methods may be used from several goroutines.
type Process struct {
	name       string
	command    []string
	port       int
	addr       string
	stopWithin time.Duration
	startUp    time.Duration
	pid        int         // of the server; set before Start returns
	server     *os.Process // a handle that no other process with the same number can answer to
	warden     *wardenHandle
	stderr     *tail

	started chan report   // the warden's first word
	exited  chan struct{} // the server has ended
	gone    chan struct{} // so has everything that it started, and the warden

	mu         sync.Mutex
	exitReason string

	announceOnce, controlOnce, stopOnce sync.Once
	stopErr                             error
}

// launch starts a warden with an order and begins to listen to it.
func launch(o order, name string, port int, options StartOptions) (*Process, error) {
	w, err := spawn(o, options.CPUs)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	p := &Process{
		name: name, command: o.Command, port: port, addr: net.JoinHostPort(loopback, strconv.Itoa(port)),
		stopWithin: options.StopWithin, warden: w, stderr: newTail(),
		started: make(chan report, 1), exited: make(chan struct{}), gone: make(chan struct{}),
		exitReason: "its warden was killed",
	}
	go p.stderr.drain(w.stderr)
	go p.listen()
	return p, nil
}

// listen follows the warden's reports until it ends.
func (p *Process) listen() {
	for reports := json.NewDecoder(p.warden.reports); ; {
		var r report
		if reports.Decode(&r) != nil {
			break // the end of the warden
		}
		if !r.Ended {
			p.started <- r // the first report, and the only one of its kind
			continue
		}
		p.mu.Lock()
		p.exitReason = describe(syscall.WaitStatus(r.Status))
		p.mu.Unlock()
		// The rest is killed now, which takes a few ms. Should it not die, the exit is told anyway.
		time.AfterFunc(lastWordsWithin, p.announceExit)
	}
	_ = p.warden.cmd.Wait() // its status says nothing that its reports do not
	_ = p.warden.stderr.SetReadDeadline(time.Now().Add(lastWordsWithin))
	<-p.stderr.ended
	closeAll(p.warden.reports, p.warden.stderr)
	p.announceExit()
	close(p.gone)
}

func (p *Process) announceExit() { p.announceOnce.Do(func() { close(p.exited) }) }

// describe says how a process ended, e.g. "exit code 3" or "killed by SIGSEGV".
func describe(status syscall.WaitStatus) string {
	if status.Signaled() {
		if name := unix.SignalName(status.Signal()); name != "" {
			return "killed by " + name
		}
		return fmt.Sprintf("killed by signal %d", int(status.Signal()))
	}
	return fmt.Sprintf("exit code %d", status.ExitStatus())
}

// adopt takes the process that listens for the server.
func (p *Process) adopt(pid int) *StartError {
	server, err := os.FindProcess(pid)
	if err != nil {
		return &StartError{Cause: fmt.Sprintf("cannot be watched: %v; try again", err), Err: err}
	}
	p.pid, p.server = pid, server
	return nil
}

// PID returns the number of the server's process: the one that listens.
func (p *Process) PID() int { return p.pid }

// Addr returns where the server listens, "127.0.0.1:port".
func (p *Process) Addr() string { return p.addr }

// StartUp returns the time from the start of the server's program to the first accepted connection,
// to about 1 ms.
func (p *Process) StartUp() time.Duration { return p.startUp }

// Exited is closed when the process that was started has ended, for whatever reason. All that it wrote
// to stderr has been read then.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// ExitReason says how the process ended, e.g. "exit code 3" or "killed by SIGSEGV". It is empty while
// the process runs.
func (p *Process) ExitReason() string {
	select {
	case <-p.exited:
	default:
		return ""
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.exitReason
}

// Stderr returns the last lines that the subject wrote to its stderr: 20 at most, of 400 bytes at most,
// with control characters made visible. (Its stdout goes to /dev/null.)
func (p *Process) Stderr() []string { return p.stderr.lines() }

// StderrFlooded reports whether the subject has written more than 16 MiB to its stderr. Reading that
// costs CPU which the measurement wanted, so the trial should be void.
func (p *Process) StderrFlooded() bool { return p.stderr.flooded() }

// PIDs returns the server's process and all others that it started or that started it, the server
// first. It reads the whole of /proc (about 1 ms): not inside a measured slice.
func (p *Process) PIDs() []int {
	pids := host.Descendants(p.warden.cmd.Process.Pid)
	if i := slices.Index(pids, p.pid); i > 0 {
		pids = slices.Insert(slices.Delete(pids, i, i+1), 0, p.pid)
	}
	return pids
}

// CPUTime returns the CPU time that the subject's living processes have spent so far (see
// host.CPUTime). It looks for them anew; who reads it around every slice calls PIDs once, and
// host.TreeCPUTime then.
func (p *Process) CPUTime() (ns int64, err error) {
	pids := p.PIDs()
	if len(pids) == 0 {
		return 0, fmt.Errorf("%s has ended: %w; read its CPU time while it runs", p.name, syscall.ESRCH)
	}
	return host.TreeCPUTime(pids)
}

// Stop ends the subject: SIGTERM to the server, then, after StopWithin or when ctx ends, SIGKILL to
// every process that is left. It returns when all of them are gone, and says if SIGTERM was ignored or
// a process could not be killed. Further calls return the same. A subject that has ended by itself is
// no error.
func (p *Process) Stop(ctx context.Context) error {
	p.stopOnce.Do(func() { p.stopErr = p.stop(ctx) })
	return p.stopErr
}

func (p *Process) stop(ctx context.Context) error {
	ignored := false
	select {
	case <-p.exited:
	default:
		_ = p.server.Signal(syscall.SIGTERM) // it may have ended just now
		grace := time.NewTimer(p.stopWithin)
		defer grace.Stop()
		select {
		case <-p.exited:
		case <-ctx.Done():
		case <-grace.C:
			ignored = true
		}
	}
	if err := p.destroy(); err != nil {
		return err
	}
	if ignored {
		return fmt.Errorf("%s ignored SIGTERM for %s and was killed; a server must end on SIGTERM", p.name, p.stopWithin)
	}
	return nil
}

// destroy has the warden kill everything, and waits until it is done.
func (p *Process) destroy() error {
	p.controlOnce.Do(func() { _ = p.warden.control.Close() }) // the warden may be gone already
	select {
	case <-p.gone:
	case <-time.After(deathWithin):
		return fmt.Errorf("%s: the processes %v cannot be killed; see what they wait for with ps -o pid,wchan,args", p.name, p.PIDs())
	}
	if p.server != nil {
		_ = p.server.Release()
	}
	return nil
}
