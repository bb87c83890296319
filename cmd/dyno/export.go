package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"dyno/internal/words"
	"dyno/store"
)

func newExport() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "export RUN FILE",
		Short: "Write a stored run into one file, to be kept or read elsewhere",
		Long: `Writes a run and all its trials into one new file. This dyno and every later one can read it:
dyno import adds it to a results folder, dyno report prints it. docs/STORE.md describes the file.`,
		Example: "  dyno export minecraft-20261121-084812 minecraft.dyno\n  dyno export latest main.dyno\n  dyno report main.dyno",
		Args:    arguments(cobra.ExactArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := store.OpenReadOnly(out)
			if err != nil {
				return err
			}
			defer s.Close()
			run, err := namedRun(cmd, s, args[:1])
			if err != nil {
				return err
			}
			if err := s.Export(cmd.Context(), run.ID, args[1]); err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s is in %s\n", run.ID, args[1])
			return err
		},
	}
	cmd.Flags().StringVar(&out, "out", "results", "folder of the store")
	return cmd
}

func newImport() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "import FILE…",
		Short: "Add runs that were exported to the results folder",
		Long: `Adds the run in each file to the results folder, whole or not at all. Importing a file twice adds
nothing the second time. Files that are damaged, foreign or of a newer dyno are refused.`,
		Example: "  dyno import minecraft.dyno\n  dyno import --out shared *.dyno",
		Args:    arguments(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, path := range args { // before anything is created
				if err := importable(path); err != nil {
					return usage(err)
				}
			}
			s, err := store.Open(out)
			if err != nil {
				return err
			}
			defer s.Close()
			for _, path := range args {
				if err := importFile(cmd, s, path); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&out, "out", "results", "folder of the store")
	return cmd
}

func importable(path string) error {
	file, err := store.OpenFile(path)
	if err != nil {
		return err
	}
	return file.Close()
}

func importFile(cmd *cobra.Command, s *store.Store, path string) error {
	file, err := store.OpenFile(path)
	if err != nil {
		return usage(err)
	}
	defer file.Close()
	added, err := s.Import(cmd.Context(), file)
	if err != nil {
		return err
	}
	what := "already there"
	switch {
	case added.New:
		what = "new, " + words.Count(added.Trials, "trial")
	case added.Trials > 0:
		what = words.Count(added.Trials, "more trial")
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", added.Run.ID, what)
	return err
}
