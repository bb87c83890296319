package lab

import (
	"context"
	"errors"
	"time"

	"dyno"
	"dyno/host"
	"dyno/subject"
)

// Process is a running subject, as the lab sees it.
type Process interface {
	Addr() string                        // "127.0.0.1:port"
	Refresh()                            // looks for processes that the server started since
	CPUTime() (ns int64, err error)      // of the processes that Refresh found
	Footprint() (peakRSS int64, thr int) // their memory in bytes and their threads
	Switches() int64                     // how often their threads were taken off the CPU against their will
	StartUp() time.Duration              // from spawn to the first accepted connection
	Exited() <-chan struct{}             // closed when the server is gone
	Fault() string                       // why the process must not be trusted (crashed, floods …), else ""
	Stderr() []string                    // last lines of its standard error
	Stop(ctx context.Context) error
}

// Starter starts a fresh process of a subject.
type Starter func(ctx context.Context, s dyno.Subject) (Process, error)

// StartWith returns the starter of real processes.
func StartWith(o subject.StartOptions) Starter {
	return func(ctx context.Context, s dyno.Subject) (Process, error) {
		p, err := subject.Start(ctx, s, o)
		if err != nil {
			return nil, err // a nil *subject.Process must not become a non-nil interface
		}
		w := &watched{Process: p}
		w.Refresh()
		return w, nil
	}
}

// watched remembers the processes of a subject: finding them reads all of /proc, which must not happen
// around every slice.
type watched struct {
	*subject.Process
	pids []int
}

func (w *watched) Refresh() { w.pids = w.PIDs() }

func (w *watched) CPUTime() (ns int64, err error) { return host.TreeCPUTime(w.pids) }

func (w *watched) Footprint() (peakRSS int64, threads int) {
	for _, pid := range w.pids {
		if n, err := host.PeakRSSBytes(pid); err == nil {
			peakRSS += n
		}
		if n, err := host.Threads(pid); err == nil {
			threads += n
		}
	}
	return peakRSS, threads
}

func (w *watched) Switches() int64 {
	var sum int64
	for _, pid := range w.pids {
		sum += host.InvoluntarySwitches(pid)
	}
	return sum
}

func (w *watched) Fault() string {
	if reason := w.ExitReason(); reason != "" {
		return "the process ended: " + reason
	}
	if w.StderrFlooded() {
		return "the process floods its stderr, which costs CPU that the measurement wanted"
	}
	return ""
}

// lastWords returns what a subject that did not start wrote to its standard error.
func lastWords(err error) []string {
	var failed *subject.StartError
	if errors.As(err, &failed) {
		return failed.Stderr
	}
	return nil
}
