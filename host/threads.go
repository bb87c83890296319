package host

import (
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
		tasks, err := os.ReadDir(filepath.Join(k.proc, strconv.Itoa(pid), "task"))
		if err != nil {
			continue
		}
		for _, task := range tasks {
			text, err := os.ReadFile(filepath.Join(k.proc, strconv.Itoa(pid), "task", task.Name(), "schedstat"))
			if err != nil {
				continue
			}
			first, _, _ := strings.Cut(string(text), " ")
			ns, err := strconv.ParseInt(first, 10, 64)
			tid, tidErr := strconv.Atoi(task.Name())
			if err == nil && tidErr == nil {
				times[tid] = ns
			}
		}
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
