package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"dyno"
	"dyno/contract"
	"dyno/internal/words"
	"dyno/lab"
	"dyno/report"
)

func newVerify() *cobra.Command {
	var seed uint64
	var asJSON bool
	runtimes := map[string]string{}
	cmd := &cobra.Command{
		Use:   "verify [SUITE|SUBJECT…]",
		Short: "Check that servers keep their contract, and measure nothing",
		Long: `Runs the conformance gate: every case of the contract against every subject, with values made
at run time. It prints a table of cases and subjects, and exits 1 when a subject breaks a promise
or cannot run here, unless its manifest says that it cannot. Without arguments every subject is
checked.`,
		Example: `  dyno verify minecraft
  dyno verify framed-bun framed-deno`,
		RunE: func(cmd *cobra.Command, args []string) error {
			h, w, err := placedBench(cmd, runtimes)
			if err != nil {
				return err
			}
			names, err := w.named(h, args)
			if err != nil {
				return err
			}
			subjects, err := w.resolve(cmd.Context(), names)
			if err != nil {
				return err
			}
			if seed == 0 {
				seed = rand.Uint64()>>12 | 1
			}
			return w.verify(cmd, subjects, seed, asJSON)
		},
	}
	cmd.Flags().Uint64Var(&seed, "seed", 0, "seed of all values (default: a new one, which is printed)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the results as JSON")
	cmd.Flags().StringToStringVar(&runtimes, "runtime", nil, "use your own build of a runtime, `NAME=PATH`, e.g. bun=/opt/bun/bin/bun")
	cmd.Flags().Lookup("runtime").DefValue = "" // else the help says that it is []
	return cmd
}

// suites loads what a word stands for that names no subject.
func (w *workbench) suites(h home, word string) ([]dyno.Suite, error) {
	known, err := lab.SuiteNames(h.suites())
	if err != nil {
		return nil, err
	}
	if !strings.HasSuffix(word, ".yaml") && !slices.Contains(known, word) {
		for _, s := range w.registry.All() {
			known = append(known, s.Name)
		}
		return nil, errors.New(words.Unknown("suite or subject", word, known))
	}
	return lab.LoadSuites(h.suites(), word, false, w.fits)
}

// named turns suites and subjects into names of subjects, each once; nothing means all.
func (w *workbench) named(h home, args []string) ([]string, error) {
	var names []string
	if len(args) == 0 {
		for _, s := range w.registry.All() {
			names = append(names, s.Name)
		}
	}
	for _, arg := range args {
		if s, err := w.registry.Find(arg); err == nil {
			names = append(names, s.Name)
			continue
		}
		suites, err := w.suites(h, arg)
		if err != nil {
			return nil, usage(err)
		}
		for _, s := range suites {
			names = append(names, s.Subjects...)
		}
	}
	var once []string
	for _, name := range names {
		if !slices.Contains(once, name) {
			once = append(once, name)
		}
	}
	return once, nil
}

// verify gates the subjects contract by contract and prints a table for each.
func (w *workbench) verify(cmd *cobra.Command, subjects []dyno.Subject, seed uint64, asJSON bool) error {
	ctx, out := cmd.Context(), cmd.OutOrStdout()
	failed := 0
	var all []dyno.GateResult
	progress := gateProgress(cmd.ErrOrStderr(), len(subjects))
	for _, of := range byContract(subjects) {
		cases, gates := w.gate(ctx, of, seed, progress)
		if ctx.Err() != nil {
			return &statusError{exitInterrupted, fmt.Errorf("interrupted before every subject was checked")}
		}
		for _, g := range gates {
			if !g.OK() && !w.declaredUnavailable(g.Subject) {
				failed++
			}
		}
		all = append(all, gates...)
		if asJSON {
			continue
		}
		if err := report.Gates(out, cases, of, gates, textOptions(out)); err != nil {
			return err
		}
		fmt.Fprintln(out)
	}
	var err error
	if asJSON {
		err = report.GatesJSON(out, all)
	} else {
		_, err = fmt.Fprintf(out, "All values were made from seed %d.\n", seed)
	}
	if err == nil && failed > 0 {
		err = &statusError{exitFailed, fmt.Errorf("%d of %s not proved to keep the contract; the table above says why", failed, words.Count(len(subjects), "subject"))}
	}
	return err
}

// gate checks subjects of one contract. Those of a contract that nobody knows are unavailable, and say so.
func (w *workbench) gate(ctx context.Context, subjects []dyno.Subject, seed uint64, progress func(dyno.GateResult)) ([]dyno.Case, []dyno.GateResult) {
	c, err := contract.ByName(subjects[0].Contract)
	if err != nil {
		gates := make([]dyno.GateResult, len(subjects))
		for i, s := range subjects {
			gates[i] = dyno.GateResult{Subject: s.Name, Contract: s.Contract, Fault: "unavailable: " + s.Unavailable}
			progress(gates[i])
		}
		return nil, gates
	}
	return c.Cases(), lab.Gates(ctx, c, subjects, seed, w.starter(c), progress)
}

// byContract groups the subjects in the order of contract.Names, those of unknown contracts last.
func byContract(subjects []dyno.Subject) [][]dyno.Subject {
	names := contract.Names()
	for _, s := range subjects {
		if !slices.Contains(names, s.Contract) {
			names = append(names, s.Contract)
		}
	}
	var groups [][]dyno.Subject
	for _, name := range names {
		of := slices.DeleteFunc(slices.Clone(subjects), func(s dyno.Subject) bool { return s.Contract != name })
		if len(of) > 0 {
			groups = append(groups, of)
		}
	}
	return groups
}

// gateProgress counts the subjects that were checked, on a terminal only.
func gateProgress(stderr io.Writer, subjects int) func(dyno.GateResult) {
	f, ok := stderr.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return func(dyno.GateResult) {}
	}
	done := 0
	return func(dyno.GateResult) {
		done++
		end := ""
		if done == subjects {
			end = "\r\x1b[K"
		}
		fmt.Fprintf(f, "\r\x1b[Kchecked %d of %s%s", done, words.Count(subjects, "subject"), end)
	}
}
