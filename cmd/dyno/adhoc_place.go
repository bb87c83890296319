package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"dyno/host"
	"dyno/load"
)

// bodyBytesMax bounds a request's body: every connection may have to keep a copy.
const bodyBytesMax = 16 << 20

// readBounded reads a file of at most max bytes.
func readBounded(path string, max int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	b, err := io.ReadAll(io.LimitReader(file, max+1))
	if err == nil && int64(len(b)) > max {
		err = fmt.Errorf("%s has more than %d bytes", path, max)
	}
	return b, err
}

// seat is where the client of an ad-hoc load runs, and how it waits.
type seat struct {
	cpus     []int // one for each loop; empty when they are not pinned
	spin     time.Duration
	spinWhy  string
	urgent   bool // the client comes before others on its CPU, where this user may say so
	warnings []string
}

// seat pins the client away from a server on this machine and decides whether it may spin: only with a
// CPU that the server does not use.
func (f *loadFlags) seat(t target) (seat, error) {
	var s seat
	if t.local() {
		placement, err := host.Place()
		if err != nil {
			return s, err
		}
		s.warnings = placement.Warnings
		s.cpus = loopCPUs(f.loops, placement)
		switch {
		case s.cpus == nil:
			s.warnings = append(s.warnings, fmt.Sprintf("%d event loops on %d CPUs, of which the server needs one: they are not pinned, and disturb each other",
				f.loops, len(host.AllowedCPUs())))
		default:
			if err := host.PinProcess(s.cpus); err != nil {
				return s, err
			}
		}
	}
	s.spin, s.spinWhy = f.waiting(t, s.cpus)
	return s, nil
}

// engine starts event loops, each on a CPU of its own where the seat has one for each.
func (s seat) engine(o load.Options) (*load.Engine, error) {
	if len(s.cpus) >= max(o.Loops, 1) {
		o.OnThread = func(i int) error {
			if s.urgent {
				host.PrioritizeThread()
			}
			return host.PinThread(s.cpus[i : i+1])
		}
	}
	return load.New(o)
}

// loopCPUs returns a CPU for each loop, beginning with the one that suits a client best and leaving the
// one that suits a server best; nil when there are not enough.
func loopCPUs(loops int, p host.Placement) []int {
	cpus := slices.Clone(p.ClientCPUs)
	for _, cpu := range host.AllowedCPUs() {
		if !slices.Contains(cpus, cpu) && !slices.Contains(p.ServerCPUs, cpu) {
			cpus = append(cpus, cpu)
		}
	}
	if loops > len(cpus) {
		return nil
	}
	return cpus[:loops]
}

// waiting says how long to poll before sleeping, and why so.
func (f *loadFlags) waiting(t target, cpus []int) (spin time.Duration, why string) {
	switch {
	case f.spinGiven && f.spin > 0:
		return f.spin, "as --spin says"
	case f.spinGiven:
		return 0, "as --spin says"
	case !t.local():
		return 0, "the server is elsewhere, where a wake-up matters less; --spin 200us polls"
	case len(cpus) == 0:
		return 0, "the loops have no CPUs of their own"
	case t.unixPath != "":
		return 0, "it is not known where the server runs; --spin 200us polls"
	}
	shared, known := sharesCPU(int(t.addr.Port()), cpus)
	switch {
	case !known:
		return 0, "it is not known where the server runs; --spin 200us polls"
	case shared:
		return 0, fmt.Sprintf("the server may run on CPU %d, too; keep it off with taskset, or use --spin 200us", cpus[0])
	}
	return clientSpin, "the server keeps off its CPU"
}

// sharesCPU reports whether a process that listens on the port may use one of the CPUs, as far as the
// kernel tells this user.
func sharesCPU(port int, cpus []int) (shared, known bool) {
	owners, _, err := host.ListenerOwners(port, allProcesses())
	if err != nil || len(owners) == 0 {
		return false, false
	}
	for _, pid := range owners {
		for _, thread := range numbered(fmt.Sprintf("/proc/%d/task", pid)) {
			var allowed unix.CPUSet
			if unix.SchedGetaffinity(thread, &allowed) != nil {
				continue // it ended meanwhile
			}
			if slices.ContainsFunc(cpus, allowed.IsSet) {
				return true, true
			}
		}
	}
	return false, true
}

func allProcesses() []int { return numbered("/proc") }

// numbered returns the names in a folder that are numbers.
func numbered(folder string) []int {
	entries, _ := os.ReadDir(folder) // none when it is not there
	var numbers []int
	for _, entry := range entries {
		if n, err := strconv.Atoi(entry.Name()); err == nil {
			numbers = append(numbers, n)
		}
	}
	return numbers
}
