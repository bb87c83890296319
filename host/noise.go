package host

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"dyno"
)

// TickNs is what the kernel counts the time of CPUs in: a span of time is known to one tick.
const TickNs = int64(10 * time.Millisecond)

// Watch looks at the CPUs of a run while it is measured.
type Watch struct {
	kernel  kernel
	groups  []cpuGroup
	softirq map[int]bool // the kernel's processes that carry packets on, ours above all
	seesAll bool         // every process of the machine can be seen
}

// cpuGroup are CPUs that are used together.
type cpuGroup struct {
	cpus          []int
	dyno, servers bool // who may use them
}

// NewWatch watches the CPUs of a placement.
func NewWatch(p Placement) *Watch {
	w := &Watch{kernel: here, groups: []cpuGroup{{p.ClientCPUs, true, false}, {p.ServerCPUs, false, true}}}
	if p.Shared {
		w.groups = []cpuGroup{{sorted(slices.Concat(p.ClientCPUs, p.ServerCPUs)), true, true}}
	}
	w.softirq, w.seesAll = w.kernel.processes()
	return w
}

// firstPIDNamespace is what /proc/self/ns/pid of a process outside of all containers leads to
// (PROC_PID_INIT_INO of the kernel's include/linux/proc_ns.h).
const firstPIDNamespace = "pid:[4026531836]"

// processes finds the kernel's own that carry packets on, and says whether those of the whole machine
// are to be seen: a container shows its own ones alone, and some machines show each user theirs.
func (k kernel) processes() (softirq map[int]bool, all bool) {
	softirq = map[int]bool{}
	for pid := range k.pids {
		if strings.HasPrefix(word(k.proc, strconv.Itoa(pid), "comm"), "ksoftirqd/") {
			softirq[pid] = true
		}
	}
	namespace, _ := os.Readlink(filepath.Join(k.proc, "self/ns/pid"))
	return softirq, namespace == firstPIDNamespace && len(softirq) > 0
}

// Begin reads the counters. The function that it returns reads them again and says what happened in
// between that neither dyno nor its servers did; serversNs is the CPU time that these spent meanwhile.
// What the kernel does not tell counts as nothing. The pair costs about 300 µs where 100 processes live.
func (w *Watch) Begin() (since func(serversNs int64) dyno.Disturbance) {
	before, err := w.read()
	return func(serversNs int64) dyno.Disturbance {
		after, errAfter := w.read()
		if err != nil || errAfter != nil {
			return dyno.Disturbance{}
		}
		return w.between(before, after, serversNs)
	}
}

// moment is a reading of all counters.
type moment struct {
	at            time.Time
	dynoNs        int64
	processNs     map[int]int64 // CPU time of each process but dyno's; nil when they cannot all be seen
	groups        []cpuCounters
	memoryStallNs int64
}

// cpuCounters sum what CPUs did since the machine started.
type cpuCounters struct{ idleNs, irqNs, stealNs int64 }

func (w *Watch) read() (moment, error) {
	stat, err := os.ReadFile(filepath.Join(w.kernel.proc, "stat"))
	if err != nil {
		return moment{}, err
	}
	m := moment{at: time.Now()}
	for _, g := range w.groups {
		c, err := parseCounters(stat, g.cpus)
		if err != nil {
			return moment{}, err
		}
		m.groups = append(m.groups, c)
	}
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t); err != nil {
		return moment{}, os.NewSyscallError("clock_gettime", err)
	}
	m.dynoNs = t.Nano()
	if w.seesAll {
		m.processNs = w.processNs()
	}
	m.memoryStallNs = w.kernel.memoryStallNs()
	return m, nil
}

func (w *Watch) processNs() map[int]int64 {
	times := map[int]int64{}
	for pid := range w.kernel.pids {
		if w.softirq[pid] || pid == os.Getpid() {
			continue
		}
		if ns, err := CPUTime(pid); err == nil { // else it has just ended
			times[pid] = ns
		}
	}
	return times
}

