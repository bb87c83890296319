package host

import "golang.org/x/sys/unix"

// urgency is the nice value of a thread that must be on time: it is woken before whatever else its CPU does.
const urgency = -15

// PrioritizeThread lets the calling thread, which must be locked to its goroutine, come before others on its CPU. It
// reports whether it could: most users may not, and then the thread waits for its turn as before.
func PrioritizeThread() bool {
	return unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), urgency) == nil
}
