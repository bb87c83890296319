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
	v, reportErr := j.report(ctx, run)
	if reportErr != nil {
		return errors.Join(err, reportErr)
	}
	return j.status(v, err)
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
		keys, err := j.store.Keys(ctx, run.ID)
		for _, k := range keys {
			done[k] = true
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

// report judges the run, writes the verdict beside the store, and prints it.
func (j *job) report(ctx context.Context, run dyno.Run) (dyno.Verdict, error) {
	v, err := verdict(ctx, j.store, run)
	if err != nil {
		return v, err
	}
	dir := filepath.Join(j.out, run.ID)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return v, err
	}
	var md, js strings.Builder
	if err := errors.Join(report.Markdown(&md, v), report.JSON(&js, v)); err != nil {
		return v, err
	}
	if err := errors.Join(
		writeWhole(filepath.Join(dir, "report.md"), md.String()),
		writeWhole(filepath.Join(dir, "verdict.json"), js.String()),
	); err != nil {
		return v, err
	}
	if j.json {
		_, err = io.WriteString(j.stdout, js.String())
		return v, err
	}
	if err := report.Text(j.stdout, v, textOptions(j.stdout)); err != nil {
		return v, err
	}
	_, err = fmt.Fprintf(j.stdout, "\nReport: %s · every trial: %s\n", filepath.Join(dir, "report.md"), filepath.Join(j.out, "dyno.db"))
	return v, err
}

// status turns the outcome of a run into an error, with a way out.
func (j *job) status(v dyno.Verdict, err error) error {
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
	failed := 0
	for _, g := range v.Run.Gates {
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
