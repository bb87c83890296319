// Package live shows a run while it is measured: a view that is redrawn on a terminal, or plain
// lines for a pipe or a log.
//
// Both take dyno.Progress and nothing else, and never make the run wait: Show only notes what it
// is told. They judge nothing; what they show has no interval and is for watching.
package live

import (
	"io"
	"os"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"dyno"
)

// redrawEvery is the pause between two looks at the state. It is long, because drawing takes CPU
// from the cores that are being measured.
const redrawEvery = 200 * time.Millisecond

// View shows a run on a terminal.
type View struct {
	state   *state
	program *tea.Program
	ended   chan error
}

// New starts a view of a suite's run on a terminal. It reads no input, so that Ctrl-C remains the
// business of the caller, and a killed dyno leaves the terminal usable. Call Close to end it.
func New(terminal io.Writer, suite dyno.Suite) *View {
	return start(terminal, suite)
}

// start is New with further options of the program.
func start(terminal io.Writer, suite dyno.Suite, more ...tea.ProgramOption) *View {
	options := append([]tea.ProgramOption{
		tea.WithOutput(terminal),
		tea.WithInput(nil),
		tea.WithoutSignalHandler(),
		tea.WithEnvironment(environment(os.Environ())),
		tea.WithFPS(int(time.Second / redrawEvery)),
	}, more...)
	s := newState(suite)
	v := &View{state: s, ended: make(chan error, 1)}
	v.program = tea.NewProgram(model{state: s}, options...)
	go func() {
		_, err := v.program.Run()
		v.ended <- err
	}()
	return v
}

// Show notes a moment of the run. It never blocks on the terminal.
func (v *View) Show(p dyno.Progress) { v.state.note(p) }

// Close draws the last state and gives the terminal back. The error says why the view ended early,
// if it did.
func (v *View) Close() error {
	v.program.Send(redraw{})
	v.program.Quit()
	return <-v.ended
}

// environment keeps the renderer from asking the terminal what it can do: with no input read, the
// answers would appear on the user's prompt. It does not ask over SSH, except for some values of
// TERM, which all understand what xterm does.
func environment(environ []string) []string {
	kept := []string{"SSH_TTY=-"}
	for _, e := range environ {
		name, value, _ := strings.Cut(e, "=")
		switch {
		case name == "SSH_TTY", name == "WT_SESSION", name == "TERM_PROGRAM":
		case name == "TERM" && value != "dumb":
			kept = append(kept, "TERM=xterm-256color")
		default:
			kept = append(kept, e)
		}
	}
	return kept
}

// redraw asks the model to look at the state.
type redraw struct{}

// model draws the state as it was at the last look.
type model struct {
	state         *state
	shown         snapshot
	width, height int // of the terminal; 0 until known
}

func (m model) Init() tea.Cmd { return nextRedraw() }

func nextRedraw() tea.Cmd {
	return tea.Tick(redrawEvery, func(time.Time) tea.Msg { return redraw{} })
}

func (m model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case redraw:
		m.shown = m.state.look()
		return m, nextRedraw()
	}
	return m, nil
}

func (m model) View() tea.View {
	v := tea.NewView(draw(m.shown, m.width, m.height))
	v.DisableBracketedPasteMode = true // nothing is read, so nothing can be pasted
	return v
}
