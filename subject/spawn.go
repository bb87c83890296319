package subject

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"dyno/host"
)

// wardenHandle is dyno's end of a running warden.
type wardenHandle struct {
	cmd     *exec.Cmd
	control io.Closer // closing it makes the warden kill everything and end
	reports *os.File  // what the warden says; ends when the warden does
	stderr  *os.File  // what the subject says; ends when its last process does
}

// spawner runs jobs on one thread that never ends. The kernel signals a warden when the thread that
// started it ends (Pdeathsig), and Go ends threads at will; and processes inherit the CPUs of the
// thread that starts them, so that warden and subject never run elsewhere, not even at first.
var spawner = sync.OnceValue(func() chan<- func() {
	jobs := make(chan func())
	go func() {
		runtime.LockOSThread()
		for job := range jobs {
			job()
		}
	}()
	return jobs
})

// spawn starts a warden on the CPUs and gives it its order.
func spawn(o order, cpus []int) (*wardenHandle, error) {
	files, err := openPipes()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command("/proc/self/exe", WardenCommand) // this very program, even if its file was replaced
	cmd.Args[0] = "dyno"
	cmd.Dir = "/"
	cmd.Env = []string{"GOMAXPROCS=1"} // a warden only waits
	cmd.Stdin, cmd.Stdout, cmd.Stderr = files.controlRead, files.reportsWrite, files.stderrWrite
	// A session of its own keeps the terminal's Ctrl-C from wardens and subjects.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGTERM}
	failed := make(chan error)
	spawner() <- func() {
		err := host.PinThread(cpus)
		if err == nil {
			err = cmd.Start()
		}
		failed <- err
	}
	err = <-failed
	files.closeTheirs()
	if err == nil {
		err = json.NewEncoder(files.controlWrite).Encode(o)
	}
	if err != nil {
		files.closeOurs()
		return nil, fmt.Errorf("start a warden: %w; see dyno doctor", err)
	}
	return &wardenHandle{cmd: cmd, control: files.controlWrite, reports: files.reportsRead, stderr: files.stderrRead}, nil
}

// pipes connect dyno with a warden and its subject.
type pipes struct {
	controlRead, controlWrite *os.File
	reportsRead, reportsWrite *os.File
	stderrRead, stderrWrite   *os.File
}

func openPipes() (p pipes, err error) {
	for _, ends := range []struct{ r, w **os.File }{
		{&p.controlRead, &p.controlWrite}, {&p.reportsRead, &p.reportsWrite}, {&p.stderrRead, &p.stderrWrite},
	} {
		if *ends.r, *ends.w, err = os.Pipe(); err != nil {
			p.closeTheirs()
			p.closeOurs()
			return pipes{}, fmt.Errorf("start a warden: %w; raise the limit on open files with ulimit -n", err)
		}
	}
	// A larger buffer lets a subject write on while dyno is busy; the default serves, too.
	raw, err := p.stderrRead.SyscallConn()
	if err == nil {
		_ = raw.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, 1<<20) })
	}
	return p, nil
}

// Closing a pipe that was not opened is an error that means nothing.
func (p pipes) closeTheirs() { closeAll(p.controlRead, p.reportsWrite, p.stderrWrite) }
func (p pipes) closeOurs()   { closeAll(p.controlWrite, p.reportsRead, p.stderrRead) }

func closeAll(files ...*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}
