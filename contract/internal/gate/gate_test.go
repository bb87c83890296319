package gate

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"dyno"
)

const patience = 20 * time.Second

// echo is a server that sends every byte back until it is told to die.
type echo struct {
	addr string
	die  func()
}

func serve(t *testing.T) echo {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var conns sync.WaitGroup
	conns.Go(func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			conns.Go(func() { io.Copy(c, c); c.Close() })
		}
	})
	die := func() { listener.Close() }
	t.Cleanup(func() { die(); conns.Wait() })
	return echo{listener.Addr().String(), die}
}

// ping sends a byte and wants it back.
func ping(p *Probe) error {
	c, err := p.Dial()
	if err != nil {
		return err
	}
	defer c.Close()
	return exchange(p, c, "p", "p")
}

func exchange(p *Probe, c net.Conn, send, want string) error {
	if _, err := c.Write([]byte(send)); err != nil {
		return p.Explain(err)
	}
	got := make([]byte, len(want))
	if _, err := io.ReadFull(c, got); err != nil {
		return p.Explain(err)
	}
	if string(got) != want {
		return Wrong("got %q, want %q", got, want)
	}
	return nil
}

func good(p *Probe) error { return ping(p) }

func cases(checks ...func(*Probe) error) []Case {
	var all []Case
	for i, check := range checks {
		all = append(all, Case{Case: dyno.Case{Name: string(rune('a' + i))}, Check: check})
	}
	return all
}

// expect compares results with OK or the reason, in the order of the cases.
func expect(t *testing.T, results []dyno.CaseResult, reasons ...string) {
	t.Helper()
	if len(results) != len(reasons) {
		t.Fatalf("%d results, want %d", len(results), len(reasons))
	}
	for i, r := range results {
		if r.Case != string(rune('a'+i)) || r.OK != (reasons[i] == "") || !strings.Contains(r.Reason, reasons[i]) || r.OK && r.Reason != "" {
			t.Errorf("case %d: %+v, want reason %q", i+1, r, reasons[i])
		}
		if notRun := strings.HasPrefix(reasons[i], "not run"); notRun != (r.DurationNs == 0) {
			t.Errorf("case %d took %d ns", i+1, r.DurationNs)
		}
	}
}

func TestRun(t *testing.T) {
	s := serve(t)
	g := Gate{Addr: s.addr, Seed: 1, Within: patience, Ping: ping}
	wrong := func(*Probe) error { return Wrong("body %q", "x") }
	expect(t, g.Run(t.Context(), cases(good, wrong, good)), "", `body "x"`, "")
	if err := g.CheckPing(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestKillerIsNamed: the case that stopped the server fails, even if it was content itself.
func TestKillerIsNamed(t *testing.T) {
	for name, c := range map[string]struct{ end, reason string }{
		"content":  {"", "a new connection after this case: the server does not accept connections"},
		"offended": {"no good", "no good; the server has not answered since"},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t)
			killer := func(*Probe) error {
				s.die()
				if c.end != "" {
					return errors.New(c.end)
				}
				return nil
			}
			g := Gate{Addr: s.addr, Seed: 1, Within: patience, Ping: ping}
			expect(t, g.Run(t.Context(), cases(good, killer, good, good)), "", c.reason,
				"not run: the server has not answered since case b", "not run: the server has not answered since case b")
		})
	}
}

// TestWrongIsAlive: a server that answers wrongly to all is still asked the other cases.
func TestWrongIsAlive(t *testing.T) {
	s := serve(t)
	g := Gate{Addr: s.addr, Seed: 1, Within: patience, Ping: func(p *Probe) error {
		if err := ping(p); err != nil {
			return err
		}
		return Wrong("not what was asked")
	}}
	expect(t, g.Run(t.Context(), cases(good, good)), "", "")
}

func TestHangingServer(t *testing.T) {
	s := serve(t)
	waits := func(p *Probe) error {
		c, err := p.Dial()
		if err != nil {
			return err
		}
		return exchange(p, c, "a", "ab")
	}
	g := Gate{Addr: s.addr, Seed: 1, Within: 50 * time.Millisecond, Ping: func(p *Probe) error { return Wrong("alive") }}
	expect(t, g.Run(t.Context(), cases(waits)), "nothing more came in the 50ms of the case")
}

func TestCancelled(t *testing.T) {
	s := serve(t)
	g := Gate{Addr: s.addr, Seed: 1, Within: patience, Ping: ping}
	ctx, cancel := context.WithCancel(t.Context())
	during := func(p *Probe) error {
		c, err := p.Dial()
		if err != nil {
			return err
		}
		cancel()
		return exchange(p, c, "", "nobody sent this")
	}
	expect(t, g.Run(ctx, cases(good, during, good)), "", "interrupted: context canceled", "not run: context canceled")
	expect(t, g.Run(ctx, cases(good, good)), "interrupted: context canceled", "not run: context canceled")
}

// TestTogether: the first failure ends the others and is the one that is told.
func TestTogether(t *testing.T) {
	s := serve(t)
	g := Gate{Addr: s.addr, Seed: 1, Within: patience, Ping: ping}
	parts := func(p *Probe) error {
		return p.Together(8, func(i int) error {
			c, err := p.Dial()
			if err != nil {
				return err
			}
			if i == 3 {
				return exchange(p, c, "x", "y")
			}
			return exchange(p, c, "x", "x and what never comes")
		})
	}
	expect(t, g.Run(t.Context(), cases(parts)), `got "x", want "y"`)
}

// TestOthers: a server that dies of a case is found dead by the case itself.
func TestOthers(t *testing.T) {
	s := serve(t)
	g := Gate{Addr: s.addr, Seed: 1, Within: patience, Ping: ping}
	fatal := func(p *Probe) error {
		if err := p.Others(); err != nil {
			return err
		}
		s.die()
		return p.Others()
	}
	expect(t, g.Run(t.Context(), cases(fatal)), "another connection, opened after: the server does not accept connections")
}

// TestValuesFollowFromTheSeed: equal seeds make equal values, others do not.
func TestValuesFollowFromTheSeed(t *testing.T) {
	word := func(seed uint64, name string) string {
		s := NewSource(seed, name)
		return string(s.Bytes(8)) + s.Word(16, 16) + Pick(s, []string{"a", "b"})
	}
	first := word(1, "a")
	if word(1, "a") != first {
		t.Error("equal seeds made different values")
	}
	if word(2, "a") == first || word(1, "b") == first {
		t.Error("different seeds or names made equal values")
	}
	s := NewSource(1, "bounds")
	for range 200 {
		if w := s.Word(2, 5); len(w) < 2 || len(w) > 5 {
			t.Fatalf("word %q", w)
		}
		if n := s.Between(-1, 1); n < -1 || n > 1 {
			t.Fatalf("number %d", n)
		}
	}
}
