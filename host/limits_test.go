package host

import (
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
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

func TestSampleNoiseOfThisMachine(t *testing.T) {
	cpus := AllowedCPUs()
	first, err := SampleNoise(cpus)
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(30 * time.Millisecond) // at least two ticks; nothing depends on how many
	second, err := SampleNoise(cpus)
	if err != nil {
		t.Fatal(err)
	}
	share := second.Since(first)
	if share.Busy < 0 || share.Busy > 1 || share.Steal < 0 || share.Steal > 1 {
		t.Errorf("shares out of range: %+v", share)
	}
	if _, err := SampleNoise([]int{1 << 20}); err == nil {
		t.Error("a CPU that does not exist has noise")
	}
}
