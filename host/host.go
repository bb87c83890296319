// Package host asks the machine: which CPUs there are and which to use, what a process has spent and
// holds, who listens on a port, how noisy it was, and what machine this is. Linux only.
//
// It starts and stops nothing; apart from the affinity of a thread and the limit on open files, which
// are asked for by name, it changes nothing. What the kernel does not tell is left empty or is an
// error of one line, never a guess.
package host

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// kernel is where the kernel tells of itself. Tests put fixture folders in its place.
type kernel struct {
	proc string // "/proc"
	sys  string // "/sys"
	etc  string // "/etc"
}

var here = kernel{proc: "/proc", sys: "/sys", etc: "/etc"}

// procFile reads a file of a process.
func (k kernel) procFile(pid int, name string) ([]byte, error) {
	return os.ReadFile(filepath.Join(k.proc, strconv.Itoa(pid), name))
}

// word reads a file that holds one line, "" when there is none.
func word(path ...string) string {
	b, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		return ""
	}
	return string(bytes.TrimSpace(b))
}

// parseCPUs reads the kernel's list form, e.g. "0-3,8".
func parseCPUs(list string) ([]int, error) {
	const most = 1 << 16 // far above any kernel's limit; keeps a broken list from filling memory
	var cpus []int
	for part := range strings.SplitSeq(strings.TrimSpace(list), ",") {
		if part == "" {
			continue
		}
		from, to, isRange := strings.Cut(part, "-")
		low, err := strconv.Atoi(from)
		high := low
		if err == nil && isRange {
			high, err = strconv.Atoi(to)
		}
		if err != nil || low < 0 || high < low || high >= most {
			return nil, fmt.Errorf("%.40q is not a list of CPUs; write it as 0-3,8", list)
		}
		for cpu := low; cpu <= high && len(cpus) < most; cpu++ {
			cpus = append(cpus, cpu)
		}
	}
	return cpus, nil
}

// formatCPUs writes a sorted list in the kernel's form.
func formatCPUs(cpus []int) string {
	var parts []string
	for i := 0; i < len(cpus); {
		j := i
		for j+1 < len(cpus) && cpus[j+1] == cpus[j]+1 {
			j++
		}
		if part := strconv.Itoa(cpus[i]); j == i {
			parts = append(parts, part)
		} else {
			parts = append(parts, part+"-"+strconv.Itoa(cpus[j]))
		}
		i = j + 1
	}
	return strings.Join(parts, ",")
}
