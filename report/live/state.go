package live

import (
	"slices"
	"sync"

	"dyno"
	"dyno/report/internal/typeset"
)

// notesMax is how many of the latest notes stay in sight.
const notesMax = 4

// state is what is known of a run, written by the lab and read by the view.
type state struct {
	mu  sync.Mutex
	now snapshot
}

// snapshot is the state at one moment.
type snapshot struct {
	title     string
	words     typeset.Words
	progress  dyno.Progress
	notes     []string // the latest, oldest first
	noteCount int
}

func newState(suite dyno.Suite) *state {
	return &state{now: snapshot{title: title(suite), words: typeset.WordsOf(suite.Contract)}}
}

func title(suite dyno.Suite) string {
	s := typeset.Clean(suite.Title)
	if s == "" {
		s = typeset.Clean(suite.Name)
	}
	if suite.Quick {
		s += " (quick)"
	}
	return s
}

func (s *state) note(p dyno.Progress) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p.Figures = slices.Clone(p.Figures) // the lab may go on using its own
	s.now.progress = p
	if p.Note != "" {
		s.now.noteCount++
		s.now.notes = append(s.now.notes, typeset.Clean(p.Note))
		s.now.notes = s.now.notes[max(len(s.now.notes)-notesMax, 0):]
	}
}

func (s *state) look() snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now
	now.notes = slices.Clone(now.notes)
	return now
}
