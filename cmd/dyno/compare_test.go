package main_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dyno"
	"dyno/internal/golden"
)

// What is measured here depends on the machine, so these tests look at what is compared, not at what
// comes out; stat and report test that.
func TestCompare(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for range 2 {
		if o := b.dyno("run", "tiny", "--blocks", "2"); o.code() != 0 {
			t.Fatalf("exit %d: %s", o.code(), o.stderr)
		}
	}
	runs, _ := b.stored()
	file := filepath.Join(t.TempDir(), "first.dyno")
	if o := b.dyno("export", runs[0].ID, file); o.code() != 0 {
		t.Fatal(o.stderr)
	}

	t.Run("two runs", func(t *testing.T) {
		c := contrast(t, b.dyno("compare", runs[0].ID, runs[1].ID, "--format", "json"))
		subjects := map[string]bool{}
		for _, x := range c.Changes {
			subjects[x.SubjectB] = x.SubjectA == x.SubjectB && !x.Paired && x.Ratio.N == 2
		}
		if !subjects["good"] || !subjects["other"] || len(subjects) != 2 || len(c.Warnings) == 0 || c.A.Run.ID != runs[0].ID {
			t.Errorf("%v, %q", subjects, c.Warnings)
		}
	})
	t.Run("two subjects of one run", func(t *testing.T) {
		c := contrast(t, b.dyno("compare", "latest:good", "latest:other", "--format", "json"))
		for _, x := range c.Changes {
			if x.SubjectA != "good" || x.SubjectB != "other" || !x.Paired {
				t.Errorf("%+v", x)
			}
		}
		few := func(warning string) bool { return strings.HasPrefix(warning, "the p99 is not compared") } // on a busy machine
		if len(c.Changes) == 0 || len(slices.DeleteFunc(c.Warnings, few)) > 0 {
			t.Errorf("%d changes, %q", len(c.Changes), c.Warnings)
		}
	})
	t.Run("a file and a run", func(t *testing.T) {
		o := b.dyno("compare", file, runs[1].ID, "--measures", "all")
		for _, want := range []string{"B against A", "Throughput", "Start-up", "Welch", "Good", "different times"} {
			if o.code() != 0 || !strings.Contains(o.stdout, want) {
				t.Errorf("exit %d, no %q in\n%s%s", o.code(), want, o.stdout, o.stderr)
			}
		}
	})
	t.Run("a threshold that everything breaks", func(t *testing.T) {
		args := []string{"compare", file + ":good", runs[1].ID + ":good", "--fail-if", "throughput<1000000%"}
		if o := b.dyno(args...); o.code() != 0 && !strings.Contains(o.stderr, "changed too far") {
			t.Errorf("exit %d: %s", o.code(), o.stderr)
		}
		o := b.dyno(append(args, "--strict", "--format", "junit")...)
		if o.code() != 1 || !strings.Contains(o.stderr, "changed too far: throughput<1000000%: throughput of good") || !strings.Contains(o.stdout, "<failure") {
			t.Errorf("exit %d: %s%s", o.code(), o.stdout, o.stderr)
		}
	})
	t.Run("bad input", func(t *testing.T) {
		var all strings.Builder
		for _, line := range []string{
			"compare", "compare latest", "compare latest latest", "compare latest:good latest:good", "compare latest:god latest:other",
			"compare latest: latest:other", "compare nonesuch latest", "compare latest:good latest:other --format pdf",
			"compare latest:good latest:other --fail-if errors>0", "compare latest:good latest:other --fail-if throughput<-5",
			"compare latest:good latest:other --strict", "compare latest:good latest:other --measures speed", "compare latest:good latest:other --out /nowhere",
		} {
			refused(t, &all, b, "dyno "+line, b.command(strings.Split(line, " ")...))
		}
		golden.Check(t, "compare_bad_input.golden", all.String())
	})
}

func contrast(t *testing.T, o outcome) (c dyno.Contrast) {
	t.Helper()
	if err := json.Unmarshal([]byte(o.stdout), &c); err != nil || o.code() != 0 {
		t.Fatalf("exit %d, %v: %s%s", o.code(), err, o.stdout, o.stderr)
	}
	return c
}
