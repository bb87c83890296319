package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dyno"
	"dyno/contract"
	"dyno/host"
	"dyno/lab"
	"dyno/lab/calibrate"
	"dyno/report"
	"dyno/store"
)

// kindAA is what the suites of A/A runs are called after.
const kindAA = "aa"

// clonesInAA make 28 pairs, in each of which nothing may be found.
const clonesInAA = 8

// clonesOf makes a suite about clones of its first subject that can run here.
func clonesOf(suite dyno.Suite, subjects []dyno.Subject) (dyno.Suite, []dyno.Subject) {
	first := subjects[max(slices.IndexFunc(subjects, func(s dyno.Subject) bool { return s.Unavailable == "" && s.Ranked() }), 0)]
	clones := calibrate.Clones(first, clonesInAA)
	return calibrate.Of(suite, kindAA, "clones of "+first.Title, clones), clones
}

// experimentFlags are what all experiments take.
type experimentFlags struct {
	runFlags
	slowdown string
}

func newLab() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lab",
		Short: "Experiments on dyno itself: does it find what is there, and nothing else?",
		Long: `Experiments on dyno itself, with servers about which the truth is known. Each goes on until it has
counted enough to hold dyno to its promise, or for its --budget; stores every trial like any other
run; and prints how often dyno was wrong, with a 95 % interval. Ctrl-C ends it early: what was
counted until then is printed. The A/A experiment is dyno run SUITE --aa.`,
		Example: "  dyno lab power --slowdown 3%\n  dyno lab noise --quick\n  dyno run minecraft --quick --aa",
		Args:    arguments(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		newExperiment("power", "Slow a server down by a known amount: is it found?",
			`Slows five of ten clones of a Go server down, by arithmetic that makes a reply take so much
longer, in one cell of the suite after the other, and counts in how many verdicts it is found.`,
			"  dyno lab power --slowdown 3%\n  dyno lab power frameworks --quick --slowdown 10%", power),
		newExperiment("noise", "Disturb the servers' CPU: is it noticed?",
			`Runs a busy loop on the servers' CPU in a random half of the measurements, each of a cell in
a block, and counts which are flagged.`,
			"  dyno lab noise --quick\n  dyno lab noise --budget 5m", noise),
		newExperiment("slicing", "Compare slices with continuous windows: is the ratio the same?",
			`Measures up to four subjects in slices and in continuous windows of as much time, in turns,
and prints by how much the ratios of each pair differ.`,
			"  dyno lab slicing --budget 15m\n  dyno lab slicing runtimes --only bun,deno,node", slicing),
	)
	return cmd
}

