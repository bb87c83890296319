package main_test

import (
	"net"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"dyno"
	"dyno/host"
)

// longer turns tinySuite into one that takes some seconds at the least, for a signal to arrive in.
var longer = []string{"[37, 64]", "[37, 64, 65]", "blocks: 2", "blocks: 4", "rounds: 2", "rounds: 4"}

var inBackticks = regexp.MustCompile("`([^`]+)`")

func TestInterruptedRunIsKeptAndResumed(t *testing.T) {
	for name, signal := range map[string]syscall.Signal{"Ctrl-C": syscall.SIGINT, "SIGTERM": syscall.SIGTERM} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.suite("it's long", longer...) // a name that the shell would misread
			r := b.start(b.command("run", "it's long"))
			r.waitFor("block 1 of 4, ")
			r.signal(signal)
			checkInterrupted(t, b, r.wait())
			run, before := b.theRun()

			hint := inBackticks.FindStringSubmatch(r.wait().lastLine())
			if len(hint) != 2 || !strings.HasPrefix(hint[1], "dyno run ") {
				t.Fatalf("the last line names no command: %s", r.wait().lastLine())
			}
			resumed := b.start(b.bare("/bin/sh", "-c", "dyno() { "+b.program+" \"$@\"; }; "+hint[1])).wait()
			if resumed.code() != 0 || strings.Contains(resumed.stdout, "PARTIAL") {
				t.Errorf("%s: exit %d\n%s%s", hint[1], resumed.code(), resumed.stdout, resumed.stderr)
			}
			again, after := b.theRun()
			if again.ID != run.ID || again.Seed != run.Seed || again.State != dyno.RunComplete {
				t.Errorf("run %s, seed %d became run %s, seed %d, %s", run.ID, run.Seed, again.ID, again.Seed, again.State)
			}
			checkGroups(t, again, after, true)
			if !reflect.DeepEqual(before, after[:len(before)]) {
				t.Error("what was stored before is not the same any more")
			}
			if o := b.dyno("run", "it's long", "--resume"); o.code() != 2 {
				t.Errorf("resumed twice: exit %d", o.code())
			}
		})
	}
}

// checkInterrupted proves that an interrupted run ended in good order and kept what it had.
func checkInterrupted(t *testing.T, b *bench, o outcome) {
	t.Helper()
	if o.code() != 130 {
		t.Fatalf("exit %d; stderr:\n%s", o.code(), o.stderr)
	}
	run, trials := b.theRun()
	if run.State != dyno.RunPartial || len(trials) == 0 {
		t.Errorf("state %s with %d trials", run.State, len(trials))
	}
	checkGroups(t, run, trials, false)
	if !strings.Contains(o.stdout, "PARTIAL: ") {
		t.Errorf("the report does not say that it is partial:\n%s", o.stdout)
	}
	if !strings.HasPrefix(o.lastLine(), "dyno: interrupted; ") {
		t.Errorf("last line: %s", o.lastLine())
	}
}

// TestSecondInterruptEndsAtOnce needs subjects that make an end in good order last: they ignore
// SIGTERM, which dyno gives them some seconds to heed.
func TestSecondInterruptEndsAtOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.subject("deaf", "-then=ignore-term")
	b.subject("deafer", "-then=ignore-term")
	b.suite("slow", append([]string{"[good, other]", "[good, deaf, deafer]"}, longer...)...)
	r := b.start(b.command("run", "slow"))
	r.waitFor("block 1 of 4, ") // its first cell
	for running := true; running; {
		r.signal(syscall.SIGINT)
		select {
		case <-r.ended:
			running = false
		case <-time.After(50 * time.Millisecond):
		}
	}
	o := r.wait()
	if !o.status.Signaled() || o.status.Signal() != syscall.SIGINT {
		t.Errorf("ended with %v; stderr:\n%s", o.status, o.stderr)
	}
	run, trials := b.theRun()
	if run.State != dyno.RunStarted || len(trials) == 0 {
		t.Errorf("state %s with %d trials", run.State, len(trials))
	}
	checkGroups(t, run, trials, false)
	if o := b.dyno("report"); o.code() != 0 || !strings.Contains(o.stdout, "PARTIAL: ") {
		t.Errorf("report of what is left: exit %d\n%s", o.code(), o.stdout)
	}
}

