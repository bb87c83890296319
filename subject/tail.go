package subject

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

const (
	tailLines     = 20
	tailLineBytes = 400
	// floodBytes of stderr void a trial. Reading so much costs dyno some ms of CPU, and writing it
	// costs the server more; a server that is well writes nothing. The rule counts bytes alone, so it
	// does not look at the outcome.
	floodBytes = 16 << 20
)

// tail takes all that a subject writes to its stderr, as fast as it comes, and keeps the last lines of
// it in fixed memory.
type tail struct {
	ended chan struct{} // closed when there is nothing more to come

	mu      sync.Mutex
	ring    [tailLines][]byte
	pushed  int    // lines ever put into ring
	current []byte // the line that is not finished, as far as it is kept
	begun   bool   // whether there is one
	total   int64  // bytes
}

func newTail() *tail { return &tail{ended: make(chan struct{})} }

// drain reads until the end or an error. It must always run, or the subject would block in a write.
func (t *tail) drain(r io.Reader) {
	defer close(t.ended)
	buffer := make([]byte, 64<<10)
	for {
		n, err := r.Read(buffer)
		t.write(buffer[:n])
		if err != nil {
			return
		}
	}
}

func (t *tail) write(b []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.total += int64(len(b))
	for len(b) > 0 {
		line, rest, finished := bytes.Cut(b, []byte{'\n'})
		t.begun = true
		// One byte more than is shown, so that a cut shows.
		t.current = append(t.current, line[:min(len(line), tailLineBytes+1-len(t.current))]...)
		if finished {
			slot := &t.ring[t.pushed%tailLines]
			*slot = append((*slot)[:0], t.current...)
			t.pushed++
			t.current, t.begun = t.current[:0], false
		}
		b = rest
	}
}

// lines returns the last lines, oldest first, fit to be shown.
func (t *tail) lines() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var lines []string
	for i := max(0, t.pushed-tailLines); i < t.pushed; i++ {
		lines = append(lines, visible(t.ring[i%tailLines]))
	}
	if t.begun {
		lines = append(lines, visible(t.current))
	}
	return lines[max(0, len(lines)-tailLines):]
}

func (t *tail) flooded() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.total > floodBytes
}

var unquote = strings.NewReplacer(`\"`, `"`, `\\`, `\`)

// visible returns a line in which control characters and bytes that are no text stand as escapes, cut
// to tailLineBytes.
func visible(line []byte) string {
	line = bytes.TrimSuffix(line, []byte{'\r'})
	quoted := strconv.Quote(strings.ReplaceAll(string(line), "\t", "    "))
	shown := unquote.Replace(quoted[1 : len(quoted)-1])
	if len(shown) <= tailLineBytes {
		return shown
	}
	const mark = "…"
	shown = shown[:tailLineBytes-len(mark)]
	for !utf8.ValidString(shown) { // cut in a character
		shown = shown[:len(shown)-1]
	}
	return shown + mark
}

// visibleLines splits a tool's output into lines fit to be shown.
func visibleLines(output []byte) []string {
	t := newTail()
	t.write(output)
	return t.lines()
}

// telling returns the line that most likely names the cause: the first that speaks of an error, else
// the last that is not empty. Stack traces bury the cause in their middle.
func telling(lines []string) string {
	last := ""
	for _, line := range lines {
		low := strings.ToLower(line)
		for _, sign := range []string{"error", "panic:", "fatal", "cannot", "no such", "not found", ".go:"} {
			if strings.Contains(low, sign) {
				return strings.TrimSpace(line)
			}
		}
		if strings.TrimSpace(line) != "" {
			last = strings.TrimSpace(line)
		}
	}
	return last
}
