package live

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"dyno"
	"dyno/internal/golden"
	"dyno/report/internal/typeset"
)

var (
	suite = dyno.Suite{Name: "minecraft", Title: "Minecraft-style framed TCP echo", Contract: "framed", Quick: true}
	cell  = dyno.Cell{Workload: dyno.Workload{PayloadBytes: 64}, Load: dyno.Load{Connections: 4, Depth: 1}}
)

// story is a short run from the first moment to the last.
func story() []dyno.Progress {
	at := func(s int, p dyno.Progress) dyno.Progress {
		p.RunID = "minecraft-20261121-084812"
		p.Elapsed = time.Duration(s) * time.Second
		p.TrialsPlanned = 96
		return p
	}
	figures := []dyno.Figure{
		{Subject: "Deno", RatePerS: 55_278.4, P99Ns: 119_400, CPUNsPerReply: 14_310},
		{Subject: "Bun"},
		{Subject: "Node", Void: "3 wrong replies: want 64 B, got 0 B"},
	}
	final := slices.Clone(figures)
	final[1] = dyno.Figure{Subject: "Bun", RatePerS: 67_213, P99Ns: 102_000, CPUNsPerReply: 11_700}
	return []dyno.Progress{
		at(0, dyno.Progress{Phase: dyno.PhaseInstall}),
		at(2, dyno.Progress{Phase: dyno.PhaseGate, Subject: "Deno"}),
		at(3, dyno.Progress{Phase: dyno.PhaseGate, Subject: "Java", Note: "Java broke its contract in split-frame: it gets no number"}),
		at(5, dyno.Progress{Phase: dyno.PhaseStart, Blocks: 5, Subject: "Deno"}),
		at(7, dyno.Progress{Phase: dyno.PhaseWarmUp, Blocks: 5, Cell: cell, Subject: "Bun", Left: 5 * time.Minute}),
		at(95, dyno.Progress{Phase: dyno.PhaseMeasure, Blocks: 5, Block: 1, Cell: cell, Round: 6, Rounds: 16, Subject: "Bun",
			TrialsDone: 34, Left: 190 * time.Second, Figures: figures}),
		at(97, dyno.Progress{Phase: dyno.PhaseMeasure, Blocks: 5, Block: 1, Cell: cell, Round: 15, Rounds: 16, Note: "Node: trial void: 3 wrong replies",
			TrialsDone: 37, Left: 185 * time.Second, Figures: final, CellDone: true}),
		at(330, dyno.Progress{Phase: dyno.PhaseDone, Blocks: 5, Block: 4, TrialsDone: 96}),
	}
}

// frames plays a story and returns what it showed after each event.
func frames(events []dyno.Progress, width, height int) []string {
	s := newState(suite)
	var shown []string
	for _, p := range events {
		s.note(p)
		shown = append(shown, draw(s.look(), width, height))
	}
	return shown
}

func TestGoldenFrames(t *testing.T) {
	for _, size := range []struct{ width, height int }{{100, 30}, {60, 30}, {40, 30}} {
		var all strings.Builder
		for i, f := range frames(story(), size.width, size.height) {
			fmt.Fprintf(&all, "--- event %d\n%s\n", i, f)
		}
		golden.Check(t, fmt.Sprintf("frames-%d.txt", size.width), strings.NewReplacer(bold, "", dim, "", plain, "").Replace(all.String()))
	}
}

func TestGoldenPlain(t *testing.T) {
	var out bytes.Buffer
	v := Plain(&out, suite)
	for _, p := range story() {
		v.Show(p)
	}
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "plain.txt", out.String())
}

// hostileProgress has what no lab should send and a subject may cause.
func hostileProgress() dyno.Progress {
	p := dyno.Progress{
		Phase: "no such phase", RunID: "\x1b[2Jid\n", Block: 9, Blocks: 3, Round: -1, Rounds: 4, TrialsDone: 120, TrialsPlanned: 96,
		Subject: strings.Repeat("漢", 80), Elapsed: -time.Second, Left: 400 * time.Hour, CellDone: true, Cell: cell,
		Note: "void: \x1b]0;owned\x07\r\n" + strings.Repeat("long ", 60),
	}
	for i := range 40 {
		p.Figures = append(p.Figures, dyno.Figure{Subject: fmt.Sprintf("subject \x00 %d %s", i, strings.Repeat("x", 90)), RatePerS: -1})
	}
	p.Figures[1].Void = "\x1b[31m" + strings.Repeat("reason ", 40)
	return p
}

