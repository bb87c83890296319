package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"dyno"
	"dyno/host"
)

// finding is what doctor says about one thing.
type finding struct {
	thing, seen string
	advice      string // what to do about it; empty when it is well
	lack        lack   // whether the thing is missing
}

// lack is what the table says of a thing that is missing.
type lack string

const (
	notLacking lack = ""
	oneLess    lack = "missing" // a subject that cannot be measured, while others can
	vital      lack = "MISSING" // nothing can be measured without it
)

const (
	diskWanted      = 256 << 20 // a full run of every suite stores a few MB
	memoryWanted    = 2 << 30   // all subjects of a block are alive at once
	openFilesWanted = 4096
)

func newDoctor() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what is missing or unsuitable on this machine",
		Long: `Looks at everything that dyno needs and everything that makes figures doubtful, and says what to
do about each. It measures this machine's noise for a few seconds, and says which differences it
can hope to resolve. Exits 1 when something is missing that dyno cannot measure without.`,
		Example: "  dyno doctor\n  dyno doctor --out results",
		Args:    arguments(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			placement, err := host.Place()
			if err != nil {
				return err
			}
			machine := host.Fingerprint(placement)
			findings := append(aboutMachine(machine), aboutFolder(out), aboutOpenFiles())
			findings = append(findings, aboutNoise(cmd, placement)...)
			findings = append(findings, aboutSubjects(cmd, placement)...)
			return printFindings(cmd, findings)
		},
	}
	cmd.Flags().StringVar(&out, "out", "results", "folder of the store")
	return cmd
}

func printFindings(cmd *cobra.Command, findings []finding) error {
	t := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	lacking := map[lack]int{}
	doubtful := 0
	var advice []string
	for _, f := range findings {
		lacking[f.lack]++
		state := string(f.lack)
		switch {
		case f.lack != notLacking:
		case f.advice == "":
			state = "ok"
		default:
			state = "doubtful"
			doubtful++
		}
		if f.advice != "" {
			advice = append(advice, f.thing+": "+f.advice)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", f.thing, state, f.seen)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	fmt.Fprintln(out)
	for _, a := range advice {
		fmt.Fprintln(out, "- "+a)
	}
	if lacking[vital] > 0 {
		return &statusError{exitFailed, errors.New("nothing can be measured here; the list above says what is MISSING and what to do")}
	}
	summary := "Nothing is missing"
	if n := lacking[oneLess]; n > 0 {
		summary = count(n, "subject") + " cannot run here"
	}
	if doubtful > 0 {
		summary += "; " + count(doubtful, "finding") + " may weaken the figures"
	}
	fmt.Fprintln(out, summary+".")
	return nil
}

func aboutMachine(m dyno.Machine) []finding {
	cpus := finding{thing: "CPUs", seen: fmt.Sprintf("%d usable: client on %v, servers on %v", m.CPUs, m.ClientCPUs, m.ServerCPUs)}
	if m.SharedCPUs {
		cpus.advice = "client and servers must share a CPU, so figures are weak; use a machine with two or more"
	}
	memory := finding{thing: "Memory", seen: fmt.Sprintf("%.1f GiB", float64(m.MemoryBytes)/(1<<30))}
	if m.MemoryBytes < memoryWanted {
		memory.advice = "all subjects of a block are alive at once; close other programs or use --only"
	}
	clock := finding{thing: "Clock", seen: m.ClockSource}
	if m.ClockSource != "" && m.ClockSource != "tsc" && m.ClockSource != "arch_sys_counter" && m.ClockSource != "kvm-clock" {
		clock.advice = "reading this clock costs a system call; boot with clocksource=tsc if the machine has a stable one"
	}
	virtual := finding{thing: "Virtualisation", seen: "none seen"}
	if m.Virtual != "" {
		virtual.seen = m.Virtual
		virtual.advice = "neighbours on the host are noise that dyno can only average out; prefer more blocks to longer ones"
	}
	governor := finding{thing: "Frequency", seen: "no governor visible"}
	if m.Governor != "" {
		governor.seen = "governor " + m.Governor
		if m.Governor != "performance" {
			governor.advice = "the clock rate follows the load; `cpupower frequency-set -g performance` keeps it steady"
		}
	}
	findings := []finding{cpus, memory, clock, virtual, governor}
	for _, w := range m.Warnings {
		findings = append(findings, finding{thing: "Machine", seen: w, advice: w})
	}
	return findings
}

// aboutFolder tries the folder of the results the way a run would.
func aboutFolder(out string) finding {
	f := finding{thing: "Results", seen: out}
	existed := true
	if _, err := os.Stat(out); err != nil {
		existed = false
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return finding{f.thing, err.Error(), "choose a folder that can be written with --out", vital}
	}
	probe, err := os.CreateTemp(out, "doctor-*")
	if err != nil {
		return finding{f.thing, err.Error(), "choose a folder that can be written with --out", vital}
	}
	probe.Close()
	os.Remove(probe.Name())
	var fs unix.Statfs_t
	if unix.Statfs(out, &fs) == nil {
		free := int64(fs.Bavail) * fs.Bsize
		f.seen = fmt.Sprintf("%s, %.1f GiB free", out, float64(free)/(1<<30))
		if free < diskWanted {
			f.advice = "the disk is nearly full; make room, or choose another --out"
		}
	}
	if !existed {
		os.Remove(out)
	}
	return f
}

func aboutOpenFiles() finding {
	f := finding{thing: "Open files"}
	got, err := host.RaiseOpenFiles(openFilesWanted)
	if err != nil {
		return finding{f.thing, err.Error(), "run `ulimit -n 65536` in this shell", notLacking}
	}
	f.seen = fmt.Sprintf("%d allowed", got)
	if got < openFilesWanted {
		f.advice = fmt.Sprintf("workloads with many connections need more; run `ulimit -n %d`", openFilesWanted)
	}
	return f
}

// aboutSubjects resolves every subject. Only when none can run is something missing.
func aboutSubjects(cmd *cobra.Command, placement host.Placement) []finding {
	h, err := findHome(cmd)
	if err != nil {
		return []finding{{"Subjects", "not found", err.Error(), vital}}
	}
	w, err := newWorkbench(h, placement, nil)
	if err != nil {
		return []finding{{"Subjects", "not readable", err.Error(), vital}}
	}
	var findings []finding
	ready := 0
	for _, s := range w.registry.All() {
		s = w.registry.Resolve(cmd.Context(), s)
		f := finding{thing: s.Name, seen: strings.TrimSpace(s.Runtime + " " + s.RuntimeVersion)}
		if s.Unavailable != "" {
			f.seen, f.advice, f.lack = "unavailable", s.Unavailable, oneLess
		} else {
			ready++
		}
		findings = append(findings, f)
	}
	if ready == 0 {
		findings = append(findings, finding{"Subjects", "none can run", "at least one must; see what each of them needs", vital})
	}
	return findings
}
