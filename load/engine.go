package load

import (
	"fmt"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Options say how the engine uses the machine.
type Options struct {
	// Loops is how many event loops run, each on an OS thread of its own; 0 means one.
	Loops int
	// OnThread is called on the thread of each loop before anything else, to pin it; may be nil.
	OnThread func(loop int) error
	// Spin is how long a loop polls without sleeping before it lets the kernel put it to sleep. A
	// wake-up costs more than most servers need for a reply, so spinning shows the server rather
	// than the scheduler; it needs a CPU that nobody else uses. 0: sleep at once.
	Spin time.Duration
	// Poller is what the loops ask the kernel with; "" means Auto. Results name the one that was used.
	Poller Poller
}

// Engine owns the event loops. Nothing is shared between loops while they run.
type Engine struct {
	spin   time.Duration
	poller Poller
	loops  []chan func()
}

// New starts the loops. Close ends them.
func New(o Options) (*Engine, error) {
	if err := o.Poller.check(); err != nil {
		return nil, err
	}
	e := &Engine{spin: o.Spin, poller: o.Poller}
	for i := range max(o.Loops, 1) {
		tasks, ready := make(chan func()), make(chan error)
		go serve(tasks, ready, i, o.OnThread)
		if err := <-ready; err != nil {
			e.Close()
			return nil, fmt.Errorf("event loop %d: %w", i, err)
		}
		e.loops = append(e.loops, tasks)
		addProcessors(1)
	}
	return e, nil
}

// addProcessors changes how many processors the Go scheduler has by n. A loop keeps one to itself while it
// spins or sleeps, so it brings one: the rest of the program shall have those that it had. Setting it also
// stops the runtime from following our CPU affinity.
func addProcessors(n int) {
	processors.Lock()
	defer processors.Unlock()
	runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + n)
}

var processors sync.Mutex

// serve is one loop's thread. It is never unlocked, so the thread ends with the goroutine and
// nobody inherits its CPU affinity.
func serve(tasks <-chan func(), ready chan<- error, loop int, onThread func(int) error) {
	runtime.LockOSThread()
	// A sleep may end when it should: the kernel's default adds up to 50 µs to save wake-ups.
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	var err error
	if onThread != nil {
		err = onThread(loop)
	}
	ready <- err
	if err != nil {
		return
	}
	for task := range tasks {
		task()
	}
}

// Spin returns how long a loop polls before it sleeps.
func (e *Engine) Spin() time.Duration { return e.spin }

// Loops returns how many event loops there are.
func (e *Engine) Loops() int { return len(e.loops) }

// Each calls f once on the thread of every loop and waits for all of them. Package crowd runs on it;
// no window may be running.
func (e *Engine) Each(f func(loop int)) {
	var wg sync.WaitGroup
	for i, tasks := range e.loops {
		wg.Add(1)
		tasks <- func() {
			defer wg.Done()
			f(i)
		}
	}
	wg.Wait()
}

// Close ends the loops. No window may be running.
func (e *Engine) Close() {
	addProcessors(-len(e.loops))
	for _, tasks := range e.loops {
		close(tasks)
	}
	e.loops = nil
}
