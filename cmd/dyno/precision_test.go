package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dyno"
)

// TestPrecisionIsRemembered holds wherever the run ends: it is stored with its rule, finished under it after
// an end of its budget, and judged the same again.
func TestPrecisionIsRemembered(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ran := b.dyno("run", "tiny", "--precision", "20%", "--blocks", "6", "--budget", "2s")
	plan := "plan: until every comparison is decided or known to ±20 %, at most 6 blocks; "
	if !strings.Contains(ran.stderr, plan) {
		t.Errorf("stderr lacks %q:\n%s", plan, ran.stderr)
	}
	for range 3 {
		if ran.code() != 0 {
			ran = b.dyno("run", "tiny", "--resume")
		}
	}
	run, trials := b.theRun()
	if ran.code() != 0 || run.State != dyno.RunComplete || run.Suite.Method.Precision != 0.2 || run.Suite.Method.Blocks != 6 {
		t.Fatalf("exit %d, %s, %+v; stderr:\n%s", ran.code(), run.State, run.Suite.Method, ran.stderr)
	}
	checkGroups(t, run, trials, false)
	saved, err := os.ReadFile(filepath.Join(b.out, run.ID, "verdict.json"))
	must(t, err)
	if again := b.dyno("report", run.ID, "--format", "json"); again.stdout != string(saved) {
		t.Errorf("another report of the run differs from the first")
	}
	if text := b.dyno("report", run.ID).stdout; strings.Contains(text, "PARTIAL") || !strings.Contains(text, "which holds at every look") {
		t.Errorf("the report does not say what its intervals are:\n%s", text)
	}
}
