package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAStoredRunInEveryForm asks for every form of a run, on standard output and into files.
func TestAStoredRunInEveryForm(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if o := b.dyno("run", "tiny"); o.code() != 0 {
		t.Fatalf("exit %d; stderr:\n%s", o.code(), o.stderr)
	}
	for format, want := range map[string]struct {
		begins string
		lines  int // at least
	}{
		"text": {"A tiny suite\n", 40}, "md": {"# A tiny suite\n", 40}, "html": {"<!DOCTYPE html>", 100}, "json": {"{\n", 100},
		"csv": {"run,block,", 13}, "csv-slices": {"run,block,", 25},
		// On a busy machine a trial of a few milliseconds may get no reply, and these two have nothing to say of it.
		"benchstat": {"# run tiny-", 7 + 6}, "hdr": {"#[Histogram log format version 1.3]\n", 4 + 6}, "hgrm": {"#[", 100},
	} {
		o := b.dyno("report", "--format", format)
		if o.code() != 0 || o.stderr != "" || !strings.HasPrefix(o.stdout, want.begins) || strings.Count(o.stdout, "\n") < want.lines {
			t.Errorf("%s: exit %d, %d lines; stderr: %s", format, o.code(), strings.Count(o.stdout, "\n"), o.stderr)
		}
		to := filepath.Join(t.TempDir(), "report."+format)
		if o := b.dyno("report", "--format", format, "--to", to); o.code() != 0 || o.stdout+o.stderr != "" {
			t.Errorf("%s --to: exit %d: %s%s", format, o.code(), o.stdout, o.stderr)
		}
		if format == "hgrm" {
			entries, err := os.ReadDir(to)
			must(t, err)
			if len(entries) < 4 || len(entries) > 6 { // two subjects and the null server at two sizes
				t.Errorf("%d files: %v", len(entries), entries)
			}
			continue
		}
		saved, err := os.ReadFile(to)
		must(t, err)
		if string(saved) != o.stdout {
			t.Errorf("%s: the file differs from what is printed", format)
		}
	}
}
