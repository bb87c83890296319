package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"

	"dyno/host"
)

// self is this very program, even if its file was replaced or, under go run, will be removed.
const self = "/proc/self/exe"

// childGrace is how much longer than its load a child may take before it is killed: start, drain, end.
const childGrace = 20 * time.Second

// launcher starts processes from one thread that never ends. A process inherits the CPUs of the
// thread that starts it, so that all of its threads are pinned from its first instruction on; and the
// kernel ends it with that thread, so that it does not survive a bench that was killed.
type launcher struct{ jobs chan func() }

func newLauncher() *launcher {
	l := &launcher{jobs: make(chan func())}
	go func() {
		runtime.LockOSThread()
		for job := range l.jobs {
			job()
		}
	}()
	return l
}

// start starts cmd on the CPUs.
func (l *launcher) start(cmd *exec.Cmd, cpus []int) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	started := make(chan error)
	l.jobs <- func() {
		err := host.PinThread(cpus)
		if err == nil {
			err = cmd.Start()
		}
		started <- err
	}
	return <-started
}

// outcome is what a child printed and spent in its whole life.
type outcome struct {
	stdout   []byte
	cpu      time.Duration
	rssBytes int64 // most memory that it had resident at once
}

// runToEnd runs a command on the CPUs and waits for its end. Its CPU time is what wait4 reports: start
// and end are part of it, for every command alike, and its parent is not.
func (l *launcher) runToEnd(ctx context.Context, cpus []int, within time.Duration, argv ...string) (outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, within+childGrace)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), "LC_ALL=C") // wrk prints its numbers by the locale
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := l.start(cmd, cpus)
	if err == nil {
		err = cmd.Wait()
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("no end within %v", within+childGrace)
	}
	if err != nil {
		return outcome{}, fmt.Errorf("%w%s", err, lastLine(stderr.Bytes(), stdout.Bytes()))
	}
	o := outcome{stdout: stdout.Bytes(), cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
	if used, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		o.rssBytes = used.Maxrss << 10
	}
	return o, nil
}

// lastLine returns ": " and the last line that a child printed, for an error; "" when it was silent.
func lastLine(outputs ...[]byte) string {
	for _, output := range outputs {
		if text := strings.TrimSpace(string(output)); text != "" {
			return ": " + text[strings.LastIndexByte(text, '\n')+1:]
		}
	}
	return ""
}
