package main

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"dyno"
	"dyno/contract"
	"dyno/host"
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
or cannot run here. Without arguments every subject is checked.`,
		Example: `  dyno verify minecraft
  dyno verify framed-bun framed-deno`,
		RunE: func(cmd *cobra.Command, args []string) error {
			h, err := findHome(cmd)
			if err != nil {
				return err
			}
			placement, err := host.Place()
			if err != nil {
				return err
			}
			w, err := newWorkbench(h, placement, runtimes)
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
	for _, name := range contract.Names() {
		of := slices.DeleteFunc(slices.Clone(subjects), func(s dyno.Subject) bool { return s.Contract != name })
		if len(of) == 0 {
			continue
		}
		c, err := contract.ByName(name)
		if err != nil {
			return err
		}
		gates := lab.Gates(ctx, c, of, seed, w.starter(c), func(dyno.GateResult) {})
		if ctx.Err() != nil {
			return &statusError{exitInterrupted, fmt.Errorf("interrupted before every subject was checked")}
		}
		for _, g := range gates {
			if !g.OK() {
				failed++
			}
		}
		if err := printGates(out, c, of, gates, seed, asJSON); err != nil {
			return err
		}
	}
	if failed > 0 {
		return &statusError{exitFailed, fmt.Errorf("%d of %s not proved to keep the contract; the table above says why", failed, count(len(subjects), "subject"))}
	}
	return nil
}

func printGates(out io.Writer, c contract.Contract, subjects []dyno.Subject, gates []dyno.GateResult, seed uint64, asJSON bool) error {
	if asJSON {
		return report.GatesJSON(out, gates)
	}
	if err := report.Gates(out, c.Cases(), subjects, gates, textOptions(out)); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\nAll values were made from seed %d.\n", seed)
	return err
}
