package live

import (
	"fmt"
	"strings"

	"dyno"
	"dyno/report/internal/typeset"
)

const (
	widthMax     = 100
	widthDefault = 80 // until the terminal has said how wide it is
	barMax       = 50
	figureWidth  = 15
	namesMin     = 8 // columns for the names of subjects, however narrow the terminal is
	rowsMin      = 3 // of the table, however low the terminal is

	aroundFigures = 4 // lines: a blank one, the head, how many rows are not shown, and the cursor's
	workLines     = 3 // at most, for what is being done
	noteLines     = 2 // at most, for a note

	bold  = "\x1b[1m"
	dim   = "\x1b[2m"
	plain = "\x1b[0m"
)

// draw returns the view: progress, the cell in work, the latest figures, the latest notes. No line
// is wider than the terminal or 100 columns; a low terminal gets fewer rows of figures.
func draw(s snapshot, width, height int) string {
	if width <= 0 {
		width = widthDefault
	}
	p := canvas{width: min(width, widthMax)}
	p.line(bold, strings.TrimSpace(s.title+"  "+typeset.Clean(s.progress.RunID)))
	p.line("", bar(s.progress, p.width)+" "+counts(s.progress))
	p.line("", times(s.progress))
	p.line("", "")
	p.wrapped(work(s.progress), workLines)
	notes := canvas{width: p.width}
	notes.notes(s)
	rows := len(s.progress.Figures)
	if height > 0 {
		rows = max(height-p.lines-notes.lines-aroundFigures, rowsMin)
	}
	p.figures(s, rows)
	p.out.WriteString(notes.out.String())
	return strings.TrimRight(p.out.String(), "\n")
}

type canvas struct {
	width int
	lines int // that were drawn
	out   strings.Builder
}

func (c *canvas) line(style, text string) {
	text = strings.TrimRight(strings.ReplaceAll(typeset.Cut(text, c.width), typeset.Unbreakable, " "), " ")
	if style != "" && text != "" {
		text = style + text + plain
	}
	c.out.WriteString(text + "\n")
	c.lines++
}

// wrapped writes a text in as many lines as it needs, but no more than most; the last one is cut then.
func (c *canvas) wrapped(text string, most int) {
	lines := typeset.Wrap(text, c.width)
	if len(lines) > most {
		lines = append(lines[:most-1], strings.Join(lines[most-1:], " "))
	}
	for _, l := range lines {
		c.line("", l)
	}
}

// bar draws the share of trials that are done.
func bar(p dyno.Progress, width int) string {
	length := max(min(barMax, width-30), 5)
	filled := 0
	if p.TrialsPlanned > 0 {
		filled = min(max(length*p.TrialsDone/p.TrialsPlanned, 0), length)
	}
	return strings.Repeat("█", filled) + strings.Repeat("░", length-filled)
}

func counts(p dyno.Progress) string {
	if p.TrialsPlanned == 0 {
		return "planning"
	}
	return fmt.Sprintf("%s of %s", typeset.Thousands(int64(p.TrialsDone)), typeset.Counted(p.TrialsPlanned, "trial"))
}

func times(p dyno.Progress) string {
	s := typeset.Clock(p.Elapsed) + " so far"
	switch {
	case p.Phase == dyno.PhaseDone:
		return "done in " + typeset.Clock(p.Elapsed)
	case p.Left > 0:
		s += ", about " + typeset.Clock(p.Left) + " left"
	}
	return s
}

// phases says what a run is doing, for the phases that need more than a word.
var phases = map[dyno.Phase]string{
	dyno.PhaseInstall: "installing what is missing",
	dyno.PhaseGate:    "checking the contract",
	dyno.PhaseStart:   "starting servers",
	dyno.PhaseWarmUp:  "warming up",
	dyno.PhaseMeasure: "measuring",
	dyno.PhaseSearch:  "searching for the capacity",
	dyno.PhaseDone:    "finished",
}

// work names what is being done, to whom, and where in the plan.
func work(p dyno.Progress) string {
	parts := []string{"preparing"}
	if s, ok := phases[p.Phase]; ok {
		parts[0] = s
	}
	if p.Cell != (dyno.Cell{}) {
		parts = append(parts, p.Cell.String())
	}
	if p.Blocks > 0 && p.Phase != dyno.PhaseDone {
		parts = append(parts, fmt.Sprintf("block %d of %d", min(p.Block+1, p.Blocks), p.Blocks))
	}
	if p.Rounds > 0 && p.Phase == dyno.PhaseMeasure {
		parts = append(parts, fmt.Sprintf("round %d of %d", min(p.Round+1, p.Rounds), p.Rounds))
	}
	if subject := typeset.Clean(p.Subject); subject != "" {
		parts = append(parts, subject)
	}
	for i, part := range parts {
		parts[i] = strings.ReplaceAll(part, " ", typeset.Unbreakable) // a line ends between parts, if it can
	}
	return strings.ReplaceAll(strings.Join(parts, " · "), " ·", typeset.Unbreakable+"·")
}

// figures draws the table of the latest figures in the cell in work, with as many columns as there is room
// for and at most so many rows. Who has no figure yet is only counted: a suite may have dozens of subjects.
func (c *canvas) figures(s snapshot, rows int) {
	var measured []dyno.Figure
	for _, f := range s.progress.Figures {
		if f.RatePerS > 0 || f.Void != "" {
			measured = append(measured, f)
		}
	}
	if len(measured) == 0 {
		return
	}
	names := len("Subject")
	for _, f := range measured {
		names = max(names, typeset.Width(typeset.Clean(f.Subject)))
	}
	columns := min(max((c.width-namesMin)/figureWidth, 1), 3)
	names = min(names, max(c.width-columns*figureWidth, namesMin))
	row := func(cells ...string) string {
		text := typeset.Pad(typeset.Cut(cells[0], names), names, false)
		for _, cell := range cells[1:min(len(cells), 1+columns)] {
			text += typeset.Pad(cell, figureWidth, true)
		}
		return text
	}
	c.line("", "")
	c.line(dim, row("Subject", s.words.Replies+"/s", "p99 µs", "CPU µs/"+s.words.Reply))
	rows = min(rows, len(measured))
	for _, f := range measured[:rows] {
		name := typeset.Clean(f.Subject)
		if f.Void != "" {
			c.line("", row(name)+"  void: "+typeset.Clean(f.Void))
			continue
		}
		c.line("", row(name, known(f.RatePerS), known(float64(f.P99Ns)/1e3), known(f.CPUNsPerReply/1e3)))
	}
	var rest []string
	if hidden := len(measured) - rows; hidden > 0 {
		rest = append(rest, fmt.Sprintf("%d more", hidden))
	}
	if waiting := len(s.progress.Figures) - len(measured); waiting > 0 {
		rest = append(rest, fmt.Sprintf("%d not measured yet", waiting))
	}
	if len(rest) > 0 {
		c.line(dim, "and "+strings.Join(rest, ", "))
	}
}

// known writes a figure, or that there is none yet.
func known(x float64) string {
	if x <= 0 {
		return "–"
	}
	return typeset.Figure(x)
}

func (c *canvas) notes(s snapshot) {
	if len(s.notes) == 0 {
		return
	}
	c.line("", "")
	if earlier := s.noteCount - len(s.notes); earlier > 0 {
		c.line(dim, typeset.Counted(earlier, "earlier note"))
	}
	for _, n := range s.notes {
		c.wrapped("! "+n, noteLines)
	}
}
