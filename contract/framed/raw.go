package framed

import (
	"context"
	"slices"

	"dyno"
	"dyno/contract/internal/gate"
)

// Raw is the contract of a baseline: every byte comes back as it was sent, and nobody looks at frames.
// Its traffic is that of Contract, so that the two differ in nothing but the server's work on frames.
type Raw struct{ Contract }

// Name returns "raw-echo".
func (Raw) Name() string { return "raw-echo" }

// rawCases are the cases of the gate that a server keeps without knowing frames. split-prefix pads lengths.
var rawCases = slices.DeleteFunc(slices.Clone(gateCases), func(c gate.Case) bool {
	return slices.Contains([]string{
		"padded-length", "split-prefix", "truncated-frame", "zero-length", "negative-length", "over-long-length", "too-large-length",
	}, c.Name)
})

// Cases lists the promises of a raw echo.
func (Raw) Cases() []dyno.Case { return gate.Promises(rawCases) }

// Verify runs the gate against the server at addr, as Contract.Verify does.
func (Raw) Verify(ctx context.Context, addr string, seed uint64) []dyno.CaseResult {
	return newGate(addr, seed, caseWithin).Run(ctx, rawCases)
}
