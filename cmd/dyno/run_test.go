package main_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"dyno"
)

func TestRunIsStoredAndReported(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ran := b.dyno("run", "tiny", "--seed", "7", "--poller", "epoll")
	if ran.code() != 0 {
		t.Fatalf("exit %d; stderr:\n%s", ran.code(), ran.stderr)
	}
	run, trials := b.theRun()
	if run.State != dyno.RunComplete || run.Seed != 7 || run.EndedAt.IsZero() {
		t.Errorf("state %s, seed %d, ended %v", run.State, run.Seed, run.EndedAt)
	}
	if names := subjectNames(run); !reflect.DeepEqual(names, []string{"good", "other", "null"}) {
		t.Errorf("subjects %v", names)
	}
	checkGroups(t, run, trials, true)
	for _, trial := range trials {
		if trial.Client.Poller != "epoll" {
			t.Errorf("%+v was measured on %q", trial.TrialKey, trial.Client.Poller)
		}
	}
	if strings.Contains(ran.stdout+ran.stderr, "\x1b") {
		t.Error("escape sequences in a pipe")
	}
	for _, want := range []string{"checking the contract\n", "block 1 of 2, ", "block 2 of 2, ", "finished: 12 of 12 trials, run " + run.ID} {
		if !strings.Contains(ran.stderr, want) {
			t.Errorf("stderr lacks %q:\n%s", want, ran.stderr)
		}
	}
	t.Run("files", func(t *testing.T) { checkFiles(t, b, run, ran) })
	t.Run("commands", func(t *testing.T) { checkCommands(t, b, run) })
	t.Run("bad draws", func(t *testing.T) { checkBadDraws(t, b, run) })
}

func subjectNames(run dyno.Run) []string {
	var names []string
	for _, s := range run.Subjects {
		names = append(names, s.Name)
	}
	return names
}

// checkFiles compares what the run printed and saved with what `dyno report` makes of the store.
func checkFiles(t *testing.T, b *bench, run dyno.Run, ran outcome) {
	saved := func(name string) string {
		text, err := os.ReadFile(filepath.Join(b.out, run.ID, name))
		must(t, err)
		return string(text)
	}
	text, _, _ := strings.Cut(ran.stdout, "\nReport: ")
	if !strings.HasPrefix(text, "A tiny suite\n") || !strings.Contains(text, "37 B") || !strings.Contains(text, "Good") {
		t.Errorf("the report on stdout:\n%s", ran.stdout)
	}
	for format, want := range map[string]string{"text": text, "md": saved("report.md"), "json": saved("verdict.json")} {
		if o := b.dyno("report", "--format", format); o.code() != 0 || o.stdout != want || o.stderr != "" {
			t.Errorf("dyno report --format %s: exit %d, %d bytes, want the %d bytes of the run; stderr: %s",
				format, o.code(), len(o.stdout), len(want), o.stderr)
		}
	}
	page := saved("report.html")
	if o := b.dyno("report", "--format", "html"); o.code() != 0 || !strings.HasPrefix(o.stdout, "<!DOCTYPE html>") || !strings.Contains(page, `href="verdict.json"`) {
		t.Errorf("the page: exit %d, %d bytes; %d bytes are saved", o.code(), len(o.stdout), len(page))
	}
	var v dyno.Verdict
	must(t, json.Unmarshal([]byte(saved("verdict.json")), &v))
	if v.Trials != 12 || v.Planned != 12 || v.Voids != 0 || len(v.Cells) != 2 || v.Run.ID != run.ID {
		t.Errorf("verdict: %d of %d trials, %d void, %d cells, run %s", v.Trials, v.Planned, v.Voids, len(v.Cells), v.Run.ID)
	}
	for _, cell := range v.Cells {
		for _, row := range cell.Rows {
			if row.RatePerS.N != 2 || row.RatePerS.Value <= 0 || row.CPUNs.Value <= 0 || row.PeakRSS.Value <= 0 {
				t.Errorf("%v, %s: no figures: %+v", cell.Cell, row.Subject, row)
			}
		}
	}
}

func checkCommands(t *testing.T, b *bench, run dyno.Run) {
	for _, c := range []struct {
		args []string
		want []string // on stdout
	}{
		{[]string{"list", "runs"}, []string{run.ID, "complete", "12 of 12"}},
		{[]string{"list", "suites"}, []string{"tiny", "A tiny suite"}},
		{[]string{"list", "subjects"}, []string{"good", "other", "framed", "exec", "Package"}},
		{[]string{"report", run.ID}, []string{"A tiny suite"}},
		{[]string{"report", run.ID, "--format", "html", "--draw", "GOOD"}, []string{"Drawn are 1 of 2, those that were asked for; the table has all"}},
		{[]string{"verify", "tiny", "--seed", "3"}, []string{"split-frame", "2 of 2 subjects", "seed 3"}},
		{[]string{"verify", "good", "--json"}, []string{`"subject": "good"`}},
		{[]string{"doctor"}, []string{"CPUs", "2 of 2 can run here", "exec", "Noise", "Speed", "Resolution", "Nothing is missing"}},
		{[]string{"--version"}, []string{"dyno version "}},
		{[]string{"version"}, []string{"dyno version ", "go1."}},
		{[]string{"--help"}, []string{"dyno run quick"}},
	} {
		o := b.dyno(c.args...)
		if o.code() != 0 || o.stderr != "" {
			t.Errorf("dyno %s: exit %d; stderr:\n%s", strings.Join(c.args, " "), o.code(), o.stderr)
		}
		for _, want := range c.want {
			if !strings.Contains(o.stdout, want) {
				t.Errorf("dyno %s lacks %q:\n%s", strings.Join(c.args, " "), want, o.stdout)
			}
		}
	}
}

