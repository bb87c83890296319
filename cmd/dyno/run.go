package main

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dyno"
	"dyno/host"
	"dyno/internal/words"
	"dyno/lab"
	"dyno/load"
	"dyno/report"
	"dyno/stat"
	"dyno/store"
)

// runFlags are what the user asked for.
type runFlags struct {
	quick, resume, json bool
	aa, continuous      bool
	capacity            bool // search for capacities where the suite asks for it
	only                []string
	blocks              int
	seed                uint64
	budget              time.Duration
	precisionText       string
	precision           float64 // 0.01 for 1%; 0 when not asked for
	out, poller         string
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

The number of blocks is fixed beforehand, which gives the narrowest intervals. With --precision
the run ends when it knows enough (after at most 40 blocks, or --blocks): its intervals then hold
at every look.

Ctrl-C keeps what is done and reports it as partial; --resume finishes it later.`,
		Example: `  dyno run                              the quick suite
  dyno run minecraft                    the full matrix
  dyno run minecraft --quick --only bun,deno
  dyno run minecraft --precision 1% --budget 10m   until all is decided or known to ±1 %
  dyno run minecraft --quick --capacity   the short form, and how many players each server holds
  dyno run minecraft --resume           finish an interrupted run
  dyno run minecraft --json > run.json  the verdict for programs
  dyno run quick --aa                   does it find differences where there are none?`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{"quick"}
			}
			if err := f.check(cmd); err != nil {
				return err
			}
			if f.blocks == 1 {
				fmt.Fprintln(cmd.ErrOrStderr(), "dyno: warning: one block gives figures without intervals and decides nothing; --blocks 3 or more may")
			}
			return runSuites(cmd, args, f)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.quick, "quick", false, "the short form of the suite")
	flags.StringSliceVar(&f.only, "only", nil, "`NAMES` of the subjects to measure, by name, title or runtime, e.g. bun,deno")
	flags.IntVar(&f.blocks, "blocks", 0, "fresh processes of every subject (default: what the suite says)")
	flags.Uint64Var(&f.seed, "seed", 0, "seed of every random order (default: a new one)")
	flags.DurationVar(&f.budget, "budget", 0, "end before this much time is over, e.g. 5m; what is left can be resumed")
	flags.StringVar(&f.precisionText, "precision", "", "`SHARE` such as 1%: add blocks until every comparison is decided or known this closely")
	flags.BoolVar(&f.resume, "resume", false, "finish the latest interrupted run of the suite, by its own plan")
	flags.BoolVar(&f.aa, "aa", false, "measure clones of the first subject as if they differed, and count false verdicts; exits 1 when too many are shown")
	flags.BoolVar(&f.continuous, "continuous", false, "load each subject in one long window instead of slices in turns")
	flags.StringVar(&f.poller, "poller", "", "how the client asks the kernel: epoll, io_uring or auto (default: what the suite says)")
	flags.BoolVar(&f.capacity, "capacity", true, "search for capacities where the suite asks for it (default: not with --quick)")
	flags.Lookup("capacity").DefValue = "" // it depends on another flag
	flags.BoolVar(&f.json, "json", false, "print the verdict as JSON instead of the report")
	flags.StringVar(&f.out, "out", "results", "folder of the store and the reports")
	flags.StringToStringVar(&f.runtimes, "runtime", nil, "use your own build of a runtime, `NAME=PATH`, e.g. bun=/opt/bun/bin/bun")
	flags.Lookup("runtime").DefValue = "" // else the help says that it is []
	return cmd
}

func (f *runFlags) check(cmd *cobra.Command) error {
	set := cmd.Flags().Changed
	switch {
	case set("blocks") && (f.blocks < 1 || f.blocks > 1000):
		return usagef("--blocks %d; it must lie between 1 and 1000", f.blocks)
	case set("seed") && f.seed == 0:
		return usagef("--seed 0; give another number, or leave it out for a new one")
	case set("budget") && f.budget <= 0:
		return usagef("--budget %v; give a time such as 5m", f.budget)
	case set("only") && len(f.only) == 0:
		return usagef("--only names nobody; name a subject or a runtime, or leave it out")
	case set("poller") && !slices.Contains(load.Pollers(), f.poller):
		return usage(errors.New("--poller: " + words.Unknown("poller", f.poller, load.Pollers())))
	case f.out == "":
		return usagef("--out is empty; name a folder")
	}
	if set("precision") {
		var err error
		if f.precision, err = parsePrecision(f.precisionText); err != nil {
			return err
		}
	}
	if !set("capacity") {
		f.capacity = !f.quick
	}
	return f.checkTogether(set)
}

// checkTogether refuses flags that make no sense beside each other.
func (f *runFlags) checkTogether(set func(flag string) bool) error {
	if f.resume {
		for _, name := range []string{"blocks", "seed", "only", "precision", "continuous", "capacity", "poller"} {
			if set(name) {
				return usagef("--%s cannot be combined with --resume: a run is finished by its own plan", name)
			}
		}
	}
	switch {
	case f.precision > 0 && set("blocks") && f.blocks < stat.StopMin:
		return usagef("--precision with --blocks %d: before %d blocks nothing can be decided at every look; allow at least so many, or leave --blocks out", f.blocks, stat.StopMin)
	case f.aa && len(f.only) > 1:
		return usagef("--aa measures clones of one subject and --only names %d; name one of them", len(f.only))
	case f.aa && set("capacity") && f.capacity:
		return usagef("--capacity cannot be combined with --aa: clones are compared, not searched for their capacities; leave one of them out")
	}
	return nil
}

// The bounds of --precision: closer than 0.1 % nothing stays the same for long enough, and beyond 50 %
// three blocks always do.
const precisionMin, precisionMax = 0.001, 0.5

// parsePrecision reads a share such as "1%" or "0.5 %".
func parsePrecision(text string) (float64, error) {
	if share, ok := words.Percentage(text); ok && share >= precisionMin && share <= precisionMax {
		return share, nil
	}
	return 0, usagef("--precision %q; give a percentage between %g%% and %g%%, such as 1%%", text, precisionMin*100, precisionMax*100)
}

// errNothingToResume says that a suite has no interrupted run. Of several suites the others go on.
var errNothingToResume = errors.New("no interrupted run")

// runSuites runs the suites one after the other, and goes on after one that failed.
func runSuites(cmd *cobra.Command, names []string, f runFlags) error {
	ctx := cmd.Context()
	h, w, release, err := openBench(cmd, f.runtimes)
	if err != nil {
		return err
	}
	defer release()
	jobs, err := w.jobs(cmd, h, names, f)
	if err != nil {
		return usage(err)
	}
	results, err := store.Open(f.out)
	if err != nil {
		return err
	}
	defer results.Close()
	var failed error
	var clones dyno.CloneCheck
	idle := 0
	for _, j := range jobs {
		j.store = results
		v, err := j.run(ctx)
		if v.Clones != nil {
			clones = stat.SumClones(clones, *v.Clones)
		}
		var status *statusError
		switch {
		case err == nil:
		case errors.Is(err, errNothingToResume):
			if idle++; idle == len(jobs) {
				return usage(err)
			}
			fmt.Fprintf(j.stderr, "dyno: %v\n", err)
		case errors.As(err, &status) && status.code == exitFailed:
			failed = err
		default:
			return err
		}
	}
	if len(jobs) > 1 && clones.Of() > 0 && !f.json {
		fmt.Fprintln(cmd.OutOrStdout(), "\nOver all suites:")
		if err := report.Clones(cmd.OutOrStdout(), clones); err != nil {
			return err
		}
	}
	if failed != nil {
		return failed
	}
	return brokenPromises(clones.Promises()) // over all suites: each suite by itself would be a promise of its own
}

// openBench prepares this machine for measuring. release ends that.
func openBench(cmd *cobra.Command, runtimes map[string]string) (h home, w *workbench, release func(), err error) {
	if h, w, err = placedBench(cmd, runtimes); err != nil {
		return h, nil, nil, err
	}
	if err := host.PinProcess(w.placement.ClientCPUs); err != nil {
		return h, nil, nil, err
	}
	alone, release := claimMachine()
	if !alone {
		w.placement.Warnings = append(w.placement.Warnings,
			"another dyno was measuring on this machine when this run began: both disturb each other")
	}
	return h, w, release, nil
}

// jobs returns what is to be done for the suites that are named. All of them share the budget.
func (w *workbench) jobs(cmd *cobra.Command, h home, names []string, f runFlags) ([]*job, error) {
	var deadline time.Time
	if f.budget > 0 {
		deadline = time.Now().Add(f.budget)
	}
	var jobs []*job
	for _, name := range names {
		suites, err := lab.LoadSuites(h.suites(), name, f.quick, w.fits)
		if err != nil {
			return nil, err
		}
		for _, s := range suites {
			if cmd.Flags().Changed("capacity") && f.capacity && s.Capacity == nil {
				return nil, fmt.Errorf("--capacity: suite %s does not say what to promise; add a capacity section to it, or leave the flag out", s.Name)
			}
			jobs = append(jobs, &job{
				runFlags: f, workbench: w, suite: s, deadline: deadline, resumeCommand: resumeCommand(cmd, f, name, s),
				stdout: cmd.OutOrStdout(), stderr: cmd.ErrOrStderr(),
			})
		}
	}
	return jobs, nil
}

// resumeCommand returns the command line that finishes an interrupted run of a suite which the user
// called named.
func resumeCommand(cmd *cobra.Command, f runFlags, named string, s dyno.Suite) string {
	if strings.TrimSuffix(filepath.Base(named), ".yaml") != s.Name {
		named = s.Name // one of those that a bundle stands for
	}
	argv := []string{"dyno", "run", named}
	if s.Quick {
		argv = append(argv, "--quick")
	}
	if f.aa {
		argv = append(argv, "--aa")
	}
	return resumed(cmd, argv, f.runtimes)
}

// resumed is a command line in a shell that goes on where the command left off, with the same folders and runtimes.
func resumed(cmd *cobra.Command, argv []string, runtimes map[string]string) string {
	for _, flag := range []string{"home", "out"} {
		if cmd.Flags().Changed(flag) {
			argv = append(argv, "--"+flag, cmd.Flag(flag).Value.String())
		}
	}
	for _, runtime := range slices.Sorted(maps.Keys(runtimes)) {
		argv = append(argv, "--runtime", runtime+"="+runtimes[runtime])
	}
	return inShell(append(argv, "--resume"))
}

// inShell is a command line as a shell reads it.
func inShell(argv []string) string {
	for i, word := range argv {
		if word == "" || strings.ContainsFunc(word, func(r rune) bool { return !strings.ContainsRune(plainInShell, r) }) {
			argv[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return strings.Join(argv, " ")
}

const plainInShell = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./:,+@%"
