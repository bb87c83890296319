package crowd

import "container/heap"

// Timer calls back once. It may be set again, also within its call; the zero value is not usable.
type Timer struct {
	loop  *Loop
	call  func()
	dueNs int64
	index int // in the heap; -1: not set
}

// NewTimer returns a timer that is not set.
func (l *Loop) NewTimer(call func()) *Timer { return &Timer{loop: l, call: call, index: -1} }

// Set lets the timer call at dueNs of the loop's clock instead of whenever it was set for.
func (t *Timer) Set(dueNs int64) {
	t.dueNs = dueNs
	if t.index >= 0 {
		heap.Fix(&t.loop.timers, t.index)
		return
	}
	heap.Push(&t.loop.timers, t)
}

// Stop keeps the timer from calling.
func (t *Timer) Stop() {
	if t.index >= 0 {
		heap.Remove(&t.loop.timers, t.index)
	}
}

// timerHeap is ordered by due time.
type timerHeap []*Timer

func (h timerHeap) Len() int           { return len(h) }
func (h timerHeap) Less(i, j int) bool { return h[i].dueNs < h[j].dueNs }
func (h timerHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

func (h *timerHeap) Push(x any) {
	t := x.(*Timer)
	t.index = len(*h)
	*h = append(*h, t)
}

func (h *timerHeap) Pop() any {
	last := len(*h) - 1
	t := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	t.index = -1
	return t
}
