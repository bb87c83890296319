package main_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"dyno"
	"dyno/lab"
	"dyno/store"
)

// patience bounds every wait; nothing in these tests is expected to take that long.
const patience = 90 * time.Second

// tinySuite is small enough to be measured in a second or two. Its payload springs the traps of
// testdata/rogue.
const tinySuite = `title: A tiny suite
contract: framed
subjects: [good, other]
payload_bytes: [37, 64]
loads:
  - connections: 2
blocks: 2
rounds: 2
slice: 20ms
skip: 5ms
warm_up: 1ms
reply_within: 10s
`

// bench is a home of its own for dyno: a folder with suites and subjects, a folder for results, and
// a program that no other test runs.
type bench struct {
	t                  *testing.T
	home, out, program string
	mark               string // in the environment of every subject
}

// built holds dyno and the rogue, built once.
var built string

func TestMain(m *testing.M) { os.Exit(buildAndRun(m)) }

func buildAndRun(m *testing.M) int {
	var err error
	if built, err = os.MkdirTemp("", "dyno-e2e-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(built)
	for program, folder := range map[string]string{"dyno": ".", "rogue": "./testdata/rogue"} {
		out, err := exec.Command("go", "build", "-o", filepath.Join(built, program), folder).CombinedOutput()
		if err != nil {
			fmt.Fprintf(os.Stderr, "build %s: %v\n%s", program, err, out)
			return 1
		}
	}
	return m.Run()
}

// newBench makes a home with the two subjects of tinySuite. When the test is over no process of it
// may be left.
func newBench(t *testing.T) *bench {
	t.Helper()
	dir := t.TempDir()
	b := &bench{
		t: t, home: filepath.Join(dir, "home"), out: filepath.Join(dir, "results"),
		program: filepath.Join(dir, "dyno"), mark: "DYNO_E2E_MARK=" + rand.Text(),
	}
	// A link of its own tells this test's processes from those of others.
	must(t, os.Link(filepath.Join(built, "dyno"), b.program))
	runtimes, err := os.ReadFile(filepath.Join("..", "..", "subjects", "runtimes.yaml"))
	must(t, err)
	b.write("subjects/runtimes.yaml", string(runtimes))
	b.write("suites/tiny.yaml", tinySuite)
	b.subject("good")
	b.subject("other")
	t.Cleanup(b.nothingLives)
	return b
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// write puts a file into the home.
func (b *bench) write(path, text string) {
	b.t.Helper()
	path = filepath.Join(b.home, path)
	must(b.t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(b.t, os.WriteFile(path, []byte(text), 0o644))
}

// subject adds a subject: a folder with two files.
func (b *bench) subject(name string, args ...string) {
	b.t.Helper()
	variable, value, _ := strings.Cut(b.mark, "=")
	manifest := fmt.Sprintf("title: %s\ncontract: framed\nruntime: exec\nentry: server\nenv: { %s: %s }\n",
		strings.ToUpper(name[:1])+name[1:], variable, value)
	if len(args) > 0 {
		manifest += "args:\n"
		for _, arg := range args {
			manifest += "  - " + strconv.Quote(arg) + "\n"
		}
	}
	b.write("subjects/"+name+"/subject.yaml", manifest)
	must(b.t, os.Link(filepath.Join(built, "rogue"), filepath.Join(b.home, "subjects", name, "server")))
}

// suite adds a suite: tinySuite with pairs of texts exchanged.
func (b *bench) suite(name string, exchanged ...string) {
	b.t.Helper()
	text := tinySuite
	for pair := range slices.Chunk(exchanged, 2) {
		if !strings.Contains(text, pair[0]) {
			b.t.Fatalf("the suite does not contain %q", pair[0])
		}
		text = strings.Replace(text, pair[0], pair[1], 1)
	}
	b.write("suites/"+name+".yaml", text)
}

// outcome is what a command came to.
type outcome struct {
	status         syscall.WaitStatus
	stdout, stderr string
}

func (o outcome) code() int { return o.status.ExitStatus() } // -1 when killed by a signal

// lastLine returns the last line on stderr: the error, when there is one.
func (o outcome) lastLine() string {
	lines := strings.Split(strings.TrimSuffix(o.stderr, "\n"), "\n")
	return lines[len(lines)-1]
}

// running is a dyno at work.
type running struct {
	b              *bench
	cmd            *exec.Cmd
	stdout, stderr buffer
	ended          chan struct{}
}

// command returns a dyno that is not started yet. Home and results are those of the bench unless
// the arguments say otherwise.
func (b *bench) command(args ...string) *exec.Cmd {
	given := func(flag string) bool {
		return slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, flag) })
	}
	var defaults []string
	if !given("--home") {
		defaults = append(defaults, "--home", b.home)
	}
	if slices.Contains([]string{"run", "report", "compare", "export", "import", "list", "doctor"}, args[0]) && !given("--out") {
		defaults = append(defaults, "--out", b.out)
	}
	return b.bare(b.program, slices.Concat(args[:1], defaults, args[1:])...)
}

