package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"dyno"
	"dyno/contract"
	"dyno/host"
	"dyno/lab"
	"dyno/report"
	"dyno/report/live"
	"dyno/stat"
	"dyno/store"
)

// runFlags are what the user asked for.
type runFlags struct {
	quick, resume, json bool
	only                []string
	blocks              int
	seed                uint64
	budget              time.Duration
	out                 string
	runtimes            map[string]string
}

func newRun() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run [SUITE…]",
		Short: "Run suites: measure, store, judge, report (default: quick)",
		Long: `Runs suites: gates every subject, measures the ones that keep their contract in randomised
blocks of fresh processes, stores each trial at once, and reports what the trials prove.
A SUITE is a name from suites/ or the path of a .yaml file.

Ctrl-C keeps what is done and reports it as partial; --resume finishes it later.`,
		Example: `  dyno run                              the quick suite
  dyno run minecraft                    the full matrix
  dyno run minecraft --quick --only bun,deno
  dyno run minecraft --resume           finish an interrupted run
  dyno run minecraft --json > run.json  the verdict for programs`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{"quick"}
			}
			if err := f.check(cmd); err != nil {
				return err
			}
			return runSuites(cmd, args, f)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.quick, "quick", false, "the short form of the suite")
	flags.StringSliceVar(&f.only, "only", nil, "subjects to measure, by name, title or runtime, e.g. bun,deno")
	flags.IntVar(&f.blocks, "blocks", 0, "fresh processes of every subject (default: what the suite says)")
	flags.Uint64Var(&f.seed, "seed", 0, "seed of every random order (default: a new one)")
	flags.DurationVar(&f.budget, "budget", 0, "end before this much time is over, e.g. 5m; what is left can be resumed")
	flags.BoolVar(&f.resume, "resume", false, "finish the latest interrupted run of the suite, by its own plan")
	flags.BoolVar(&f.json, "json", false, "print the verdict as JSON instead of the report")
	flags.StringVar(&f.out, "out", "results", "folder of the store and the reports")
	flags.StringToStringVar(&f.runtimes, "runtime", nil, "use your own build of a runtime, e.g. bun=/opt/bun/bin/bun")
	return cmd
}

func (f *runFlags) check(cmd *cobra.Command) error {
	set := cmd.Flags().Changed
	switch {
	case set("blocks") && (f.blocks < 1 || f.blocks > 1000):
		return usagef("--blocks %d; it must lie between 1 and 1000", f.blocks)
	case set("budget") && f.budget <= 0:
		return usagef("--budget %v; give a time such as 5m", f.budget)
	case f.out == "":
		return usagef("--out is empty; name a folder")
	}
	if f.resume {
		for _, name := range []string{"blocks", "seed", "only"} {
			if set(name) {
				return usagef("--%s cannot be combined with --resume: a run is finished by its own plan", name)
			}
		}
	}
	return nil
}

// runSuites runs the suites one after the other, and goes on after one that failed.
func runSuites(cmd *cobra.Command, names []string, f runFlags) error {
	ctx := cmd.Context()
	h, err := findHome(cmd)
	if err != nil {
		return err
	}
	var suites []dyno.Suite
	for _, name := range names {
		s, err := lab.LoadSuites(h.suites(), name, f.quick)
		if err != nil {
			return usage(err)
		}
		suites = append(suites, s...)
	}
	placement, err := host.Place()
	if err != nil {
		return err
	}
	if err := host.PinProcess(placement.ClientCPUs); err != nil {
		return err
	}
	w, err := newWorkbench(h, placement, f.runtimes)
	if err != nil {
		return err
	}
	results, err := store.Open(f.out)
	if err != nil {
		return err
	}
	defer results.Close()
	var failed error
	for _, suite := range suites {
		j := &job{runFlags: f, workbench: w, store: results, suite: suite, stdout: cmd.OutOrStdout(), stderr: cmd.ErrOrStderr()}
		if err := j.run(ctx); err != nil {
			failed = err
			var status *statusError
			if !errors.As(err, &status) || status.code != exitFailed {
				return err
			}
		}
	}
	return failed
}

// job is one suite of one command.
type job struct {
	runFlags
	*workbench
	store          *store.Store
	suite          dyno.Suite
	contract       contract.Contract
	stdout, stderr io.Writer
}

