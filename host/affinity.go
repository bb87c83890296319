package host

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// allowedAtStart is read once, before any thread is pinned: later the answer would depend on the
// thread that asks.
var allowedAtStart, errAllowedAtStart = affinity()

// affinity returns the CPUs that the calling thread may use.
func affinity() ([]int, error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil, fmt.Errorf("sched_getaffinity: %w; the usable CPUs are unknown", err)
	}
	var cpus []int
	for cpu := range len(set) * 64 {
		if set.IsSet(cpu) {
			cpus = append(cpus, cpu)
		}
	}
	return cpus, nil
}

// AllowedCPUs returns the CPUs that this process was given at its start, sorted. It is empty when the
// kernel did not say.
func AllowedCPUs() []int { return slices.Clone(allowedAtStart) }

// PinThread binds the calling thread to the CPUs. The caller holds it with runtime.LockOSThread, or
// another thread would run the goroutine a moment later. Threads and processes started from this
// thread inherit its CPUs.
func PinThread(cpus []int) error {
	if err := checkCPUs(cpus, "to pin a thread to", allowedAtStart); err != nil {
		return err
	}
	var set unix.CPUSet
	for _, cpu := range cpus {
		set.Set(cpu)
	}
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return fmt.Errorf("pin thread to CPU %s: sched_setaffinity: %w; run without pinning, or on other CPUs", formatCPUs(cpus), err)
	}
	return nil
}

// checkCPUs says whether the CPUs may be used by this process.
func checkCPUs(cpus []int, purpose string, allowed []int) error {
	if len(cpus) == 0 {
		return fmt.Errorf("no CPUs %s; choose among %s", purpose, formatCPUs(allowed))
	}
	for _, cpu := range cpus {
		if !slices.Contains(allowed, cpu) {
			return fmt.Errorf("CPU %d is not usable by this process; choose among %s", cpu, formatCPUs(allowed))
		}
	}
	return nil
}

// PinProcess binds every thread of this process to the CPUs, and with them those that they will
// start. It does not hold back the Go scheduler: whoever needs threads beside one that never sleeps
// sets runtime.GOMAXPROCS.
func PinProcess(cpus []int) error {
	if err := checkCPUs(cpus, "to pin this process to", allowedAtStart); err != nil {
		return err
	}
	var set unix.CPUSet
	for _, cpu := range cpus {
		set.Set(cpu)
	}
	// A thread that is not bound yet may start another while the list is read: the list is done when
	// all on it were bound already.
	for range pinPasses {
		changed, err := pinThreads(&set)
		if err != nil {
			return fmt.Errorf("pin this process to CPU %s: %w; run on other CPUs", formatCPUs(cpus), err)
		}
		if !changed {
			return nil
		}
	}
	return fmt.Errorf("pin this process to CPU %s: its threads did not stay there; see whether the CPUs are online, and who else pins it", formatCPUs(cpus))
}

// pinPasses is far above what threads that start threads need, two or three. It ends a quarrel with
// somebody who pins this process, too.
const pinPasses = 20

// pinThreads binds the threads of this process and reports whether that changed any of them.
func pinThreads(set *unix.CPUSet) (changed bool, err error) {
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return false, err
	}
	for _, thread := range threads {
		tid, err := strconv.Atoi(thread.Name())
		if err != nil {
			continue
		}
		var now unix.CPUSet
		if unix.SchedGetaffinity(tid, &now) == nil && now == *set {
			continue
		}
		switch err := unix.SchedSetaffinity(tid, set); {
		case err == nil:
			changed = true
		case !errors.Is(err, unix.ESRCH): // a thread may have ended since it was listed
			return false, fmt.Errorf("sched_setaffinity: %w", err)
		}
	}
	return changed, nil
}
