package load

import (
	"io"
	"net"
	"runtime"
	"testing"
	"time"
)

// A loop sleeps without the Go scheduler knowing. The rest of the program, and its garbage collections, must
// not have to wait until it wakes up.
func TestCollectionsGoOnWhileLoopsSleep(t *testing.T) {
	const collections = 20
	silent := listen(t, func(c net.Conn) { io.Copy(io.Discard, c) })
	e := engine(t, Options{Loops: 2})
	c, err := e.Open(t.Context(), Config{Addr: silent, Connections: 2, Depth: 1, NewSession: tokens(8), ReplyWithin: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ended := make(chan *Result)
	go func() {
		r, _ := c.Run(t.Context(), Window{Duration: 30 * time.Second})
		ended <- r
	}()
	for c.Progress().InFlight < 2 {
		time.Sleep(time.Millisecond)
	}
	began := time.Now()
	for range collections {
		runtime.GC()
	}
	// Each would take as long as the loops sleep, a quarter of a second, several times over.
	if took := time.Since(began); took > collections*100*time.Millisecond {
		t.Errorf("%d collections took %v", collections, took)
	}
	c.stop.Store(true)
	<-ended
}
