package codec

import (
	"encoding/binary"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"dyno/contract/internal/fixture"
	"dyno/contract/internal/gate"
	"dyno/mpacket"
	"dyno/mpacket/samples"
)

var kit = fixture.Contract{Cases: cases, Gate: func(addr string, seed uint64, within time.Duration) gate.Gate {
	return gate.Gate{Addr: addr, Seed: seed, Within: within, Ping: ping}
}}

func TestHonestPasses(t *testing.T) {
	kit.Pass(t, fixture.Serve(t, connection{}.serve(performing(honest))).Addr)
}

// performing is a performer without a memory.
func performing(p performer) func() performer { return func() performer { return p } }

// does is a mutant whose connections are fine.
func does(p performer) fixture.Program { return connection{}.serve(performing(p)) }

// on is a mutant with another way to do the operations whose names have a beginning.
func on(beginning string, change func(operation) operation) fixture.Program {
	return does(func(j job) []byte {
		if !strings.HasPrefix(j.operation, beginning) {
			return honest(j)
		}
		return answer(j, change, nil)
	})
}

// reports is a mutant that says something else than what it did, of operations whose names have a beginning.
func reports(beginning string, adjust func(*report)) fixture.Program {
	return does(func(j job) []byte {
		if !strings.HasPrefix(j.operation, beginning) {
			return honest(j)
		}
		return answer(j, nil, adjust)
	})
}

// inRounds is a mutant that sees the rounds differently.
func inRounds(change func(sink uint32, output []byte) (uint32, []byte)) func(operation) operation {
	return func(o operation) operation {
		honest := o
		o.follow = func(values *samples.Source, e *expectation) {
			right := honest.expect(1) // only for the number of rounds
			var output []byte
			for i := range len(right.sinks) - 1 {
				output = values.Bytes(valuesPerRound)
				sink, written := change(right.sinks[i+1]-right.sinks[i], output)
				e.round(sink, written, 0)
			}
		}
		return o
	}
}

// littleEndian writes numbers the other way round.
func littleEndian(o operation) operation {
	o.follow = writing((*samples.Source).Int32, func(b []byte, v int32) []byte { return binary.LittleEndian.AppendUint16(b, uint16(v)) })
	return o
}

// withSeed does a job with another seed.
func withSeed(seed func(j job) uint32) func() performer {
	return performing(func(j job) []byte {
		j.seed = seed(j)
		return honest(j)
	})
}

// firstSeedOf remembers the first seed of one operation for good.
func firstSeedOf(operation string) func() performer {
	return func() performer {
		var mu sync.Mutex
		first := map[string]uint32{}
		return func(j job) []byte {
			mu.Lock()
			if _, known := first[j.operation]; !known && j.operation == operation {
				first[j.operation] = j.seed
			}
			if seed, known := first[j.operation]; known {
				j.seed = seed
			}
			mu.Unlock()
			return honest(j)
		}
	}
}

// working is a mutant that works for another time than it was asked to and reports yet another one, in parts of
// the budget.
func working(forTimes, reportsTimes float64) fixture.Program {
	return does(func(j job) []byte {
		asked := j.budgetUs
		if asked < 1 || asked > budgetMaxUs {
			return honest(j)
		}
		j.budgetUs = max(1, int32(forTimes*float64(asked)))
		return answer(j, nil, func(r *report) { r.durationNs = int64(reportsTimes * 1000 * float64(asked)) })
	})
}

// toUnknown is a mutant with another reply to operations that do not exist.
func toUnknown(p performer) fixture.Program {
	return does(func(j job) []byte {
		if _, known := operationNamed(j.operation); !known {
			return p(j)
		}
		return honest(j)
	})
}

