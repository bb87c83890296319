package dyno

import (
	"testing"
	"time"
)

func TestProbeWindow(t *testing.T) {
	for name, c := range map[string]struct{ asked, needed, promised, head, counted time.Duration }{
		"as asked":                    {3 * time.Second, 0, 5 * time.Millisecond, 300 * time.Millisecond, 3 * time.Second},
		"no latency":                  {time.Second, 0, 0, 100 * time.Millisecond, time.Second},
		"the promise asks for more":   {time.Second, 0, 50 * time.Millisecond, 300 * time.Millisecond, 3 * time.Second},
		"but not for more than ten":   {time.Second, 0, 500 * time.Millisecond, 3 * time.Second, 10 * time.Second},
		"a promise beyond any window": {200 * time.Millisecond, 0, time.Hour, 1200 * time.Millisecond, 2 * time.Second},
		"few requests":                {time.Second, 4 * time.Second, 50 * time.Millisecond, 300 * time.Millisecond, 4 * time.Second},
		"far too few":                 {time.Second, time.Hour, 0, 100 * time.Millisecond, 10 * time.Second},
	} {
		if head, counted := ProbeWindow(c.asked, c.needed, c.promised); head != c.head || counted != c.counted {
			t.Errorf("%s: %v and %v, want %v and %v", name, head, counted, c.head, c.counted)
		}
	}
	plan := CapacityPlan{Probe: time.Second}
	if short, long := plan.SearchTime(0), plan.SearchTime(50*time.Millisecond); short < 20*time.Second || long < short+15*time.Second || long > time.Minute {
		t.Errorf("a search takes %v or %v", short, long)
	}
}