// bare returns a command with the environment of this test, less what would steer dyno.
func (b *bench) bare(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.Dir = b.t.TempDir()
	cmd.Env = slices.DeleteFunc(os.Environ(), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.Contains([]string{"DYNO_HOME", "PORT", "NO_COLOR"}, name)
	})
	return cmd
}

func (b *bench) start(cmd *exec.Cmd) *running {
	b.t.Helper()
	r := &running{b: b, cmd: cmd, ended: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = &r.stdout, &r.stderr
	must(b.t, cmd.Start())
	go func() {
		_ = cmd.Wait() // the status says it all
		close(r.ended)
	}()
	return r
}

// dyno runs a command line to its end.
func (b *bench) dyno(args ...string) outcome {
	b.t.Helper()
	return b.start(b.command(args...)).wait()
}

// wait waits for the end.
func (r *running) wait() outcome {
	r.b.t.Helper()
	select {
	case <-r.ended:
	case <-time.After(patience):
		r.signal(syscall.SIGKILL)
		r.b.t.Fatalf("%v did not end; stderr:\n%s", r.cmd.Args, r.stderr.String())
	}
	return outcome{r.cmd.ProcessState.Sys().(syscall.WaitStatus), r.stdout.String(), r.stderr.String()}
}

// waitFor waits until stderr contains a text.
func (r *running) waitFor(text string) {
	r.b.t.Helper()
	for deadline := time.Now().Add(patience); !strings.Contains(r.stderr.String(), text); {
		select {
		case <-r.ended:
			r.b.t.Fatalf("dyno ended before it said %q; stderr:\n%s", text, r.stderr.String())
		case <-time.After(5 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			r.signal(syscall.SIGKILL)
			r.b.t.Fatalf("dyno did not say %q; stderr:\n%s", text, r.stderr.String())
		}
	}
}

// signal may come too late, which shows in how the process ended.
func (r *running) signal(s syscall.Signal) { _ = r.cmd.Process.Signal(s) }

// buffer is a bytes.Buffer for a writer and a reader at once.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// nothingLives fails the test when a process of this bench outlives it, and ends that process.
func (b *bench) nothingLives() {
	b.t.Helper()
	var left []int
	for deadline := time.Now().Add(patience / 3); ; time.Sleep(5 * time.Millisecond) {
		if left = b.living(); len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			break
		}
	}
	for _, pid := range left {
		command, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		b.t.Errorf("process %d is left: %s", pid, bytes.ReplaceAll(command, []byte{0}, []byte{' '}))
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// living returns the processes that run this bench's dyno (wardens and null servers, too) or carry
// its mark.
func (b *bench) living() []int {
	var pids []int
	folders, err := os.ReadDir("/proc")
	must(b.t, err)
	for _, folder := range folders {
		pid, err := strconv.Atoi(folder.Name())
		if err != nil {
			continue
		}
		// A process that ended meanwhile, or is a zombie, has neither.
		program, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
		environment, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if program == b.program || slices.Contains(strings.Split(string(environment), "\x00"), b.mark) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// stored returns the runs in the store and their trials, by run.
func (b *bench) stored() ([]dyno.Run, map[string][]dyno.Trial) {
	b.t.Helper()
	s, err := store.OpenReadOnly(b.out)
	must(b.t, err)
	defer s.Close()
	runs, err := s.Runs(context.Background())
	must(b.t, err)
	trials := map[string][]dyno.Trial{}
	for _, r := range runs {
		trials[r.ID], err = s.Trials(context.Background(), r.ID)
		must(b.t, err)
	}
	return runs, trials
}

// waitUntilStored waits for the first group of trials.
func (b *bench) waitUntilStored() {
	b.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		if b.hasStore() {
			if runs, trials := b.stored(); len(runs) > 0 && len(trials[runs[0].ID]) > 0 {
				return
			}
		}
		if time.Now().After(deadline) {
			b.t.Fatal("no trial was stored")
		}
	}
}

// hasStore tells whether a dyno lived long enough to make its tables.
func (b *bench) hasStore() bool {
	s, err := store.OpenReadOnly(b.out)
	if err != nil {
		return false
	}
	must(b.t, s.Close())
	return true
}

// theRun returns the only run in the store.
func (b *bench) theRun() (dyno.Run, []dyno.Trial) {
	b.t.Helper()
	runs, trials := b.stored()
	if len(runs) != 1 {
		b.t.Fatalf("%d runs are stored, want one", len(runs))
	}
	return runs[0], trials[runs[0].ID]
}

// checkGroups proves that what is stored of a run is made of whole groups, each measured once, in the
// orders of the run's plan; and, if complete, that nothing is missing.
func checkGroups(t *testing.T, run dyno.Run, trials []dyno.Trial, complete bool) {
	t.Helper()
	type group struct {
		block int
		cell  dyno.Cell
	}
	groups := map[group]map[string]dyno.Trial{}
	for _, trial := range trials {
		g := group{trial.Block, trial.Cell}
		if groups[g] == nil {
			groups[g] = map[string]dyno.Trial{}
		}
		if _, twice := groups[g][trial.Subject]; twice {
			t.Errorf("%+v is stored twice", trial.TrialKey)
		}
		groups[g][trial.Subject] = trial
	}
	for g, members := range groups {
		if len(members) != len(run.Subjects) {
			t.Errorf("block %d, %v: %d of %d subjects are stored", g.block, g.cell, len(members), len(run.Subjects))
			continue
		}
		if err := inPlannedOrder(run, g.block, g.cell, members); err != nil {
			t.Errorf("block %d, %v: %v", g.block, g.cell, err)
		}
	}
	if want := run.Suite.Method.Blocks * len(run.Suite.Cells); complete && len(groups) != want {
		t.Errorf("%d of %d groups are stored", len(groups), want)
	}
}

// inPlannedOrder compares the positions of a group's slices with the plan. On a busy machine there may be
// more rounds than planned, which make up for disturbed ones.
func inPlannedOrder(run dyno.Run, block int, cell dyno.Cell, members map[string]dyno.Trial) error {
	plan := lab.NewPlan(run.Suite, run.Seed)
	planned, _ := plan.Rounds()
	for round := range len(members[run.Subjects[0].Name].Slices) {
		for position, i := range plan.Round(block, cell, round, len(run.Subjects)) {
			trial := members[run.Subjects[i].Name]
			if trial.Void != "" {
				return errors.New(trial.Subject + " is void: " + trial.Void)
			}
			if len(trial.Slices) < max(planned, round+1) || trial.Slices[round].Round != round || trial.Slices[round].Position != position {
				return fmt.Errorf("round %d of %s differs from the plan, which has it at position %d: %+v",
					round, trial.Subject, position, trial.Slices)
			}
		}
	}
	return nil
}
