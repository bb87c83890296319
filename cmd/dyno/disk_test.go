package main_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"dyno"
)

// smallDisk makes the results folder a disk of its own.
func (b *bench) smallDisk(size string) {
	b.t.Helper()
	must(b.t, os.Mkdir(b.out, 0o755))
	if err := unix.Mount("none", b.out, "tmpfs", 0, "size="+size); err != nil {
		b.t.Skipf("no small disk here, only root can mount one: %v", err)
	}
	b.t.Cleanup(func() {
		if err := unix.Unmount(b.out, unix.MNT_DETACH); err != nil {
			b.t.Error(err)
		}
	})
}

// TestDiskFillsUp fills the disk while dyno measures, makes room again, and lets dyno go on.
func TestDiskFillsUp(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.suite("longer", longer...)
	b.smallDisk("1m")
	r := b.start(b.command("run", "longer"))
	b.waitUntilStored()
	filler := filepath.Join(b.out, "filler")
	if err := os.WriteFile(filler, bytes.Repeat([]byte{1}, 1<<20), 0o644); err == nil {
		t.Fatal("the disk is not full")
	}
	o := r.wait()
	if o.code() != 1 || !strings.Contains(o.lastLine(), "the disk is full") || !strings.Contains(o.lastLine(), "--resume") || strings.Count(o.stderr, "\ndyno: ") != 1 {
		t.Errorf("exit %d; stderr:\n%s", o.code(), o.stderr)
	}
	if !strings.Contains(o.stdout, "PARTIAL: ") {
		t.Errorf("no report of what was done:\n%s", o.stdout)
	}
	run, before := b.theRun()
	checkGroups(t, run, before, false)
	if parts, _ := filepath.Glob(filepath.Join(b.out, "*", "*.part")); len(parts) > 0 {
		t.Errorf("half a file is left: %v", parts)
	}

	must(t, os.Remove(filler))
	if o := b.dyno("run", "longer", "--resume"); o.code() != 0 {
		t.Errorf("resumed: exit %d; stderr:\n%s", o.code(), o.stderr)
	}
	run, after := b.theRun()
	if run.State != dyno.RunComplete || len(after) <= len(before) {
		t.Errorf("%s with %d trials after %d", run.State, len(after), len(before))
	}
	checkGroups(t, run, after, true)
}

func TestDiskIsFullFromTheStart(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.smallDisk("64k")
	o := b.dyno("run", "tiny")
	if o.code() != 1 || strings.Count(o.stderr, "\n") != 1 || !strings.Contains(o.stderr, "the disk is full: free some space") {
		t.Errorf("exit %d; stderr:\n%s", o.code(), o.stderr)
	}
}
