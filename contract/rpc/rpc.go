// Package rpc is the contract of seed 003: a remote procedure call with a checked body. The client
// sends POST /api/rpc with Content-Type: application/json and a body of this shape,
//
//	{"id": 7, "name": "…", "active": true, "tags": ["…", …], "address": {"city": "…", "zip": "…"}}
//
// where every key is required, id is an integer and tags may be empty. The server parses and
// validates the body. What is valid is mirrored: 200, application/json, the same JSON value. What is
// not gets a 400, whatever its text: a missing key, a wrong type, malformed JSON, or another
// content type. Extra keys are no part of the promise: validators differ in whether they keep, drop
// or refuse them.
//
// The seed's routes /api/json, /api/zod and /api/typebox are one route here, since every row does
// the same work; and its json row, which checked nothing, checks by hand.
//
// The package holds the gate (cases that find cheats and mistakes) and the traffic that measures
// the same work. It never starts a server and never times a reply.
package rpc

import (
	"context"
	"math/rand/v2"
	"time"

	"dyno"
	"dyno/contract/internal/gate"
	"dyno/contract/internal/httpgate"
	"dyno/load"
)

// caseWithin bounds every case. A good server needs milliseconds and a hanging one costs all of it.
const caseWithin = 30 * time.Second

// Contract is the rpc contract. The zero value is ready for use.
type Contract struct{}

// Name returns "rpc".
func (Contract) Name() string { return "rpc" }

// Cases lists the promises in the order in which the gate checks them.
func (Contract) Cases() []dyno.Case { return gate.Promises(gateCases) }

// Ping makes a valid call and checks the reply. It gives up when ctx ends, or after thirty seconds.
func (Contract) Ping(ctx context.Context, addr string) error {
	return newGate(addr, rand.Uint64(), caseWithin).CheckPing(ctx)
}

// Verify runs the gate against the server at addr ("127.0.0.1:port"): one result for each case, in
// the order of Cases. A case ends after thirty seconds at the latest. When the server stops answering,
// the case that stopped it fails and the rest is reported as not run, as it is when ctx ends.
func (Contract) Verify(ctx context.Context, addr string, seed uint64) []dyno.CaseResult {
	return newGate(addr, seed, caseWithin).Run(ctx, gateCases)
}

func newGate(addr string, seed uint64, within time.Duration) gate.Gate {
	return gate.Gate{Addr: addr, Seed: seed, Within: within, Ping: func(p *gate.Probe) error {
		return httpgate.AskFresh(p, valid(p.Source))
	}}
}

// workloads are the seed's one, and one that shows what refusing costs.
var workloads = httpgate.Workloads{
	{Name: "valid", Make: func(s *gate.Source, i int) httpgate.Exchange {
		if i%8 == 0 { // shows that the text is parsed
			return spaced(s)
		}
		return valid(s)
	}},
	{Name: "valid and invalid", Make: func(s *gate.Source, i int) httpgate.Exchange {
		switch {
		case i%4 == 3:
			return invalid(s, i/4)
		case i%8 == 0:
			return spaced(s)
		}
		return valid(s)
	}},
}

// Workloads lists "valid" and "valid and invalid", in which one call of four is refused.
func (Contract) Workloads() []dyno.Workload { return workloads.Plain() }

// Traffic makes a corpus of calls that all differ, and returns a function that makes the session of
// connection conn. A reply to an invalid call is right when its status is 400; its text is the
// validator's business. Sessions count replies by status (http1.CodeCounter), so that refusals can
// be told from successes.
func (Contract) Traffic(w dyno.Workload, depth int, seed uint64) (func(conn int) load.Session, error) {
	return workloads.Traffic(w, depth, seed)
}
