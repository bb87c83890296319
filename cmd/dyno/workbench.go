package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"dyno"
	"dyno/contract"
	"dyno/host"
	"dyno/internal/words"
	"dyno/lab"
	"dyno/load"
	"dyno/subject"
)

const (
	readyWithin = 20 * time.Second // a framework with hundreds of modules starts cold in a few
	stopWithin  = 3 * time.Second  // what orchestrators give at the least is 10 s; ours owe nothing
	clientSpin  = 200 * time.Microsecond
	spareFiles  = 256 // descriptors that dyno needs beside the connections
)

// workbench is this machine prepared for measuring: where client and servers run, and how subjects are
// found and started.
type workbench struct {
	registry  *subject.Registry
	placement host.Placement
}

func newWorkbench(h home, placement host.Placement, runtimes map[string]string) (*workbench, error) {
	options := []subject.Option{subject.WithContracts(contract.Names())}
	for name, path := range runtimes {
		options = append(options, subject.WithRuntime(name, path))
	}
	registry, err := subject.Load(h.subjects(), options...)
	if err != nil {
		return nil, usage(err)
	}
	return &workbench{registry: registry, placement: placement}, nil
}

// placedBench returns the home and a workbench on the CPUs that suit this machine. It pins and claims nothing.
func placedBench(cmd *cobra.Command, runtimes map[string]string) (home, *workbench, error) {
	h, err := findHome(cmd)
	if err != nil {
		return h, nil, err
	}
	placement, err := host.Place()
	if err != nil {
		return h, nil, err
	}
	w, err := newWorkbench(h, placement, runtimes)
	return h, w, err
}

// resolve finds the subjects by name and what is needed to run them. Those that cannot run here are
// returned too, marked unavailable.
func (w *workbench) resolve(ctx context.Context, names []string) ([]dyno.Subject, error) {
	subjects := make([]dyno.Subject, len(names))
	for i, name := range names {
		s, err := w.registry.Find(name)
		if err != nil {
			return nil, usage(err)
		}
		subjects[i] = w.registry.Resolve(ctx, s)
	}
	return subjects, ctx.Err()
}

// fits refuses a subject that does not exist or keeps another contract than its suite wants. One that
// keeps a contract which nobody knows stays in the suite, unavailable.
func (w *workbench) fits(name, wanted string) error {
	s, err := w.registry.Find(name)
	if err != nil || s.Contract == wanted || !slices.Contains(contract.Names(), s.Contract) {
		return err
	}
	return fmt.Errorf("subject %q keeps the contract %s, and this suite wants %s; remove it", name, s.Contract, wanted)
}

// resolved returns every subject, as it would start on this machine.
func (w *workbench) resolved(ctx context.Context) []dyno.Subject {
	subjects := w.registry.All()
	for i, s := range subjects {
		subjects[i] = w.registry.Resolve(ctx, s)
	}
	return subjects
}

// declaredUnavailable reports whether a subject's own manifest says that it cannot run: nothing is amiss
// then, and nobody can do anything about it.
func (w *workbench) declaredUnavailable(name string) bool {
	s, err := w.registry.Find(name)
	return err == nil && s.Unavailable != "" && slices.Contains(contract.Names(), s.Contract)
}

// baselines returns the baselines of the named subjects.
func (w *workbench) baselines(names []string) []string {
	var found []string
	for _, s := range w.registry.All() {
		if slices.Contains(names, s.BaselineOf) {
			found = append(found, s.Name)
		}
	}
	return found
}

// starter starts fresh processes on the server's CPUs; each is ready when it keeps its word once.
func (w *workbench) starter(c contract.Contract) lab.Starter {
	return lab.StartWith(subject.StartOptions{
		CPUs: w.placement.ServerCPUs, ReadyWithin: readyWithin, StopWithin: stopWithin, Ping: c.Ping,
	})
}

// engine starts one event loop a client CPU. With a CPU of its own a loop may spin; on a shared one
// it would take from the server what it measures.
func (w *workbench) engine(poller load.Poller) (*load.Engine, error) {
	o := load.Options{
		Poller:   poller,
		Loops:    len(w.placement.ClientCPUs),
		OnThread: func(i int) error { return host.PinThread(w.placement.ClientCPUs[i : i+1]) },
	}
	if !w.placement.Shared {
		o.Spin = clientSpin
	}
	return load.New(o)
}

// ceiling is the null server of a contract as a subject.
func (w *workbench) ceiling(contractName string) (dyno.Subject, error) {
	program, err := os.Executable()
	if err != nil {
		return dyno.Subject{}, fmt.Errorf("find dyno's own program for the null server: %w", err)
	}
	spin := nullSpin
	if w.placement.Shared {
		spin = 0 // it would take the client's CPU
	}
	return dyno.Subject{
		Name: "null", Title: "null server", Contract: contractName,
		Runtime: "dyno", RuntimeVersion: version,
		Command: []string{program, "null", contractName, "--spin", spin.String()}, Ceiling: true,
	}, nil
}

// pick keeps the names that --only asks for.
func (w *workbench) pick(names []string, only []string) ([]string, error) {
	if len(only) == 0 {
		return names, nil
	}
	var subjects []dyno.Subject
	for _, name := range names {
		s, err := w.registry.Find(name)
		if err != nil {
			return nil, usage(err)
		}
		subjects = append(subjects, s)
	}
	names, err := picked(subjects, only)
	if err != nil {
		return nil, usage(fmt.Errorf("--only: %w", err))
	}
	return names, nil
}

// picked returns the names of the subjects, in their order, that words ask for: by name, title or runtime.
func picked(subjects []dyno.Subject, asked []string) ([]string, error) {
	var names, found []string
	for _, s := range subjects {
		names = append(names, s.Name)
	}
	for _, word := range asked {
		is := func(s dyno.Subject) bool {
			return strings.EqualFold(word, s.Name) || strings.EqualFold(word, s.Title) || strings.EqualFold(word, s.Runtime)
		}
		if !slices.ContainsFunc(subjects, is) {
			return nil, errors.New(words.Unknown("subject", word, names))
		}
		for _, s := range subjects {
			if is(s) && !slices.Contains(found, s.Name) {
				found = append(found, s.Name)
			}
		}
	}
	slices.SortFunc(found, func(a, b string) int { return slices.Index(names, a) - slices.Index(names, b) })
	return found, nil
}

// openFiles makes room for the descriptors of a suite, or says what to do.
func openFiles(suite dyno.Suite, subjects int) error {
	most := 0
	for _, c := range suite.Cells {
		// Connections of all subjects stay open; users are with one subject at a time, and all those of a round at most.
		most = max(most, c.Load.Connections*(subjects+1), c.Load.Users/max(suite.Method.Rounds, 1)+1)
	}
	if _, err := host.RaiseOpenFiles(uint64(most + spareFiles)); err != nil {
		return fmt.Errorf("suite %s: %w, or use fewer connections", suite.Name, err)
	}
	return nil
}

// claimMachine claims the name that the dyno which measures on this machine goes by, in the kernel's
// abstract namespace, where it ends with the process. It reports whether nobody else had it: two
// results folders do not keep two dynos off the same CPUs.
func claimMachine() (alone bool, release func()) {
	l, err := net.Listen("unix", "@dyno-measures-here")
	if err != nil {
		return !errors.Is(err, syscall.EADDRINUSE), func() {}
	}
	return true, func() { l.Close() }
}
