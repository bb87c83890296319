package host

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Descendants returns the processes that descend from pid and live, sorted; pid itself is not among
// them. It reads the whole of /proc once (about 1 ms for 100 processes). A process that forks
// meanwhile may hide a child: who must catch all repeats until none is left.
func Descendants(pid int) []int { return here.descendants(pid) }

// PeakRSSBytes returns the largest resident memory that a process has had since it started its program.
func PeakRSSBytes(pid int) (int64, error) { return here.statusKB(pid, "VmHWM") }

// Threads returns how many threads a process has.
func Threads(pid int) (int, error) {
	n, err := here.status(pid, "Threads")
	return int(n), err
}

// StartTicks returns when a process started, in clock ticks since the machine did. With its number it
// identifies a process for good: numbers are used again, pairs are not.
func StartTicks(pid int) (uint64, error) {
	s, err := here.stat(pid)
	if err != nil || !s.lives() {
		return 0, ended(pid)
	}
	return s.startTicks, nil
}

// pids yields the numbers of all processes that can be seen.
func (k kernel) pids(yield func(pid int) bool) {
	dir, err := os.Open(k.proc)
	if err != nil {
		return
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil && !yield(pid) {
			return
		}
	}
}

func (k kernel) descendants(root int) []int {
	children := map[int][]int{}
	for pid := range k.pids {
		if s, err := k.stat(pid); err == nil && s.lives() {
			children[s.parent] = append(children[s.parent], pid)
		}
	}
	var found []int
	for queue := []int{root}; len(queue) > 0; queue = queue[1:] {
		for _, child := range children[queue[0]] {
			if child != root { // a torn snapshot can hold a loop
				found, queue = append(found, child), append(queue, child)
			}
		}
	}
	slices.Sort(found)
	return found
}

// procStat is what dyno needs of /proc/PID/stat.
type procStat struct {
	state      byte // R, S, D, Z …
	parent     int
	threads    int
	startTicks uint64
}

// lives reports whether the process can still run: a zombie cannot, unless only its first thread has
// ended.
func (s procStat) lives() bool {
	return s.state != 'X' && (s.state != 'Z' || s.threads > 1)
}

func (k kernel) stat(pid int) (procStat, error) {
	line, err := k.procFile(pid, "stat")
	if err != nil {
		return procStat{}, err
	}
	return parseStat(line)
}

// parseStat reads a line of /proc/PID/stat. The name of the program stands in parentheses and may hold
// blanks and parentheses itself, so the fields are counted from the last one.
func parseStat(line []byte) (procStat, error) {
	const ( // numbers of proc_pid_stat(5), less the two fields before the state
		state, parent, threads, startTicks = 0, 1, 17, 19
	)
	fields := bytes.Fields(line[bytes.LastIndexByte(line, ')')+1:])
	if len(fields) <= startTicks {
		return procStat{}, fmt.Errorf("stat of a process has %d fields, want more than %d; is /proc the kernel's?", len(fields), startTicks)
	}
	s := procStat{state: fields[state][0]}
	var errs [3]error
	s.parent, errs[0] = strconv.Atoi(string(fields[parent]))
	s.threads, errs[1] = strconv.Atoi(string(fields[threads]))
	s.startTicks, errs[2] = strconv.ParseUint(string(fields[startTicks]), 10, 64)
	for _, err := range errs {
		if err != nil {
			return procStat{}, fmt.Errorf("stat of a process: %w; is /proc the kernel's?", err)
		}
	}
	return s, nil
}

func (k kernel) statusKB(pid int, key string) (int64, error) {
	kb, err := k.status(pid, key)
	return kb << 10, err
}

// status returns the number that a line of /proc/PID/status begins with, e.g. "VmHWM:  1234 kB".
func (k kernel) status(pid int, key string) (int64, error) {
	b, err := k.procFile(pid, "status")
	if err != nil {
		return 0, ended(pid)
	}
	n, ok := numberAfter(string(b), key)
	if !ok {
		return 0, ended(pid) // a zombie has no memory
	}
	return n, nil
}

// numberAfter finds the line "key:   number …" and returns its number.
func numberAfter(text, key string) (int64, bool) {
	for line := range strings.Lines(text) {
		name, rest, ok := strings.Cut(line, ":")
		if !ok || name != key {
			continue
		}
		fields := strings.Fields(rest)
		if len(fields) == 0 {
			return 0, false
		}
		n, err := strconv.ParseInt(fields[0], 10, 64)
		return n, err == nil
	}
	return 0, false
}