func (j *job) run(ctx context.Context) (err error) {
	if j.contract, err = contract.ByName(j.suite.Contract); err != nil {
		return usage(err)
	}
	run, done, err := j.begin(ctx)
	if err != nil {
		return err
	}
	err = j.measure(ctx, &run, done)
	state := dyno.RunComplete
	if err != nil {
		state = dyno.RunPartial
	}
	// What is done is reported even after an interruption, so the rest does not heed ctx.
	ctx = context.WithoutCancel(ctx)
	run.State, run.EndedAt = state, time.Now()
	if finishErr := j.store.FinishRun(ctx, run.ID, state, run.EndedAt); finishErr != nil {
		return errors.Join(err, finishErr)
	}
	if reportErr := j.report(ctx, run); reportErr != nil {
		return errors.Join(err, reportErr)
	}
	return j.status(ctx, run, err)
}

// begin makes a new run, or takes up the one to be resumed, with the keys of its trials.
func (j *job) begin(ctx context.Context) (dyno.Run, map[dyno.TrialKey]bool, error) {
	done := map[dyno.TrialKey]bool{}
	if j.resume {
		run, found, err := j.store.LatestResumable(ctx, j.suite.Name, j.suite.Quick)
		if err != nil {
			return run, nil, err
		}
		if !found {
			return run, nil, usagef("no interrupted run of %s in %s; start one without --resume", j.suite.Name, j.out)
		}
		if err := j.unchanged(ctx, run); err != nil {
			return run, nil, err
		}
		trials, err := j.store.Trials(ctx, run.ID)
		for _, t := range trials {
			done[t.TrialKey] = true
		}
		j.suite = run.Suite
		return run, done, err
	}
	names, err := j.pick(j.suite.Subjects, j.only)
	if err != nil {
		return dyno.Run{}, nil, err
	}
	j.suite.Subjects = names
	if j.blocks > 0 {
		j.suite.Method.Blocks = j.blocks
	}
	if j.seed == 0 {
		j.seed = rand.Uint64()>>12 | 1 // 52 bits survive every tool that reads JSON
	}
	subjects, err := j.resolve(ctx, names)
	if err != nil {
		return dyno.Run{}, nil, err
	}
	null, err := ceiling(j.suite.Contract)
	if err != nil {
		return dyno.Run{}, nil, err
	}
	now := time.Now()
	run := dyno.Run{
		ID:    fmt.Sprintf("%s-%s", j.suite.Name, now.UTC().Format("20060102-150405")),
		Suite: j.suite, Seed: j.seed, Subjects: append(subjects, null),
		Machine: host.Fingerprint(j.placement), Dyno: version,
		StartedAt: now, State: dyno.RunStarted,
	}
	if err := openFiles(j.suite, len(run.Subjects)); err != nil {
		return run, nil, err
	}
	return run, done, j.store.CreateRun(ctx, run)
}

// unchanged refuses to continue a run with other software than it began with.
func (j *job) unchanged(ctx context.Context, run dyno.Run) error {
	for _, s := range run.Subjects {
		if s.Ceiling || s.Unavailable != "" {
			continue
		}
		now, err := j.resolve(ctx, []string{s.Name})
		if err != nil {
			return err
		}
		if now[0].Unavailable != "" {
			return fmt.Errorf("run %s cannot be resumed: %s: %s", run.ID, s.Name, now[0].Unavailable)
		}
		if now[0].RuntimeVersion != s.RuntimeVersion {
			return fmt.Errorf("run %s cannot be resumed: it measured %s on %s, now it would be %s; start a new run",
				run.ID, s.Name, s.RuntimeVersion, now[0].RuntimeVersion)
		}
	}
	return openFiles(run.Suite, len(run.Subjects))
}

