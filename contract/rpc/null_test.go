package rpc

import (
	"math/rand/v2"
	"testing"

	"dyno/contract/internal/fixture"
)

// TestNullServerUnderLoad: the ceiling answers whatever the engine asks, and every reply of its is verified. It
// is not gated: it may hang on what the engine never sends.
func TestNullServerUnderLoad(t *testing.T) {
	t.Parallel()
	addr := fixture.ServeNull(t, Contract{}.Null())
	if err := (Contract{}).Ping(t.Context(), addr); err != nil {
		t.Fatal(err)
	}
	for _, w := range (Contract{}).Workloads() {
		for _, depth := range []int{1, 50} {
			const count = 20_000
			seed := rand.Uint64()
			session, err := Contract{}.Traffic(w, depth, seed)
			if err != nil {
				t.Fatal(err)
			}
			r := fixture.Drive(t.Context(), t, addr, fixture.Traffic{Connections: 32, Depth: depth, Count: count, Session: session})
			if r.Verified != count || r.Failed() != 0 {
				t.Errorf("%v, depth %d, seed %d: %d of %d verified, %v, %s", w, depth, seed, r.Verified, count, r.Errors(), r.FirstFault)
			}
		}
	}
}
