package host

import (
	"runtime"
	"sync/atomic"
	"time"
)

// LoopSteps is how many steps the loop has: a multiplication and an addition each.
const LoopSteps = 1 << 16 // some 0.1 to 0.2 ms

// loopPasses is how often it is timed. The quickest counts: an interrupt never makes a pass quicker.
const loopPasses = 5

// loopSink keeps the compiler from leaving the loop out.
var loopSink atomic.Uint64

// LoopNs times a fixed piece of arithmetic on a CPU, in ns: how fast the CPU is now, compared with
// another time. It depends on nothing but the clock rate and on who shares the core, and takes about 1 ms.
func LoopNs(cpu int) (int64, error) {
	type outcome struct {
		ns  int64
		err error
	}
	told := make(chan outcome)
	go func() {
		runtime.LockOSThread() // for good: the thread ends with the goroutine, and its pinning with it
		if err := PinThread([]int{cpu}); err != nil {
			told <- outcome{0, err}
			return
		}
		best := time.Duration(1<<63 - 1)
		for range loopPasses {
			began := time.Now()
			loopSink.Add(arithmetic(LoopSteps))
			best = min(best, time.Since(began))
		}
		told <- outcome{int64(best), nil}
	}()
	o := <-told
	return o.ns, o.err
}

// arithmetic is a chain of multiplications, each of which needs the one before. The numbers are those
// of Knuth's generator MMIX.
func arithmetic(steps int) uint64 {
	x := uint64(1)
	for range steps {
		x = x*6364136223846793005 + 1442695040888963407
	}
	return x
}