// measure gates the subjects and measures the plan. It leaves in run what became of the gates.
func (j *job) measure(ctx context.Context, run *dyno.Run, done map[dyno.TrialKey]bool) error {
	d := j.display()
	defer func() { _ = d.Close() }() // a display that failed must not spoil the measurement
	show := d.Show
	start := j.starter(j.contract)
	var servers []dyno.Subject
	for _, s := range run.Subjects {
		if !s.Ceiling {
			servers = append(servers, s)
		}
	}
	show(dyno.Progress{Phase: dyno.PhaseGate, RunID: run.ID})
	run.Gates = lab.Gates(ctx, j.contract, servers, run.Seed, start, func(g dyno.GateResult) {
		if !g.OK() && ctx.Err() == nil {
			show(dyno.Progress{Phase: dyno.PhaseGate, RunID: run.ID, Note: gateNote(g)})
		}
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err := j.store.SaveGates(ctx, run.ID, run.Gates); err != nil {
		return err
	}
	measured := admitted(*run)
	if len(measured.Subjects) < 2 {
		return errors.New("no subject passed the gate: nothing to measure")
	}
	engine, err := j.engine()
	if err != nil {
		return err
	}
	defer engine.Close()
	l := &lab.Lab{
		Engine: engine, Contract: j.contract, Start: start, Store: j.store,
		Show: show, Now: time.Now, Budget: j.budget,
	}
	return l.Measure(ctx, measured, done)
}

// admitted returns the run with the subjects that may be measured: those that passed, and the
// ceiling.
func admitted(run dyno.Run) dyno.Run {
	var subjects []dyno.Subject
	for _, s := range run.Subjects {
		if s.Ceiling {
			subjects = append(subjects, s)
		}
		for _, g := range run.Gates {
			if g.Subject == s.Name && g.OK() {
				subjects = append(subjects, s)
			}
		}
	}
	run.Subjects = subjects
	return run
}

func gateNote(g dyno.GateResult) string {
	if c, failed := g.FirstFailure(); failed {
		return fmt.Sprintf("%s fails the gate: %s: %s", g.Subject, c.Case, c.Reason)
	}
	return fmt.Sprintf("%s fails the gate: %s", g.Subject, g.Fault)
}

// display is where a run shows itself.
type display interface {
	Show(dyno.Progress)
	Close() error
}

// display opens a live view on a terminal, and plain lines elsewhere. Both are on standard error:
// standard output is for the report.
func (j *job) display() display {
	if f, ok := j.stderr.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return live.New(f, j.suite)
	}
	return live.Plain(j.stderr, j.suite)
}

// verdict judges what the store holds of a run.
func verdict(ctx context.Context, s *store.Store, run dyno.Run) (dyno.Verdict, error) {
	trials, err := s.Trials(ctx, run.ID)
	if err != nil {
		return dyno.Verdict{}, err
	}
	return stat.Judge(run, trials, planned(run)), nil
}

// report prints the verdict and writes it beside the store.
func (j *job) report(ctx context.Context, run dyno.Run) error {
	v, err := verdict(ctx, j.store, run)
	if err != nil {
		return err
	}
	dir := filepath.Join(j.out, run.ID)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var md, js strings.Builder
	if err := errors.Join(report.Markdown(&md, v), report.JSON(&js, v)); err != nil {
		return err
	}
	if err := errors.Join(
		writeWhole(filepath.Join(dir, "report.md"), md.String()),
		writeWhole(filepath.Join(dir, "verdict.json"), js.String()),
	); err != nil {
		return err
	}
	if j.json {
		_, err = io.WriteString(j.stdout, js.String())
		return err
	}
	if err := report.Text(j.stdout, v, textOptions(j.stdout)); err != nil {
		return err
	}
	fmt.Fprintf(j.stdout, "\nReport: %s · every trial: %s\n", filepath.Join(dir, "report.md"), filepath.Join(j.out, "dyno.db"))
	return nil
}

// status turns the outcome of a run into an error, with a way out.
func (j *job) status(ctx context.Context, run dyno.Run, err error) error {
	again := "dyno run " + j.suite.Name
	if j.suite.Quick {
		again += " --quick"
	}
	if j.out != "results" {
		again += " --out " + j.out
	}
	switch {
	case errors.Is(err, context.Canceled):
		return &statusError{exitInterrupted, fmt.Errorf("interrupted; what is done is kept: `%s --resume` finishes it", again)}
	case errors.Is(err, lab.ErrBudget):
		return &statusError{exitFailed, fmt.Errorf("%w; `%s --resume` finishes the run", err, again)}
	case err != nil:
		return err
	}
	v, err := verdict(ctx, j.store, run)
	if err != nil {
		return err
	}
	failed := 0
	for _, g := range run.Gates {
		if !g.OK() {
			failed++
		}
	}
	if failed > 0 || v.Voids > 0 {
		return &statusError{exitFailed, fmt.Errorf("%d subjects not measured, %d void trials; the report says why", failed, v.Voids)}
	}
	return nil
}

// writeWhole writes a file in one step, so that no reader ever sees half of it.
func writeWhole(path, text string) error {
	part := path + ".part"
	if err := os.WriteFile(part, []byte(text), 0o644); err != nil {
		return err
	}
	return os.Rename(part, path)
}

// textOptions fits a report to the terminal that w is, if it is one.
func textOptions(w io.Writer) report.Options {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return report.Options{}
	}
	o := report.Options{Color: os.Getenv("NO_COLOR") == ""}
	if width, _, err := term.GetSize(int(f.Fd())); err == nil {
		o.Width = width
	}
	return o
}

// planned returns how many trials the plan of a run has.
func planned(run dyno.Run) int {
	return lab.NewPlan(run.Suite, run.Seed).Trials(len(admitted(run).Subjects))
}