func checkBadDraws(t *testing.T, b *bench, run dyno.Run) {
	for _, c := range []struct{ format, draw, says string }{
		{"text", "good", "--draw is for --format html, which has drawings; leave it out with text"},
		{"html", "", "--draw names nobody"},
		{"html", "goood", `--draw: unknown subject "goood"; did you mean "good"?`},
		{"html", "null", "--draw: unknown subject"},
	} {
		o := b.dyno("report", run.ID, "--format", c.format, "--draw", c.draw)
		if o.code() != 2 || !strings.Contains(o.stderr, c.says) || strings.Count(o.stderr, "\n") != 1 || o.stdout != "" {
			t.Errorf("--format %s --draw %q: exit %d; stderr:\n%s", c.format, c.draw, o.code(), o.stderr)
		}
	}
}

func TestEveryCommandHasHelpThatFits(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, command := range []string{
		"run", "verify", "report", "compare", "export", "import", "list", "lab", "lab power", "lab noise", "lab slicing",
		"http", "tcp", "capacity", "scenario", "null", "doctor", "version",
	} {
		o := b.dyno(append(strings.Fields(command), "--help")...)
		if o.code() != 0 || !strings.Contains(o.stdout, "Examples:\n  dyno "+command) {
			t.Errorf("dyno %s --help: exit %d:\n%s", command, o.code(), o.stdout)
		}
		for line := range strings.Lines(o.stdout) {
			if n := utf8.RuneCountInString(line) - 1; n > 100 {
				t.Errorf("dyno %s --help has a line of %d columns, which terminals break: %s", command, n, line)
			}
		}
	}
}

// TestHomeIsFound asks for the suites from several places.
func TestHomeIsFound(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for name, prepare := range map[string]func(*exec.Cmd){
		"from a folder below it": func(cmd *exec.Cmd) { cmd.Dir = filepath.Join(b.home, "subjects", "good") },
		"by the environment":     func(cmd *exec.Cmd) { cmd.Env = append(cmd.Env, "DYNO_HOME="+b.home) },
		"by a relative path": func(cmd *exec.Cmd) {
			cmd.Dir = filepath.Dir(b.home)
			cmd.Args = append(cmd.Args, "--home", filepath.Base(b.home))
		},
	} {
		cmd := b.bare(b.program, "list", "suites")
		prepare(cmd)
		if o := b.start(cmd).wait(); o.code() != 0 || !strings.Contains(o.stdout, "A tiny suite") {
			t.Errorf("%s: exit %d\n%s%s", name, o.code(), o.stdout, o.stderr)
		}
	}
	lost := b.start(b.bare(b.program, "list", "suites")).wait()
	if want := "dyno: no suites/ and subjects/ here or above; run dyno inside its checkout, or use --home DIR\n"; lost.code() != 2 || lost.stderr != want {
		t.Errorf("nowhere: exit %d, %s", lost.code(), lost.stderr)
	}
}

// TestSeedFixesEveryOrder measures three times, in quick succession: runs that begin in the same
// second must not meet.
func TestSeedFixesEveryOrder(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, seed := range []string{"7", "7", "8"} {
		o := b.dyno("run", "tiny", "--seed", seed, "--json")
		if o.code() != 0 {
			t.Fatalf("exit %d; stderr:\n%s", o.code(), o.stderr)
		}
		decoder := json.NewDecoder(strings.NewReader(o.stdout))
		decoder.DisallowUnknownFields()
		var v struct {
			Schema string
			dyno.Verdict
		}
		if err := decoder.Decode(&v); err != nil || decoder.More() || v.Schema != "dyno.report/1" {
			t.Errorf("stdout is not one JSON document (%v):\n%s", err, o.stdout)
		}
		saved, err := os.ReadFile(filepath.Join(b.out, v.Run.ID, "verdict.json"))
		must(t, err)
		if !bytes.Equal(saved, []byte(o.stdout)) {
			t.Error("stdout and verdict.json differ")
		}
	}
	runs, trials := b.stored()
	if len(runs) != 3 {
		t.Fatalf("%d runs", len(runs))
	}
	var orders []map[dyno.TrialKey][]int
	for _, run := range runs {
		positions := map[dyno.TrialKey][]int{}
		for _, trial := range trials[run.ID] {
			for _, s := range trial.Slices {
				if s.Round < run.Suite.Method.Rounds { // those beyond make up for disturbed ones
					positions[trial.TrialKey] = append(positions[trial.TrialKey], s.Position)
				}
			}
		}
		orders = append(orders, positions)
	}
	if !reflect.DeepEqual(orders[0], orders[1]) {
		t.Errorf("one seed, two orders:\n%v\n%v", orders[0], orders[1])
	}
	if reflect.DeepEqual(orders[0], orders[2]) {
		t.Error("two seeds, one order")
	}
}

// TestSubjectIsAFolderWithTwoFiles adds a subject to a suite that is already measured.
func TestSubjectIsAFolderWithTwoFiles(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.subject("new")
	files, err := os.ReadDir(filepath.Join(b.home, "subjects", "new"))
	must(t, err)
	if len(files) != 2 {
		t.Fatalf("%d files", len(files))
	}
	b.suite("wider", "other]", "new]", "[37, 64]", "[64]", "blocks: 2", "blocks: 1")
	if o := b.dyno("run", "wider", "--only", "new"); o.code() != 0 || !strings.Contains(o.stdout, "New") || strings.Contains(o.stdout, "Good") {
		t.Errorf("exit %d\n%s%s", o.code(), o.stdout, o.stderr)
	}
	run, trials := b.theRun()
	checkGroups(t, run, trials, true)
}
