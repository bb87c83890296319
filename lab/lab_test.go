package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dyno"
	"dyno/contract"
	"dyno/internal/loopback"
	"dyno/load"
)

// memory is a store that keeps trials in a slice.
type memory struct {
	trials []dyno.Trial
	after  func() // called after each call of AddTrials
	err    error
}

func (m *memory) AddTrials(_ context.Context, _ string, trials []dyno.Trial) error {
	if m.err != nil {
		return m.err
	}
	m.trials = append(m.trials, trials...)
	if m.after != nil {
		m.after()
	}
	return nil
}

func (m *memory) keys(t *testing.T) map[dyno.TrialKey]bool {
	t.Helper()
	keys := map[dyno.TrialKey]bool{}
	for _, trial := range m.trials {
		if keys[trial.TrialKey] {
			t.Errorf("measured twice: %+v", trial.TrialKey)
		}
		keys[trial.TrialKey] = true
	}
	return keys
}

// inProcess is a subject that lives in the test: a listener with a handler.
type inProcess struct {
	listener net.Listener
	exited   chan struct{}
	stop     sync.Once
	fault    atomic.Value
	stopErr  error
	cpuNs    func() int64
}

func startInProcess(t *testing.T, handle func(net.Conn)) *inProcess {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &inProcess{listener: l, exited: make(chan struct{})}
	loopback.Serve(l, handle)
	return p
}

func (p *inProcess) Addr() string { return p.listener.Addr().String() }
func (p *inProcess) Refresh()     {}
func (p *inProcess) CPUTime() (int64, error) {
	if p.cpuNs == nil {
		return 0, nil
	}
	return p.cpuNs(), nil
}
func (p *inProcess) Footprint() (int64, int) { return 1 << 20, 1 }
func (p *inProcess) Switches() int64         { return 3 }
func (p *inProcess) StartUp() time.Duration  { return time.Millisecond }
func (p *inProcess) Exited() <-chan struct{} { return p.exited }
func (p *inProcess) Fault() string {
	fault, _ := p.fault.Load().(string)
	return fault
}
func (p *inProcess) Stderr() []string { return []string{"last words"} }
func (p *inProcess) Stop(context.Context) error {
	p.stop.Do(func() { p.listener.Close() })
	return p.stopErr
}

func echo(c net.Conn) { io.Copy(c, c) }

// bench is a lab over in-process subjects; handlers are by subject name.
type bench struct {
	*Lab
	store    *memory
	progress []dyno.Progress
	mu       sync.Mutex     // gates start side by side
	started  map[string]int // by subject name
}

func newBench(t *testing.T, handlers map[string]func(net.Conn)) *bench {
	t.Helper()
	engine, err := load.New(load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(engine.Close)
	c, err := contract.ByName("framed")
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{store: &memory{}, started: map[string]int{}}
	b.Lab = &Lab{
		Engine: engine, Contract: c, Store: b.store, Now: time.Now,
		Show: func(p dyno.Progress) { b.progress = append(b.progress, p) },
		Start: func(_ context.Context, s dyno.Subject) (Process, error) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.started[s.Name]++
			handle := handlers[s.Name]
			if handle == nil {
				return nil, errors.New("exit code 3 before it listened")
			}
			return startInProcess(t, handle), nil
		},
	}
	return b
}

func testRun(suite dyno.Suite, subjects ...string) dyno.Run {
	run := dyno.Run{ID: "test", Suite: suite, Seed: 42}
	for _, s := range subjects {
		run.Subjects = append(run.Subjects, dyno.Subject{Name: s, Title: s})
	}
	return run
}

func done() map[dyno.TrialKey]bool { return map[dyno.TrialKey]bool{} }

