package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/netip"
	"os"
	"sync"

	"github.com/spf13/cobra"

	"dyno/host"
	"dyno/internal/words"
	"dyno/load"
	"dyno/scenario"
)

// scenarioFlags are those of `artillery run`, and dyno's own.
type scenarioFlags struct {
	environment, target, variables, overrides, scenario, output, out string
	quiet, insecure, allowRemote                                     bool
	loops, repeat                                                    int
	seed                                                             uint64
	file                                                             *os.File // of output; nil without one
}

func newScenario() *cobra.Command {
	var f scenarioFlags
	cmd := &cobra.Command{
		Use:   "scenario FILE.yml",
		Short: "Run an Artillery v2 script: phases of virtual users with flows of requests",
		Long: `Runs an Artillery v2 script (HTTP engine) unchanged, prints what Artillery prints and writes its
report file. http.response_time is the time to the first byte, as with Artillery; http.total, beside
it, is the whole time: from when the request was ready, connecting included, to the last byte.

Each virtual user has a connection of its own, unless config.http.pool says how many they share. A
user whose request fails, or whose capture or match does, ends there and counts as failed.

What Artillery has and dyno has not (socket.io, ws, browsers, parallel, plugins but expect, ensure,
apdex and metrics-by-endpoint) is refused by name; so is an unknown key. A processor in JavaScript
(CommonJS) runs inside dyno, without Node's modules. dyno exits 1 when a check of config.ensure or
an expectation fails, or no user completed; 2 for a script that it refuses; 130 after Ctrl-C.

What was measured is stored like any run: dyno list runs, dyno report and dyno compare know it. With
--repeat it has intervals; they are about this process of the server and say nothing of others.

A server outside of loopback needs --allow-remote: load may bring it down, so it must be yours.`,
		Example: `  dyno scenario shop.yml
  dyno scenario -e staging -o report.json shop.yml
  dyno scenario --target http://127.0.0.1:3000 --variables '{"user": "ann"}' shop.yml
  dyno scenario --repeat 5 shop.yml && dyno report
  dyno scenario --overrides '{"config": {"phases": [{"duration": 5, "arrivalRate": 10}]}}' shop.yml`,
		Args: arguments(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.environment, "environment", "e", "", "use this one of config.environments")
	flags.StringVarP(&f.target, "target", "t", "", "load this `URL` instead of config.target")
	flags.StringVarP(&f.variables, "variables", "v", "", "add variables, as a `JSON` object")
	flags.StringVar(&f.overrides, "overrides", "", "merge this `JSON` object into the script")
	flags.StringVar(&f.scenario, "scenario-name", "", "run this scenario alone, whatever its weight")
	flags.BoolVarP(&f.insecure, "insecure", "k", false, "do not verify certificates")
	flags.StringVarP(&f.output, "output", "o", "", "write the report to this `FILE`, as Artillery does")
	flags.StringVar(&f.out, "out", "results", "folder of the store; \"\" stores nothing")
	flags.IntVar(&f.repeat, "repeat", 1, "run the script so many times, one after the other, each a trial of one run")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "print nothing but errors")
	flags.IntVarP(&f.loops, "workers", "w", 1, "event loops, each on a CPU of its own where there are enough")
	flags.Uint64Var(&f.seed, "seed", 0, "seed of every random choice (default: a new one, which is printed)")
	flags.BoolVar(&f.allowRemote, "allow-remote", false, "load a server outside of loopback; only one that you own or may test, for it may fall over")
	return cmd
}

// options reads the flags for the script.
func (f *scenarioFlags) options() (scenario.Options, error) {
	o := scenario.Options{Environment: f.environment, Target: f.target, Overrides: f.overrides, Scenario: f.scenario, Insecure: f.insecure, Environ: os.Environ()}
	if f.loops < 1 || f.loops > loopsMax {
		return o, usagef("--workers %d; it must lie between 1 and %d", f.loops, loopsMax)
	}
	if f.repeat < 1 || f.repeat > repeatMax {
		return o, usagef("--repeat %d; it must lie between 1 and %d", f.repeat, repeatMax)
	}
	if f.repeat > 1 && f.output != "" {
		return o, usagef("--output is Artillery's report of one run; leave out --repeat, or use dyno report")
	}
	if f.variables != "" {
		if err := json.Unmarshal([]byte(f.variables), &o.Variables); err != nil {
			return o, usagef("--variables %s is no JSON object; write it like '{\"user\": \"ann\"}'", words.Quote(f.variables))
		}
	}
	if f.seed == 0 {
		f.seed = rand.Uint64()>>12 | 1
	}
	return o, nil
}

