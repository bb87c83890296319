package subject

import (
	"context"
	"errors"
	"net"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"dyno"
	"dyno/host"
)

func TestStartsAndStops(t *testing.T) {
	o := options()
	o.Ping = ping
	p := mustStart(t, server(t, "echo"), o)
	if err := ping(t.Context(), p.Addr()); err != nil {
		t.Error(err)
	}
	if p.StartUp() <= 0 || p.StartUp() > patience {
		t.Errorf("start-up took %v", p.StartUp())
	}
	if pids := p.PIDs(); len(pids) != 1 || pids[0] != p.PID() {
		t.Errorf("PIDs %v, server %d", pids, p.PID())
	}
	if ns, err := p.CPUTime(); err != nil || ns <= 0 {
		t.Errorf("CPU time %d, %v", ns, err)
	}
	if reason := p.ExitReason(); reason != "" {
		t.Errorf("exit reason of a running process: %q", reason)
	}
	all := family(p)
	for range 2 { // the second does nothing
		if err := p.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}
	waitClosed(t, "Exited", p.Exited())
	if reason := p.ExitReason(); reason != "exit code 0" {
		t.Errorf("exit reason %q", reason)
	}
	if _, err := p.CPUTime(); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("CPU time after the end: %v", err)
	}
	waitForDeath(t, all)
}

func TestDiesAtStart(t *testing.T) {
	_, err := Start(t.Context(), server(t, "dies-at-start"), options())
	oneLine(t, err)
	var fault *StartError
	if !errors.As(err, &fault) || fault.PortTaken || len(fault.Stderr) != 3 {
		t.Fatalf("got %#v", err)
	}
	want := "test-dies-at-start ended before it was ready (exit code 3; it wrote: Error: cannot find module 'left-pad'); run it by hand"
	if !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got  %v\nwant %s…", err, want)
	}
}

func TestDiesLater(t *testing.T) {
	p := mustStart(t, server(t, "dies-later"), options())
	conn, err := net.Dial("tcp", p.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	waitClosed(t, "Exited", p.Exited())
	if reason := p.ExitReason(); reason != "killed by SIGKILL" {
		t.Errorf("exit reason %q", reason)
	}
	if lines := p.Stderr(); !slices.Equal(lines, []string{`so \x1b[31mred\x1b[0m`}) {
		t.Errorf("stderr %q", lines)
	}
	if err := p.Stop(t.Context()); err != nil {
		t.Errorf("Stop of an ended process: %v", err)
	}
}

func TestExitReasons(t *testing.T) {
	for _, tt := range []struct{ script, want string }{
		{"exit 7", "exit code 7"}, {"kill -SEGV $$", "killed by SIGSEGV"}, {"kill -KILL $$", "killed by SIGKILL"}, {"kill -40 $$", "killed by signal 40"},
	} {
		s := dyno.Subject{Name: "sh", Dir: t.TempDir(), Command: []string{"/bin/sh", "-c", tt.script}}
		_, err := Start(t.Context(), s, options())
		oneLine(t, err)
		if !strings.Contains(err.Error(), "("+tt.want+"; it wrote nothing to stderr)") {
			t.Errorf("%s: %v", tt.script, err)
		}
	}
}

func TestNeverListens(t *testing.T) {
	o := options()
	o.ReadyWithin = 150 * time.Millisecond
	_, err := Start(t.Context(), server(t, "silent"), o)
	oneLine(t, err)
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "not ready within 150ms: it did not listen on 127.0.0.1:") {
		t.Errorf("got %v", err)
	}
}

