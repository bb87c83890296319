package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"

	"dyno/load"
	"dyno/report/adhoc"
)

// How often a load shows itself. A look takes CPU from the load, so it is seldom.
const (
	tickOnTerminal = 500 * time.Millisecond
	tickInPipe     = 5 * time.Second
)

// ticker shows how far a load is: a line that is written over on a terminal, plain lines elsewhere.
type ticker struct {
	w        io.Writer
	terminal *os.File // nil where w is none
}

func newTicker(w io.Writer) *ticker {
	t := &ticker{w: w}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		t.terminal = f
	}
	return t
}

// follow shows a window until stop is called.
func (t *ticker) follow(c *load.Client, win load.Window, what, target string) (stop func()) {
	if t.terminal == nil {
		t.line(what + " " + target)
	}
	began, earlier := time.Now(), load.Progress{}
	return t.repeat(func() {
		now := c.Progress()
		t.show(what, progressOf(now, now.Since(earlier), time.Since(began), win))
		earlier = now
	})
}

// repeat calls look now and then, on a goroutine of its own, until stop is called.
func (t *ticker) repeat(look func()) (stop func()) {
	every := tickInPipe
	if t.terminal != nil {
		every = tickOnTerminal
	}
	ended := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-ended:
				return
			case <-tick.C:
				look()
			}
		}
	})
	return func() {
		close(ended)
		wg.Wait()
		if t.terminal != nil {
			t.write("\r\x1b[K")
		}
	}
}

// progressOf says how far a window is, from all that happened and from what happened lately.
func progressOf(now, lately load.Progress, elapsed time.Duration, win load.Window) adhoc.Progress {
	p := adhoc.Progress{
		Elapsed: elapsed, Of: win.Duration, Sent: now.Sent, Requests: win.Count,
		P99Ns: lately.Latency.QuantileNs(.99), Failed: now.Failed + now.Dropped,
	}
	if lately.ElapsedNs > 0 {
		p.RatePerS = float64(lately.Verified) * 1e9 / float64(lately.ElapsedNs)
	}
	return p
}

func (t *ticker) show(what string, p adhoc.Progress) {
	if t.terminal == nil {
		t.line(adhoc.ProgressLine(what, p, 100))
		return
	}
	width, _, err := term.GetSize(int(t.terminal.Fd()))
	if err != nil || width <= 0 {
		width = 80
	}
	width = max(width-1, 1) // a full line would move the cursor to the next one
	t.write("\r" + adhoc.ProgressLine(what, p, width) + "\x1b[K")
}

func (t *ticker) line(s string) { t.write(s + "\n") }

// write shows a text. Who cannot be shown anything must not spoil the measurement.
func (t *ticker) write(s string) { _, _ = fmt.Fprint(t.w, s) }
