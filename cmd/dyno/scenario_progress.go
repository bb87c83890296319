package main

import (
	"fmt"
	"time"

	"dyno/internal/words"
	"dyno/scenario"
)

// followScenario shows how far a run is until stop is called.
func (t *ticker) followScenario(live *scenario.Live, p *scenario.Program) (stop func()) {
	began, before := time.Now(), int64(0)
	last := began
	return t.repeat(func() {
		now, responses := time.Now(), live.Responses.Load()
		perS := float64(responses-before) / now.Sub(last).Seconds()
		last, before = now, responses
		text := fmt.Sprintf("%v of %v  %s now  %d of %d arrived  %d failed  %.0f replies/s",
			now.Sub(began).Round(time.Second), time.Duration(p.DurationNs()).Round(time.Second),
			words.Count(int(live.Active.Load()), "user"), live.Created.Load()+live.Skipped.Load(), p.Users(), live.Failed.Load(), perS)
		if t.terminal == nil {
			t.line(text)
		} else {
			t.write("\r" + text + "\x1b[K")
		}
	})
}
