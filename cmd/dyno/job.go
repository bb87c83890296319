package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"golang.org/x/term"

	"dyno"
	"dyno/contract"
	"dyno/host"
	"dyno/internal/words"
	"dyno/lab"
	"dyno/lab/calibrate"
	"dyno/load"
	"dyno/report/live"
	"dyno/store"
)

// job is one suite of one command.
type job struct {
	runFlags
	*workbench
	store          *store.Store
	suite          dyno.Suite
	deadline       time.Time // zero when there is no budget
	resumeCommand  string    // the command that finishes the run when it was interrupted
	contract       contract.Contract
	neighbour      calibrate.Disturb          // nil but in an experiment
	gated          map[string]dyno.GateResult // of programs that an experiment has checked before; nil elsewhere
	stdout, stderr io.Writer
}

// run measures the suite and reports it. The verdict is that of what was measured, whatever the error says.
func (j *job) run(ctx context.Context) (v dyno.Verdict, err error) {
	if j.contract, err = contract.ByName(j.suite.Contract); err != nil {
		return v, usage(err)
	}
	run, done, err := j.begin(ctx)
	if err != nil {
		return v, err
	}
	err = j.measure(ctx, &run, done)
	state := dyno.RunComplete
	if err != nil {
		state = dyno.RunPartial
	}
	// What is done is reported even after an interruption, so the rest does not heed ctx.
	ctx = context.WithoutCancel(ctx)
	run.State, run.EndedAt = state, time.Now()
	finishErr := j.store.FinishRun(ctx, run.ID, state, run.EndedAt)
	v, reportErr := j.report(ctx, run)
	for _, next := range []error{finishErr, reportErr} {
		if err == nil { // what follows from the first failure, such as a full disk, tells nothing new
			err = next
		}
	}
	return v, j.status(v, err)
}

// begin makes a new run, or takes up the one to be resumed, with the keys of its trials.
func (j *job) begin(ctx context.Context) (dyno.Run, map[dyno.TrialKey]bool, error) {
	if !j.resume {
		run, err := j.create(ctx)
		return run, map[dyno.TrialKey]bool{}, err
	}
	name := j.suite.Name
	if j.aa {
		name += "-" + kindAA
	}
	run, found, err := j.store.LatestResumable(ctx, name, j.suite.Quick)
	if err != nil {
		return run, nil, err
	}
	if !found {
		return run, nil, fmt.Errorf("%w of %s in %s; start one without --resume", errNothingToResume, name, j.out)
	}
	if run.Subjects, err = j.unchanged(run, func(was dyno.Subject) (dyno.Subject, error) { return j.now(ctx, was) }); err != nil {
		return run, nil, err
	}
	if run.Suite.Scripts, err = j.sameScripts(run); err != nil {
		return run, nil, err
	}
	done, err := j.takeUp(ctx, run)
	return run, done, err
}

// takeUp goes on with a stored run by its own plan, and returns the keys of its trials.
func (j *job) takeUp(ctx context.Context, run dyno.Run) (map[dyno.TrialKey]bool, error) {
	if err := openFiles(run.Suite, len(run.Subjects)); err != nil {
		return nil, err
	}
	keys, err := j.store.Keys(ctx, run.ID)
	if err != nil {
		return nil, err
	}
	done := map[dyno.TrialKey]bool{}
	for _, k := range keys {
		done[k] = true
	}
	j.suite = run.Suite
	return done, j.store.FinishRun(ctx, run.ID, dyno.RunStarted, time.Time{})
}

// precisionBlocks is where a run with a precision ends in any case, unless --blocks says otherwise.
const precisionBlocks = 40

// until lets a run go on to the precision that was asked for, if any was.
func (f *runFlags) until(m *dyno.Method) {
	if f.precision > 0 {
		m.Precision, m.Blocks = f.precision, precisionBlocks
	}
}

