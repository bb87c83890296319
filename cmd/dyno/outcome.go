package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/term"

	"dyno"
	"dyno/internal/words"
	"dyno/lab"
	"dyno/report"
	"dyno/stat"
)

// judge computes the verdict from what is stored of a run.
func judge(run dyno.Run, trials []dyno.Trial) dyno.Verdict {
	return stat.Judge(run, trials, planned(run, len(trials)))
}

// report judges the run, prints the verdict, and writes it beside the store.
func (j *job) report(ctx context.Context, run dyno.Run) (dyno.Verdict, error) {
	trials, err := j.store.Trials(ctx, run.ID)
	if err != nil {
		return dyno.Verdict{}, err
	}
	v, evidence := judge(run, trials), stat.Gather(run, trials)
	var text, md, page, js strings.Builder
	if err := errors.Join(
		report.Text(&text, v, textOptions(j.stdout)), report.Markdown(&md, v), report.JSON(&js, v),
		report.HTML(&page, v, evidence, report.PageOptions{Links: rawData}),
	); err != nil {
		return v, err
	}
	dir := filepath.Join(j.out, run.ID)
	files := map[string]string{"report.md": md.String(), "report.html": page.String(), "verdict.json": js.String()}
	for subject, dump := range report.Dumps(v) {
		files[subject+".txt"] = dump
	}
	saveErr := save(dir, files)
	switch {
	case j.json:
		_, err = io.WriteString(j.stdout, js.String())
	case saveErr == nil:
		_, err = fmt.Fprintf(j.stdout, "%s\nReport: %s · every trial: %s\n",
			text.String(), filepath.Join(dir, "report.html"), filepath.Join(j.out, "dyno.db"))
	default:
		_, err = io.WriteString(j.stdout, text.String())
	}
	if err == nil && saveErr != nil {
		err = fmt.Errorf("the report of %s was printed but not saved: %w; every trial is stored, so make room there and use dyno report", run.ID, saveErr)
	}
	return v, err
}

// rawData are the files beside a run's page.
var rawData = []report.Link{
	{Words: "the verdict as JSON", Path: "verdict.json"}, {Words: "the report as Markdown", Path: "report.md"},
	{Words: "every trial of every run (SQLite)", Path: "../dyno.db"},
}

// save writes files into a folder.
func save(dir string, texts map[string]string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, text := range texts {
		if err := writeWhole(filepath.Join(dir, name), text); err != nil {
			return err
		}
	}
	return nil
}

// status turns the outcome of a run into an error, with a way out.
func (j *job) status(v dyno.Verdict, err error) error {
	switch {
	case errors.Is(err, context.Canceled):
		return &statusError{exitInterrupted, fmt.Errorf("interrupted; what is done is kept: `%s` finishes it", j.resumeCommand)}
	case errors.Is(err, lab.ErrBudget):
		return &statusError{exitFailed, fmt.Errorf("%w; `%s` finishes the run", err, j.resumeCommand)}
	case err != nil:
		return err
	}
	failed := 0
	for _, g := range v.Run.Gates {
		if !g.OK() && !j.declaredUnavailable(g.Subject) {
			failed++
		}
	}
	if failed > 0 || v.Voids > 0 {
		return &statusError{exitFailed, fmt.Errorf("%s not measured, %s; the report says why",
			words.Count(failed, "subject"), words.Count(v.Voids, "void trial"))}
	}
	if err := ensured(v.Cells); err != nil {
		return err
	}
	return promiseKept(v.Capacity)
}

// ensured names the first promise of a script (config.ensure) that a subject broke.
func ensured(cells []dyno.CellVerdict) error {
	for _, c := range cells {
		for _, r := range c.Rows {
			if r.Visits == nil {
				continue
			}
			for _, p := range r.Visits.Sum.Promises {
				if p.Broken > 0 && !p.Optional {
					return &statusError{exitFailed, fmt.Errorf("%s broke a promise of %s in %d of %d trials: %s; the report shows all of them",
						r.Subject, c.Cell.Workload.Name, p.Broken, p.Kept+p.Broken, p.Said)}
				}
			}
		}
	}
	return nil
}

// promiseKept names the first subject that kept the promise at no rate at all.
func promiseKept(c *dyno.CapacityVerdict) error {
	if c == nil {
		return nil
	}
	for _, r := range c.Rows {
		if r.Broken > 0 {
			return &statusError{exitFailed, fmt.Errorf("%s kept the promise at no rate in %d of %d searches; promise less, or look at the server", r.Subject, r.Broken, len(r.Limits))}
		}
	}
	return nil
}

// writeWhole writes a file in one step, so that no reader ever sees half of it.
func writeWhole(path, text string) error {
	part := path + ".part"
	err := os.WriteFile(part, []byte(text), 0o644)
	if err == nil {
		err = os.Rename(part, path)
	}
	if err != nil {
		_ = os.Remove(part) // it may not even exist
	}
	return err
}

// textOptions fits a report to the terminal that w is, if it is one.
func textOptions(w io.Writer) report.Options {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return report.Options{}
	}
	o := report.Options{Color: os.Getenv("NO_COLOR") == ""}
	if width, _, err := term.GetSize(int(f.Fd())); err == nil {
		o.Width = width
	}
	return o
}

// planned returns how many trials the plan of a run has: one that ended because it knew enough has those that
// are stored, and until then at most so many.
func planned(run dyno.Run, stored int) int {
	if run.Suite.Method.Precision > 0 && run.State == dyno.RunComplete {
		return stored
	}
	subjects := admitted(run).Subjects
	if len(run.Gates) == 0 { // nobody has been turned away yet
		subjects = slices.DeleteFunc(slices.Clone(run.Subjects), func(s dyno.Subject) bool { return s.Unavailable != "" })
	}
	return lab.NewPlan(run.Suite, run.Seed).Trials(subjects)
}
