package codec

import (
	"encoding/binary"
	"errors"
	"fmt"

	"dyno"
	"dyno/mpacket/samples"
)

// lanesMax is how many threads a subject may say it has.
const lanesMax = 1024

// operation is one thing that subjects are asked to do. Its inputs are cut into rounds; a pass is every
// round once, and passes follow one another until the time is over.
type operation struct {
	name     string
	perRound int  // operations in a round
	parallel bool // may run on several threads, each doing all rounds
	// follow makes the inputs and says what each round must come to. It uses the append functions of the
	// codec and never its Reader, so that a subject is not checked with the code that it runs.
	follow func(values *samples.Source, e *expectation)
}

// expectation is what a subject must have done, given an operation and a seed.
type expectation struct {
	operation
	sinks  []uint32 // sinks[n] is what the first n rounds come to, from 0 to a whole pass
	moved  []int64  // moved[n] is how many bytes they move; all 0 where nothing is moved
	digest uint32   // of all that one pass writes and reads
}

// expect works out what an operation must come to.
func (o operation) expect(seed uint32) *expectation {
	e := &expectation{operation: o, sinks: []uint32{0}, moved: []int64{0}, digest: digestStart}
	o.follow(samples.NewSource(seed), e)
	return e
}

// round adds a round: its sink, the bytes that it writes, and how many of them count as moved.
func (e *expectation) round(sink uint32, output []byte, moved int) {
	last := len(e.sinks) - 1
	e.sinks = append(e.sinks, e.sinks[last]+sink)
	e.moved = append(e.moved, e.moved[last]+int64(moved))
	e.digest = digestWord(e.digest, sink)
	e.digest = digestBytes(e.digest, output)
}

// after returns what n rounds come to, passes included.
func (e *expectation) after(n int64) (sink uint32, moved int64) {
	perPass := int64(len(e.sinks) - 1)
	passes, rest := n/perPass, n%perPass
	return uint32(passes)*e.sinks[perPass] + e.sinks[rest], passes*e.moved[perPass] + e.moved[rest]
}

// roundsMax keeps the arithmetic on rounds away from the ends of int64.
const roundsMax = 1 << 40

// check holds a report against what the job must have come to, and returns it as work. The error says what
// differs.
func (e *expectation) check(r report, budgetUs int32) (dyno.Work, error) {
	switch {
	case r.lanes < 1 || r.lanes > lanesMax || !e.parallel && r.lanes != 1:
		return dyno.Work{}, fmt.Errorf("%d threads, want %s", r.lanes, e.lanesWanted())
	case r.rounds < 1 || r.rounds > roundsMax:
		return dyno.Work{}, fmt.Errorf("%d rounds, want 1 to %d", r.rounds, int64(roundsMax))
	case r.durationNs < 1000*int64(budgetUs):
		return dyno.Work{}, fmt.Errorf("worked for %d ns, want %d ns or more", r.durationNs, 1000*int64(budgetUs))
	case r.allocatedBytes < -1 || r.allocations < -1:
		return dyno.Work{}, errors.New("a negative number of allocations, want -1 for unknown")
	case r.digest != e.digest:
		return dyno.Work{}, fmt.Errorf("digest of a pass is %08x, want %08x", r.digest, e.digest)
	}
	sink, moved := e.after(r.rounds)
	lanes := int64(r.lanes)
	if sink *= uint32(lanes); r.sink != sink {
		return dyno.Work{}, fmt.Errorf("sum of %d timed rounds is %08x, want %08x", r.rounds, r.sink, sink)
	}
	return dyno.Work{
		Operations: lanes * r.rounds * int64(e.perRound), DurationNs: r.durationNs, Bytes: lanes * moved,
		AllocatedBytes: r.allocatedBytes, Allocations: r.allocations,
	}, nil
}

func (e *expectation) lanesWanted() string {
	if e.parallel {
		return fmt.Sprintf("1 to %d", lanesMax)
	}
	return "1"
}

// tail is what a round that writes comes to: the length of its output and its last four bytes. It costs the
// timed work nothing, and none of it is there when nothing was written.
func tail(output []byte) uint32 {
	return uint32(len(output)) + binary.BigEndian.Uint32(output[len(output)-4:])
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