// create stores a new run.
func (j *job) create(ctx context.Context) (dyno.Run, error) {
	names, err := j.pick(j.suite.Subjects, j.only)
	if err != nil {
		return dyno.Run{}, err
	}
	j.suite = j.suite.Only(names)
	j.until(&j.suite.Method)
	if j.blocks > 0 {
		j.suite.Method.Blocks = j.blocks
	}
	j.suite.Capacity = j.capacityPlan()
	if j.poller != "" {
		j.suite.Method.Poller = j.poller
	}
	if j.continuous {
		j.suite.Method.Continuous = true
	}
	if j.seed == 0 {
		j.seed = rand.Uint64()>>12 | 1 // 52 bits survive every tool that reads JSON
	}
	if j.suite.Baselines {
		names = append(slices.Clone(names), j.baselines(names)...)
	}
	subjects, err := j.resolve(ctx, names)
	if err != nil {
		return dyno.Run{}, err
	}
	if !slices.ContainsFunc(subjects, func(s dyno.Subject) bool { return s.Unavailable == "" }) {
		return dyno.Run{}, fmt.Errorf("no subject of %s can run here, beginning with %s: %s", j.suite.Name, subjects[0].Name, subjects[0].Unavailable)
	}
	if j.aa {
		j.suite, subjects = clonesOf(j.suite, subjects)
	}
	if _, ok := ceilingOf(j.suite.Contract); ok {
		null, err := j.ceiling(j.suite.Contract)
		if err != nil {
			return dyno.Run{}, err
		}
		subjects = append(subjects, null)
	}
	return j.enter(ctx, subjects)
}

// capacityPlan is how the run searches for capacities: no more blocks of it than --blocks asks for; nil when it
// does not.
func (j *job) capacityPlan() *dyno.CapacityPlan {
	if j.suite.Capacity == nil || !j.capacity {
		return nil
	}
	plan := *j.suite.Capacity
	if j.blocks > 0 {
		plan.Blocks = min(plan.Blocks, j.blocks)
	}
	return &plan
}

// enter stores a new run of the job's suite with these subjects.
func (j *job) enter(ctx context.Context, subjects []dyno.Subject) (dyno.Run, error) {
	now := time.Now()
	run := dyno.Run{
		ID:    fmt.Sprintf("%s-%s", j.suite.Name, now.UTC().Format("20060102-150405")),
		Suite: j.suite, Seed: j.seed, Subjects: subjects,
		Machine: host.Fingerprint(j.placement), Dyno: version,
		StartedAt: now, State: dyno.RunStarted,
	}
	if err := openFiles(j.suite, len(run.Subjects)); err != nil {
		return run, err
	}
	id := run.ID
	err := j.store.CreateRun(ctx, run)
	for n := 2; errors.Is(err, store.ErrMeasuredTwice) && n < 100; n++ { // two in one second
		run.ID = fmt.Sprintf("%s-%d", id, n)
		err = j.store.CreateRun(ctx, run)
	}
	return run, err
}

// unchanged returns a run's subjects as they start here and now, each as resolve finds it. It refuses to continue a run
// with other software or on another machine than it began with.
func (j *job) unchanged(run dyno.Run, resolve func(was dyno.Subject) (dyno.Subject, error)) ([]dyno.Subject, error) {
	refuse := func(format string, args ...any) error {
		return fmt.Errorf("run %s cannot be resumed: %s", run.ID, fmt.Sprintf(format, args...))
	}
	if run.Dyno != version {
		return nil, refuse("it was begun by dyno %s and this is %s; use that one, or start a new run", run.Dyno, version)
	}
	if was, here := run.Machine, host.Fingerprint(j.placement); was.CPUModel != here.CPUModel || was.CPUs != here.CPUs {
		return nil, refuse("it was begun on %s of %s and here are %d of %s; finish it there, or start a new run",
			words.Count(was.CPUs, "CPU"), was.CPUModel, here.CPUs, here.CPUModel)
	}
	subjects := slices.Clone(run.Subjects)
	for i, was := range subjects {
		if was.Unavailable != "" {
			continue
		}
		now, err := resolve(was)
		switch {
		case err != nil:
			return nil, err
		case now.Unavailable != "":
			return nil, refuse("%s: %s", was.Name, now.Unavailable)
		case now.RuntimeVersion != was.RuntimeVersion:
			return nil, refuse("it measured %s on %s, now it would be %s; start a new run", was.Name, was.RuntimeVersion, now.RuntimeVersion)
		case now.Digest != was.Digest:
			return nil, refuse("the files of %s have changed since; put them back, or start a new run", was.Name)
		}
		subjects[i] = now
	}
	return subjects, nil
}

// sameScripts returns where the scripts of a run are now. It refuses to go on with others than it began with.
func (j *job) sameScripts(run dyno.Run) ([]dyno.Script, error) {
	for _, was := range run.Suite.Scripts {
		if !slices.ContainsFunc(j.suite.Scripts, func(now dyno.Script) bool { return now.Name == was.Name && now.Digest == was.Digest }) {
			return nil, fmt.Errorf("run %s cannot be resumed: the script %s or a file that it names has changed since; put it back, or start a new run", run.ID, was.Name)
		}
	}
	return j.suite.Scripts, nil
}