func TestMeasureFillsThePlan(t *testing.T) {
	b := newBench(t, map[string]func(net.Conn){"a": echo, "b": echo})
	run := testRun(testSuite(2, 3, 4), "a", "b")
	if err := b.Measure(t.Context(), run, done()); err != nil {
		t.Fatal(err)
	}
	if n := len(b.store.keys(t)); n != 2*3*2 {
		t.Fatalf("%d trials, want 12", n)
	}
	for _, trial := range b.store.trials {
		if trial.Void != "" || len(trial.Slices) != 4 || trial.RatePerS() <= 0 {
			t.Fatalf("%+v", trial)
		}
		var replies int64
		for i, s := range trial.Slices {
			if s.Round != i || s.DurationNs != int64(10*time.Millisecond) || s.ServerReplies < s.Replies || s.Latency.Count() != s.Replies {
				t.Errorf("slice %+v", s)
			}
			replies += s.Replies
		}
		if trial.Latency.Count() != replies || trial.Client.Sent != trial.Client.Verified {
			t.Errorf("%d latencies, %d replies, %+v", trial.Latency.Count(), replies, trial.Client)
		}
		if trial.Server.PeakRSSBytes == 0 || trial.Server.StartUpNs == 0 || trial.WarmUp.Replies == 0 {
			t.Errorf("server %+v, warm-up %+v", trial.Server, trial.WarmUp)
		}
		if w := trial.WarmUp; w.WindowNs <= 0 || int64(len(w.RatesPerS))*w.WindowNs != w.DurationNs {
			t.Errorf("%d warm-up windows of %d ns last %d ns", len(w.RatesPerS), w.WindowNs, w.DurationNs)
		}
	}
	if b.started["a"] != 2 || b.started["b"] != 2 {
		t.Errorf("fresh processes: %v, want one a block", b.started)
	}
	last := b.progress[len(b.progress)-1]
	if last.Phase != dyno.PhaseDone || last.TrialsDone != 12 || last.TrialsPlanned != 12 {
		t.Errorf("last progress %+v", last)
	}
}

func TestSlicesAreInterleaved(t *testing.T) {
	b := newBench(t, map[string]func(net.Conn){"a": echo, "b": echo, "c": echo})
	if err := b.Measure(t.Context(), testRun(testSuite(1, 1, 6), "a", "b", "c"), done()); err != nil {
		t.Fatal(err)
	}
	orders := map[string]bool{}
	for round := range 6 {
		positions := make([]int, 3)
		for i, trial := range b.store.trials {
			positions[i] = trial.Slices[round].Position
		}
		orders[fmt.Sprint(positions)] = true
		slices.Sort(positions)
		if !slices.Equal(positions, []int{0, 1, 2}) {
			t.Errorf("round %d: positions %v", round, positions)
		}
	}
	if len(orders) < 2 {
		t.Error("every round had the same order")
	}
}

func TestInterruptedRunsResumeWithoutLossOrRepetition(t *testing.T) {
	b := newBench(t, map[string]func(net.Conn){"a": echo, "b": echo})
	run := testRun(testSuite(2, 3, 2), "a", "b")
	keys := done()
	for executions := 1; ; executions++ {
		ctx, cancel := context.WithCancel(t.Context())
		b.store.after = cancel // interrupt after every single cell
		err := b.Measure(ctx, run, keys)
		cancel()
		keys = b.store.keys(t)
		if err == nil {
			if executions < 6 {
				t.Errorf("complete after %d executions, want one a cell and block", executions)
			}
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if len(keys) != 2*executions {
			t.Fatalf("%d trials after %d interruptions", len(keys), executions)
		}
	}
	if len(keys) != 12 {
		t.Errorf("%d trials, want 12", len(keys))
	}
}

func TestMisbehaviourVoidsTheTrialAndOnlyThat(t *testing.T) {
	for name, tc := range map[string]struct {
		handle func(net.Conn)
		want   string
	}{
		"wrong reply":    {func(c net.Conn) { c.Read(make([]byte, 1)); c.Write([]byte("nonsense")); io.Copy(io.Discard, c) }, "wrong reply: "},
		"hangs":          {func(c net.Conn) { io.Copy(io.Discard, c) }, "timeout"},
		"closes":         {func(c net.Conn) { c.Read(make([]byte, 1)) }, "×"},
		"does not start": {nil, "exit code 3 before it listened"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, map[string]func(net.Conn){"good": echo, "bad": tc.handle})
			if err := b.Measure(t.Context(), testRun(testSuite(1, 2, 2), "good", "bad"), done()); err != nil {
				t.Fatal(err)
			}
			if len(b.store.trials) != 4 {
				t.Fatalf("%d trials, want 4", len(b.store.trials))
			}
			notes := 0
			for _, p := range b.progress {
				if strings.Contains(p.Note, "void") {
					notes++
				}
			}
			if notes != 2 {
				t.Errorf("%d notes about voids, want 2", notes)
			}
			for _, trial := range b.store.trials {
				switch {
				case trial.Subject == "good" && trial.Void != "":
					t.Errorf("the good one is void: %s", trial.Void)
				case trial.Subject == "bad" && !strings.Contains(trial.Void, tc.want):
					t.Errorf("void %q, want %q in it", trial.Void, tc.want)
				}
			}
			if b.started["bad"] != 2 {
				t.Errorf("%d starts of the bad one, want a fresh process for each cell", b.started["bad"])
			}
		})
	}
}

