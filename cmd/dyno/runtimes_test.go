package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"dyno"
)

// TestRealRuntimes measures the repository's own subjects.
func TestRealRuntimes(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	home, err := filepath.Abs(filepath.Join("..", ".."))
	must(t, err)
	names := []string{"framed-deno", "framed-bun", "framed-node", "framed-go"}
	b.needRuntimes(home, names)
	b.suite("real", "good, other", strings.Join(names, ", "), "[37, 64]", "[64]", "warm_up: 1ms", "warm_up: 300ms")
	o := b.dyno("run", filepath.Join(b.home, "suites", "real.yaml"), "--home", home, "--json")
	if o.code() != 0 {
		t.Fatalf("exit %d; stderr:\n%s", o.code(), o.stderr)
	}
	run, trials := b.theRun()
	checkGroups(t, run, trials, true)
	for _, s := range run.Subjects {
		if !regexp.MustCompile(`^\d+\.\d+`).MatchString(s.RuntimeVersion) {
			t.Errorf("%s ran on %s %q, which is no version", s.Name, s.Runtime, s.RuntimeVersion)
		}
	}
	var v dyno.Verdict
	must(t, json.Unmarshal([]byte(o.stdout), &v))
	for _, row := range v.Cells[0].Rows {
		if row.RatePerS.N != 2 || row.RatePerS.Value <= 0 || row.StartUpNs.Value <= 0 {
			t.Errorf("%s has no figures: %+v", row.Subject, row)
		}
	}
	if n := len(v.Cells[0].Rows); n != len(names) {
		t.Errorf("%d rows, want %d", n, len(names))
	}
}

// needRuntimes skips the test when a subject cannot run here; in CI that is a failure.
func (b *bench) needRuntimes(home string, names []string) {
	b.t.Helper()
	o := b.dyno("list", "subjects", "--home", home)
	for line := range strings.Lines(o.stdout) {
		for _, name := range names {
			if !strings.HasPrefix(line, name+" ") || !strings.Contains(line, "unavailable: ") {
				continue
			}
			complain := b.t.Skipf
			if os.Getenv("CI") != "" {
				complain = b.t.Fatalf
			}
			complain("%s", line)
		}
	}
}
