package main

import (
	"errors"
	"os"

	"github.com/spf13/cobra"

	"dyno"
	"dyno/internal/words"
	"dyno/report"
	"dyno/store"
)

func newReport() *cobra.Command {
	var out, format string
	formats := []string{"text", "md", "html", "json"}
	cmd := &cobra.Command{
		Use:   "report [RUN|FILE]",
		Short: "Judge a stored run again and print its report (default: the latest run)",
		Long: `Computes the verdict of a stored run from its trials and prints it. Partial runs are reported too.
A FILE is one that dyno export wrote.`,
		Example: `  dyno report
  dyno report minecraft-20261121-084812 --format md > report.md
  dyno report --format html > report.html     one page with drawings, for a browser`,
		Args: arguments(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, args, err := openRun(out, args)
			if err != nil {
				return err
			}
			defer s.Close()
			run, err := namedRun(cmd, s, args)
			if err != nil {
				return err
			}
			v, evidence, err := verdict(cmd.Context(), s, run)
			if err != nil {
				return err
			}
			w := cmd.OutOrStdout()
			switch format {
			case "text":
				return report.Text(w, v, textOptions(w))
			case "md":
				return report.Markdown(w, v)
			case "html":
				return report.HTML(w, v, evidence)
			case "json":
				return report.JSON(w, v)
			}
			return usage(errors.New("--format: " + words.Unknown("format", format, formats)))
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text, md, html or json")
	cmd.Flags().StringVar(&out, "out", "results", "folder of the store")
	return cmd
}

// openRun opens the exported file that the argument names, if it names a file, else the results folder.
// It returns the arguments that are left to be read as the name of a run.
func openRun(out string, args []string) (*store.Store, []string, error) {
	if len(args) == 1 {
		if info, err := os.Stat(args[0]); err == nil && !info.IsDir() {
			s, err := store.OpenFile(args[0])
			return s, nil, usage(err)
		}
	}
	s, err := store.OpenReadOnly(out)
	return s, args, err
}

// namedRun finds the run that the arguments name, or the latest.
func namedRun(cmd *cobra.Command, s *store.Store, args []string) (dyno.Run, error) {
	if len(args) == 1 {
		run, err := s.Run(cmd.Context(), args[0])
		return run, usage(err)
	}
	runs, err := s.Runs(cmd.Context())
	if err != nil {
		return dyno.Run{}, err
	}
	if len(runs) == 0 {
		return dyno.Run{}, errors.New("no run is stored yet; measure one with `dyno run`")
	}
	latest := runs[0]
	for _, r := range runs {
		if r.StartedAt.After(latest.StartedAt) {
			latest = r
		}
	}
	return latest, nil
}
