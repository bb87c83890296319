package main_test

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"dyno"
)

// TestClonesAreMeasuredAsIfTheyDiffered runs an A/A experiment, cut short, and finishes it.
func TestClonesAreMeasuredAsIfTheyDiffered(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if o := b.dyno("run", "tiny", "--aa", "--budget", "1ns"); o.code() != 1 || !strings.Contains(o.lastLine(), "dyno run tiny --aa --home ") {
		t.Errorf("exit %d; stderr:\n%s", o.code(), o.stderr)
	}
	o := b.dyno("run", "tiny", "--aa", "--resume")
	if o.code() != 0 || !strings.Contains(o.stdout, "Between equal clones, faster or slower was claimed in ") {
		t.Fatalf("exit %d; stderr:\n%s\nstdout:\n%s", o.code(), o.stderr, o.stdout)
	}
	run, trials := b.theRun()
	if run.Suite.Name != "tiny-aa" || run.State != dyno.RunComplete || len(run.Subjects) != 9 {
		t.Errorf("%s is %s with %d subjects", run.Suite.Name, run.State, len(run.Subjects))
	}
	for _, s := range run.Subjects {
		if !s.Ceiling && (s.CloneOf != "good" || !strings.HasPrefix(s.Name, "good#")) {
			t.Errorf("subject %+v", s)
		}
	}
	checkGroups(t, run, trials, true)

	// Every report of the run says what came of it, whenever it is made.
	for format, want := range map[string]string{
		"text": "faster or slower was claimed in ", "md": "faster or slower was claimed in ",
		"html": "faster or slower was claimed in ", "json": `"clones": {`,
	} {
		if again := b.dyno("report", run.ID, "--format", format); !strings.Contains(again.stdout, want) {
			t.Errorf("the report as %s does not say %q", format, want)
		}
	}
}

// brokenPromise is what dyno lab noise says, rightly, where other programs run: it flags them, too, and they hide how
// much a neighbour takes.
const brokenPromise = "a promise is shown to be broken: a measurement with"

// TestExperimentsStoreTheirTrials runs the experiments that need no Go server, for as short as they go.
func TestExperimentsStoreTheirTrials(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, c := range []struct{ args, want string }{
		{"lab noise tiny --budget 6s", "With a neighbour on the servers' CPU, not flagged: "},
		{"lab slicing tiny --budget 6s", "Good : Other"},
	} {
		o := b.dyno(append(strings.Fields(c.args), "--out", b.out)...)
		tooSlow := strings.Contains(o.lastLine(), "the budget was over before") // as a busy machine may be
		noisy := o.code() == 1 && strings.Contains(o.lastLine(), brokenPromise)
		if !tooSlow && (o.code() != 0 && !noisy || !strings.Contains(o.stdout, c.want)) {
			t.Errorf("%s: exit %d; stdout:\n%s\nstderr:\n%s", c.args, o.code(), o.stdout, o.stderr)
		}
	}
	runs, _ := b.stored()
	kinds := map[string]int{}
	for _, r := range runs {
		kinds[r.Suite.Name]++
	}
	if kinds["tiny-noise"] == 0 || kinds["tiny-slicing"] == 0 {
		t.Errorf("runs by suite: %v", kinds)
	}
}

// TestOneLongWindow measures without slices.
func TestOneLongWindow(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if o := b.dyno("run", "tiny", "--continuous"); o.code() != 0 {
		t.Fatalf("exit %d; stderr:\n%s", o.code(), o.stderr)
	}
	run, trials := b.theRun()
	if !run.Suite.Method.Continuous || trials[0].Slices[0].DurationNs < 35e6 {
		t.Errorf("method %+v, first slice %+v", run.Suite.Method, trials[0].Slices[0])
	}
}

// TestFalseVerdictsFail forges the trials of clones, so that verdicts claim differences that are none.
func TestFalseVerdictsFail(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if o := b.dyno("run", "tiny", "--aa"); o.code() != 0 {
		t.Fatalf("exit %d; stderr:\n%s", o.code(), o.stderr)
	}
	db, err := sql.Open("sqlite", filepath.Join(b.out, "dyno.db"))
	must(t, err)
	defer db.Close()
	for _, statement := range []string{
		"DROP TRIGGER slice_is_final",
		// Each clone has a rate of its own, which hardly varies.
		`UPDATE slice SET flag = '', duration_ns = 1e9, replies = (SELECT 1e6 * unicode(substr(subject, -1)) + 10 * block FROM trial WHERE trial.id = trial_id)`,
		"UPDATE run SET state = 'partial'", // so that resuming judges it again
	} {
		_, err := db.Exec(statement)
		must(t, err)
	}
	o := b.dyno("run", "tiny", "--aa", "--resume")
	if want := "dyno: a promise is shown to be broken: faster or slower was claimed between equal clones in "; o.code() != 1 || !strings.HasPrefix(o.lastLine(), want) {
		t.Errorf("exit %d, last line %q, want %s…", o.code(), o.lastLine(), want)
	}
	if want := "promised: at most 1 %; broken, and shown to be"; !strings.Contains(unwrapped(o.stdout), want) {
		t.Errorf("the report lacks %q:\n%s", want, o.stdout)
	}
}