func TestCrashGivesTheProcessesOwnReason(t *testing.T) {
	b := newBench(t, map[string]func(net.Conn){"a": echo})
	b.Start = func(context.Context, dyno.Subject) (Process, error) {
		self := make(chan *inProcess, 1)
		p := startInProcess(t, func(c net.Conn) {
			c.Read(make([]byte, 1))
			p := <-self
			p.fault.Store("exit code 7")
			p.stop.Do(func() { p.listener.Close(); close(p.exited) })
		})
		self <- p
		return p, nil
	}
	if err := b.Measure(t.Context(), testRun(testSuite(1, 1, 1), "a"), done()); err != nil {
		t.Fatal(err)
	}
	if trial := b.store.trials[0]; trial.Void != "exit code 7" || len(trial.Stderr) != 1 {
		t.Errorf("void %q, stderr %q", trial.Void, trial.Stderr)
	}
}

func TestWhoMustBeKilledLosesTheBlocksLastTrial(t *testing.T) {
	b := newBench(t, nil)
	b.Start = func(_ context.Context, s dyno.Subject) (Process, error) {
		p := startInProcess(t, echo)
		if s.Name == "deaf" {
			p.stopErr = errors.New("ignored SIGTERM for 3s and was killed")
		}
		return p, nil
	}
	if err := b.Measure(t.Context(), testRun(testSuite(2, 2, 1), "good", "deaf"), done()); err != nil {
		t.Fatal(err)
	}
	voids := map[string]int{}
	for _, trial := range b.store.trials {
		if strings.Contains(trial.Void, "ignored SIGTERM") {
			voids[trial.Subject]++
		}
	}
	if voids["deaf"] != 2 || voids["good"] != 0 {
		t.Errorf("voids %v, want one a block for the deaf one", voids)
	}
}

func TestRestlessSubjectsFlagTheSlice(t *testing.T) {
	b := newBench(t, nil)
	b.Start = func(_ context.Context, s dyno.Subject) (Process, error) {
		p := startInProcess(t, echo)
		if s.Name == "restless" {
			began := time.Now()
			p.cpuNs = func() int64 { return int64(time.Since(began)) } // a core of its own, always
		}
		return p, nil
	}
	if err := b.Measure(t.Context(), testRun(testSuite(1, 1, 3), "calm", "restless"), done()); err != nil {
		t.Fatal(err)
	}
	for _, trial := range b.store.trials {
		for _, s := range trial.Slices {
			if (s.Flag != "") != (trial.Subject == "calm") {
				t.Errorf("%s: flag %q", trial.Subject, s.Flag)
			}
		}
	}
}

func TestBudgetEndsTheRunBetweenCells(t *testing.T) {
	b := newBench(t, map[string]func(net.Conn){"a": echo})
	b.Budget = time.Nanosecond
	keys := done()
	if err := b.Measure(t.Context(), testRun(testSuite(5, 5, 2), "a"), keys); !errors.Is(err, ErrBudget) {
		t.Fatalf("got %v", err)
	}
	if len(b.store.trials) >= 25 {
		t.Error("the budget ended nothing")
	}
}

func TestStoreFailureEndsTheRun(t *testing.T) {
	b := newBench(t, map[string]func(net.Conn){"a": echo})
	b.store.err = errors.New("disk full")
	err := b.Measure(t.Context(), testRun(testSuite(2, 2, 1), "a"), done())
	if err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Fatalf("got %v", err)
	}
}

func TestGate(t *testing.T) {
	b := newBench(t, map[string]func(net.Conn){"echo": echo})
	good := dyno.Subject{Name: "echo"}
	away := dyno.Subject{Name: "away", Unavailable: "not on npm"}
	dead := dyno.Subject{Name: "dead"}
	seen := 0
	gates := Gates(t.Context(), b.Contract, []dyno.Subject{good, away, dead}, 1, b.Start, func(dyno.GateResult) { seen++ })
	if seen != 3 {
		t.Errorf("told of %d gates, want 3", seen)
	}
	// A raw echo keeps most promises, but not that a padded prefix comes back minimal.
	if g := gates[0]; g.OK() || len(g.Cases) != len(b.Contract.Cases()) {
		t.Errorf("raw echo: %+v", g)
	}
	if g := gates[1]; g.OK() || g.Fault != "unavailable: not on npm" {
		t.Errorf("unavailable: %+v", g)
	}
	if g := gates[2]; g.OK() || g.Fault != "exit code 3 before it listened" {
		t.Errorf("dead: %+v", g)
	}
}
