package lab

import (
	"runtime"
	"runtime/debug"
)

// memoryLimit lets the collector run all the same when the lab itself grows beyond reason.
const memoryLimit = 2 << 30

// quietGC turns the garbage collector off: between cells the lab collects by hand, so that no pause
// falls into a slice. The function that it returns restores the former setting.
func quietGC() (restore func()) {
	percent := debug.SetGCPercent(-1)
	limit := debug.SetMemoryLimit(memoryLimit)
	return func() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	}
}

// gcAccount counts the collections that happened all the same.
type gcAccount struct{ stats debug.GCStats }

func collect() gcAccount {
	runtime.GC()
	var a gcAccount
	debug.ReadGCStats(&a.stats)
	return a
}

// since returns the pauses after the account was opened.
func (a *gcAccount) since() (pauses, ns int64) {
	var now debug.GCStats
	debug.ReadGCStats(&now)
	return now.NumGC - a.stats.NumGC, int64(now.PauseTotal - a.stats.PauseTotal)
}