func (f *scenarioFlags) run(cmd *cobra.Command, path string) error {
	o, err := f.options()
	if err != nil {
		return err
	}
	p, err := scenario.Read(path, o)
	if err != nil {
		return usage(err)
	}
	resolve := f.resolver(cmd)
	addr, err := resolve(p.Target.Hostname(), p.TargetPort())
	if err != nil {
		return err
	}
	out := &lockedWriter{w: cmd.OutOrStdout()}
	shown := io.Writer(out)
	if f.quiet {
		shown = io.Discard
	}
	if err := f.openOutput(); err != nil {
		return err
	}
	defer func() { _ = f.file.Close() }() // written and flushed before, or not there
	t := target{addr: addr}
	engine, cpus, err := f.engine(t, p.Users(), shown)
	if err != nil {
		return err
	}
	defer engine.Close()
	record, err := f.record(cmd.Context(), p, t, cpus)
	if err != nil {
		return err
	}
	head := append(p.Remarks, fmt.Sprintf("%s against %s, seed %d", path, p.Target, f.seed))
	for _, line := range append(head, p.PhaseNames()...) {
		fmt.Fprintln(shown, line)
	}
	done := 0
	for err == nil && done < f.repeat {
		err = f.once(cmd, p, engine, resolve, record, done, out, shown)
		done++
	}
	// What is done is kept even after an interruption, so the rest does not heed the context.
	endErr := record.end(context.WithoutCancel(cmd.Context()), err == nil || cmd.Context().Err() == nil && done == f.repeat)
	if record != nil {
		fmt.Fprintf(shown, "\nstored as %s; dyno report %s judges it\n", record.run.ID, record.run.ID)
	}
	if err == nil {
		err = endErr
	}
	return err
}

// once runs the script for a repetition (from 0), prints its summary, stores and judges it.
func (f *scenarioFlags) once(cmd *cobra.Command, p *scenario.Program, engine *load.Engine, resolve func(host, port string) (netip.AddrPort, error),
	record *scenarioRecord, repetition int, out *lockedWriter, shown io.Writer) error {
	view := &scenarioView{w: shown, faultsLeft: scenarioFaultsMax}
	live, times := &scenario.Live{}, scenario.NewTimes()
	if f.repeat > 1 {
		fmt.Fprintf(shown, "\nrepetition %d of %d\n", repetition+1, f.repeat)
	}
	fmt.Fprintln(shown)
	stop := func() {}
	if !f.quiet {
		stop = newTicker(cmd.ErrOrStderr()).followScenario(live, p)
	}
	cpuNs := record.serverCPUNs()
	report, err := p.Run(cmd.Context(), engine, scenario.RunOptions{
		Resolve: resolve, Seed: f.seed + uint64(repetition), Live: live, Times: times, Period: view.period, Fault: view.fault,
		Log: func(text string) { fmt.Fprintln(out, text) },
	})
	stop()
	if report == nil {
		return err
	}
	cpuNs = record.serverCPUNs() - cpuNs
	report.WriteText(shown)
	return errors.Join(err, record.keep(context.WithoutCancel(cmd.Context()), repetition, p, report, times, cpuNs), f.judge(cmd, p, report, shown))
}

// engine raises the limit of open files, and pins the loops away from a server on this machine. It returns the CPUs
// that they are on, none when they are not pinned.
func (f *scenarioFlags) engine(t target, users int64, shown io.Writer) (*load.Engine, []int, error) {
	files, err := host.RaiseOpenFiles(uint64(min(users, scenarioFilesMax) + spareFiles))
	if err != nil && files < spareFiles {
		return nil, nil, err
	}
	if err != nil {
		fmt.Fprintf(shown, "At most %s at once can have a connection: %v\n", words.Count(int(files-spareFiles), "user"), err)
	}
	lf := loadFlags{loops: f.loops}
	s, err := lf.seat(t)
	if err != nil {
		return nil, nil, err
	}
	engine, err := s.engine(load.Options{Loops: f.loops})
	return engine, s.cpus, err
}

