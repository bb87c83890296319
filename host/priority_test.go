package host

import (
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

func TestPrioritizeThread(t *testing.T) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // for good: the thread ends with the goroutine, and its priority with it
		before, err := unix.Getpriority(unix.PRIO_PROCESS, unix.Gettid())
		if err != nil {
			t.Error(err)
			return
		}
		could := PrioritizeThread()
		after, err := unix.Getpriority(unix.PRIO_PROCESS, unix.Gettid())
		if err != nil || could != (after == 20-urgency) || !could && after != before {
			t.Errorf("could: %v; the kernel says %d before and %d after, %v", could, before, after, err)
		}
	}()
	<-done
}
