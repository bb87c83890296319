// Package live shows a run while it is measured: a view that is redrawn on a terminal, or plain
// lines for a pipe or a log.
//
// Both take dyno.Progress and nothing else, and never make the run wait: Show only notes what it
// is told. They judge nothing; what they show has no interval and is for watching.
package live

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"dyno"
)

// redrawEvery is the pause between two looks at the state. It is long, because drawing takes CPU
// from the cores that are being measured.
const redrawEvery = 400 * time.Millisecond

// closeWithin bounds the wait for a terminal that takes no more, as after Ctrl-S.
const closeWithin = time.Second

// View shows a run on a terminal. It draws each frame over the last one with two control sequences
// that every terminal knows, reads nothing, asks nothing and changes no mode of the terminal, so that
// even a dyno that was killed leaves it usable. (A full terminal library was tried here: with its
// input off it misplaced frames that grow, and it hides the cursor.)
type View struct {
	state *state
	size  func() (width, height int)
	out   io.Writer
	lines int // of the last frame
	stop  chan struct{}
	ended chan error
	once  sync.Once
	err   error
}

// New starts a view of a suite's run on a terminal. Call Close to end it.
func New(terminal *os.File, suite dyno.Suite) *View {
	return start(terminal, suite, func() (int, int) {
		width, height, err := term.GetSize(int(terminal.Fd()))
		if err != nil {
			return 0, 0
		}
		return width, height
	})
}

func start(out io.Writer, suite dyno.Suite, size func() (width, height int)) *View {
	v := &View{
		state: newState(suite), size: size, out: out,
		stop: make(chan struct{}), ended: make(chan error, 1),
	}
	go func() { v.ended <- v.redraw() }()
	return v
}

// redraw draws until the view is closed, and the last state then.
func (v *View) redraw() error {
	tick := time.NewTicker(redrawEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if err := v.frame(); err != nil {
				return err
			}
		case <-v.stop:
			return v.frame()
		}
	}
}

// frame draws the state over the last frame, in one write so that it cannot be seen half drawn. Each
// line is cleared to its end only after it is written, which does not flicker.
func (v *View) frame() error {
	width, height := v.size()
	text := draw(v.state.look(), width, height)
	var b strings.Builder
	if v.lines > 0 {
		fmt.Fprintf(&b, "\r\x1b[%dA", v.lines)
	}
	b.WriteString(strings.ReplaceAll(text+"\n", "\n", "\x1b[K\r\n"))
	b.WriteString("\x1b[J")
	v.lines = strings.Count(text, "\n") + 1
	_, err := io.WriteString(v.out, b.String())
	return err
}

// Show notes a moment of the run. It never blocks on the terminal.
func (v *View) Show(p dyno.Progress) { v.state.note(p) }

// Close draws the last state. The error says why the view ended early, if it did.
func (v *View) Close() error {
	v.once.Do(func() {
		close(v.stop)
		select {
		case v.err = <-v.ended:
		case <-time.After(closeWithin):
			v.err = fmt.Errorf("the terminal took no output for %v", closeWithin)
		}
	})
	return v.err
}