func TestInterruptedStart(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	_, err := Start(ctx, server(t, "silent"), options())
	oneLine(t, err)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestPingFails(t *testing.T) {
	o := options()
	broken := errors.New("a frame too many\nsecond line")
	o.Ping = func(context.Context, string) error { return broken }
	_, err := Start(t.Context(), server(t, "echo"), o)
	oneLine(t, err)
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	o.Ping = ping // what a server that crashes at the first byte fails
	_, err = Start(t.Context(), server(t, "dies-later"), o)
	oneLine(t, err)
	if err == nil || !strings.Contains(err.Error(), "ended before it was ready") {
		t.Errorf("got %v", err)
	}
}

func TestIgnoresSIGTERM(t *testing.T) {
	o := options()
	o.StopWithin = 100 * time.Millisecond
	p := mustStart(t, server(t, "deaf"), o)
	all := family(p)
	for range 2 {
		err := p.Stop(t.Context())
		oneLine(t, err)
		if err == nil || !strings.Contains(err.Error(), "ignored SIGTERM for 100ms and was killed") {
			t.Errorf("got %v", err)
		}
	}
	if reason := p.ExitReason(); reason != "killed by SIGKILL" {
		t.Errorf("exit reason %q", reason)
	}
	waitForDeath(t, all)
}

func TestStopWithEndedContextKillsAtOnce(t *testing.T) {
	p := mustStart(t, server(t, "deaf"), options())
	all := family(p)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.Stop(ctx); err != nil {
		t.Error(err)
	}
	waitForDeath(t, all)
}

func TestFloodOfStderr(t *testing.T) {
	if testing.Short() {
		t.Skip("moves 200 MB")
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	p := mustStart(t, server(t, "floods", "FLOOD_BYTES="+strconv.Itoa(200<<20)), options())
	waitFor(t, "the end of the flood", func() bool { return slices.Contains(p.Stderr(), "the end") })
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 8<<20 {
		t.Errorf("200 MB of stderr left %d bytes in memory", grown)
	}
	if !p.StderrFlooded() {
		t.Error("not seen as a flood")
	}
	if lines := p.Stderr(); len(lines) != tailLines || len(lines[0]) != tailLineBytes {
		t.Errorf("%d lines, the first of %d bytes", len(lines), len(lines[0]))
	}
	if err := ping(t.Context(), p.Addr()); err != nil {
		t.Errorf("blocked by its own stderr: %v", err)
	}
}

func TestQuietSubjectIsNoFlood(t *testing.T) {
	p := mustStart(t, server(t, "environment"), options())
	if p.StderrFlooded() {
		t.Error("a few lines are taken for a flood")
	}
}

// TestNobodyIsLeft starts a server that forks into other sessions, and ends it in each way.
func TestNobodyIsLeft(t *testing.T) {
	for name, end := range map[string]func(t *testing.T, p *Process){
		"stopped":                 func(t *testing.T, p *Process) { _ = p.Stop(t.Context()) },
		"server killed":           func(_ *testing.T, p *Process) { kill(p.PID(), syscall.SIGKILL) },
		"warden asked by SIGTERM": func(_ *testing.T, p *Process) { kill(p.warden.cmd.Process.Pid, syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			p := mustStart(t, server(t, "forks"), options())
			const processes = 6 // the server, a shell, four sleeps
			waitFor(t, "its children", func() bool { return len(p.PIDs()) >= processes })
			if p.PIDs()[0] != p.PID() {
				t.Errorf("PIDs %v do not begin with the server %d", p.PIDs(), p.PID())
			}
			all := family(p)
			end(t, p)
			waitForDeath(t, all)
			waitClosed(t, "Exited", p.Exited())
		})
	}
}

// TestForksWhileItIsKilled ends a server with a child that forks as fast as it can.
func TestForksWhileItIsKilled(t *testing.T) {
	p := mustStart(t, server(t, "keeps-forking"), options())
	waitFor(t, "the first forks", func() bool { return len(p.PIDs()) > 10 })
	session := p.warden.cmd.Process.Pid
	if err := p.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	processes, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range processes {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		if sid, err := unix.Getsid(pid); err == nil && sid == session {
			t.Errorf("process %d of the session is left", pid)
		}
	}
}

func TestWardenKilled(t *testing.T) {
	p := mustStart(t, server(t, "echo"), options())
	all := family(p)
	kill(p.warden.cmd.Process.Pid, syscall.SIGKILL)
	waitForDeath(t, all)
	waitClosed(t, "Exited", p.Exited())
	if reason := p.ExitReason(); reason != "its warden was killed" {
		t.Errorf("exit reason %q", reason)
	}
}

func TestServerBehindAWrapper(t *testing.T) {
	o := options()
	o.Ping = ping
	p := mustStart(t, server(t, "wrapper"), o)
	pids := p.PIDs()
	if len(pids) != 2 || pids[0] != p.PID() {
		t.Errorf("PIDs %v, server %d", pids, p.PID())
	}
	owners, foreign, err := host.ListenerOwners(p.port, pids)
	if err != nil || foreign != 0 || !slices.Equal(owners, []int{p.PID()}) {
		t.Errorf("the server is %d, the listener belongs to %v, foreign %d, %v", p.PID(), owners, foreign, err)
	}
	if err := p.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if reason := p.ExitReason(); reason != "exit code 0" {
		t.Errorf("exit reason %q", reason)
	}
}

// takenPort returns a port on which this test listens.
func takenPort(t *testing.T) int {
	t.Helper()
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	return listener.Addr().(*net.TCPAddr).Port
}

func TestPortTaken(t *testing.T) {
	taken := takenPort(t)
	for _, role := range []string{"echo", "silent"} { // one notices, one does not even try
		tries := 0
		_, err := start(t.Context(), server(t, role), options(), func() (int, error) { tries++; return taken, nil })
		oneLine(t, err)
		var fault *StartError
		if !errors.As(err, &fault) || !fault.PortTaken || tries != portTries || !strings.Contains(err.Error(), strconv.Itoa(taken)) {
			t.Errorf("%s: after %d tries: %v", role, tries, err)
		}
	}
	tries := 0
	p, err := start(t.Context(), server(t, "echo"), options(), func() (int, error) {
		if tries++; tries == 1 {
			return taken, nil
		}
		return freePort()
	})
	if err != nil || tries != 2 {
		t.Fatalf("after %d tries: %v", tries, err)
	}
	if err := p.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	broken := errors.New("no ports at all")
	if _, err := start(t.Context(), server(t, "echo"), options(), func() (int, error) { return 0, broken }); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

func TestCannotStart(t *testing.T) {
	text := t.TempDir() + "/text"
	if err := os.WriteFile(text, []byte("just text"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		s    dyno.Subject
		o    StartOptions
		want string
	}{
		{"unavailable", dyno.Subject{Unavailable: "bun is not installed: run `make install`"}, StartOptions{}, "bun is not installed"},
		{"unresolved", dyno.Subject{}, StartOptions{}, "it has no command; resolve it first"},
		{"missing program", dyno.Subject{Dir: "/", Command: []string{"/does/not/exist"}}, StartOptions{}, "no such file"},
		{"missing folder", dyno.Subject{Dir: "/does/not/exist", Command: []string{"/bin/sh"}}, StartOptions{}, "no such file"},
		{"no program", dyno.Subject{Dir: "/", Command: []string{text}}, StartOptions{}, "exec format error"},
		{"CPU that does not exist", dyno.Subject{Dir: "/", Command: []string{"/bin/sh"}}, StartOptions{CPUs: []int{1 << 20}}, "CPU 1048576 is not usable"},
	} {
		tt.s.Name = "x"
		_, err := Start(t.Context(), tt.s, tt.o)
		oneLine(t, err)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want …%s…", tt.name, err, tt.want)
		}
	}
}