// TestInterruptInTheGateAccusesNobody interrupts a gate that a subject which never listens holds up.
func TestInterruptInTheGateAccusesNobody(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.subject("mute", "-mute")
	b.suite("gate", "[good, other]", "[good, mute]")
	r := b.start(b.command("run", "gate"))
	r.waitForDescendants(4) // two wardens and two subjects
	r.signal(syscall.SIGINT)
	o := r.wait()
	if o.code() != 130 || !strings.Contains(o.stdout, "PARTIAL: 0 of 12 trials") {
		t.Errorf("exit %d\n%s", o.code(), o.stdout)
	}
	for _, accusation := range []string{"Good", "Mute", "broke", "Not measured"} {
		if strings.Contains(o.stdout, accusation) {
			t.Errorf("the report says %q of subjects that were not judged:\n%s", accusation, o.stdout)
		}
	}
	if list := b.dyno("list", "runs"); !strings.Contains(list.stdout, "0 of 12") {
		t.Errorf("dyno list runs:\n%s", list.stdout)
	}
}

// TestResumeRefusesOtherSoftware: what is measured after an interruption must be what was measured before.
func TestResumeRefusesOtherSoftware(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.suite("longer", longer...)
	r := b.start(b.command("run", "longer"))
	b.waitUntilStored()
	r.signal(syscall.SIGINT)
	if o := r.wait(); o.code() != 130 {
		t.Fatalf("exit %d\n%s", o.code(), o.stderr)
	}
	b.write("subjects/good/faster.txt", "a file that the server may read")
	o := b.dyno("run", "longer", "--resume")
	if want := "the files of good have changed since; put them back, or start a new run"; o.code() != 1 || !strings.HasSuffix(o.lastLine(), want) {
		t.Errorf("exit %d, last line %q, want …%s", o.code(), o.lastLine(), want)
	}
	must(t, os.Remove(filepath.Join(b.home, "subjects/good/faster.txt")))
	if o := b.dyno("run", "longer", "--resume"); o.code() != 0 {
		t.Errorf("put back: exit %d\n%s", o.code(), o.stderr)
	}
}

// TestTwoDynosOnOneMachine: another results folder does not make another machine.
func TestTwoDynosOnOneMachine(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) { // the other tests' dynos claim it too
		l, err := net.Listen("unix", "@dyno-measures-here")
		if err == nil {
			defer l.Close()
			break
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
	o := b.dyno("run", "tiny")
	if want := "Warning: another dyno was measuring on this machine when this run began: both disturb each other"; o.code() != 0 || !strings.Contains(unwrapped(o.stdout), want) {
		t.Errorf("exit %d; the report lacks %q:\n%s", o.code(), want, o.stdout)
	}
}

// TestInterruptBeforeTheRun interrupts dyno while it builds a subject, which takes for ever.
func TestInterruptBeforeTheRun(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.write("subjects/runtimes.yaml", "exec:\n  title: Command\n  build: [sleep, \"1000\"]\n  run: [\"{entry}\"]\n")
	r := b.start(b.command("run", "tiny"))
	r.waitForDescendants(1)
	r.signal(syscall.SIGINT)
	o := r.wait()
	if want := "dyno: interrupted; nothing was lost, start it again\n"; o.code() != 130 || o.stderr != want || o.stdout != "" {
		t.Errorf("exit %d\n%s%s", o.code(), o.stdout, o.stderr)
	}
	if runs, _ := b.stored(); len(runs) > 0 {
		t.Errorf("%d runs are stored", len(runs))
	}
}

// waitForDescendants waits until dyno has started so many processes.
func (r *running) waitForDescendants(n int) {
	r.b.t.Helper()
	for deadline := time.Now().Add(patience); len(host.Descendants(r.cmd.Process.Pid)) < n; time.Sleep(time.Millisecond) {
		select {
		case <-r.ended:
			r.b.t.Fatalf("dyno ended with fewer than %d processes; stderr:\n%s", n, r.stderr.String())
		default:
		}
		if time.Now().After(deadline) {
			r.signal(syscall.SIGKILL)
			r.b.t.Fatalf("dyno has fewer than %d processes", n)
		}
	}
}

func TestBudgetEndsARunThatCanBeResumed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	o := b.dyno("run", "tiny", "--budget", "1ms")
	if o.code() != 1 || !strings.Contains(o.lastLine(), "budget") || !strings.Contains(o.stdout, "PARTIAL: 0 of 12 trials") {
		t.Errorf("exit %d\n%s%s", o.code(), o.stdout, o.stderr)
	}
	if o := b.dyno("run", "tiny", "--resume", "--budget", "1h"); o.code() != 0 {
		t.Errorf("resumed: exit %d\n%s", o.code(), o.stderr)
	}
	run, trials := b.theRun()
	checkGroups(t, run, trials, true)
}
