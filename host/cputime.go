package host

import (
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// cpuClockSched picks, within a process's CPU clock, what the scheduler counted in nanoseconds.
const cpuClockSched = 2

// CPUTime returns the CPU time in ns that a process has spent so far, in user and kernel mode, all its
// threads included, also those that have ended. Child processes are not. It costs one system call and
// opens no file, so it can be read around every slice.
//
// It asks the process's CPU clock. /proc/PID/stat counts in ticks of 10 ms, of which a slice has a
// dozen. /proc/PID/schedstat has nanoseconds, but of the main thread only; summing those of
// /proc/PID/task loses every thread that has ended.
//
// The kernel brings a thread's time up to date when the thread stops running and at each timer tick.
// So the figure is exact while the process waits, and up to a tick (1 to 10 ms) old for a thread that
// is running: read it when the server has answered everything.
//
// A process that has been reaped is an error that wraps syscall.ESRCH.
func CPUTime(pid int) (ns int64, err error) {
	if pid <= 0 {
		return 0, fmt.Errorf("CPU time of process %d: %w; process numbers are positive", pid, syscall.ESRCH)
	}
	// make_process_cpuclock(pid, CPUCLOCK_SCHED) of the kernel's include/linux/posix-timers.h, the
	// number that clock_getcpuclockid(3) returns.
	clock := ^int32(pid)<<3 | cpuClockSched
	var t unix.Timespec
	if err := unix.ClockGettime(clock, &t); err != nil {
		return 0, ended(pid)
	}
	return t.Nano(), nil
}

// TreeCPUTime returns the sum of CPUTime over processes. When one of them has ended its time is lost,
// and differences to earlier sums mean nothing: that is an error that wraps syscall.ESRCH.
func TreeCPUTime(pids []int) (ns int64, err error) {
	var sum int64
	for _, pid := range pids {
		ns, err := CPUTime(pid)
		if err != nil {
			return 0, err
		}
		sum += ns
	}
	return sum, nil
}

// ended is the error for a process that is no more.
func ended(pid int) error {
	return fmt.Errorf("process %d has ended: %w; read it while it runs", pid, syscall.ESRCH)
}
