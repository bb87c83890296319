package main_test

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// terminal is a pseudo terminal: dyno has the slave, and the test is the person at the master.
type terminal struct {
	master, slave *os.File
	screen        buffer // all that was ever shown
}

func openTerminal(t *testing.T) *terminal {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo terminal here: %v", err)
	}
	fd := int(master.Fd())
	must(t, unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	must(t, err)
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	must(t, err)
	must(t, unix.IoctlSetWinsize(int(slave.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 30, Col: 100}))
	terminal := &terminal{master: master, slave: slave}
	go func() {
		page := make([]byte, 4096)
		for {
			n, err := master.Read(page)
			_, _ = terminal.screen.Write(page[:n]) // a buffer takes everything
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		slave.Close()
		master.Close()
	})
	return terminal
}

// settings are what `stty -a` would show.
func (p *terminal) settings(t *testing.T) unix.Termios {
	t.Helper()
	settings, err := unix.IoctlGetTermios(int(p.slave.Fd()), unix.TCGETS)
	must(t, err)
	return *settings
}

// startOn starts dyno in the foreground of a terminal.
func (b *bench) startOn(p *terminal, args ...string) *running {
	b.t.Helper()
	cmd := b.command(args...)
	cmd.Env = append(cmd.Env, "TERM=xterm-256color")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = p.slave, p.slave, p.slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	must(b.t, cmd.Start())
	r := &running{b: b, cmd: cmd, ended: make(chan struct{})}
	go func() {
		_ = cmd.Wait() // the status says it all
		close(r.ended)
	}()
	return r
}

func (p *terminal) waitFor(t *testing.T, text string) {
	t.Helper()
	for deadline := time.Now().Add(patience); !strings.Contains(p.screen.String(), text); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the terminal does not show %q:\n%q", text, p.screen.String())
		}
	}
}

func TestTerminalShowsALiveViewAndStaysUsable(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p := openTerminal(t)
	before := p.settings(t)
	if o := b.startOn(p, "run", "tiny").wait(); o.code() != 0 {
		t.Errorf("exit %d", o.code())
	}
	p.waitFor(t, "every trial: ") // the end of the report may still be on its way
	shown := p.screen.String()
	for _, want := range []string{"A tiny suite", "checking the contract", " of 12 trials", "\x1b["} {
		if !strings.Contains(shown, want) {
			t.Errorf("the terminal does not show %q:\n%q", want, shown)
		}
	}
	checkUsable(t, p, before)
}

// TestCtrlCOnATerminal presses the key: the terminal signals all of its foreground, which must not
// reach the subjects before dyno has ended them in good order.
func TestCtrlCOnATerminal(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.suite("longer", longer...)
	p := openTerminal(t)
	before := p.settings(t)
	r := b.startOn(p, "run", "longer")
	b.waitUntilStored()
	_, err := p.master.Write([]byte{3})
	must(t, err)
	if o := r.wait(); o.code() != 130 {
		t.Errorf("exit %d", o.code())
	}
	p.waitFor(t, "dyno: interrupted; ")
	// Words, because the report breaks its lines where the terminal ends.
	shown := strings.Join(strings.Fields(p.screen.String()), " ")
	if !strings.Contains(shown, "PARTIAL: ") || strings.Contains(shown, " void") && !strings.Contains(shown, " 0 void") {
		t.Errorf("the report of what was done:\n%q", shown)
	}
	checkUsable(t, p, before)
	run, trials := b.theRun()
	checkGroups(t, run, trials, false)
}

// checkUsable proves that a terminal is as it was: no mode of it was left changed.
func checkUsable(t *testing.T, p *terminal, before unix.Termios) {
	t.Helper()
	if after := p.settings(t); after != before {
		t.Errorf("settings were\n%+v and are\n%+v", before, after)
	}
	shown := p.screen.String()
	for mode, back := range map[string]string{
		"\x1b[?25l":   "\x1b[?25h",   // the cursor is hidden
		"\x1b[?1049h": "\x1b[?1049l", // the other screen
		"\x1b[?2004h": "\x1b[?2004l", // bracketed paste
		"\x1b[?1000h": "\x1b[?1000l", // the mouse
	} {
		if on := strings.LastIndex(shown, mode); on >= 0 && strings.LastIndex(shown, back) < on {
			t.Errorf("%q was never taken back", mode)
		}
	}
	if last := strings.LastIndex(shown, "\x1b[0m"); strings.LastIndex(shown, "\x1b[1m") > last || strings.LastIndex(shown, "\x1b[2m") > last {
		t.Errorf("a style was never taken back")
	}
}
