package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestARunTravelsAsAFile exports a run, reads it where it is, and imports it into another folder, twice.
func TestARunTravelsAsAFile(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if o := b.dyno("run", "tiny"); o.code() != 0 {
		t.Fatalf("exit %d; stderr:\n%s", o.code(), o.stderr)
	}
	run, trials := b.theRun()
	file := filepath.Join(t.TempDir(), "tiny.dyno")
	if o := b.dyno("export", "latest", file); o.code() != 0 || o.stdout != run.ID+" is in "+file+"\n" {
		t.Fatalf("exit %d: %s%s", o.code(), o.stdout, o.stderr)
	}
	there, here := b.dyno("report", "latest"), b.dyno("report", file)
	if here.code() != 0 || here.stdout != there.stdout {
		t.Errorf("exit %d; the file reports differently:\n%s", here.code(), here.stdout)
	}
	b.out = filepath.Join(t.TempDir(), "elsewhere")
	for _, says := range []string{fmt.Sprintf("new, %d trials", len(trials)), "already there"} {
		if o := b.dyno("import", file); o.code() != 0 || o.stdout != run.ID+": "+says+"\n" {
			t.Errorf("exit %d: %s%s", o.code(), o.stdout, o.stderr)
		}
	}
	if again, imported := b.theRun(); again.ID != run.ID || len(imported) != len(trials) {
		t.Errorf("%s with %d trials was imported as %s with %d", run.ID, len(trials), again.ID, len(imported))
	}

	must(t, os.Truncate(file, 5000))
	for _, command := range [][]string{{"import", file}, {"report", file}} {
		if o := b.dyno(command...); o.code() != 2 || strings.Count(o.stderr, "\n") != 1 || !strings.Contains(o.stderr, "is damaged: it has 5000 bytes of ") {
			t.Errorf("%v: exit %d: %s", command, o.code(), o.stderr)
		}
	}
}
