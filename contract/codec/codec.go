// Package codec is the contract of seed 001: what a packet codec costs, operation by operation. An operation
// takes nanoseconds, which no reply over a socket can time, so a subject keeps the time of its own work: a
// request names an operation, a seed and a time budget, and the reply says how much was done in how long.
//
// What was done is verified all the same. The contract knows what every round of every operation must come
// to. A reply carries the digest of one whole pass, and the sum of all rounds that were timed; operations
// and bytes are counted here, from the rounds. The gate checks that the subject's clock is honest.
//
// The package never starts a server and never judges speed.
//
// # The wire
//
// A request is a frame (VarInt length, payload) of: the operation's name (string), the seed (int32), the budget in
// µs (int32, 1 to 1,000,000). Numbers are big endian. The reply is a frame of: status 0, threads (int32), rounds of
// each thread (int64), ns that they took (int64), bytes and number of allocations (int64 each, -1 for unknown), digest
// (int32), sum (int32). Or status 1 and a reason (string, up to 200 UTF-16 units): for an operation that is not known,
// or a budget out of range. A request that is neither closes the connection.
//
// A subject makes the inputs from the seed as package mpacket/samples does, does one pass for the digest, and
// then rounds, from the first and over and over, until its clock says that the budget is used up. Only those
// are timed. All jobs of a process run one after the other.
package codec

import (
	"context"
	"math/rand/v2"
	"time"

	"dyno"
	"dyno/contract/internal/gate"
)

// caseWithin bounds every case: those that try every operation make all inputs anew, on slow runtimes too.
const caseWithin = 60 * time.Second

// Contract is the codec contract. The zero value is ready for use.
type Contract struct{}

// Name returns "codec".
func (Contract) Name() string { return "codec" }

// Cases lists the promises of a codec subject in the order in which the gate checks them.
func (Contract) Cases() []dyno.Case { return gate.Promises(cases) }

// Ping asks for a little work and checks it. It gives up when ctx ends, or after a minute.
func (Contract) Ping(ctx context.Context, addr string) error {
	return gate.Gate{Addr: addr, Seed: rand.Uint64(), Within: caseWithin, Ping: ping}.CheckPing(ctx)
}

// Verify runs the gate against the server at addr ("127.0.0.1:port"): one result for each case, in the order
// of Cases. A case ends after a minute at the latest. When the server stops answering, the case that
// stopped it fails and the rest is reported as not run, as it is when ctx ends.
func (Contract) Verify(ctx context.Context, addr string, seed uint64) []dyno.CaseResult {
	return gate.Gate{Addr: addr, Seed: seed, Within: caseWithin, Ping: ping}.Run(ctx, cases)
}

// Workloads lists the operations, in the order of the seed's tables.
func (Contract) Workloads() []dyno.Workload {
	all := make([]dyno.Workload, len(operations))
	for i, o := range operations {
		all[i] = dyno.Workload{Name: o.name}
	}
	return all
}

// operationNamed finds an operation.
func operationNamed(name string) (operation, bool) {
	for _, o := range operations {
		if o.name == name {
			return o, true
		}
	}
	return operation{}, false
}
