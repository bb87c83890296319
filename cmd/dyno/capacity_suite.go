package main

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dyno"
	"dyno/contract"
	"dyno/contract/framed"
	"dyno/lab"
	"dyno/load"
	"dyno/store"
)

// capacitySuite is what the runs of `dyno capacity` with several subjects are called.
const capacitySuite = "capacity"

// compare searches for the capacities of several subjects in the blocks of a run, which is stored, judged and
// reported like any other.
func (f *capacityFlags) compare(cmd *cobra.Command, names []string) error {
	if err := f.check(cmd); err != nil {
		return err
	}
	if err := meaningless(cmd, "a subject", ofURLs...); err != nil {
		return err
	}
	for _, flag := range []string{"workers", "spin", "format"} {
		if cmd.Flags().Changed(flag) {
			return usagef("--%s is for a single target; several subjects are searched and reported like those of a suite, so leave it out", flag)
		}
	}
	_, w, release, err := openBench(cmd, f.runtimes)
	if err != nil {
		return err
	}
	defer release()
	suite, err := f.suiteOf(w, names)
	if err != nil {
		return err
	}
	results, err := store.Open(f.out)
	if err != nil {
		return err
	}
	defer results.Close()
	j := &job{
		runFlags:  runFlags{seed: f.seed, resume: f.resume, json: f.json, out: f.out, runtimes: f.runtimes, capacity: true},
		workbench: w, suite: suite, store: results,
		resumeCommand: resumed(cmd, slices.Concat([]string{"dyno", "capacity"}, names), f.runtimes),
		stdout:        cmd.OutOrStdout(), stderr: cmd.ErrOrStderr(),
	}
	_, err = j.run(cmd.Context())
	if errors.Is(err, errNothingToResume) {
		return usage(err)
	}
	return err
}

// suiteOf is a suite of searches alone.
func (f *capacityFlags) suiteOf(w *workbench, names []string) (dyno.Suite, error) {
	var c contract.Contract
	for i, name := range names {
		s, err := w.registry.Find(name)
		switch {
		case err != nil:
			return dyno.Suite{}, usagef("%v; several targets must all be subjects", err)
		case slices.Index(names, name) < i:
			return dyno.Suite{}, usagef("%s is named twice; name each subject once", name)
		case c != nil && s.Contract != c.Name():
			return dyno.Suite{}, usagef("%s keeps the contract %s and %s keeps %s; compare subjects of one contract", names[0], c.Name(), name, s.Contract)
		case c == nil:
			if c, err = contract.ByName(s.Contract); err != nil {
				return dyno.Suite{}, usage(err)
			}
		}
	}
	workload, err := f.workloadOf(c)
	if err != nil {
		return dyno.Suite{}, err
	}
	plan := &dyno.CapacityPlan{
		Promises: f.promises, Workload: workload, Connections: f.connections, Depth: f.depth, Arrivals: dyno.Arrivals(f.arrivals),
		Probe: time.Duration(f.probe), Blocks: f.searches, MostPerS: f.mostPerS, ReplyWithin: time.Duration(f.timeout),
	}
	title := fmt.Sprintf("Capacity of %s: %s", workload, strings.Join(f.promises, " and "))
	if f.players {
		plan.Connections, plan.PlayerPerS = 0, framed.PlayerRatePerS
		title = "Players held with " + strings.Join(f.promises, " and ")
	}
	return dyno.Suite{
		Name: capacitySuite, Title: title, Contract: c.Name(), Subjects: names, Capacity: plan,
		Method: dyno.Method{Blocks: f.searches, ReplyWithin: plan.ReplyWithin},
	}, nil
}

// searcher makes the searches of a suite with the engine of its run; nil when the suite has none.
func (w *workbench) searcher(c contract.Contract, plan *dyno.CapacityPlan, engine *load.Engine) (lab.Searcher, error) {
	if plan == nil {
		return nil, nil
	}
	slo, err := readPromises(plan.Promises)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, s dyno.Subject, process lab.Process, seed uint64, show func(dyno.CapacityProbe)) (*dyno.Capacity, error) {
		f := flagsOf(plan, seed)
		f.slo = slo
		if f.players {
			most, err := mostPlayersPerS()
			if err != nil {
				return nil, err
			}
			f.mostPerS = min(f.mostPerS, most)
		}
		l, err := f.subjectLoad(c, s, plan.Workload)
		if err != nil {
			return nil, err
		}
		if l.target.addr, err = netip.ParseAddrPort(process.Addr()); err != nil {
			return nil, fmt.Errorf("address of %s: %w", s.Name, err)
		}
		p := &prober{flags: f, load: l, engine: engine, process: process, serverCPUs: len(w.placement.ServerCPUs), seat: seat{cpus: w.placement.ClientCPUs}}
		defer p.closeClient()
		return f.find(ctx, p, s.Title, show)
	}, nil
}

// flagsOf is a plan in the terms of the command.
func flagsOf(plan *dyno.CapacityPlan, seed uint64) *capacityFlags {
	f := &capacityFlags{promises: plan.Promises, probe: secondsValue(plan.Probe), searches: 1, mostPerS: plan.MostPerS, players: plan.PlayerPerS > 0}
	f.connections, f.depth, f.seed, f.loops = max(plan.Connections, 1), plan.Depth, seed, 1
	f.timeout, f.arrivals = secondsValue(plan.ReplyWithin), string(plan.Arrivals)
	return f
}
