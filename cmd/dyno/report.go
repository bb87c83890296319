package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"dyno"
	"dyno/internal/words"
	"dyno/report"
	"dyno/report/export"
	"dyno/stat"
	"dyno/store"
)

// reportFlags are what `dyno report` asks.
type reportFlags struct {
	out, format, to string
	draw            []string
	drawn           []string // the subjects that draw names
}

// reportFormats are the forms of a report. Those of the second list have several files.
var (
	reportFormats       = []string{"text", "md", "html", "json", "csv", "csv-slices", "benchstat", "hdr"}
	reportFolderFormats = []string{"txt", "hgrm"}
)

func newReport() *cobra.Command {
	var f reportFlags
	cmd := &cobra.Command{
		Use:   "report [RUN|FILE]",
		Short: "Judge a stored run again and print its report (default: the latest run)",
		Long: `Computes the verdict of a stored run from its trials and prints it. Partial runs are reported too.
A FILE is one that dyno export wrote.

For people, from the verdict: text, md, html.
For programs: json, the whole verdict (docs/JSON.md); csv, a line for each trial; csv-slices, a line
for each slice of it; benchstat, a benchmark line for each trial; hdr, a log of HDR histograms with
a line for each trial; hgrm, HDR percentiles of each subject in each cell, for HDR's plotter;
txt, what was seen of each subject as bombardier prints it. The last two have several files: --to
names a folder then, and without it they are printed one after the other.`,
		Example: `  dyno report
  dyno report minecraft-20261121-084812 --format md > report.md
  dyno report --format html --to report.html      one page with drawings, for a browser
  dyno report --format html --draw express,hono --to two.html
  dyno report --format csv --to trials.csv
  dyno report --format benchstat --to new.txt && benchstat -col /subject new.txt
  dyno report --format hgrm --to percentiles`,
		Args: arguments(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	cmd.Flags().StringVar(&f.format, "format", "text", strings.Join(slices.Concat(reportFormats, reportFolderFormats), ", "))
	cmd.Flags().StringVar(&f.to, "to", "", "`FILE` to write instead of standard output, or the folder of several files")
	cmd.Flags().StringSliceVar(&f.draw, "draw", nil, fmt.Sprintf("`NAMES` of up to %d subjects whose curves html draws, by name, title or runtime (default: the fastest)", report.DrawnMax))
	cmd.Flags().StringVar(&f.out, "out", "results", "folder of the store")
	return cmd
}

func (f *reportFlags) run(cmd *cobra.Command, args []string) error {
	if known := slices.Concat(reportFormats, reportFolderFormats); !slices.Contains(known, f.format) {
		return usage(errors.New("--format: " + words.Unknown("format", f.format, known)))
	}
	s, args, err := openRun(f.out, args)
	if err != nil {
		return err
	}
	defer s.Close()
	run, err := namedRun(cmd, s, args)
	if err != nil {
		return err
	}
	if f.drawn, err = f.subjectsOf(run, cmd.Flags().Changed("draw")); err != nil {
		return err
	}
	trials, err := s.Trials(cmd.Context(), run.ID)
	if err != nil {
		return err
	}
	if slices.Contains(reportFolderFormats, f.format) {
		return f.several(cmd.OutOrStdout(), run, trials)
	}
	if f.to == "" {
		return f.write(cmd.OutOrStdout(), run, trials)
	}
	var whole strings.Builder
	if err := f.write(&whole, run, trials); err != nil {
		return err
	}
	return notWritten(f.to, writeWhole(f.to, whole.String()))
}

// subjectsOf returns the subjects of a run that --draw names.
func (f *reportFlags) subjectsOf(run dyno.Run, given bool) ([]string, error) {
	switch {
	case !given:
		return nil, nil
	case f.format != "html":
		return nil, usagef("--draw is for --format html, which has drawings; leave it out with %s", f.format)
	case len(f.draw) == 0:
		return nil, usagef("--draw names nobody; name a subject or a runtime, or leave it out")
	}
	subjects := slices.DeleteFunc(slices.Clone(run.Subjects), func(s dyno.Subject) bool { return !s.Ranked() })
	drawn, err := picked(subjects, f.draw)
	if err != nil {
		return nil, usage(fmt.Errorf("--draw: %w", err))
	}
	if len(drawn) > report.DrawnMax {
		return nil, usagef("--draw names %d subjects, and a drawing has room for %d; name fewer", len(drawn), report.DrawnMax)
	}
	return drawn, nil
}

// write writes the report in a form of one file.
func (f *reportFlags) write(w io.Writer, run dyno.Run, trials []dyno.Trial) error {
	switch f.format {
	case "csv":
		return export.Trials(w, run, trials)
	case "csv-slices":
		return export.Slices(w, run, trials)
	case "benchstat":
		return export.Benchstat(w, run, trials)
	case "hdr":
		return export.HDRLog(w, run, trials)
	}
	v := judge(run, trials)
	switch f.format {
	case "md":
		return report.Markdown(w, v)
	case "html":
		return report.HTML(w, v, stat.Gather(run, trials), report.PageOptions{Draw: f.drawn})
	case "json":
		return report.JSON(w, v)
	}
	return report.Text(w, v, textOptions(w))
}

// several writes a form that has a file for each subject.
func (f *reportFlags) several(w io.Writer, run dyno.Run, trials []dyno.Trial) error {
	names, texts, err := f.files(run, trials)
	if err != nil {
		return err
	}
	if f.to != "" {
		folder := map[string]string{}
		for i, name := range names {
			folder[name] = texts[i]
		}
		return notWritten(f.to, save(f.to, folder))
	}
	for i, text := range texts {
		if i > 0 {
			text = "\n" + text
		}
		if f.format == "hgrm" {
			text = "#[" + names[i] + "]\n" + text
		}
		if _, err := io.WriteString(w, text); err != nil {
			return fmt.Errorf("write the report: %w", err)
		}
	}
	return nil
}

// files returns the names of a form's files and what is in them.
func (f *reportFlags) files(run dyno.Run, trials []dyno.Trial) (names, texts []string, err error) {
	if f.format == "txt" {
		dumps := report.Dumps(judge(run, trials))
		if len(dumps) == 0 {
			return nil, nil, usagef("--format txt: run %s has no valid trial of contract httpbasic, which bombardier's form is for; use text or csv", run.ID)
		}
		var files export.FileNames
		for _, s := range run.Subjects {
			if text, ok := dumps[s.Name]; ok {
				names, texts = append(names, files.Next(s.Name)+".txt"), append(texts, text)
			}
		}
		return names, texts, nil
	}
	distributions, err := export.Distributions(trials)
	if err == nil && len(distributions) == 0 {
		err = fmt.Errorf("run %s has no valid trial, so there are no latencies; dyno report %s says why", run.ID, run.ID)
	}
	for _, d := range distributions {
		names, texts = append(names, d.Name+".hgrm"), append(texts, d.Text)
	}
	return names, texts, err
}

// notWritten says why a report could not be written; nil stays nil.
func notWritten(path string, err error) error {
	if err == nil {
		return nil
	}
	var inner *fs.PathError
	if errors.As(err, &inner) {
		err = inner.Err // which names a file that nobody asked for
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		err = link.Err
	}
	return usagef("--to %s: %w; name a file in a folder that can be written", filepath.Clean(path), err)
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

// namedRun finds the run that the arguments name; nothing, or the word latest, is the latest.
func namedRun(cmd *cobra.Command, s *store.Store, args []string) (dyno.Run, error) {
	if len(args) == 1 && args[0] != "latest" {
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
