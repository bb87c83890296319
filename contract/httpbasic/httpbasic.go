// Package httpbasic is the contract of seed 004: three requests that every HTTP framework can serve.
//
//   - GET / answers "hi" as text/plain.
//   - GET /id/:id?name=NAME answers "ID NAME" as text/plain, with x-powered-by: benchmark. The query
//     is parsed as a form: percent-encoding and plus signs are decoded, keys match whole. Without a
//     name the answer is the id and a blank.
//   - POST /json mirrors the JSON value that it parsed, as application/json. Malformed JSON gets a
//     status from 400 to 499.
//
// These have status 200, any other path has 404. Replies come in the order of the requests, on a
// connection that stays open. A content type may carry a charset, which is UTF-8.
//
// The package holds the gate (cases that find cheats and mistakes) and the traffic that measures
// the same work. It never starts a server and never times a reply.
package httpbasic

import (
	"context"
	"math/rand/v2"
	"time"

	"dyno"
	"dyno/contract/internal/gate"
	"dyno/contract/internal/httpgate"
)

// caseWithin bounds every case. A good server needs milliseconds and a hanging one costs all of it.
const caseWithin = 30 * time.Second

// Contract is the httpbasic contract. The zero value is ready for use.
type Contract struct{}

// Name returns "httpbasic".
func (Contract) Name() string { return "httpbasic" }

// Cases lists the promises in the order in which the gate checks them.
func (Contract) Cases() []dyno.Case { return gate.Promises(gateCases) }

// Ping asks for GET / and checks the reply. It gives up when ctx ends, or after thirty seconds.
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
		return httpgate.AskFresh(p, hello())
	}}
}
