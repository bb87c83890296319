package host

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// ThreadCPUTimes returns the CPU time in ns of every living thread of the processes, by thread id. A
// server whose work is done by one thread is at its limit when that thread is, however many CPUs the
// machine has. Threads that cannot be read are left out: they have ended.
func ThreadCPUTimes(pids []int) map[int]int64 { return here.threadCPUTimes(pids) }

func (k kernel) threadCPUTimes(pids []int) map[int]int64 {
	times := map[int]int64{}
	for _, pid := range pids {
		k.threads(pid, func(tid int, t threadTimes) { times[tid] = t.cpuNs })
	}
	return times
}

// BusiestThread returns the most CPU time in ns that one thread used between two looks.
func BusiestThread(earlier, later map[int]int64) (ns int64) {
	for tid, now := range later {
		ns = max(ns, now-earlier[tid])
	}
	return ns
}

// WaitedNs returns for how long the living threads of the processes were ready to run, so far, while
// their CPU was busy with something else; on several CPUs more than a second a second. A kernel that
// does not keep this account gives math.MaxInt64 (it is kept with CONFIG_SCHED_INFO, as distributions do).
func WaitedNs(pids []int) int64 { return here.waitedNs(pids) }

func (k kernel) waitedNs(pids []int) int64 {
	var sum int64
	known := false
	for _, pid := range pids {
		k.threads(pid, func(_ int, t threadTimes) { sum, known = sum+t.waitedNs, true })
	}
	if !known {
		return math.MaxInt64
	}
	return sum
}

// threadTimes are a thread's since it began, in ns.
type threadTimes struct{ cpuNs, waitedNs int64 }

// threads calls see with every thread of a process that can be read. Source: /proc/PID/task/TID/schedstat
// of Documentation/scheduler/sched-stats.rst.
func (k kernel) threads(pid int, see func(tid int, t threadTimes)) {
	tasks, err := os.ReadDir(filepath.Join(k.proc, strconv.Itoa(pid), "task"))
	if err != nil {
		return // it has ended
	}
	for _, task := range tasks {
		text, err := os.ReadFile(filepath.Join(k.proc, strconv.Itoa(pid), "task", task.Name(), "schedstat"))
		if err != nil {
			continue
		}
		fields := strings.Fields(string(text))
		if len(fields) < 2 {
			continue
		}
		cpuNs, err := strconv.ParseInt(fields[0], 10, 64)
		waitedNs, waitedErr := strconv.ParseInt(fields[1], 10, 64)
		tid, tidErr := strconv.Atoi(task.Name())
		if err == nil && waitedErr == nil && tidErr == nil && cpuNs >= 0 && waitedNs >= 0 {
			see(tid, threadTimes{cpuNs, waitedNs})
		}
	}
}
