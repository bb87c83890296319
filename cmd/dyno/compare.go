package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"dyno"
	"dyno/internal/threshold"
	"dyno/internal/words"
	"dyno/report"
	"dyno/stat"
	"dyno/store"
)

// compareFlags are what `dyno compare` asks.
type compareFlags struct {
	out, format string
	measures    []string
	failIf      []string
	strict      bool
	limits      []threshold.ChangeLimit
	shown       []dyno.Measure
}

var (
	compareFormats = []string{"text", "md", "html", "json", "junit"}
	shownByDefault = []string{string(dyno.Throughput), string(dyno.P99Time), string(dyno.SessionTime), string(dyno.CPUCost)}
)

func newCompare() *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use:   "compare A B",
		Short: "Say what changed from one run, version or machine to another",
		Long: `Compares two sides, A with B, cell by cell: throughput, latency, server CPU, memory and start-up,
each with its interval and a verdict. A side is a stored run, "latest", or a file that dyno export
wrote; RUN:SUBJECT narrows it to one subject, so that two versions of a subject can be compared
under different names.

Subjects of one run are paired by block, which cancels what the machine did meanwhile. Two runs are
not: measure both versions in one run where you can (docs/CI.md).

--fail-if takes a measure, < or >, and a change of B against A in percent. It fails when the
change is beyond the limit and established: a verdict after correction for all comparisons. With
--strict a change that is beyond the limit fails even when it is not established.
Measures: ` + measureNames() + `.`,
		Example: `  dyno compare minecraft-20261121-084812 latest
  dyno compare latest:framed-node latest:framed-bun
  dyno compare main.dyno branch.dyno --fail-if 'throughput<-5%' --fail-if 'p99>10%'
  dyno compare main.dyno branch.dyno --format md >> pull-request.md
  dyno compare main.dyno branch.dyno --format html > compare.html     a page with forest plots
  dyno compare main.dyno branch.dyno --format junit --fail-if 'throughput<-3%' > dyno.xml`,
		Args: arguments(cobra.ExactArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			return f.run(cmd, args[0], args[1])
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.out, "out", "results", "folder of the store")
	flags.StringVar(&f.format, "format", "text", strings.Join(compareFormats, ", "))
	flags.StringSliceVar(&f.measures, "measures", shownByDefault, "`NAMES` of what text, Markdown and HTML show, or all")
	flags.StringArrayVar(&f.failIf, "fail-if", nil, "exit 1 if `EXPRESSION` holds, e.g. 'throughput<-5%'; may be repeated")
	flags.BoolVar(&f.strict, "strict", false, "--fail-if fails on changes that are not established, too")
	return cmd
}

func measureNames() string {
	var names []string
	for _, m := range dyno.Measures() {
		names = append(names, string(m))
	}
	return strings.Join(names, ", ")
}

func (f *compareFlags) check() error {
	if !slices.Contains(compareFormats, f.format) {
		return usage(errors.New("--format: " + words.Unknown("format", f.format, compareFormats)))
	}
	for _, expression := range f.failIf {
		limit, err := threshold.ParseChange(expression)
		if err != nil {
			return usage(fmt.Errorf("--fail-if: %w", err))
		}
		f.limits = append(f.limits, limit)
	}
	if f.strict && len(f.limits) == 0 {
		return usagef("--strict says how --fail-if is meant; add one, e.g. --fail-if 'throughput<-5%%'")
	}
	names := strings.Split(measureNames(), ", ")
	for _, name := range f.measures {
		if name == "all" {
			f.shown = dyno.Measures()
			return nil
		}
		if !slices.Contains(names, name) {
			return usage(errors.New("--measures: " + words.Unknown("measure", name, names)))
		}
	}
	for _, m := range dyno.Measures() { // in the order of reports
		if slices.Contains(f.measures, string(m)) {
			f.shown = append(f.shown, m)
		}
	}
	return nil
}

func (f *compareFlags) run(cmd *cobra.Command, a, b string) error {
	sideA, trialsA, err := f.side(cmd, a)
	if err != nil {
		return err
	}
	sideB, trialsB, err := f.side(cmd, b)
	if err != nil {
		return err
	}
	if sideA.Run.ID == sideB.Run.ID && sideA.Subject == sideB.Subject {
		return usagef("%s and %s are the same run; name two runs, or two subjects with RUN:SUBJECT", words.Quote(a), words.Quote(b))
	}
	c := stat.Contrast(sideA, sideB, trialsA, trialsB)
	if len(c.Changes) == 0 {
		return &statusError{exitFailed, fmt.Errorf("%s and %s have no cell with trials of a common subject; compare runs of one suite, or name the subjects with RUN:SUBJECT",
			words.Quote(a), words.Quote(b))}
	}
	judged, failed := f.judge(c)
	if err := f.print(cmd.OutOrStdout(), c, judged); err != nil {
		return err
	}
	if len(failed) > 0 {
		return &statusError{exitFailed, errors.New("changed too far: " + strings.Join(failed, "; "))}
	}
	return nil
}

// side reads RUN, RUN:SUBJECT, FILE or FILE:SUBJECT.
func (f *compareFlags) side(cmd *cobra.Command, name string) (dyno.Side, []dyno.Trial, error) {
	place, subject := name, ""
	if _, err := os.Stat(name); err != nil {
		if at := strings.LastIndex(name, ":"); at >= 0 {
			place, subject = name[:at], name[at+1:]
			if subject == "" {
				return dyno.Side{}, nil, usagef("%s names no subject after the colon; write RUN:SUBJECT, or leave the colon out", words.Quote(name))
			}
		}
	}
	s, args, err := openRun(f.out, []string{place})
	if err != nil {
		return dyno.Side{}, nil, err
	}
	defer s.Close()
	run, err := namedRun(cmd, s, args)
	if err != nil {
		return dyno.Side{}, nil, err
	}
	trials, err := f.trials(cmd.Context(), s, run, subject)
	return dyno.Side{Run: run, Subject: subject}, trials, err
}

func (f *compareFlags) trials(ctx context.Context, s *store.Store, run dyno.Run, subject string) ([]dyno.Trial, error) {
	if subject != "" {
		var names []string
		for _, o := range run.Subjects {
			if !o.Ceiling {
				names = append(names, o.Name)
			}
		}
		if !slices.Contains(names, subject) {
			return nil, usagef("run %s: %s", run.ID, words.Unknown("subject", subject, names))
		}
	}
	return s.Trials(ctx, run.ID)
}

// judge applies the thresholds to every change, and says which broke one.
func (f *compareFlags) judge(c dyno.Contrast) (judged []report.Judged, failed []string) {
	for _, change := range c.Changes {
		j := report.Judged{Change: change}
		for _, limit := range f.limits {
			if limit.Measure() != change.Measure {
				continue
			}
			exceeded, established, seen := limit.Exceeded(change)
			if exceeded && (established || f.strict) {
				j.Failed = fmt.Sprintf("%s: %s", limit, seen)
				failed = append(failed, j.Failed)
			}
		}
		judged = append(judged, j)
	}
	return judged, failed
}

func (f *compareFlags) print(w io.Writer, c dyno.Contrast, judged []report.Judged) error {
	switch f.format {
	case "md":
		return report.ContrastMarkdown(w, c, judged, f.shown)
	case "html":
		return report.ContrastHTML(w, c, judged, f.shown)
	case "json":
		return report.ContrastJSON(w, c, judged)
	case "junit":
		return report.ContrastJUnit(w, c, judged)
	}
	return report.ContrastText(w, c, judged, f.shown, textOptions(w))
}
