// Package framed is the contract of seed 000: packets in frames on TCP. A frame is a VarInt length
// of 1 to 3 bytes (1 to 2,097,151) and that many bytes of payload. The server decodes every frame
// and sends its payload back in a new frame with a minimal prefix, in order, on the same connection.
//
// The package holds the gate (cases that find cheats and mistakes) and the traffic that measures
// the same work. It never starts a server and never times a reply.
package framed

import (
	"context"
	"math/rand/v2"
	"time"

	"dyno"
	"dyno/contract/internal/gate"
	"dyno/load/null"
)

const (
	// caseWithin bounds every case. A good server needs milliseconds, one that waits for delayed
	// acknowledgements (no TCP_NODELAY) seconds, and a hanging one costs all of it.
	caseWithin = 10 * time.Second

	pingBytes = 32
)

// Contract is the framed contract. The zero value is ready for use.
type Contract struct{}

// Name returns "framed".
func (Contract) Name() string { return "framed" }

// Cases lists the promises of a framed server in the order in which the gate checks them.
func (Contract) Cases() []dyno.Case { return gate.Promises(gateCases) }

// Null returns the answer of a null server: frames of minimal prefixes come back as they are.
func (Contract) Null() null.Answer { return null.Framed }

// Ping sends one frame of random bytes and checks the reply. It gives up when ctx ends, or after
// ten seconds.
func (Contract) Ping(ctx context.Context, addr string) error {
	return newGate(addr, rand.Uint64(), caseWithin).CheckPing(ctx)
}

// Verify runs the gate against the server at addr ("127.0.0.1:port"): one result for each case, in
// the order of Cases. A case ends after ten seconds at the latest. When the server stops answering,
// the case that stopped it fails and the rest is reported as not run, as it is when ctx ends.
func (Contract) Verify(ctx context.Context, addr string, seed uint64) []dyno.CaseResult {
	return newGate(addr, seed, caseWithin).Run(ctx, gateCases)
}
