package main

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"dyno"
	"dyno/internal/words"
	"dyno/lab/calibrate"
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
	goOn     bool // with a stored experiment; resume is about a single run
}

func newLab() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lab",
		Short: "Experiments on dyno itself: does it find what is there, and nothing else?",
		Long: `Experiments on dyno itself, with servers about which the truth is known. Each goes on until it has
counted enough to hold dyno to its promise, or for its --budget; stores every trial like any other
run; and prints how often dyno was wrong, with a 95 % interval. It exits 1 when a promise is shown
to be broken: when the whole interval lies beyond it. Ctrl-C ends it early: what was counted until
then is printed, and --resume goes on. The A/A experiment is dyno run SUITE --aa.`,
		Example: "  dyno lab power --slowdown 3%\n  dyno lab noise --quick\n  dyno run minecraft --quick --aa",
		Args:    arguments(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		newExperiment("power", "Slow a server down by a known amount: is it found?",
			`Slows five of ten clones of a Go server down, by arithmetic that makes a reply take so much
longer, in one cell of the suite after the other, and counts in how many verdicts it is found.
All ten spend 5 µs more on a reply than the server alone, so that it is the limit and not dyno.`,
			"  dyno lab power --slowdown 3%\n  dyno lab power frameworks --quick --slowdown 10%", power),
		newExperiment("noise", "Disturb the servers' CPU: is it noticed?",
			`Runs a busy loop on the servers' CPU in a random half of the measurements, each of a cell in
a block, and counts which are flagged.`,
			"  dyno lab noise --quick\n  dyno lab noise --budget 5m\n  dyno lab noise --resume   go on with the latest one", noise),
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
	flags.BoolVar(&f.goOn, "resume", false, "go on with the latest one, or that of --seed, with the flags of then; count what is stored")
	flags.BoolVar(&f.json, "json", false, "print the result as JSON instead of text")
	flags.StringVar(&f.out, "out", "results", "folder of the store")
	if name == "power" {
		flags.StringVar(&f.slowdown, "slowdown", "3%", "how much longer a reply takes, from 0.1% to 100%")
		flags.StringVar(&f.precisionText, "precision", "", "`SHARE` such as 1%: add blocks until every comparison is decided or known this closely")
	}
	return cmd
}

func (f *experimentFlags) check(cmd *cobra.Command) error {
	if f.seed >= calibrate.SeedsEnd {
		return usagef("--seed %d; an experiment takes one below %d", f.seed, uint64(calibrate.SeedsEnd))
	}
	return f.runFlags.check(cmd)
}

// command is the command line that goes on with the experiment, in a shell.
func (f *experimentFlags) command(cmd *cobra.Command, suite string) string {
	argv := []string{"dyno", "lab", cmd.Name(), suite, "--seed", strconv.FormatUint(f.seed, 10)}
	if f.quick {
		argv = append(argv, "--quick")
	}
	if len(f.only) > 0 {
		argv = append(argv, "--only", strings.Join(f.only, ","))
	}
	if cmd.Flags().Changed("slowdown") {
		argv = append(argv, "--slowdown", f.slowdown)
	}
	if f.precisionText != "" {
		argv = append(argv, "--precision", f.precisionText)
	}
	return resumed(cmd, argv, nil)
}

// share reads a percentage such as 3%, as a share from 0.001 to 1.
func share(percentage string) (float64, error) {
	if value, ok := words.Percentage(percentage); ok && value >= 0.001 && value <= 1 {
		return value, nil
	}
	return 0, usagef("--slowdown %.20q; give a percentage from 0.1%% to 100%%, such as 3%%", percentage)
}
