package main_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
	_ "modernc.org/sqlite"

	"dyno/internal/golden"
)

// badLines are command lines that must be refused.
var badLines = []string{
	"rnu",
	"--hlep",
	"run --blokcs 3",
	"run --zzz",
	"run -z",
	"run tiny --blocks 0",
	"run tiny --blocks -1",
	"run tiny --blocks 1000000",
	"run tiny --blocks ten",
	"run tiny --blocks 99999999999999999999",
	"run tiny --blocks",
	"run tiny --precision 1",
	"run tiny --precision 0%",
	"run tiny --precision 99%",
	"run tiny --precision -1%",
	"run tiny --precision NaN%",
	"run tiny --precision much",
	"run tiny --precision 1% --blocks 1",
	"run tiny --precision 1% --blocks 2",
	"run tiny --aa --only good,other",
	"run tiny --aa --capacity",
	"run tiny --budget -1s",
	"run tiny --budget 0s",
	"run tiny --budget 5",
	"run tiny --seed -1",
	"run tiny --seed 0",
	"run tiny --only godo",
	"run tiny --only good,deno",
	"run tiny --only=",
	"run tiny --runtime bnu=/bin/true",
	"run tiny --runtime bun",
	"run tiny --runtime bun=/nowhere/bun",
	"run tiny --runtime exec=/bin/true",
	"run tiny --out=",
	"run tiny --resume",
	"run tiny --resume --blocks 3",
	"run tiny --resume --poller epoll",
	"run tiny --poller=",
	"run tiny --poller uring",
	"run tiny --resume --precision 1%",
	"run tiny --resume --seed 3",
	"run tiny --resume --only good",
	"run tniy",
	"run /nowhere/suite.yaml",
	"run tiny --home /nowhere",
	"run",
	"verify tniy",
	"verify goood",
	"verify tiny --seed x",
	"report --out /nowhere",
	"report one two",
	"list",
	"list rnus",
	"list runs --out /nowhere",
	"null",
	"null htpp",
	"null framed --port 65536",
	"null framed --port -1",
	"null framed --port http",
	"null framed --spin 1h",
	"doctor now",
	"run tiny --resume --continuous",
	"run tiny --aa --resume",
	"export one",
	"import",
	"import /nowhere/run.dyno",
	"lab pwoer",
	"lab power tiny --slowdown 3",
	"lab power tiny --slowdown 0%",
	"lab power tiny --slowdown nan%",
	"lab power tiny --slowdown 3%",
	"lab power quick",
	"lab noise tiny --budget -1s",
	"lab slicing tiny --only good",
	"lab slicing tiny --out=",
	"lab noise tiny --seed 4503599627370496",
	"lab noise tiny --resume",
	"lab noise tiny --resume --seed 8",
	"lab slicing tiny --resume --budget 0s",
	"help rnu",
	"help lab pwoer",
	"help run tiny",
	"completion bsah",
	"completion bash x",
	"warden",
}

// badSuites are changes to tinySuite that must be refused with their place.
var badSuites = [][2]string{
	{"blocks: 2", "blokcs: 2"},
	{"blocks: 2", "blocks: 0"},
	{"blocks: 2", "blocks: -2"},
	{"blocks: 2", "blocks: 1000000"},
	{"blocks: 2", "blocks: two"},
	{"rounds: 2", "rounds: 0"},
	{"slice: 20ms", "slice: 20"},
	{"slice: 20ms", "slice: 1ns"},
	{"skip: 5ms", "skip: 20ms"},
	{"contract: framed", "contract: frmaed"},
	{"other]", "othre]"},
	{"other]", "good]"},
	{"[good, other]", "[]"},
	{"[37, 64]", "[0]"},
	{"[37, 64]", "[1000000000]"},
	{"connections: 2", "connections: 0"},
	{"connections: 2", "connections: 1000000"},
	{"connections: 2", "conections: 2"},
	{"title: A tiny suite", "title: [A tiny suite"},
	{"title: A tiny suite", "title: A tiny suite\ntitle: Another"},
}