func TestEveryFrameFitsItsTerminal(t *testing.T) {
	events := append(story(), hostileProgress(), hostileProgress(), hostileProgress(), hostileProgress(), hostileProgress(), hostileProgress())
	for _, size := range []struct{ width, height int }{{0, 0}, {20, 10}, {40, 10}, {80, 24}, {100, 50}, {300, 100}} {
		width := size.width
		if width == 0 {
			width = widthDefault
		}
		for i, f := range frames(events, size.width, size.height) {
			lines := strings.Split(strings.NewReplacer(bold, "", dim, "", plain, "").Replace(f), "\n")
			for _, l := range lines {
				if w := typeset.Width(l); w > min(width, widthMax) {
					t.Errorf("%v, event %d: %d columns: %q", size, i, w, l)
				}
				if typeset.Clean(l) != strings.TrimSpace(l) {
					t.Errorf("%v, event %d: not clean: %q", size, i, l)
				}
			}
			if size.height >= 24 && len(lines) > size.height {
				t.Errorf("%v, event %d: %d lines", size, i, len(lines))
			}
		}
	}
}

func TestPlainLinesAreClean(t *testing.T) {
	var out bytes.Buffer
	v := Plain(&out, suite)
	v.Show(hostileProgress())
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != 2 {
		t.Errorf("%d lines, want one for the cell and one for the note: %q", len(lines), lines)
	}
	for _, l := range lines {
		if typeset.Clean(l) != l {
			t.Errorf("not clean: %q", l)
		}
	}
}

type closedPipe struct{}

var errPipe = errors.New("broken pipe")

func (closedPipe) Write([]byte) (int, error) { return 0, errPipe }

func TestPlainReportsAClosedPipe(t *testing.T) {
	v := Plain(closedPipe{}, suite)
	for _, p := range story() {
		v.Show(p)
	}
	if err := v.Close(); !errors.Is(err, errPipe) {
		t.Errorf("got %v", err)
	}
}

// buffer is a writer that several goroutines may use.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func wide() (width, height int) { return 100, 30 }

func TestTheViewRunsAndEnds(t *testing.T) {
	var out buffer
	v := start(&out, suite, wide)
	for _, p := range story() {
		v.Show(p)
	}
	for range 2 { // closing twice is once
		if err := v.Close(); err != nil {
			t.Fatal(err)
		}
	}
	v.Show(story()[0]) // after the end: without effect
	shown := out.String()
	if !strings.Contains(shown, "96 of 96 trials") || !strings.Contains(shown, "done in 5m30s") {
		t.Errorf("the last state was not drawn: %q", shown)
	}
}

// TestFramesReplaceEachOther draws growing and shrinking frames and replays them as a terminal would:
// what is left is the last frame alone.
func TestFramesReplaceEachOther(t *testing.T) {
	var out buffer
	v := &View{state: newState(suite), size: wide, out: &out}
	last := ""
	for _, p := range append(story(), story()...) {
		v.Show(p)
		if err := v.frame(); err != nil {
			t.Fatal(err)
		}
		last = draw(v.state.look(), 100, 30)
	}
	if got := replay(t, out.String()); got != last {
		t.Errorf("the terminal shows\n%s\nwant\n%s", got, last)
	}
}

// replay interprets the few control sequences that a view uses.
func replay(t *testing.T, s string) string {
	t.Helper()
	screen := []string{""}
	row := 0
	for s != "" {
		var up int
		switch {
		case strings.HasPrefix(s, "\r\x1b["):
			if _, err := fmt.Sscanf(s, "\r\x1b[%dA", &up); err != nil || up > row {
				t.Fatalf("row %d: bad sequence %.12q: %v", row, s, err)
			}
			row -= up
			s = s[strings.IndexByte(s, 'A')+1:]
		case strings.HasPrefix(s, "\x1b[J"):
			screen = screen[:row+1]
			screen[row] = ""
			s = s[len("\x1b[J"):]
		default:
			line, rest, found := strings.Cut(s, "\x1b[K\r\n")
			if !found {
				t.Fatalf("a line without an end: %.40q", s)
			}
			screen[row] = line
			if row++; row == len(screen) {
				screen = append(screen, "")
			}
			s = rest
		}
	}
	return strings.Join(screen[:len(screen)-1], "\n")
}

// TestAStuckTerminalDoesNotStopTheRun shows progress to a terminal that takes nothing, as after
// Ctrl-S.
func TestAStuckTerminalDoesNotStopTheRun(t *testing.T) {
	stuck := make(stuckTerminal)
	v := start(stuck, suite, wide)
	for range 1000 {
		for _, p := range story() {
			v.Show(p)
		}
	}
	close(stuck)
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
}

type stuckTerminal chan struct{}

func (s stuckTerminal) Write(p []byte) (int, error) {
	<-s
	return len(p), nil
}
