package main

import (
	"encoding/binary"
	"runtime"
	"sync"
	"time"

	"dyno/mpacket"
	"dyno/mpacket/samples"
)

// operation is one kind of work over inputs that are there already.
type operation struct {
	rounds  int // of a pass
	newLane func() lane
	// parallel says that every CPU may have a lane.
	parallel bool
}

// lane is what one thread works with: its own buffers, and inputs that all threads share.
type lane struct {
	// round does round number i and returns what it comes to, which uses all that was read and the end of
	// what was written.
	round func(i int) uint32
	// output shows everything that the last round wrote or made; nil when it made nothing.
	output func() []byte
}

// pass does every round once and returns the digest of all that they wrote and read.
func (o operation) pass(l lane) (digest uint32) {
	digest = digestStart
	for i := range o.rounds {
		digest = digestWord(digest, l.round(i))
		if l.output != nil {
			digest = digestBytes(digest, l.output())
		}
	}
	return digest
}

// bench does one job after the other, whatever connection they come from.
type bench struct {
	mu sync.Mutex
	// The inputs and lanes of the last job: the next one is likely to be the same.
	name  string
	seed  uint32
	op    operation
	lanes []lane
}

// do returns the payload of the reply to a job.
func (b *bench) do(j job) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, known := operations[j.operation]; !known {
		return refusal("this operation is not known here")
	}
	if j.budgetUs < 1 || j.budgetUs > budgetMaxUs {
		return refusal("the budget must lie between 1 and 1,000,000 µs")
	}
	b.prepare(j)
	digest := b.op.pass(b.lanes[0])
	w := b.work(time.Duration(j.budgetUs) * time.Microsecond)
	reply := mpacket.AppendInt32([]byte{statusDone}, int32(len(b.lanes)))
	reply = mpacket.AppendInt64(reply, w.rounds)
	reply = mpacket.AppendInt64(reply, w.taken.Nanoseconds())
	reply = mpacket.AppendInt64(reply, w.allocatedBytes)
	reply = mpacket.AppendInt64(reply, w.allocations)
	reply = mpacket.AppendUint32(reply, digest)
	return mpacket.AppendUint32(reply, w.sink)
}

// prepare makes the inputs of a job, unless they are there.
func (b *bench) prepare(j job) {
	if b.name == j.operation && b.seed == j.seed {
		return
	}
	b.name, b.seed = j.operation, j.seed
	b.op = operations[j.operation](samples.NewSource(j.seed))
	count := 1
	if b.op.parallel {
		count = runtime.GOMAXPROCS(0)
	}
	b.lanes = make([]lane, count)
	for i := range b.lanes {
		b.lanes[i] = b.op.newLane()
	}
	runtime.GC() // of what the inputs left behind
}

// work is what was done under the clock.
type work struct {
	rounds                      int64 // of each lane
	taken                       time.Duration
	sink                        uint32
	allocatedBytes, allocations int64
}

// work does rounds until the budget is used up. Between two looks at the clock it does as many as should fill
// the rest, at most twice as many as before, so that looking costs nothing.
func (b *bench) work(budget time.Duration) (w work) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for n := int64(1); w.taken < budget; {
		start := time.Now()
		w.sink += b.batch(int(w.rounds%int64(b.op.rounds)), n)
		w.taken += time.Since(start)
		w.rounds += n
		rest := float64(w.rounds) * float64(budget-w.taken) / float64(max(w.taken, 1))
		n = max(1, min(2*n, int64(rest)))
	}
	runtime.ReadMemStats(&after)
	w.allocatedBytes = int64(after.TotalAlloc - before.TotalAlloc)
	w.allocations = int64(after.Mallocs - before.Mallocs)
	return w
}

// batch does n rounds on every lane, beginning with round first, and returns what they come to.
func (b *bench) batch(first int, n int64) uint32 {
	if len(b.lanes) == 1 {
		return b.op.run(b.lanes[0], first, n)
	}
	sums := make([]uint32, len(b.lanes))
	var wait sync.WaitGroup
	for i, l := range b.lanes {
		wait.Go(func() { sums[i] = b.op.run(l, first, n) })
	}
	wait.Wait()
	total := uint32(0)
	for _, sum := range sums {
		total += sum
	}
	return total
}

func (o operation) run(l lane, first int, n int64) (sum uint32) {
	i := first
	for range n {
		sum += l.round(i)
		if i++; i == o.rounds {
			i = 0
		}
	}
	return sum
}

// The digest is FNV-1a over 32-bit words, lowest byte first; the bytes that are left count as words.
const (
	digestStart = 0x811c9dc5
	digestPrime = 0x01000193
)

func digestWord(h, word uint32) uint32 { return (h ^ word) * digestPrime }

func digestBytes(h uint32, b []byte) uint32 {
	for ; len(b) >= 4; b = b[4:] {
		h = digestWord(h, binary.LittleEndian.Uint32(b))
	}
	for _, c := range b {
		h = digestWord(h, uint32(c))
	}
	return h
}

// tail is what a round that writes comes to: the length of its output and its last four bytes.
func tail(output []byte) uint32 {
	return uint32(len(output)) + binary.BigEndian.Uint32(output[len(output)-4:])
}