// badPlaces are states of the world that dyno must be able to talk about.
var badPlaces = []struct {
	name    string
	prepare func(b *bench) *exec.Cmd
}{
	{"suite file that may not be read", func(b *bench) *exec.Cmd {
		must(b.t, os.Chmod(filepath.Join(b.home, "suites", "tiny.yaml"), 0))
		return b.command("run", "tiny")
	}},
	{"suite file that is a folder", func(b *bench) *exec.Cmd {
		must(b.t, os.Mkdir(filepath.Join(b.home, "suites", "folder.yaml"), 0o755))
		return b.command("run", "folder")
	}},
	{"suite file that is a named pipe", func(b *bench) *exec.Cmd {
		must(b.t, unix.Mkfifo(filepath.Join(b.home, "suites", "pipe.yaml"), 0o600))
		return b.command("run", "pipe")
	}},
	{"suite file that is no text", func(b *bench) *exec.Cmd {
		b.write("suites/tiny.yaml", "\x00\x01\x02")
		return b.command("run", "tiny")
	}},
	{"manifest with an unknown key", func(b *bench) *exec.Cmd {
		b.write("subjects/good/subject.yaml", "title: Good\ncontrat: framed\nruntime: exec\nentry: server\n")
		return b.command("run", "tiny")
	}},
	{"manifest with an unknown contract", func(b *bench) *exec.Cmd {
		b.write("subjects/good/subject.yaml", "title: Good\ncontract: fremed\nruntime: exec\nentry: server\n")
		return b.command("run", "tiny", "--only", "good")
	}},
	{"no runtime installed", func(b *bench) *exec.Cmd {
		b.write("subjects/hasty/subject.yaml", "title: Hasty\ncontract: framed\nruntime: bun\nentry: server.ts\n")
		b.write("subjects/hasty/server.ts", "")
		b.suite("tiny", "[good, other]", "[hasty]")
		return b.command("run", "tiny")
	}},
	{"limit on open files", func(b *bench) *exec.Cmd {
		b.suite("crowd", "connections: 2", "connections: 500")
		return b.bare("/bin/sh", "-c", fmt.Sprintf("ulimit -n 64; exec %s run crowd --home %s --out %s", b.program, b.home, b.out))
	}},
	{"results folder that is a file", func(b *bench) *exec.Cmd {
		must(b.t, os.WriteFile(b.out, nil, 0o644))
		return b.command("run", "tiny")
	}},
	{"results folder below a file", func(b *bench) *exec.Cmd {
		must(b.t, os.WriteFile(b.out, nil, 0o644))
		return b.command("run", "tiny", "--out", b.out+"/below")
	}},
	{"results folder that may not be written", func(b *bench) *exec.Cmd {
		must(b.t, os.Mkdir(b.out, 0o555))
		return b.command("run", "tiny")
	}},
	{"database that may not be written", func(b *bench) *exec.Cmd {
		b.database("PRAGMA application_id = 0x64796e6f")
		must(b.t, os.Chmod(filepath.Join(b.out, "dyno.db"), 0o444))
		return b.command("run", "tiny")
	}},
	{"database of another version", func(b *bench) *exec.Cmd {
		b.database("CREATE TABLE run (id)", "PRAGMA application_id = 0x64796e6f", "PRAGMA user_version = 99")
		return b.command("run", "tiny")
	}},
	{"report from a database of another version", func(b *bench) *exec.Cmd {
		b.database("CREATE TABLE run (id)", "PRAGMA application_id = 0x64796e6f", "PRAGMA user_version = 99")
		return b.command("report")
	}},
	{"database of another program", func(b *bench) *exec.Cmd {
		b.database("CREATE TABLE run (id)")
		return b.command("run", "tiny")
	}},
	{"database that is none", func(b *bench) *exec.Cmd {
		must(b.t, os.Mkdir(b.out, 0o755))
		must(b.t, os.WriteFile(filepath.Join(b.out, "dyno.db"), bytes.Repeat([]byte("no database "), 999), 0o644))
		return b.command("run", "tiny")
	}},
	{"port of the environment", func(b *bench) *exec.Cmd {
		cmd := b.command("null", "framed")
		cmd.Env = append(cmd.Env, "PORT=eighty")
		return cmd
	}},
	{"port in use", func(b *bench) *exec.Cmd {
		listener, err := net.Listen("tcp4", "127.0.0.1:0")
		must(b.t, err)
		b.t.Cleanup(func() { listener.Close() })
		_, port, err := net.SplitHostPort(listener.Addr().String())
		must(b.t, err)
		return b.command("null", "framed", "--port", port)
	}},
	{"another dyno at work", func(b *bench) *exec.Cmd {
		b.suite("longer", longer...)
		r := b.start(b.command("run", "longer"))
		b.t.Cleanup(func() {
			r.signal(syscall.SIGINT)
			if o := r.wait(); o.code() != 130 {
				b.t.Errorf("the dyno that was first: exit %d; stderr:\n%s", o.code(), o.stderr)
			}
		})
		r.waitFor("checking the contract")
		return b.command("run", "tiny")
	}},
	{"unknown run", func(b *bench) *exec.Cmd {
		b.nothingMeasured()
		return b.command("report", "tiny-20201121")
	}},
	{"report into a folder that is missing", func(b *bench) *exec.Cmd {
		b.nothingMeasured()
		return b.command("report", "--format", "csv", "--to", "/nowhere/trials.csv")
	}},
	{"percentiles of no trial", func(b *bench) *exec.Cmd {
		b.nothingMeasured()
		return b.command("report", "--format", "hgrm")
	}},
	{"bombardier's text of another contract", func(b *bench) *exec.Cmd {
		b.nothingMeasured()
		return b.command("report", "--format", "txt")
	}},
	{"unknown format", func(b *bench) *exec.Cmd {
		b.nothingMeasured()
		return b.command("report", "--format", "jsno")
	}},
}

