package load

import (
	"errors"
	"fmt"
	"time"
)

// Window is one measured stretch of load. It ends when Duration is over or Count requests are
// answered, whichever comes first; one of the two must be set.
//
// Without a Schedule it is a closed loop: every connection sends its next request when a reply has
// come. With one it is an open loop: requests are due when the schedule says so, and one that finds
// no free connection waits in a queue while its clock runs.
type Window struct {
	Duration time.Duration // 0: no limit in time
	Count    int64         // requests to send in all; 0: no limit in number
	// Skip is the head of the window that is not counted. With Count it is ignored.
	Skip time.Duration
	// Bucket is the width of the series' buckets; 0 means one second.
	Bucket time.Duration

	Schedule Schedule // nil: closed loop
	// QueueCap is how many requests may wait for a free connection in an open loop; a request that is
	// due beyond it is dropped and counted so. 0 means DefaultQueueCap.
	QueueCap int
}

// MaxDuration bounds a window, and with it the memory of its series.
const MaxDuration = 24 * time.Hour

// DefaultQueueCap is large enough to be reached only by a server that is far too slow; the queue takes
// 8 B of memory for each waiting request.
const DefaultQueueCap = 1 << 20

// check refuses windows that could not end or could not be counted, and fills in what was left out.
func (w *Window) check() error {
	switch {
	case w.Duration < 0 || w.Count < 0 || w.Skip < 0 || w.Bucket < 0 || w.QueueCap < 0:
		return errors.New("window: a duration, count, skip, bucket or queue cap is negative; use 0 for none")
	case w.Duration == 0 && w.Count == 0:
		return errors.New("window: needs a duration or a count")
	case w.Duration > 0 && w.Skip >= w.Duration:
		return fmt.Errorf("window: skips %v of %v, nothing would be counted", w.Skip, w.Duration)
	case w.Duration > MaxDuration:
		return fmt.Errorf("window: %v is longer than %v", w.Duration, MaxDuration)
	case w.QueueCap > queueCapMax:
		return fmt.Errorf("window: queue cap %d; at most %d requests may wait", w.QueueCap, queueCapMax)
	}
	if w.Count > 0 {
		w.Skip = 0
	}
	if w.Bucket == 0 {
		w.Bucket = time.Second
	}
	if w.QueueCap == 0 {
		w.QueueCap = DefaultQueueCap
	}
	if w.Schedule != nil {
		if _, ok := w.Schedule()(0); !ok {
			return fmt.Errorf("window: its schedule has no request; rates must be above 0 and at most %d/s", MaxRatePerS)
		}
	}
	return nil
}

const queueCapMax = 1 << 27 // 1 GiB of due times
