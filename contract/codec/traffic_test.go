package codec

import (
	"fmt"
	"strings"
	"testing"

	"dyno"
	"dyno/internal/golden"
	"dyno/load"
	"dyno/mpacket"
	"dyno/mpacket/samples"
)

// TestExpectations pins what every operation comes to: a subject in another language is held to these.
func TestExpectations(t *testing.T) {
	var text strings.Builder
	fmt.Fprintf(&text, "%-27s %9s %7s %8s %8s %10s\n", "operation, seed 1", "per round", "rounds", "digest", "sink", "B moved")
	for _, o := range operations {
		e := o.expect(1)
		last := len(e.sinks) - 1
		fmt.Fprintf(&text, "%-27s %9d %7d %08x %08x %10d\n", o.name, o.perRound, last, e.digest, e.sinks[last], e.moved[last])
	}
	golden.Check(t, "expectations.txt", text.String())
}

func TestOperationsHaveNamesOfTheirOwn(t *testing.T) {
	seen := map[string]bool{}
	for _, w := range (Contract{}).Workloads() {
		if w.Name == "" || seen[w.Name] {
			t.Errorf("name %q", w.Name)
		}
		seen[w.Name] = true
	}
}

// TestAfter holds the arithmetic on passes against adding up round by round.
func TestAfter(t *testing.T) {
	s := samples.NewSource(3)
	e := &expectation{sinks: []uint32{0}, moved: []int64{0}}
	for range 7 {
		e.round(s.Uint32(), nil, int(s.Below(1000)))
	}
	sink, moved := uint32(0), int64(0)
	for n := range int64(50) {
		if gotSink, gotMoved := e.after(n); gotSink != sink || gotMoved != moved {
			t.Fatalf("after %d rounds: %08x and %d B, want %08x and %d B", n, gotSink, gotMoved, sink, moved)
		}
		i := n % 7
		sink += e.sinks[i+1] - e.sinks[i]
		moved += e.moved[i+1] - e.moved[i]
	}
}

func newSession(t *testing.T, operation string) (*session, job) {
	t.Helper()
	open, err := (Contract{}).Traffic(dyno.Workload{Name: operation}, 1, 77)
	if err != nil {
		t.Fatal(err)
	}
	s := open(0).(*session)
	var d mpacket.FrameDecoder
	payload, _, err := d.Next(s.Request(nil))
	if err != nil {
		t.Fatal(err)
	}
	j, err := parseJob(payload)
	if err != nil || j != s.job {
		t.Fatalf("request %+v, %v; want %+v", j, err, s.job)
	}
	return s, j
}

// TestSession: verified work is counted from the rounds, wherever replies are split.
func TestSession(t *testing.T) {
	s, j := newSession(t, "Throughput 512 B")
	const rounds = 100
	sink, _ := s.expected.after(rounds)
	good := report{lanes: 1, rounds: rounds, durationNs: 20_000_000, allocatedBytes: 5, allocations: 2, digest: s.expected.digest, sink: sink}
	if good.durationNs < 1000*int64(j.budgetUs) {
		t.Fatal("the budget has grown beyond this test")
	}
	wire := mpacket.AppendFrame(nil, good.append(nil))
	for i := range wire {
		taken, status := s.Reply(wire[i : i+1])
		want := load.More
		if i == len(wire)-1 {
			want = load.OK
		}
		if taken != 1 || status != want {
			t.Fatalf("byte %d of %d: took %d, status %v", i+1, len(wire), taken, status)
		}
	}
	two := append(append([]byte(nil), wire...), wire...)
	if taken, status := s.Reply(two); taken != len(wire) || status != load.OK {
		t.Fatalf("of two replies %d bytes were taken, status %v", taken, status)
	}
	want := dyno.Work{Operations: 2 * rounds * 32, DurationNs: 40_000_000, Bytes: 2 * rounds * 32 * 512, AllocatedBytes: 10, Allocations: 4}
	if work := s.Work(); work != want {
		t.Errorf("work %+v, want %+v", work, want)
	}
	if work := s.Work(); work != (dyno.Work{}) {
		t.Errorf("work is counted twice: %+v", work)
	}
	if s.Fault() != "" {
		t.Errorf("fault %q", s.Fault())
	}
}

func TestSessionFindsFaults(t *testing.T) {
	for name, c := range map[string]struct {
		wire   []byte
		status load.Status
		fault  string
	}{
		"wrong sum":   {mpacket.AppendFrame(nil, report{lanes: 1, rounds: 1, durationNs: 1e9}.append(nil)), load.Wrong, "digest of a pass"},
		"refusal":     {mpacket.AppendFrame(nil, mpacket.AppendString([]byte{statusRefused}, "no\nway")), load.Wrong, `refused: "no\nway"`},
		"short":       {mpacket.AppendFrame(nil, []byte{statusDone, 1}), load.Wrong, "ends inside"},
		"not a frame": {[]byte{0}, load.Broken, "frame"},
		"endless":     {[]byte{0xff, 0xff, 0x7f}, load.Broken, "limit"},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := newSession(t, "ReadByte")
			if _, status := s.Reply(c.wire); status != c.status {
				t.Errorf("status %v, want %v", status, c.status)
			}
			if f := s.Fault(); !strings.Contains(f, c.fault) || !strings.Contains(f, "ReadByte") || strings.Contains(f, "\n") {
				t.Errorf("fault %q, want one line with %q", f, c.fault)
			}
			if s.Work() != (dyno.Work{}) {
				t.Error("wrong work was counted")
			}
			if s.Reset(); s.Fault() != "" {
				t.Errorf("fault after Reset: %q", s.Fault())
			}
		})
	}
}

func TestTrafficRefuses(t *testing.T) {
	for _, w := range []dyno.Workload{{}, {Name: "writebyte"}, {PayloadBytes: 64}, {Name: "no\nsuch"}} {
		if open, err := (Contract{}).Traffic(w, 1, 1); err == nil || open != nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: error %v, want one line", w, err)
		}
	}
	for _, depth := range []int{0, 2, -1} {
		if _, err := (Contract{}).Traffic(dyno.Workload{Name: "ReadByte"}, depth, 1); err == nil {
			t.Errorf("depth %d was accepted", depth)
		}
	}
}

// FuzzReply: no reply makes a session panic, take too much, or count work that does not add up.
func FuzzReply(f *testing.F) {
	o, _ := operationNamed("Parallel read")
	e := o.expect(1)
	sink, _ := e.after(3)
	f.Add(mpacket.AppendFrame(nil, report{lanes: 2, rounds: 3, durationNs: 1e8, digest: e.digest, sink: 2 * sink}.append(nil)))
	f.Add(mpacket.AppendFrame(nil, []byte{statusRefused, 1, 'x'}))
	f.Add([]byte{0, 1, 2})
	f.Fuzz(func(t *testing.T, in []byte) {
		s := &session{job: job{operation: o.name, seed: 1, budgetUs: 1}, expected: e}
		s.Reset()
		for len(in) > 0 {
			taken, status := s.Reply(in)
			if taken < 0 || taken > len(in) || status == load.OK && taken == 0 {
				t.Fatalf("took %d of %d bytes, status %v", taken, len(in), status)
			}
			if status == load.Broken || taken == 0 {
				break
			}
			in = in[taken:]
		}
		if w := s.Work(); w.Operations < 0 || w.DurationNs < 0 {
			t.Errorf("negative work %+v", w)
		}
	})
}
