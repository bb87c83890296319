package subject

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"dyno"
	"dyno/host"
)

// patience bounds every wait of these tests; nothing in them is expected to take long.
const patience = 20 * time.Second

// TestMain also plays dyno's warden, the servers under test, and a dyno that will be killed.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == WardenCommand {
		exit(WardenMain(os.Args[2:]))
	}
	if role := os.Getenv("SUBJECT_TEST_ROLE"); role != "" {
		play(role)
		return
	}
	os.Exit(m.Run())
}

// exit ends a helper process at once. With the race detector, os.Exit sleeps a second first.
func exit(status int) {
	_, _, _ = syscall.RawSyscall(syscall.SYS_EXIT_GROUP, uintptr(status), 0, 0)
}

// server returns a subject that is this test binary in a role.
func server(t *testing.T, role string, more ...string) dyno.Subject {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"SUBJECT_TEST_ROLE": role}
	for _, pair := range more {
		name, value, _ := strings.Cut(pair, "=")
		env[name] = value
	}
	return dyno.Subject{Name: "test-" + role, Dir: t.TempDir(), Command: []string{self}, Env: env}
}

// play is the main function of a server under test.
func play(role string) {
	switch role {
	case "echo":
		exitOnTerm()
		serve(listen())
	case "deaf":
		signal.Ignore(syscall.SIGTERM)
		serve(listen())
	case "dies-at-start":
		fmt.Fprintln(os.Stderr, "loading\nError: cannot find module 'left-pad'\n    at somewhere")
		exit(3)
	case "dies-later": // at the first byte
		waitForByte(listen())
		fmt.Fprint(os.Stderr, "so \x1b[31mred\x1b[0m")
		kill(os.Getpid(), syscall.SIGKILL)
		select {}
	case "silent":
		exitOnTerm()
		select {}
	case "floods":
		exitOnTerm()
		listener := listen()
		line := []byte(strings.Repeat("flood ", 1000) + "\n")
		wanted, _ := strconv.Atoi(os.Getenv("FLOOD_BYTES"))
		for written := 0; written < wanted; written += len(line) {
			os.Stderr.Write(line) // a test sees what arrives
		}
		fmt.Fprintln(os.Stderr, "the end")
		serve(listener)
	case "wrapper": // its child serves, in the way of a shell script without exec
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "SUBJECT_TEST_ROLE=echo")
		if err := cmd.Run(); err != nil {
			exit(1)
		}
	case "forks": // leaves processes in other sessions, orphans among them
		exitOnTerm()
		const script = `setsid sh -c 'sleep 1000 & sleep 1000; true' & (setsid sleep 1000 &) ; sleep 1000 & exit 0`
		cmd := exec.Command("/bin/sh", "-c", script)
		cmd.Stdout = io.Discard
		if err := cmd.Start(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			exit(1)
		}
		go cmd.Wait() // its children hold the pipe open for ever
		serve(listen())
	case "keeps-forking":
		exitOnTerm()
		if err := exec.Command("/bin/sh", "-c", `i=0; while [ $i -lt 2000 ]; do sleep 1000 & i=$((i+1)); done`).Start(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			exit(1)
		}
		serve(listen())
	case "environment":
		for _, pair := range os.Environ() {
			fmt.Fprintln(os.Stderr, pair)
		}
		exitOnTerm()
		serve(listen())
	case "files":
		folder, _ := os.ReadDir("/proc/self/fd")
		channels := 0
		for _, file := range folder {
			target, _ := os.Readlink("/proc/self/fd/" + file.Name())
			if strings.HasPrefix(target, "pipe:") || strings.HasPrefix(target, "socket:") {
				channels++
			}
		}
		fmt.Fprintln(os.Stderr, channels)
		out, _ := exec.Command("/bin/sh", "-c", "ulimit -n; grep -e SigIgn -e Cpus_allowed_list /proc/$$/status; pwd").CombinedOutput()
		os.Stderr.Write(out) // a test sees what arrives
		exitOnTerm()
		serve(listen())
	case "dyno":
		playDyno()
	}
}

func exitOnTerm() {
	term := make(chan os.Signal, 1)
	signal.Notify(term, syscall.SIGTERM)
	go func() { <-term; exit(0) }()
}

func listen() net.Listener {
	listener, err := net.Listen("tcp", net.JoinHostPort(os.Getenv("HOST"), os.Getenv("PORT")))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		exit(1)
	}
	return listener
}

// waitForByte returns when a connection has said something; others only knock.
func waitForByte(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			exit(1)
		}
		if n, _ := conn.Read(make([]byte, 1)); n == 1 {
			return
		}
		conn.Close()
	}
}

func serve(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		go func() {
			io.Copy(conn, conn) // a client may end as it likes
			conn.Close()
		}()
	}
}

func kill(pid int, s syscall.Signal) { _ = syscall.Kill(pid, s) }

// ping is one round trip with an echo.
func ping(_ context.Context, addr string) error {
	conn, err := net.DialTimeout("tcp", addr, patience)
	if err != nil {
		return err
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(patience)) // a TCP connection takes deadlines
	if _, err := conn.Write([]byte("ping")); err != nil {
		return err
	}
	answer := make([]byte, 4)
	if _, err := io.ReadFull(conn, answer); err != nil {
		return err
	}
	if string(answer) != "ping" {
		return fmt.Errorf("got %q for ping", answer)
	}
	return nil
}

// options are those of a patient test.
func options() StartOptions {
	return StartOptions{ReadyWithin: patience, StopWithin: patience}
}

// mustStart starts a subject that is stopped with the test at the latest.
func mustStart(t *testing.T, s dyno.Subject, o StartOptions) *Process {
	t.Helper()
	p, err := Start(t.Context(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Stop(context.Background()) })
	return p
}

// identity tells processes apart for good, since numbers are used again.
type identity struct {
	pid        int
	startTicks uint64
}

func identify(pid int) (identity, bool) {
	ticks, err := host.StartTicks(pid)
	return identity{pid, ticks}, err == nil
}

// family returns the identities of a subject's processes and of its warden.
func family(p *Process) []identity {
	var all []identity
	for _, pid := range append(p.PIDs(), p.warden.cmd.Process.Pid) {
		if id, ok := identify(pid); ok {
			all = append(all, id)
		}
	}
	return all
}

// waitForDeath fails the test when one of the processes outlives its patience.
func waitForDeath(t *testing.T, processes []identity) {
	t.Helper()
	for _, one := range processes {
		waitFor(t, fmt.Sprintf("the death of process %d", one.pid), func() bool {
			now, lives := identify(one.pid)
			return !lives || now != one
		})
	}
}

func waitFor(t *testing.T, what string, happened func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !happened(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

func waitClosed(t *testing.T, what string, c <-chan struct{}) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(patience):
		t.Fatalf("waited in vain for %s", what)
	}
}

// oneLine is the promise of every error.
func oneLine(t *testing.T, err error) {
	t.Helper()
	if err == nil || strings.ContainsAny(err.Error(), "\n\r\x1b") || len(err.Error()) > 900 {
		t.Errorf("not one short line: %v", err)
	}
}
