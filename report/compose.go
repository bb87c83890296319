package report

import (
	"fmt"
	"slices"
	"strings"

	"dyno"
	"dyno/report/internal/typeset"
)

// editor turns a verdict into a document.
type editor struct {
	v       dyno.Verdict       // without the cells whose load are virtual users
	visited []dyno.CellVerdict // those
	titles  map[string]string  // by subject name
	words   typeset.Words
}

// compose returns the whole report: the answer first, then what it rests on.
func compose(v dyno.Verdict) document {
	e := newEditor(v)
	var d document
	d.add(heading{1, firstOf(v.Run.Suite.Title, v.Run.Suite.Name, v.Run.ID)})
	e.partial(&d)
	e.runtimes(&d)
	e.headline(&d)
	e.clones(&d)
	e.findings(&d)
	e.adviceSection(&d)
	e.setting(&d)
	if v.Run.Suite.Contract == codecContract {
		e.codec(&d)
	} else {
		for _, load := range e.loads() {
			e.load(&d, load)
		}
		e.cannon(&d)
		e.scaling(&d)
		e.latency(&d)
		e.visits(&d)
	}
	e.capacitySection(&d)
	e.pairs(&d)
	e.cost(&d)
	e.packages(&d)
	e.shares(&d)
	e.claims(&d)
	e.notMeasured(&d)
	e.voids(&d)
	e.suspects(&d)
	e.undecided(&d)
	e.howToRead(&d)
	return d
}

// composeText returns the report for a terminal, where the end is what stays in sight, so that the
// answer stands there once more.
func composeText(v dyno.Verdict) document {
	d := compose(v)
	e := newEditor(v)
	d.add(heading{2, "In short"})
	e.partial(&d)
	e.headline(&d)
	e.clones(&d)
	return d
}

func newEditor(v dyno.Verdict) editor {
	users := func(c dyno.CellVerdict) bool { return c.Cell.Load.Users > 0 }
	visited := slices.DeleteFunc(slices.Clone(v.Cells), func(c dyno.CellVerdict) bool { return !users(c) })
	v.Cells = slices.DeleteFunc(slices.Clone(v.Cells), users)
	e := editor{v: v, visited: visited, titles: titlesOf(v.Run.Subjects), words: typeset.WordsOf(v.Run.Suite.Contract)}
	if e.showsRuntimes() {
		e.words.Subject = "Runtime"
	}
	return e
}

// titleMax is the width that a title may take, so that a table of them fits.
const titleMax = 24

// titleUnbroken is the width up to which a title of several words stays on one line.
const titleUnbroken = 12

// titlesOf returns what tables call the subjects. A title that several of them have tells nothing,
// so those go by their names.
func titlesOf(subjects []dyno.Subject) map[string]string {
	bearers := map[string]int{}
	for _, s := range subjects {
		bearers[typeset.Cut(typeset.Clean(s.Title), titleMax)]++
	}
	titles := map[string]string{}
	for _, s := range subjects {
		if title := typeset.Cut(typeset.Clean(s.Title), titleMax); title != "" && bearers[title] == 1 {
			titles[s.Name] = title
		}
	}
	return titles
}

// title returns what tables call a subject.
func (e editor) title(subject string) string {
	title := firstOf(e.titles[subject], typeset.Cut(typeset.Clean(subject), titleMax))
	if typeset.Width(title) <= titleUnbroken {
		return strings.ReplaceAll(title, " ", typeset.Unbreakable)
	}
	return title
}

// firstOf returns the first text that shows anything.
func firstOf(texts ...string) string {
	for _, s := range texts {
		if typeset.Clean(s) != "" {
			return s
		}
	}
	return "(no name)"
}

// loads returns the loads that were measured, in suite order.
func (e editor) loads() []dyno.Load {
	var loads []dyno.Load
	for _, c := range e.v.Cells {
		if !slices.Contains(loads, c.Cell.Load) {
			loads = append(loads, c.Cell.Load)
		}
	}
	return loads
}

// contested returns the cells in which subjects rival. Those that only copy bytes are ceilings, and no work of a
// codec: nobody is faster for them.
func (e editor) contested() []dyno.CellVerdict {
	return slices.DeleteFunc(slices.Clone(e.v.Cells), func(c dyno.CellVerdict) bool { return named(c, dyno.CopyPrefix) })
}

// cellsUnder returns the contested cells of a load.
func (e editor) cellsUnder(load dyno.Load) []dyno.CellVerdict {
	var cells []dyno.CellVerdict
	for _, c := range e.contested() {
		if c.Cell.Load == load {
			cells = append(cells, c)
		}
	}
	return cells
}

func (e editor) average(load dyno.Load) (dyno.Average, bool) {
	for _, a := range e.v.Averages {
		if a.Load == load {
			return a, true
		}
	}
	return dyno.Average{}, false
}

// ranked returns the subjects with a figure in some cell, in suite order.
func (e editor) ranked() []string {
	var subjects []string
	for _, c := range e.v.Cells {
		for _, r := range c.Rows {
			if r.RatePerS.N > 0 && !slices.Contains(subjects, r.Subject) {
				subjects = append(subjects, r.Subject)
			}
		}
	}
	return subjects
}

// versus returns the two subjects of the seed's table, if the suite names them.
func (e editor) versus() (first, second string, ok bool) {
	pair := e.v.Run.Suite.Versus
	return pair[0], pair[1], pair[0] != "" && pair[1] != ""
}

func rowOf(c dyno.CellVerdict, subject string) (dyno.Row, bool) {
	i := slices.IndexFunc(c.Rows, func(r dyno.Row) bool { return r.Subject == subject })
	if i < 0 {
		return dyno.Row{}, false
	}
	return c.Rows[i], true
}

// processes says how many fresh processes stand behind the figures of some cells.
func (e editor) processes(cells []dyno.CellVerdict) string {
	var n extent
	for _, c := range cells {
		for _, r := range c.Rows {
			n.add(r.RatePerS.N)
		}
	}
	if e.v.Run.Suite.AdHoc() {
		return "n = " + n.of("repetition", "repetitions") + " on one process of the server"
	}
	return "n = " + n.of("process", "processes") + " of each subject"
}

// partial says at the top that the run is not complete.
func (e editor) partial(d *document) {
	r := e.v.Run
	if r.State == dyno.RunComplete && e.v.Trials >= e.v.Planned {
		return
	}
	of := "of"
	if r.Suite.Method.Precision > 0 {
		of = "of at most"
	}
	command := "'dyno run' with --resume, the suite"
	if len(r.Suite.Cells) == 0 && r.Suite.Capacity != nil {
		command = "'dyno capacity' with --resume, the subjects"
	}
	d.add(alarm(fmt.Sprintf("PARTIAL: %s %s %s trials. What follows holds for these only; %s and the same --out measures the rest.",
		typeset.Thousands(int64(e.v.Trials)), of, typeset.Thousands(int64(e.v.Planned)), command)))
}