// workMutants do something else than they were asked to, or say so.
var workMutants = []fixture.Mutant{
	fixture.FailsAt("write", "digest is a constant", reports("", func(r *report) { r.digest = 7 })),
	fixture.FailsAt("write", "timed rounds come to nothing", reports("", func(r *report) { r.sink = 0 })),
	fixture.FailsAt("write", "right for one seed only", connection{}.serve(withSeed(func(job) uint32 { return 1 }))),
	fixture.FailsAt("write", "says it did twice the rounds", reports("", func(r *report) { r.rounds *= 2 })),
	fixture.FailsAt("write", "says it did no round", reports("", func(r *report) { r.rounds, r.sink = 0, 0 })),
	fixture.FailsAt("write", "more rounds than can be", reports("", func(r *report) { r.rounds = 1 << 62 })),
	fixture.FailsAt("write", "negative rounds", reports("", func(r *report) { r.rounds = -1 })),
	fixture.FailsAt("write", "took less time than asked", reports("", func(r *report) { r.durationNs = 1000 })),
	fixture.FailsAt("write", "claims two threads", reports("", func(r *report) { r.lanes, r.sink = 2, 2*r.sink })),
	fixture.FailsAt("write", "negative allocations", reports("", func(r *report) { r.allocations = -2 })),
	fixture.FailsAt("write", "wrong endianness", on("WriteInt16", littleEndian)),
	fixture.FailsAt("write", "forgets to write", on("WriteInt32", inRounds(func(_ uint32, _ []byte) (uint32, []byte) { return 0, nil }))),
	fixture.FailsAt("write", "refuses strings", does(func(j job) []byte {
		if j.operation == "WriteString" {
			return mpacket.AppendString([]byte{statusRefused}, "not today")
		}
		return honest(j)
	})),
	fixture.FailsAt("write", "reply of one byte", does(func(job) []byte { return []byte{statusDone} })),
	fixture.FailsAt("write", "reply of another status", does(func(job) []byte { return []byte{9} })),
	fixture.FailsAt("write", "bytes behind the reply", does(func(j job) []byte { return append(honest(j), 0) })),
	fixture.FailsAt("write", "reply too long", does(func(j job) []byte { return make([]byte, replyBytesMax+1) })),
	fixture.FailsAt("read", "reads nothing", on("ReadByte", inRounds(func(uint32, []byte) (uint32, []byte) { return 0, nil }))),
	fixture.FailsAt("read", "loses what it read", on("ReadBytes", inRounds(func(sink uint32, _ []byte) (uint32, []byte) { return sink, nil }))),
	fixture.FailsAt("packets", "other packets", on("Medium", inRounds(func(sink uint32, out []byte) (uint32, []byte) { return sink, out }))),
	fixture.FailsAt("parallel", "no thread", reports("Parallel", func(r *report) { r.lanes, r.sink = 0, 0 })),
	fixture.FailsAt("parallel", "one thread did the work of two", reports("Parallel", func(r *report) { r.lanes = 2 })),
	fixture.FailsAt("throughput", "other frames", on("Throughput 64 KB", inRounds(func(sink uint32, out []byte) (uint32, []byte) { return sink, out }))),
	fixture.FailsAt("own-clock", "claims more time than it took", working(0.02, 1)),
	fixture.FailsAt("own-clock", "hides most of its time", working(3, 1)),
}

// lineMutants do the right work but treat their connections, or what they remember, wrongly.
var lineMutants = []fixture.Mutant{
	fixture.FailsAt("changing-seeds", "keeps the first seed", connection{}.serve(firstSeedOf("WriteInt32"))),
	fixture.HangsAt("split-request", "forgets the start of a request", connection{wholeReads: true}.serve(performing(honest))),
	fixture.HangsAt("pipelined", "one request a read", connection{jobsPerRead: 1}.serve(performing(honest))),
	fixture.FailsAt("pipelined", "last request first", connection{reversed: true}.serve(performing(honest))),
	fixture.FailsAt("refusal", "closes instead of refusing", toUnknown(func(job) []byte { return nil })),
	fixture.FailsAt("refusal", "does something else", toUnknown(func(j job) []byte { j.operation = "Copy 64 B"; return honest(j) })),
	fixture.FailsAt("half-close", "forgets what it owes at a FIN", connection{dropsAtFIN: true}.serve(performing(honest))),
	fixture.HangsAt("nonsense", "goes on after nonsense", connection{keepsNonsense: true}.serve(performing(honest))),
	fixture.FailsAt("reset", "dies of a reset", connection{diesOfReset: true}.serve(performing(honest))),
}

func TestMutantsAreCaught(t *testing.T) {
	kit.CatchAll(t, workMutants)
	// Their work is that of the honest server, which passes the cases that look at it.
	late := kit
	late.Cases = cases[slices.IndexFunc(cases, func(c gate.Case) bool { return c.Name == "changing-seeds" }):]
	late.CatchAll(t, lineMutants)
}

func TestPing(t *testing.T) {
	good := fixture.Serve(t, does(honest))
	if err := (Contract{}).Ping(t.Context(), good.Addr); err != nil {
		t.Error(err)
	}
	bad := fixture.Serve(t, workMutants[0].Program)
	if err := (Contract{}).Ping(t.Context(), bad.Addr); err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("ping of a server that is wrong: %v", err)
	}
	good.Die()
	if err := (Contract{}).Ping(t.Context(), good.Addr); err == nil {
		t.Error("ping of a dead server succeeded")
	}
	for i, r := range (Contract{}).Verify(t.Context(), good.Addr, 1) {
		if r.OK || i > 0 && r.Reason != "not run: the server has not answered since case write" {
			t.Errorf("%+v", r)
		}
	}
}
