package framed

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"dyno"
	"dyno/contract/internal/fixture"
	"dyno/contract/internal/gate"
	"dyno/internal/golden"
)

// patience is far more than any passing case needs; only a failing test waits for it.
const patience = 20 * time.Second

func TestCasesReadWell(t *testing.T) {
	golden.Check(t, "cases.golden", fixture.Listed(t, Contract{}.Cases()))
}

func TestHonestServersPass(t *testing.T) {
	t.Parallel()
	for name, program := range map[string]func(*fixture.Server) fixture.Handler{
		"plain": plain, "in pieces": inPieces, "late": late, "delayed": delayed,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := fixture.Serve(t, program)
			results := newGate(s.Addr, 1, patience).Run(t.Context(), gateCases)
			for i, r := range results {
				if r.Case != gateCases[i].Name || !r.OK || r.Reason != "" || r.DurationNs <= 0 {
					t.Errorf("%+v", r)
				}
			}
		})
	}
}

// TestMutantsAreCaught holds the gate to its word: each server passes every case before the one
// that must name it, and fails that one.
func TestMutantsAreCaught(t *testing.T) {
	t.Parallel()
	reasons := make([]string, len(mutants))
	atOnce := make(chan struct{}, 12) // all of them would bring TCP short of memory
	var wait sync.WaitGroup
	for i, m := range mutants {
		wait.Go(func() {
			atOnce <- struct{}{}
			defer func() { <-atOnce }()
			reasons[i] = catch(t, m)
		})
	}
	wait.Wait()
	for i, m := range mutants {
		t.Logf("%-16s %-40s %s", m.caught, m.name, reasons[i])
	}
}

func catch(t *testing.T, m mutant) (reason string) {
	s := fixture.Serve(t, m.program)
	at := slices.IndexFunc(gateCases, func(c gate.Case) bool { return c.Name == m.caught })
	if at < 0 {
		t.Errorf("%s: no case %q", m.name, m.caught)
		return ""
	}
	for _, r := range newGate(s.Addr, 1, patience).Run(t.Context(), gateCases[:at]) {
		if !r.OK {
			t.Errorf("%s: failed %s already, want %s: %s", m.name, r.Case, m.caught, r.Reason)
			return ""
		}
	}
	within := patience
	if m.hangs {
		within = time.Second // what must be waited for in vain
	}
	r := newGate(s.Addr, 1, within).Run(t.Context(), gateCases[at:at+1])[0]
	if r.OK || r.Reason == "" || strings.ContainsAny(r.Reason, "\n\r") || len(r.Reason) > 300 {
		t.Errorf("%s: %+v, want a failure with a reason in one line", m.name, r)
	}
	return r.Reason
}

func TestNothingListens(t *testing.T) {
	s := fixture.Serve(t, plain)
	s.Die()
	results := Contract{}.Verify(t.Context(), s.Addr, 1)
	expectStopped(t, results, 0, "the server does not accept connections", "not run: the server has not answered since case random-payload")
	if err := (Contract{}).Ping(t.Context(), s.Addr); err == nil {
		t.Error("Ping of a dead server succeeded")
	}
}

// TestKillerIsNamed: the case that stopped the server fails, and the rest is over at once.
func TestKillerIsNamed(t *testing.T) {
	t.Parallel()
	s := fixture.Serve(t, func(s *fixture.Server) fixture.Handler {
		return diesOf(s, func(err error) bool { return err == errHostile })
	})
	results := newGate(s.Addr, 1, patience).Run(t.Context(), gateCases)
	at := slices.IndexFunc(gateCases, func(c gate.Case) bool { return c.Name == "zero-length" })
	expectStopped(t, results, at, "the server has not answered since", "not run: the server has not answered since case zero-length")
}

func TestCancelled(t *testing.T) {
	s := fixture.Serve(t, plain)
	t.Run("before", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		expectStopped(t, Contract{}.Verify(ctx, s.Addr, 1), 0, "interrupted: context canceled", "not run: context canceled")
		if err := (Contract{}).Ping(ctx, s.Addr); err == nil {
			t.Error("Ping succeeded with a cancelled context")
		}
	})
	t.Run("during", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cases := slices.Clone(gateCases[:5])
		cases[2].Check = func(p *gate.Probe) error {
			c, err := probe{p}.dial()
			if err != nil {
				return err
			}
			cancel()
			return c.expect([]byte("nobody asked for this"))
		}
		results := newGate(s.Addr, 1, patience).Run(ctx, cases)
		expectStopped(t, results, 2, "interrupted: context canceled", "not run: context canceled")
	})
}

// expectStopped checks that the cases before at passed, at failed with reason, and none after ran.
func expectStopped(t *testing.T, results []dyno.CaseResult, at int, reason, notRun string) {
	t.Helper()
	for i, r := range results {
		if r.Case != gateCases[i].Name {
			t.Errorf("result %d is of case %q, want %q", i, r.Case, gateCases[i].Name)
		}
		switch {
		case i < at && !r.OK:
			t.Errorf("%s failed: %s", r.Case, r.Reason)
		case i == at && (r.OK || !strings.Contains(r.Reason, reason)):
			t.Errorf("%s: ok %v, reason %q, want %q", r.Case, r.OK, r.Reason, reason)
		case i > at && (r.OK || r.Reason != notRun || r.DurationNs != 0):
			t.Errorf("%+v, want %q", r, notRun)
		}
	}
}

// TestConnectionsAreClosed: after the gate the server has no connection left.
func TestConnectionsAreClosed(t *testing.T) {
	t.Parallel()
	s := fixture.Serve(t, plain)
	if g := (dyno.GateResult{Cases: (Contract{}).Verify(t.Context(), s.Addr, 7)}); !g.OK() {
		t.Error(g.FirstFailure())
	}
	for deadline := time.Now().Add(patience); s.Open() > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d connections are still open", s.Open())
		}
	}
}

func TestPing(t *testing.T) {
	s := fixture.Serve(t, plain)
	if err := (Contract{}).Ping(t.Context(), s.Addr); err != nil {
		t.Error(err)
	}
	constant := fixture.Serve(t, mutants[0].program)
	if err := (Contract{}).Ping(t.Context(), constant.Addr); err == nil {
		t.Error("Ping took a wrong reply for a right one")
	}
}
