package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"dyno"
	"dyno/lab"
	"dyno/report"
	"dyno/store"
)

func newList() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:       "list suites|subjects|runs",
		Short:     "List what there is",
		Example:   "  dyno list subjects\n  dyno list runs --out results",
		ValidArgs: []string{"suites", "subjects", "runs"},
		Args:      arguments(cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if args[0] == "runs" {
				return listRuns(cmd, out)
			}
			if args[0] == "suites" {
				return listSuites(cmd)
			}
			return listSubjects(cmd)
		},
	}
	cmd.Flags().StringVar(&out, "out", "results", "folder of the store")
	return cmd
}

func listSuites(cmd *cobra.Command) error {
	h, err := findHome(cmd)
	if err != nil {
		return err
	}
	names, err := lab.SuiteNames(h.suites())
	if err != nil {
		return err
	}
	t := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "SUITE\tTITLE\tSUBJECTS\tCELLS\tBLOCKS\tCELLS, QUICK\tBLOCKS, QUICK")
	for _, name := range names {
		full, err := lab.LoadSuites(h.suites(), name, false)
		if err != nil {
			return usage(err)
		}
		quick, err := lab.LoadSuites(h.suites(), name, true)
		if err != nil {
			return usage(err)
		}
		if len(full) != 1 || full[0].Name != name {
			fmt.Fprintf(t, "%s\tseveral suites in their quick form\t\t\t\t\t\n", name)
			continue
		}
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%d\t%d\t%d\n", name, full[0].Title, len(full[0].Subjects),
			len(full[0].Cells), full[0].Method.Blocks, len(quick[0].Cells), quick[0].Method.Blocks)
	}
	return t.Flush()
}

func listSubjects(cmd *cobra.Command) error {
	_, w, err := placedBench(cmd, nil)
	if err != nil {
		return err
	}
	return report.Subjects(cmd.OutOrStdout(), w.resolved(cmd.Context()), textOptions(cmd.OutOrStdout()))
}

func listRuns(cmd *cobra.Command, out string) error {
	s, err := store.OpenReadOnly(out)
	if err != nil {
		return err
	}
	defer s.Close()
	runs, err := s.Runs(cmd.Context())
	if err != nil {
		return err
	}
	t := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "RUN\tSTATE\tTRIALS\tSTARTED\tMACHINE")
	for _, r := range runs {
		keys, err := s.Keys(cmd.Context(), r.ID)
		if err != nil {
			return err
		}
		state := string(r.State)
		if r.State == dyno.RunStarted && !s.Busy() {
			state = "killed" // nobody is at it any more, and nobody said goodbye
		}
		fmt.Fprintf(t, "%s\t%s\t%d of %d\t%s\t%s\n", r.ID, state, len(keys), planned(r, len(keys)),
			r.StartedAt.Local().Format("2006-01-02 15:04"), r.Machine.Hostname)
	}
	return t.Flush()
}
