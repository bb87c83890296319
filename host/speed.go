package host

import (
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"dyno"
)

// The fixed piece of work that tells a CPU's speed, and how often it is timed.
const (
	speedSteps  = 1 << 17 // some 0.2 ms
	speedPasses = 5
)

// What tells how long a step takes: so many pieces of work, over a time that is long enough for a neighbour to pause in.
const (
	stepSteps  = 1 << 13 // some 10 µs
	stepPasses = 256
	stepRest   = 400 * time.Microsecond
)

// SpeedNs times a fixed piece of work on a CPU, in ns: how fast the CPU is now, compared with another time. The work
// keeps all parts of a core busy, so the time depends on the clock rate and on who shares the core, of whom no other
// counter tells: beside a busy neighbour it takes up to half as long again. It takes about 1 ms.
func SpeedNs(cpu int) (int64, error) {
	ns, err := timeOn(cpu, speedSteps, speedPasses, 0)
	if err != nil {
		return 0, err
	}
	slices.Sort(ns)
	return ns[len(ns)/2], nil
}

// StepNs returns what one step of that work takes on a CPU as it is now, in ns: its centre over a tenth of a second. The
// servers of experiments are slowed down by such steps (subjects/shared/delay).
func StepNs(cpu int) (float64, error) {
	ns, err := timeOn(cpu, stepSteps, stepPasses, stepRest)
	if err != nil {
		return 0, err
	}
	passes := make([]float64, len(ns))
	for i, x := range ns {
		passes[i] = float64(x)
	}
	return dyno.Centre(passes) / stepSteps, nil
}

// speedSink keeps the compiler from leaving the work out.
var speedSink atomic.Uint64

// timeOn times so many steps of the work on a CPU, several times, with a rest before each.
func timeOn(cpu, steps, passes int, rest time.Duration) (ns []int64, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // for good: the thread ends with the goroutine, and its pinning with it
		if err = PinThread([]int{cpu}); err != nil {
			return
		}
		for range passes {
			time.Sleep(rest)
			began := time.Now()
			speedSink.Store(work(steps))
			ns = append(ns, int64(time.Since(began)))
		}
	}()
	<-done
	return ns, err
}

// work is five chains of arithmetic, which a core works on at the same time unless it is shared: then all of them take
// longer, as does the work of a server. One chain would not, because most of its core would be idle. Inlined it would
// share its registers with the caller, and take as long as that leaves it some.
//
//go:noinline
func work(steps int) uint64 {
	a, b, c, d, e := uint64(1), uint64(2), uint64(3), uint64(4), uint64(5)
	for i := range steps {
		a = a*3 + 7
		b = b*5 + uint64(i)
		c ^= a >> 3
		d += b
		e ^= d << 1
	}
	return a + b + c + d + e
}