// between attributes what happened. The kernel knows to the nanosecond when a CPU is idle, while it
// samples in ticks what else a CPU does; so whatever is not idle, not stolen and not ours is unexplained.
//
// Unexplained is not yet foreign: a CPU that falls asleep and wakes up ten thousand times a second spends a
// quarter of its time between the two, charged to nobody, and some kernels charge interrupts to nobody. So
// others had what is unexplained on these CPUs, and no more of it than they used on all CPUs. Where not all
// processes can be seen, interrupts are taken off instead, because many belong to our own traffic: that
// makes the result too small where a kernel counts them in the time of processes as well. A tick is taken off
// there, too, because the counters of a CPU are rounded to one; clocks of processes are not.
func (w *Watch) between(before, after moment, serversNs int64) dyno.Disturbance {
	wallNs := int64(after.at.Sub(before.at))
	othersNs, known := othersNs(before, after, serversNs)
	d := dyno.Disturbance{MemoryStallNs: max(after.memoryStallNs-before.memoryStallNs, 0)}
	for i, g := range w.groups {
		idleNs := max(after.groups[i].idleNs-before.groups[i].idleNs, 0) // it can step back a little
		irqNs := max(after.groups[i].irqNs-before.groups[i].irqNs, 0)
		stealNs := max(after.groups[i].stealNs-before.groups[i].stealNs, 0)
		foreignNs := wallNs*int64(len(g.cpus)) - idleNs - stealNs
		if g.dyno {
			foreignNs -= after.dynoNs - before.dynoNs
		}
		if g.servers {
			foreignNs -= serversNs
		}
		if known {
			foreignNs = min(foreignNs, othersNs)
		} else {
			foreignNs -= irqNs + TickNs
		}
		d.ForeignCPUNs = max(d.ForeignCPUNs, foreignNs)
		d.StealNs = max(d.StealNs, stealNs)
	}
	return d
}

// othersNs returns the CPU time between two readings of all processes but dyno and its servers, whose time
// is given. A process that began in between counts whole, one that ended not at all.
func othersNs(before, after moment, serversNs int64) (ns int64, known bool) {
	if before.processNs == nil || after.processNs == nil {
		return 0, false
	}
	for pid, now := range after.processNs {
		ns += max(now-before.processNs[pid], 0)
	}
	return ns - serversNs, true
}

// parseCounters sums the lines "cpuN user nice system idle iowait irq softirq steal …" of the CPUs.
func parseCounters(stat []byte, cpus []int) (cpuCounters, error) {
	const idle, iowait, irq, softirq, steal, columns = 3, 4, 5, 6, 7, 8 // what follows is counted in user and nice already
	var sum cpuCounters
	seen := 0
	for line := range bytes.Lines(stat) {
		fields := strings.Fields(string(line))
		if len(fields) == 0 || !strings.HasPrefix(fields[0], "cpu") {
			continue
		}
		cpu, err := strconv.Atoi(fields[0][len("cpu"):])
		if err != nil || !slices.Contains(cpus, cpu) {
			continue
		}
		seen++
		for column, field := range fields[1:min(len(fields), columns+1)] {
			ticks, err := strconv.ParseInt(field, 10, 64)
			if err != nil || ticks < 0 || ticks > 1<<40 { // 1<<40 ticks are 348 years
				return cpuCounters{}, fmt.Errorf("noise of CPU %d: %.20q is no count; is /proc the kernel's?", cpu, field)
			}
			switch column {
			case idle, iowait:
				sum.idleNs += ticks * TickNs
			case irq, softirq:
				sum.irqNs += ticks * TickNs
			case steal:
				sum.stealNs += ticks * TickNs
			}
		}
	}
	if seen != len(cpus) {
		return cpuCounters{}, fmt.Errorf("noise of CPU %s: the kernel counts %d of them; choose CPUs that are online", formatCPUs(cpus), seen)
	}
	return sum, nil
}

// memoryStallNs returns how long, since the machine started, some process waited for memory; 0 where
// the kernel does not account for it. Source: Documentation/accounting/psi.rst of the kernel.
func (k kernel) memoryStallNs() int64 {
	for line := range strings.Lines(word(k.proc, "pressure/memory")) {
		rest, ok := strings.CutPrefix(line, "some ")
		if !ok {
			continue
		}
		_, total, _ := strings.Cut(rest, "total=")
		us, err := strconv.ParseInt(strings.TrimSpace(total), 10, 64)
		if err == nil && us >= 0 && us < 1<<53 {
			return us * 1000
		}
	}
	return 0
}

// ThrottleEvents returns how often the CPUs were slowed down for heat since the machine started; 0
// where they do not tell.
func ThrottleEvents(cpus []int) int64 { return here.throttleEvents(cpus) }

func (k kernel) throttleEvents(cpus []int) int64 {
	var sum int64
	for _, cpu := range cpus {
		n, err := strconv.ParseInt(word(k.sys, "devices/system/cpu", "cpu"+strconv.Itoa(cpu), "thermal_throttle/core_throttle_count"), 10, 64)
		if err == nil && n > 0 {
			sum += n
		}
	}
	return sum
}

// InvoluntarySwitches returns how often the threads of a process that live were taken off their CPU
// while they wanted to run on.
func InvoluntarySwitches(pid int) int64 { return here.involuntarySwitches(pid) }

func (k kernel) involuntarySwitches(pid int) int64 {
	threads, err := os.ReadDir(filepath.Join(k.proc, strconv.Itoa(pid), "task"))
	if err != nil {
		return 0 // it has ended
	}
	var sum int64
	for _, thread := range threads {
		n, _ := numberAfter(word(k.proc, strconv.Itoa(pid), "task", thread.Name(), "status"), "nonvoluntary_ctxt_switches")
		sum += max(n, 0)
	}
	return sum
}
