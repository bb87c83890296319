package live

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"dyno"
	"dyno/report/internal/typeset"
)

// PlainView writes a line for each finished cell of a block and for each event.
type PlainView struct {
	mu    sync.Mutex
	w     io.Writer
	words typeset.Words
	phase dyno.Phase
	err   error // the first failure to write
}

// Plain shows a suite's run as lines that suit a pipe, a log or a CI page.
func Plain(w io.Writer, suite dyno.Suite) *PlainView {
	return &PlainView{w: w, words: typeset.WordsOf(suite.Contract)}
}

// Show writes what the moment is worth: often nothing.
func (v *PlainView) Show(p dyno.Progress) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if s := v.entered(p); s != "" {
		v.line(p, s)
	}
	if p.CellDone {
		v.line(p, v.cell(p))
	}
	if p.Note != "" {
		v.line(p, typeset.Clean(p.Note))
	}
}

// Close reports the first line that could not be written.
func (v *PlainView) Close() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.err
}

// entered tells of the phases that a run passes once; the others come again with each block and
// each cell.
func (v *PlainView) entered(p dyno.Progress) string {
	before := v.phase
	v.phase = p.Phase
	if p.Phase == before {
		return ""
	}
	switch p.Phase {
	case dyno.PhaseInstall, dyno.PhaseGate:
		return phases[p.Phase]
	case dyno.PhaseDone:
		return fmt.Sprintf("finished: %s, run %s", counts(p), typeset.Clean(p.RunID))
	}
	return ""
}

func (v *PlainView) cell(p dyno.Progress) string {
	figures := make([]string, len(p.Figures))
	for i, f := range p.Figures {
		name := typeset.Clean(f.Subject)
		if f.Void != "" {
			figures[i] = name + " void (" + typeset.Clean(f.Void) + ")"
			continue
		}
		figures[i] = name + " " + known(f.RatePerS)
	}
	s := fmt.Sprintf("block %d of %d, %s: %s %s/s; %s", p.Block+1, p.Blocks, p.Cell, strings.Join(figures, ", "), v.words.Replies, counts(p))
	if p.Left > 0 {
		s += ", about " + typeset.Clock(p.Left) + " left"
	}
	return s
}

func (v *PlainView) line(p dyno.Progress, text string) {
	_, err := fmt.Fprintf(v.w, "[%6s] %s\n", typeset.Clock(p.Elapsed), text)
	if err != nil && v.err == nil {
		v.err = fmt.Errorf("show progress: %w", err)
	}
}
