package host

import (
	"runtime"
	"slices"
	"sync/atomic"
	"time"
)

// LoopSteps is how many steps the loop has: a multiplication and an addition each.
const LoopSteps = 1 << 16 // some 0.1 to 0.2 ms

// loopPasses is how often a loop is timed.
const loopPasses = 5

// loopSink keeps the compiler from leaving the loop out.
var loopSink atomic.Uint64

// LoopNs times a fixed chain of arithmetic on a CPU, in ns: what one of LoopSteps takes there, times their number. It
// takes about 1 ms.
func LoopNs(cpu int) (int64, error) {
	return timeOn(cpu, func() { loopSink.Add(arithmetic(LoopSteps)) }, slices.Min[[]int64])
}

// SpeedNs times a fixed piece of work on a CPU, in ns: how fast the CPU is now, compared with another time. The work
// keeps all parts of a core busy, so the time depends on the clock rate and on who shares the core, of whom no other
// counter tells: beside a busy neighbour it takes half as long again. It takes about 1 ms.
func SpeedNs(cpu int) (int64, error) {
	return timeOn(cpu, func() { loopSink.Add(mixture(mixtureSteps)) }, func(ns []int64) int64 {
		slices.Sort(ns)
		return ns[len(ns)/2]
	})
}

// timeOn times a piece of work on a CPU several times, and picks one of the times.
func timeOn(cpu int, work func(), pick func(ns []int64) int64) (int64, error) {
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
		ns := make([]int64, loopPasses)
		for i := range ns {
			began := time.Now()
			work()
			ns[i] = int64(time.Since(began))
		}
		told <- outcome{pick(ns), nil}
	}()
	o := <-told
	return o.ns, o.err
}

// mixtureSteps make some 0.2 ms, and mixtureBytes lie in the cache that is nearest to a core.
const (
	mixtureSteps = 1 << 17
	mixtureBytes = 16 << 10
)

var mixtureMemory [mixtureBytes]byte

// mixture is four chains of arithmetic at once, one of which reads memory: a core works on all of them at the same time
// unless it is shared.
func mixture(steps int) uint64 {
	a, b, c, d := uint64(1), uint64(2), uint64(3), uint64(4)
	for i := range steps {
		a = a*3 + uint64(mixtureMemory[i*64%mixtureBytes])
		b = b*5 + uint64(i)
		c ^= a >> 3
		d += b
	}
	return a + b + c + d
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
