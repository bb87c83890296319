package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"dyno"
	"dyno/host"
	"dyno/internal/words"
	"dyno/report"
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
			checks := append(aboutMachine(machine), aboutFolder(out), aboutOpenFiles())
			checks = append(checks, aboutNoise(cmd, placement)...)
			ready, subjects := aboutSubjects(cmd, placement)
			checks = append(checks, ready)
			if err := report.Checkup(cmd.OutOrStdout(), checks, subjects, textOptions(cmd.OutOrStdout())); err != nil {
				return err
			}
			return conclude(cmd, checks, subjects)
		},
	}
	cmd.Flags().StringVar(&out, "out", "results", "folder of the store")
	return cmd
}

// conclude ends the checkup in a line, and fails where nothing can be measured.
func conclude(cmd *cobra.Command, checks []report.Check, subjects []dyno.Subject) error {
	doubtful, lacking := 0, 0
	for _, c := range checks {
		switch {
		case c.Vital:
			return &statusError{exitFailed, errors.New("nothing can be measured here; the list above says what is MISSING and what to do")}
		case c.Advice != "":
			doubtful++
		}
	}
	for _, s := range subjects {
		if s.Unavailable != "" {
			lacking++
		}
	}
	summary := "Nothing is missing"
	if lacking > 0 {
		summary = words.Count(lacking, "subject") + " cannot run here"
	}
	if doubtful > 0 {
		summary += "; " + words.Count(doubtful, "finding") + " may weaken the figures"
	}
	fmt.Fprintln(cmd.OutOrStdout(), "\n"+summary+".")
	return nil
}

func aboutMachine(m dyno.Machine) []report.Check {
	cpus := report.Check{Thing: "CPUs", Seen: fmt.Sprintf("%d usable: client on %v, servers on %v", m.CPUs, m.ClientCPUs, m.ServerCPUs)}
	if m.SharedCPUs {
		cpus.Advice = "client and servers must share a CPU, so figures are weak; use a machine with two or more"
	}
	memory := report.Check{Thing: "Memory", Seen: fmt.Sprintf("%.1f GiB", float64(m.MemoryBytes)/(1<<30))}
	if m.MemoryBytes < memoryWanted {
		memory.Advice = "all subjects of a block are alive at once; close other programs or use --only"
	}
	clock := report.Check{Thing: "Clock", Seen: m.ClockSource}
	if m.ClockSource != "" && m.ClockSource != "tsc" && m.ClockSource != "arch_sys_counter" && m.ClockSource != "kvm-clock" {
		clock.Advice = "reading this clock costs a system call; boot with clocksource=tsc if the machine has a stable one"
	}
	virtual := report.Check{Thing: "Virtualisation", Seen: "none seen"}
	if m.Virtual != "" {
		virtual.Seen = m.Virtual
		virtual.Advice = "neighbours on the host are noise that dyno can only average out; prefer more blocks to longer ones"
	}
	governor := report.Check{Thing: "Frequency", Seen: "no governor visible"}
	if m.Governor != "" {
		governor.Seen = "governor " + m.Governor
		if m.Governor != "performance" {
			governor.Advice = "the clock rate follows the load; `cpupower frequency-set -g performance` keeps it steady"
		}
	}
	checks := []report.Check{cpus, memory, clock, virtual, governor}
	for _, w := range m.Warnings {
		checks = append(checks, report.Check{Thing: "Machine", Seen: "see below", Advice: w})
	}
	return checks
}

// aboutFolder tries the folder of the results the way a run would.
func aboutFolder(out string) report.Check {
	f := report.Check{Thing: "Results", Seen: out}
	existed := true
	if _, err := os.Stat(out); err != nil {
		existed = false
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return unwritable(err)
	}
	probe, err := os.CreateTemp(out, "doctor-*")
	if err != nil {
		return unwritable(err)
	}
	probe.Close()
	os.Remove(probe.Name())
	var fs unix.Statfs_t
	if unix.Statfs(out, &fs) == nil {
		free := int64(fs.Bavail) * fs.Bsize
		f.Seen = fmt.Sprintf("%s, %.1f GiB free", out, float64(free)/(1<<30))
		if free < diskWanted {
			f.Advice = "the disk is nearly full; make room, or choose another --out"
		}
	}
	if !existed {
		os.Remove(out)
	}
	return f
}

func unwritable(err error) report.Check {
	return report.Check{Thing: "Results", Seen: "cannot be stored", Advice: err.Error() + "; choose a folder that can be written with --out", Vital: true}
}

func aboutOpenFiles() report.Check {
	f := report.Check{Thing: "Open files"}
	got, err := host.RaiseOpenFiles(openFilesWanted)
	if err != nil {
		f.Seen, f.Advice = "limited", err.Error()+"; run `ulimit -n 65536` in this shell"
		return f
	}
	f.Seen = fmt.Sprintf("%d allowed", got)
	if got < openFilesWanted {
		f.Advice = fmt.Sprintf("workloads with many connections need more; run `ulimit -n %d`", openFilesWanted)
	}
	return f
}

// aboutSubjects resolves every subject. Only when none can run is something missing.
func aboutSubjects(cmd *cobra.Command, placement host.Placement) (report.Check, []dyno.Subject) {
	missing := report.Check{Thing: "Subjects", Seen: "not readable", Vital: true}
	h, err := findHome(cmd)
	if err != nil {
		missing.Seen, missing.Advice = "not found", err.Error()
		return missing, nil
	}
	w, err := newWorkbench(h, placement, nil)
	if err != nil {
		missing.Advice = err.Error()
		return missing, nil
	}
	subjects := w.resolved(cmd.Context())
	ready := 0
	for _, s := range subjects {
		if s.Unavailable == "" {
			ready++
		}
	}
	if ready == 0 {
		missing.Seen, missing.Advice = "none can run", "at least one must; see what each of them needs"
		return missing, subjects
	}
	return report.Check{Thing: "Subjects", Seen: fmt.Sprintf("%d of %d can run here", ready, len(subjects))}, subjects
}
