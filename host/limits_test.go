package host

import (
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"dyno"
)

func TestRaiseOpenFilesReachesChildren(t *testing.T) {
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	got, err := RaiseOpenFiles(min(before.Max, 4096))
	if err != nil || got < min(before.Max, 4096) {
		t.Fatalf("got %d, %v", got, err)
	}
	out, err := exec.Command("/bin/sh", "-c", "ulimit -n").Output()
	if err != nil {
		t.Fatal(err)
	}
	if seen, _ := strconv.ParseUint(strings.TrimSpace(string(out)), 10, 64); seen != got {
		t.Errorf("a child has %s, want %d", out, got)
	}
	if got, err := RaiseOpenFiles(1 << 62); err == nil || got < before.Cur || strings.Contains(err.Error(), "\n") {
		t.Errorf("absurd limit: got %d, %v", got, err)
	}
}

func TestNoiseOfThisMachine(t *testing.T) {
	cpus := AllowedCPUs()
	since := NewWatch(Placement{ClientCPUs: cpus[:1], ServerCPUs: cpus[len(cpus)-1:], Shared: len(cpus) == 1}).Begin()
	time.Sleep(30 * time.Millisecond) // nothing depends on how long it takes
	if d := since(0); d.ForeignCPUNs < 0 || d.StealNs < 0 || d.MemoryStallNs < 0 {
		t.Errorf("negative: %+v", d)
	}
	if d := NewWatch(Placement{ClientCPUs: []int{1 << 20}}).Begin()(0); d != (dyno.Disturbance{}) {
		t.Errorf("a CPU that does not exist: %+v", d)
	}
	if ns, err := SpeedNs(cpus[0]); err != nil || ns <= 0 {
		t.Errorf("the fixed work took %d ns (%v)", ns, err)
	}
	if ns, err := StepNs(cpus[0]); err != nil || ns <= 0 {
		t.Errorf("a step took %g ns (%v)", ns, err)
	}
	if _, err := SpeedNs(1 << 20); err == nil {
		t.Error("timed on a CPU that does not exist")
	}
}