const (
	scenarioFilesMax  = 50_000 // connections at once; who needs more raises the limit before
	repeatMax         = 1000
	scenarioFaultsMax = 10 // unmet expectations that are shown
)

// resolver finds addresses, and refuses those outside of loopback that the user has not allowed.
func (f *scenarioFlags) resolver(cmd *cobra.Command) func(host, port string) (netip.AddrPort, error) {
	lf := loadFlags{allowRemote: f.allowRemote}
	return func(host, port string) (netip.AddrPort, error) {
		var t target
		err := lf.find(cmd.Context(), &t, host, port)
		return t.addr, err
	}
}

// judge writes the report file and turns the run into an exit status.
func (f *scenarioFlags) judge(cmd *cobra.Command, p *scenario.Program, r *scenario.Report, shown io.Writer) error {
	if f.file != nil {
		if err := f.writeReport(r); err != nil {
			return err
		}
		fmt.Fprintf(shown, "\nreport: %s\n", f.output)
	}
	broken := ""
	if checks := p.Ensure(r); len(checks) > 0 {
		fmt.Fprint(shown, "\nChecks:\n")
		for _, c := range checks {
			verdict, note := "ok", ""
			if !c.OK {
				verdict = "fail"
				if !c.Strict {
					note = " (optional)"
				} else if broken == "" {
					broken = c.Text
				}
			}
			fmt.Fprintf(shown, "%s: %s%s\n", verdict, c.Text, note)
		}
	}
	counters := r.Aggregate.Counters
	switch {
	case cmd.Context().Err() != nil:
		return &statusError{exitInterrupted, errors.New("interrupted; the figures are of what was done until then")}
	case broken != "":
		return &statusError{exitFailed, fmt.Errorf("a check of config.ensure failed: %s", broken)}
	case counters["plugins.expect.failed"] > 0:
		return &statusError{exitFailed, fmt.Errorf("%d expectations were not met", counters["plugins.expect.failed"])}
	case counters["vusers.created"] > 0 && counters["vusers.completed"] == 0:
		return &statusError{exitFailed, fmt.Errorf("none of %s completed (%s); is the server there, and does the script fit it?",
			words.Count(int(counters["vusers.created"]), "user"), firstError(counters))}
	}
	return nil
}

// firstError is the commonest error of a run.
func firstError(counters map[string]int64) string {
	most, name := int64(0), "no error"
	for counter, n := range counters {
		if len(counter) > 7 && counter[:7] == "errors." && (n > most || n == most && counter[7:] < name) {
			most, name = n, counter[7:]
		}
	}
	return words.Shorten(name)
}

// openOutput finds out before the run whether its report can be written.
func (f *scenarioFlags) openOutput() (err error) {
	if f.output == "" {
		return nil
	}
	if f.file, err = os.Create(f.output); err != nil {
		return usagef("--output: %v; choose a file that can be written", err)
	}
	return nil
}

func (f *scenarioFlags) writeReport(r *scenario.Report) error {
	w := bufio.NewWriter(f.file)
	err := r.WriteJSON(w)
	if err == nil {
		err = w.Flush()
	}
	if err != nil {
		return fmt.Errorf("--output %s: %w; is the disk full?", f.output, err)
	}
	return nil
}

// lockedWriter lets several loops write lines.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lockedWriter) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(b)
}

// scenarioView prints what a run tells while it lasts.
type scenarioView struct {
	mu         sync.Mutex
	w          io.Writer
	faultsLeft int
}

func (v *scenarioView) period(p scenario.Period) { p.WritePeriod(v.w) }

func (v *scenarioView) fault(why string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.faultsLeft > 0 {
		v.faultsLeft--
		fmt.Fprintln(v.w, why)
	}
}
