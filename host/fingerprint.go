package host

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"dyno"
)

// Fingerprint describes this machine and the placement, for the record of a run. What the kernel does
// not tell stays empty.
func Fingerprint(p Placement) dyno.Machine {
	m := here.fingerprint(p)
	m.Hostname, _ = os.Hostname() // empty when there is none
	m.Kernel = kernelRelease()
	m.CPUs = len(allowedAtStart)
	m.OpenFilesMax = openFilesMax()
	return m
}

func (k kernel) fingerprint(p Placement) dyno.Machine {
	m := dyno.Machine{
		OS:            k.osName(),
		Arch:          runtime.GOARCH,
		CPUModel:      k.cpuModel(),
		MemoryBytes:   k.memoryBytes(),
		Virtual:       k.hypervisor(),
		Governor:      k.governor(p),
		ClientCPUs:    p.ClientCPUs,
		ServerCPUs:    p.ServerCPUs,
		SharedCPUs:    p.Shared,
		Warnings:      slices.Clone(p.Warnings),
		GoVersion:     runtime.Version(),
		ClockSource:   word(k.sys, "devices/system/clocksource/clocksource0/current_clocksource"),
		TransparentHP: chosen(word(k.sys, "kernel/mm/transparent_hugepage/enabled")),
	}
	if m.Governor != "" && m.Governor != "performance" {
		m.Warnings = append(m.Warnings, fmt.Sprintf("the CPU governor is %q, so the clock rate follows the load: set it with cpupower frequency-set -g performance", m.Governor))
	}
	if cpus, limited := k.cpuQuota(); limited {
		m.Warnings = append(m.Warnings, fmt.Sprintf("a control group grants %.2g CPUs of time, and stops every process when they are used up: raise cpu.max, or run dyno outside of the container", cpus))
	}
	return m
}

func kernelRelease() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Release[:])
}

// osName returns PRETTY_NAME of os-release(5).
func (k kernel) osName() string {
	for line := range strings.Lines(word(k.etc, "os-release")) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "PRETTY_NAME="); ok {
			return strings.Trim(name, `"'`)
		}
	}
	return ""
}

// cpuModel returns what x86 kernels call "model name", else the name of the board that ARM kernels
// tell, else the numbers of the ARM core.
func (k kernel) cpuModel() string {
	info := word(k.proc, "cpuinfo")
	if model := infoValue(info, "model name"); model != "" {
		return model
	}
	if board := word(k.sys, "firmware/devicetree/base/model"); board != "" {
		return strings.TrimRight(board, "\x00")
	}
	if part := infoValue(info, "CPU part"); part != "" {
		return "implementer " + infoValue(info, "CPU implementer") + " part " + part
	}
	return ""
}

// infoValue returns the value of the first line "key : value".
func infoValue(text, key string) string {
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == key {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func (k kernel) memoryBytes() int64 {
	kb, _ := numberAfter(word(k.proc, "meminfo"), "MemTotal") // 0 when the kernel does not tell
	return kb << 10
}

// hypervisor names what this machine runs on, "" when it is a real one as far as the CPU says.
func (k kernel) hypervisor() string {
	name := word(k.sys, "hypervisor/type")
	vendor := word(k.sys, "class/dmi/id/sys_vendor")
	product := word(k.sys, "class/dmi/id/product_name")
	flagged := slices.Contains(strings.Fields(infoValue(word(k.proc, "cpuinfo"), "flags")), "hypervisor")
	switch {
	case name != "":
		return name
	case flagged && vendor != "":
		return strings.TrimSpace(vendor + " " + product)
	case flagged:
		return "unnamed hypervisor"
	case strings.Contains(product, "Virtual Machine"): // ARM has no such flag
		return strings.TrimSpace(vendor + " " + product)
	}
	return ""
}

// governor returns the governors of the CPUs in use, "" where clock rates are not scaled.
func (k kernel) governor(p Placement) string {
	var names []string
	for _, cpu := range slices.Concat(p.ClientCPUs, p.ServerCPUs) {
		name := word(k.sys, "devices/system/cpu", "cpu"+strconv.Itoa(cpu), "cpufreq/scaling_governor")
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// chosen returns the bracketed word of a line such as "always [madvise] never".
func chosen(line string) string {
	_, rest, _ := strings.Cut(line, "[")
	name, _, _ := strings.Cut(rest, "]")
	return name
}

// cpuQuota returns the tightest limit on CPU time among this process's control groups (version 2).
func (k kernel) cpuQuota() (cpus float64, limited bool) {
	b, err := os.ReadFile(filepath.Join(k.proc, "self/cgroup"))
	if err != nil {
		return 0, false
	}
	for line := range bytes.Lines(b) {
		path, ok := strings.CutPrefix(strings.TrimSpace(string(line)), "0::/")
		if !ok {
			continue
		}
		for group := path; ; group = filepath.Dir(group) {
			var quotaUs, periodUs float64
			n, _ := fmt.Sscan(word(k.sys, "fs/cgroup", group, "cpu.max"), &quotaUs, &periodUs) // "max" is no number: no limit
			if n == 2 && periodUs > 0 && (!limited || quotaUs/periodUs < cpus) {
				cpus, limited = quotaUs/periodUs, true
			}
			if group == "." || group == "" || group == "/" {
				break
			}
		}
	}
	return cpus, limited
}
