package httpbasic

import (
	"strings"
	"testing"
	"time"

	"dyno"
	"dyno/contract/internal/fixture"
	"dyno/internal/golden"
)

func TestCasesReadWell(t *testing.T) {
	golden.Check(t, "cases.golden", fixture.Listed(t, Contract{}.Cases()))
}

// kit is the contract for the tests that all HTTP contracts share.
var kit = fixture.Contract{Gate: newGate, Cases: gateCases}

func TestHonestServersPass(t *testing.T) {
	t.Parallel()
	for name, serve := range honest {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kit.Pass(t, serve(t))
		})
	}
}

func TestMutantsAreCaught(t *testing.T) {
	t.Parallel()
	kit.CatchAll(t, mutants)
}

func TestNothingListens(t *testing.T) {
	s := fixture.Serve(t, honestApp.Honest)
	s.Die()
	results := Contract{}.Verify(t.Context(), s.Addr, 1)
	if r := results[0]; r.OK || !strings.Contains(r.Reason, "the server does not accept connections") {
		t.Errorf("%+v", r)
	}
	for _, r := range results[1:] {
		if r.OK || r.Reason != "not run: the server has not answered since case root" {
			t.Errorf("%+v", r)
		}
	}
	if err := (Contract{}).Ping(t.Context(), s.Addr); err == nil {
		t.Error("Ping of a dead server succeeded")
	}
}

// TestConnectionsAreClosed: after the gate the server has no connection left.
func TestConnectionsAreClosed(t *testing.T) {
	t.Parallel()
	s := fixture.Serve(t, honestApp.Honest)
	if g := (dyno.GateResult{Cases: newGate(s.Addr, 7, fixture.Patience).Run(t.Context(), gateCases)}); !g.OK() {
		t.Error(g.FirstFailure())
	}
	for deadline := time.Now().Add(fixture.Patience); s.Open() > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d connections are still open", s.Open())
		}
	}
}

func TestPing(t *testing.T) {
	good := fixture.Serve(t, honestApp.Honest)
	if err := (Contract{}).Ping(t.Context(), good.Addr); err != nil {
		t.Error(err)
	}
	bad := fixture.Serve(t, mutants[0].Program)
	if err := (Contract{}).Ping(t.Context(), bad.Addr); err == nil {
		t.Error("Ping took a wrong reply for a right one")
	}
}
