package http1

import (
	"runtime"
	"testing"

	"dyno/load"
)

// An idle connection takes the session of its protocol beside what the engine keeps of it (docs/METHOD.md).
func TestIdleSessionsAreSmall(t *testing.T) {
	const sessions, bytesMax = 10_000, 704
	c := corpus(t, wanting(t, Want{Status: 200, Body: []byte("hi")}))
	live := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	made := make([]load.Session, sessions)
	before := live()
	for i := range made {
		made[i] = c.Session(i, 1, 1)
	}
	each := (live() - before) / sessions
	runtime.KeepAlive(made)
	t.Logf("a session takes %d B", each)
	if each > bytesMax {
		t.Errorf("it must be at most %d B", bytesMax)
	}
}