// now resolves a subject of an earlier execution anew: paths may have changed since.
func (j *job) now(ctx context.Context, was dyno.Subject) (dyno.Subject, error) {
	if was.Ceiling {
		return j.ceiling(was.Contract)
	}
	if was.CloneOf == "" {
		now, err := j.resolve(ctx, []string{was.Name})
		if err != nil {
			return dyno.Subject{}, err
		}
		return now[0], nil
	}
	original, err := j.resolve(ctx, []string{was.CloneOf})
	if err != nil {
		return dyno.Subject{}, err
	}
	now := original[0]
	now.Name, now.Title, now.CloneOf, now.Slowdown, now.Env = was.Name, was.Title, was.CloneOf, was.Slowdown, was.Env
	return now, nil
}

// measure gates the subjects and measures the plan. It leaves in run what became of the gates.
func (j *job) measure(ctx context.Context, run *dyno.Run, done map[dyno.TrialKey]bool) error {
	d := j.display()
	defer func() { _ = d.Close() }() // a display that failed must not spoil the measurement
	began := time.Now()
	show := func(p dyno.Progress) {
		p.Elapsed = time.Since(began) // the gate included, which the lab does not see
		d.Show(p)
	}
	start := j.starter(j.contract)
	var servers []dyno.Subject
	for _, s := range run.Subjects {
		if !s.Ceiling {
			servers = append(servers, s)
		}
	}
	show(dyno.Progress{Phase: dyno.PhaseGate, RunID: run.ID})
	gates := j.gates(ctx, servers, run.Seed, start, func(g dyno.GateResult) {
		if !g.OK() && ctx.Err() == nil {
			show(dyno.Progress{Phase: dyno.PhaseGate, RunID: run.ID, Note: gateNote(g)})
		}
	})
	if ctx.Err() != nil {
		return ctx.Err() // a gate that was cut short says nothing about a subject
	}
	run.Gates = gates
	if err := j.store.SaveGates(ctx, run.ID, run.Gates); err != nil {
		return err
	}
	measured := admitted(*run)
	if !slices.ContainsFunc(measured.Subjects, dyno.Subject.Ranked) {
		return fmt.Errorf("no subject of %s passed the gate, so nothing was measured; the report says why", j.suite.Name)
	}
	engine, err := j.engine(load.Poller(run.Suite.Method.Poller))
	if err != nil {
		return err
	}
	defer engine.Close()
	search, err := j.searcher(j.contract, run.Suite.Capacity, engine)
	if err != nil {
		return err
	}
	l := &lab.Lab{
		Engine: engine, Contract: j.contract, Start: start, Search: search, Store: j.store,
		Show: show, Now: time.Now, Watch: host.NewWatch(j.placement).Begin, Neighbour: j.neighbour,
	}
	if !j.deadline.IsZero() {
		l.Budget = max(time.Until(j.deadline), 1) // 0 would mean that there is none
	}
	if len(done) > 0 && run.Suite.Method.Precision > 0 {
		if l.Earlier, err = j.store.Trials(ctx, run.ID); err != nil {
			return err
		}
	}
	return l.Measure(ctx, measured, done)
}

// gates checks every program among the servers, once: clones are one program.
func (j *job) gates(ctx context.Context, servers []dyno.Subject, seed uint64, start lab.Starter, done func(dyno.GateResult)) []dyno.GateResult {
	if j.gated == nil {
		j.gated = map[string]dyno.GateResult{}
	}
	var firsts []dyno.Subject // of each program that was not checked yet
	for _, s := range servers {
		_, known := j.gated[programOf(s)]
		if !known && !slices.ContainsFunc(firsts, func(f dyno.Subject) bool { return programOf(f) == programOf(s) }) {
			firsts = append(firsts, s)
		}
	}
	for i, g := range lab.Gates(ctx, j.contract, firsts, seed, start, done) {
		if ctx.Err() == nil {
			j.gated[programOf(firsts[i])] = g
		}
	}
	gates := make([]dyno.GateResult, len(servers))
	for i, s := range servers {
		gates[i] = j.gated[programOf(s)]
		gates[i].Subject = s.Name
	}
	return gates
}

// programOf names what a subject runs: itself, or what it is a clone of. Clones that are slowed down on purpose
// differ from others, but not among each other in what they answer.
func programOf(s dyno.Subject) string {
	switch {
	case s.CloneOf == "":
		return s.Name
	case s.Slowdown > 0:
		return s.CloneOf + "#slow"
	}
	return s.CloneOf
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
