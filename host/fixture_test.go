package host

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dyno"
	"dyno/internal/golden"
)

// machine describes a topology: the hardware threads of each core, and the CPUs of each node.
func machine(cores, nodes []string) map[string]string {
	files := map[string]string{}
	for _, siblings := range cores {
		cpus, _ := parseCPUs(siblings)
		for _, cpu := range cpus {
			files[fmt.Sprintf("sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu)] = siblings + "\n"
		}
	}
	for i, cpus := range nodes {
		files[fmt.Sprintf("sys/devices/system/node/node%d/cpulist", i)] = cpus + "\n"
	}
	return files
}

func TestPlace(t *testing.T) {
	fourCoresSMT := machine([]string{"0,4", "1,5", "2,6", "3,7"}, []string{"0-7"})
	twoNodes := machine([]string{"0", "1", "2", "3", "4", "5"}, []string{"0,2,4", "1,3,5"})
	for _, tt := range []struct {
		name           string
		files          map[string]string
		allowed        []int
		client, server int
		shared         bool
		warnings       int
	}{
		{"one CPU", machine([]string{"0"}, nil), []int{0}, 0, 0, true, 1},
		{"two cores", machine([]string{"0", "1"}, []string{"0-1"}), []int{0, 1}, 0, 1, false, 0},
		{"two threads of one core", machine([]string{"0-1"}, []string{"0-1"}), []int{0, 1}, 0, 1, false, 1},
		{"two cores with two threads", machine([]string{"0-1", "2-3"}, nil), []int{0, 1, 2, 3}, 0, 2, false, 0},
		{"plenty: CPU 0's core is left alone", fourCoresSMT, []int{0, 1, 2, 3, 4, 5, 6, 7}, 1, 2, false, 0},
		{"plenty, without CPU 0", fourCoresSMT, []int{4, 5, 6, 7}, 5, 6, false, 0},
		{"two nodes: both on one", twoNodes, []int{0, 1, 2, 3, 4, 5}, 1, 3, false, 0},
		{"two nodes, one CPU of each", twoNodes, []int{0, 1}, 0, 1, false, 0},
		{"the kernel tells nothing", nil, []int{3, 9}, 3, 9, false, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := fixture(t, tt.files).place(tt.allowed)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(p.ClientCPUs, []int{tt.client}) || !slices.Equal(p.ServerCPUs, []int{tt.server}) || p.Shared != tt.shared || len(p.Warnings) != tt.warnings {
				t.Errorf("got %+v, want client %d, server %d, shared %v, %d warnings", p, tt.client, tt.server, tt.shared, tt.warnings)
			}
		})
	}
	if _, err := fixture(t, nil).place(nil); err == nil {
		t.Error("placed without CPUs")
	}
}

func TestWhatWeakensAPlacement(t *testing.T) {
	k := fixture(t, machine([]string{"0-1", "2-3"}, nil))
	var got strings.Builder
	for _, tt := range []struct{ client, server []int }{
		{[]int{0}, []int{2}},
		{[]int{0, 1}, []int{2}},
		{[]int{0}, []int{1}},
		{[]int{0, 2}, []int{2}},
	} {
		p := k.judge(tt.client, tt.server)
		fmt.Fprintf(&got, "client %v, servers %v\n    %v %v shared=%v\n", tt.client, tt.server, p.ClientCPUs, p.ServerCPUs, p.Shared)
		for _, warning := range p.Warnings {
			fmt.Fprintf(&got, "    warning: %s\n", warning)
		}
	}
	golden.Check(t, "weaknesses.golden", got.String())
}

func TestFingerprintInFixtures(t *testing.T) {
	var got strings.Builder
	for _, tt := range []struct {
		name  string
		files map[string]string
	}{
		{"empty", nil},
		{"laptop", map[string]string{
			"proc/cpuinfo":   "processor\t: 0\nmodel name\t: Example CPU @ 3.00GHz\nflags\t\t: fpu vme\n",
			"proc/meminfo":   "MemTotal:       16384000 kB\nMemFree: 1 kB\n",
			"etc/os-release": "NAME=Debian\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n",
			"sys/devices/system/cpu/cpu1/cpufreq/scaling_governor":            "powersave\n",
			"sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc\n",
			"sys/kernel/mm/transparent_hugepage/enabled":                      "always [madvise] never\n",
			"sys/class/dmi/id/sys_vendor":                                     "LENOVO\n",
		}},
		{"virtual machine in a limited container", map[string]string{
			"proc/cpuinfo":                                         "model name: X\nflags: fpu hypervisor sse\n",
			"proc/self/cgroup":                                     "1:name=systemd:/x\n0::/a/b\n",
			"sys/fs/cgroup/a/b/cpu.max":                            "max 100000\n",
			"sys/fs/cgroup/a/cpu.max":                              "150000 100000\n",
			"sys/class/dmi/id/sys_vendor":                          "QEMU\n",
			"sys/class/dmi/id/product_name":                        "Standard PC\n",
			"sys/devices/system/cpu/cpu1/cpufreq/scaling_governor": "performance\n",
		}},
		{"nameless hypervisor", map[string]string{"proc/cpuinfo": "flags: hypervisor\n"}},
		{"xen", map[string]string{"sys/hypervisor/type": "xen\n"}},
		{"arm board", map[string]string{"sys/firmware/devicetree/base/model": "Example Board\x00"}},
		{"arm core", map[string]string{"proc/cpuinfo": "CPU implementer\t: 0x41\nCPU part\t: 0xd0c\n"}},
		{"arm virtual machine", map[string]string{"sys/class/dmi/id/product_name": "KVM Virtual Machine", "sys/class/dmi/id/sys_vendor": "QEMU"}},
		{"garbage", map[string]string{
			"proc/cpuinfo": ":::\n\n:", "proc/meminfo": "MemTotal: many kB\n", "proc/self/cgroup": "0::/\n0::", "sys/fs/cgroup/cpu.max": "1 0",
			"etc/os-release": "PRETTY_NAME", "sys/kernel/mm/transparent_hugepage/enabled": "]no[",
		}},
	} {
		m := fixture(t, tt.files).fingerprint(Placement{ClientCPUs: []int{0}, ServerCPUs: []int{1}, Warnings: []string{"from the placement"}})
		fmt.Fprintf(&got, "== %s\nos %q\ncpu %q\nmemory %d\nvirtual %q\ngovernor %q\nclock source %q\nhuge pages %q\n%s\n", tt.name,
			m.OS, m.CPUModel, m.MemoryBytes, m.Virtual, m.Governor, m.ClockSource, m.TransparentHP, strings.Join(m.Warnings, "\n"))
	}
	golden.Check(t, "fingerprint.golden", got.String())
}

func TestFingerprintOfThisMachine(t *testing.T) {
	p, err := Place()
	if err != nil {
		t.Fatal(err)
	}
	m := Fingerprint(p)
	missing := map[string]bool{
		"kernel": m.Kernel == "", "arch": m.Arch == "", "cpus": m.CPUs == 0, "go": m.GoVersion == "", "memory": m.MemoryBytes == 0,
		"open files": m.OpenFilesMax == 0, "client": len(m.ClientCPUs) == 0, "server": len(m.ServerCPUs) == 0,
	}
	for _, field := range slices.Sorted(maps.Keys(missing)) {
		if missing[field] {
			t.Errorf("no %s in %+v", field, m)
		}
	}
}

// TestWhoseTimeItWas attributes the time between two readings.
func TestWhoseTimeItWas(t *testing.T) {
	const ms = int64(time.Millisecond)
	began := time.Now()
	at := func(afterMs int64, dynoMs int64, stallMs int64, groups ...cpuCounters) moment {
		return moment{at: began.Add(time.Duration(afterMs * ms)), dynoNs: dynoMs * ms, memoryStallNs: stallMs * ms, groups: groups}
	}
	idle := func(idleMs, irqMs, stealMs int64) cpuCounters {
		return cpuCounters{idleMs * ms, irqMs * ms, stealMs * ms}
	}
	apart := NewWatch(Placement{ClientCPUs: []int{0}, ServerCPUs: []int{1, 2}})
	shared := NewWatch(Placement{ClientCPUs: []int{0}, ServerCPUs: []int{0}, Shared: true})
	for _, tt := range []struct {
		name      string
		watch     *Watch
		after     moment
		othersMs  int64 // by processes that are neither; below 0 when nobody can see them
		serversMs int64
		want      dyno.Disturbance
	}{
		{"all quiet", apart, at(100, 60, 0, idle(40, 0, 0), idle(100, 10, 0)), 0, 90, dyno.Disturbance{}},
		{"a neighbour of the servers", apart, at(100, 60, 0, idle(40, 0, 0), idle(20, 0, 0)), 84, 100, dyno.Disturbance{ForeignCPUNs: 80 * ms}},
		{"a neighbour of the client", apart, at(100, 50, 0, idle(0, 0, 0), idle(100, 0, 0)), 50, 100, dyno.Disturbance{ForeignCPUNs: 50 * ms}},
		{"a CPU that wakes and sleeps", apart, at(100, 60, 0, idle(40, 0, 0), idle(20, 0, 0)), 2, 100, dyno.Disturbance{ForeignCPUNs: 2 * ms}},
		{"that in a container", apart, at(100, 60, 0, idle(40, 0, 0), idle(20, 10, 0)), -1, 100, dyno.Disturbance{ForeignCPUNs: 60 * ms}},
		{"busy beside a client that owes interrupts", apart, at(100, 50, 0, idle(0, 20, 0), idle(100, 0, 0)), 50, 100, dyno.Disturbance{ForeignCPUNs: 50 * ms}},
		{"busy on other CPUs", apart, at(100, 60, 0, idle(40, 0, 0), idle(95, 0, 0)), 500, 100, dyno.Disturbance{ForeignCPUNs: 5 * ms}},
		{"stolen, and no memory", apart, at(100, 60, 7, idle(40, 0, 0), idle(50, 0, 40)), 0, 110, dyno.Disturbance{StealNs: 40 * ms, MemoryStallNs: 7 * ms}},
		{"interrupts counted twice", apart, at(100, 60, 0, idle(40, 0, 0), idle(80, 30, 0)), -1, 120, dyno.Disturbance{}},
		{"idle steps back", apart, at(100, 100, 0, idle(-10, 0, 0), idle(0, 0, 0)), 5, 200, dyno.Disturbance{}},
		{"one CPU for both", shared, at(100, 30, 0, idle(10, 0, 0)), 20, 40, dyno.Disturbance{ForeignCPUNs: 20 * ms}},
	} {
		before := at(0, 0, 0, make([]cpuCounters, len(tt.watch.groups))...)
		if tt.othersMs >= 0 { // in a process that lived before and in one that began meanwhile; servers are number 3
			before.processNs = map[int]int64{1: 7 * ms, 9: 8 * ms}
			tt.after.processNs = map[int]int64{1: 7*ms + tt.othersMs*ms/2, 2: tt.othersMs*ms - tt.othersMs*ms/2, 3: tt.serversMs * ms}
		}
		if got := tt.watch.between(before, tt.after, tt.serversMs*ms); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

func TestWatchReadsTheKernelsFiles(t *testing.T) {
	const stat = "cpu  9 9 9 9 9 9 9 9 9 9\ncpu0 100 0 50 800 40 3 10 5 7 0\ncpu1 10 10 10 10 10 10 10 10 0 0\nintr 5\n"
	k := fixture(t, map[string]string{
		"proc/stat": stat, "proc/pressure/memory": "some avg10=0.00 avg60=0.00 avg300=0.00 total=70\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=9\n",
		"sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count": "4", "sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count": "many",
		"proc/7/task/7/status": "nonvoluntary_ctxt_switches:\t5\n", "proc/7/task/8/status": "nonvoluntary_ctxt_switches:\t2\n",
	})
	m, err := (&Watch{kernel: k, groups: []cpuGroup{{cpus: []int{0}}, {cpus: []int{0, 1}}}}).read()
	if err != nil {
		t.Fatal(err)
	}
	want := []cpuCounters{{840 * TickNs, 13 * TickNs, 5 * TickNs}, {860 * TickNs, 33 * TickNs, 15 * TickNs}}
	if !slices.Equal(m.groups, want) || m.memoryStallNs != 70_000 {
		t.Errorf("%+v", m)
	}
	if n := k.throttleEvents([]int{0, 1, 2}); n != 4 {
		t.Errorf("%d throttle events, want 4", n)
	}
	if a, b := k.involuntarySwitches(7), k.involuntarySwitches(8); a != 7 || b != 0 {
		t.Errorf("%d and %d switches, want 7 and 0", a, b)
	}
	for _, bad := range []string{"", "cpu0\ncpu0\n", "cpu0 1 x 2\n", "cpu0 -1\n", "cpu0 99999999999999999999\n"} {
		if c, err := parseCounters([]byte(bad), []int{0}); err == nil {
			t.Errorf("parseCounters(%q) = %+v", bad, c)
		}
	}
	seen := fixture(t, map[string]string{"proc/9/comm": "ksoftirqd/0\n", "proc/12/comm": "node\n", "proc/self/ns/x": ""})
	os.Symlink("pid:[4026531836]", filepath.Join(seen.proc, "self/ns/pid"))
	if softirq, all := seen.processes(); len(softirq) != 1 || !softirq[9] || !all {
		t.Errorf("processes of the kernel %v, all to be seen %v", softirq, all)
	}
	if softirq, all := fixture(t, map[string]string{"proc/1/comm": "node\n"}).processes(); len(softirq) != 0 || all {
		t.Errorf("in a container: %v, %v", softirq, all)
	}
	silent := &Watch{kernel: fixture(t, nil), groups: []cpuGroup{{cpus: []int{0}}}}
	if d := silent.Begin()(0); d != (dyno.Disturbance{}) {
		t.Errorf("a kernel that tells nothing: %+v", d)
	}
}

func FuzzParseCounters(f *testing.F) {
	f.Add([]byte("cpu0 1 2 3 4 5 6 7 8 9 10\n"), "some avg10=0.00 total=5\n")
	f.Add([]byte("cpu0"), "total=-1")
	f.Fuzz(func(t *testing.T, stat []byte, pressure string) {
		c, err := parseCounters(stat, []int{0})
		if err == nil && (c.idleNs < 0 || c.irqNs < 0 || c.stealNs < 0) {
			t.Errorf("%+v", c)
		}
		if ns := fixture(t, map[string]string{"proc/pressure/memory": pressure}).memoryStallNs(); ns < 0 {
			t.Errorf("%d ns", ns)
		}
	})
}