// newExperiment makes the command of an experiment.
func newExperiment(name, short, long, example string, do func(ctx context.Context, x *experiment) error) *cobra.Command {
	f := experimentFlags{}
	cmd := &cobra.Command{
		Use: name + " [SUITE]", Short: short, Long: long + "\nSUITE lends its contract, cells and method (default: minecraft).",
		Example: example, Args: arguments(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			suite := "minecraft"
			if len(args) == 1 {
				suite = args[0]
			}
			if err := f.check(cmd); err != nil {
				return err
			}
			return f.run(cmd, suite, do)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.quick, "quick", false, "the short form of the suite")
	flags.StringSliceVar(&f.only, "only", nil, "`NAMES` of the subjects, by name, title or runtime")
	flags.Uint64Var(&f.seed, "seed", 0, "seed of every random order (default: a new one)")
	flags.DurationVar(&f.budget, "budget", 0, "go on for this long, e.g. 10m (default: until it has counted enough)")
	flags.StringVar(&f.out, "out", "results", "folder of the store")
	if name == "power" {
		flags.StringVar(&f.slowdown, "slowdown", "3%", "how much longer a reply takes, from 0.1% to 100%")
	}
	return cmd
}

// unslowable is the contract whose subjects do no work for a single request, so that none can be slowed down.
const unslowable = "codec"

// experiment is one of them at work.
type experiment struct {
	calibrate.Experiment
	slowdown  float64
	placement host.Placement
	stdout    io.Writer
	printed   bool // whether anything was counted and printed
}

func (f experimentFlags) run(cmd *cobra.Command, name string, do func(ctx context.Context, x *experiment) error) error {
	slowdown, err := share(f.slowdown)
	if err != nil {
		return err
	}
	h, w, release, err := openBench(cmd, nil)
	if err != nil {
		return err
	}
	defer release()
	suites, err := lab.LoadSuites(h.suites(), name, f.quick, w.fits)
	if err != nil {
		return usage(err)
	}
	if len(suites) != 1 {
		return usagef("%s stands for several suites; name one of them", name)
	}
	suite := suites[0]
	// Virtual users set the rate themselves, so that it shows neither a slowdown nor a ratio.
	suite.Cells = slices.DeleteFunc(suite.Cells, func(c dyno.Cell) bool { return c.Load.Users > 0 })
	if len(suite.Cells) == 0 {
		return usagef("%s has virtual users only, who set the rate themselves; name a suite with loads", suite.Name)
	}
	names, err := w.pick(suite.Subjects, f.only)
	if err != nil {
		return err
	}
	subjects, err := w.resolve(cmd.Context(), names)
	if err != nil {
		return err
	}
	subjects = slices.DeleteFunc(subjects, func(s dyno.Subject) bool { return s.Unavailable != "" })
	if len(subjects) == 0 {
		return fmt.Errorf("no subject of %s can run here; dyno doctor says what each needs", suite.Name)
	}
	results, err := store.Open(f.out)
	if err != nil {
		return err
	}
	defer results.Close()
	if f.seed == 0 {
		f.seed = rand.Uint64()>>12 | 1
	}
	x := &experiment{slowdown: slowdown, placement: w.placement, stdout: cmd.OutOrStdout()}
	x.Suite, x.Subjects, x.Seed, x.Now = suite, subjects, f.seed, time.Now
	x.Say = func(line string) { fmt.Fprintln(cmd.ErrOrStderr(), line) }
	var deadline time.Time
	if f.budget > 0 {
		deadline = time.Now().Add(f.budget)
		x.Left = func() time.Duration { return time.Until(deadline) }
	}
	x.Measure = w.measurer(cmd, f.runFlags, results, deadline)
	err = do(cmd.Context(), x)
	if errors.Is(err, context.Canceled) {
		counted := "nothing was counted until then"
		if x.printed {
			counted = "what was counted until then is above"
		}
		return &statusError{exitInterrupted, fmt.Errorf("interrupted; %s; the trials are kept (dyno list runs)", counted)}
	}
	return err
}

// measurer returns what measures and stores one run of an experiment.
func (w *workbench) measurer(cmd *cobra.Command, f runFlags, results *store.Store, deadline time.Time) calibrate.Measure {
	gated := map[string]dyno.GateResult{}
	return func(ctx context.Context, suite dyno.Suite, subjects []dyno.Subject, seed uint64, neighbour calibrate.Disturb) (dyno.Run, []dyno.Trial, error) {
		f.seed = seed
		j := &job{
			runFlags: f, workbench: w, store: results, suite: suite, deadline: deadline, neighbour: neighbour, gated: gated,
			stdout: io.Discard, stderr: cmd.ErrOrStderr(),
		}
		var err error
		if j.contract, err = contract.ByName(suite.Contract); err != nil {
			return dyno.Run{}, nil, usage(err)
		}
		run, err := j.enter(ctx, subjects)
		if err != nil {
			return run, nil, err
		}
		err = j.measure(ctx, &run, map[dyno.TrialKey]bool{})
		run.State, run.EndedAt = dyno.RunComplete, time.Now()
		if err != nil {
			run.State = dyno.RunPartial
		}
		ctx = context.WithoutCancel(ctx) // what is done is kept even after an interruption
		trials, readErr := results.Trials(ctx, run.ID)
		return run, trials, errors.Join(err, results.FinishRun(ctx, run.ID, run.State, run.EndedAt), readErr)
	}
}

func power(ctx context.Context, x *experiment) error {
	x.Subjects = slices.DeleteFunc(goPrograms(x.Subjects), func(s dyno.Subject) bool { return s.Contract == unslowable })
	if len(x.Subjects) == 0 {
		return usagef("%s has no Go server that can run here, and only those can be slowed down by a known amount; use minecraft or frameworks", x.Suite.Name)
	}
	loopNs, err := host.LoopNs(x.placement.ServerCPUs[0])
	if err != nil {
		return err
	}
	check, err := x.Power(ctx, x.slowdown, float64(loopNs)/host.LoopSteps)
	if check.Of() == 0 {
		return err
	}
	x.printed = true
	return errors.Join(err, report.Clones(x.stdout, check))
}

func noise(ctx context.Context, x *experiment) error {
	if quickToStart := goPrograms(x.Subjects); len(quickToStart) > 0 {
		x.Subjects = quickToStart
	}
	tally, err := x.Noise(ctx, func() (func(), error) {
		n, err := calibrate.StartNeighbour(x.placement.ServerCPUs)
		if err != nil {
			return nil, err
		}
		return n.Leave, nil
	})
	if tally.Touched.Of+tally.Quiet.Of == 0 {
		return err
	}
	x.printed = true
	return errors.Join(err, tally.Write(x.stdout))
}

func slicing(ctx context.Context, x *experiment) error {
	if len(x.Subjects) < 2 {
		return usagef("a ratio needs two subjects that can run here; name more with --only")
	}
	titles := map[string]string{}
	for _, s := range x.Subjects {
		titles[s.Name] = s.Title
	}
	pairs, gain, err := x.Slicing(ctx)
	if len(pairs) == 0 {
		return err
	}
	x.printed = true
	return errors.Join(err, calibrate.WritePairs(x.stdout, pairs, gain, func(subject string) string { return titles[subject] }))
}

func goPrograms(subjects []dyno.Subject) []dyno.Subject {
	return slices.DeleteFunc(slices.Clone(subjects), func(s dyno.Subject) bool { return s.Runtime != "go" })
}

// share reads a percentage such as 3%, as a share from 0.001 to 1; "" is 0.
func share(percentage string) (float64, error) {
	if percentage == "" {
		return 0, nil
	}
	value, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(percentage, "%")), 64)
	if err != nil || !strings.HasSuffix(percentage, "%") || !(value >= 0.1 && value <= 100) {
		return 0, usagef("--slowdown %.20q; give a percentage from 0.1%% to 100%%, such as 3%%", percentage)
	}
	return value / 100, nil
}