// nothingMeasured leaves a run without a trial.
func (b *bench) nothingMeasured() {
	b.t.Helper()
	if o := b.dyno("run", "tiny", "--budget", "1ns"); o.code() != 1 {
		b.t.Fatalf("exit %d", o.code())
	}
}

// TestBadInput keeps what dyno says in testdata/bad_input.golden: exit status and one line each.
func TestBadInput(t *testing.T) {
	t.Parallel()
	var all strings.Builder
	for _, line := range badLines {
		b := newBench(t)
		refused(t, &all, b, "dyno "+line, b.command(strings.Fields(line)...))
	}
	for _, change := range badSuites {
		b := newBench(t)
		b.suite("tiny", change[0], change[1])
		// There is nothing to resume, so that a suite which is not refused is not measured either.
		refused(t, &all, b, fmt.Sprintf("suite with %q", change[1]), b.command("run", "tiny", "--resume"))
	}
	for _, place := range badPlaces {
		t.Run(place.name, func(t *testing.T) { // so that what it started ends before the next one begins
			b := newBench(t)
			refused(t, &all, b, place.name, place.prepare(b))
		})
	}
	golden.Check(t, "bad_input.golden", all.String())
}

// refused runs a command that must say what is wrong in one line, and notes what it said.
func refused(t *testing.T, all *strings.Builder, b *bench, what string, cmd *exec.Cmd) {
	t.Helper()
	r := b.startUnprivileged(cmd)
	o := r.wait()
	if o.stdout != "" || strings.Count(o.stderr, "\n") != 1 || !strings.HasPrefix(o.stderr, "dyno") {
		t.Errorf("%s: want one line on stderr and none on stdout, got\n%s%s", what, o.stdout, o.stderr)
	}
	fmt.Fprintf(all, "# %s\n[%d] %s\n", what, o.code(), b.anonymous(o.stderr))
}

// refusedLines is refused for command lines in which ADDR stands for an address.
func refusedLines(t *testing.T, all *strings.Builder, b *bench, lines []string, addr string) {
	t.Helper()
	for _, line := range lines {
		args := strings.Split(line, " ")
		for i := range args {
			args[i] = strings.Replace(args[i], "ADDR", addr, 1)
		}
		refused(t, all, b, "dyno "+line, b.command(args...))
	}
}

var volatile = regexp.MustCompile(`pid \d+|127\.0\.0\.1:\d+|\d{8}-\d{6}`)

// anonymous replaces what differs from run to run.
func (b *bench) anonymous(text string) string {
	text = strings.NewReplacer(b.home, "HOME", b.out, "OUT").Replace(text)
	return volatile.ReplaceAllStringFunc(text, func(s string) string {
		switch {
		case strings.HasPrefix(s, "pid"):
			return "pid PID"
		case strings.HasPrefix(s, "127"):
			return "127.0.0.1:PORT"
		}
		return "TIME"
	})
}

// database makes dyno.db by hand.
func (b *bench) database(statements ...string) {
	b.t.Helper()
	must(b.t, os.MkdirAll(b.out, 0o755))
	db, err := sql.Open("sqlite", filepath.Join(b.out, "dyno.db"))
	must(b.t, err)
	defer db.Close()
	for _, statement := range statements {
		_, err := db.Exec(statement)
		must(b.t, err)
	}
}

// startUnprivileged starts a command that cannot do what only root may: pass over file modes, raise
// hard limits. The rights are dropped by a thread that starts the command and ends.
func (b *bench) startUnprivileged(cmd *exec.Cmd) *running {
	b.t.Helper()
	started := make(chan *running)
	go func() {
		defer close(started)
		runtime.LockOSThread() // and never unlocked
		for _, right := range []uintptr{unix.CAP_DAC_OVERRIDE, unix.CAP_DAC_READ_SEARCH, unix.CAP_SYS_RESOURCE} {
			_ = unix.Prctl(unix.PR_CAPBSET_DROP, right, 0, 0, 0) // who is not root has none of them
		}
		started <- b.start(cmd)
	}()
	r := <-started
	if r == nil {
		b.t.FailNow()
	}
	return r
}
