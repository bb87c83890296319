package lab

import (
	"net"
	"strings"
	"testing"
	"time"

	"dyno"
)

func TestSuspicion(t *testing.T) {
	ms := func(n int64) int64 { return n * int64(time.Millisecond) }
	for _, tt := range []struct {
		name   string
		length time.Duration
		restNs int64
		d      dyno.Disturbance
		want   string
	}{
		{"quiet", 125 * time.Millisecond, 0, dyno.Disturbance{}, ""},
		{"one tick of rounding", 80 * time.Millisecond, 0, dyno.Disturbance{ForeignCPUNs: ms(4), StealNs: ms(10)}, ""},
		{"restless subjects", 100 * time.Millisecond, ms(6), dyno.Disturbance{}, "resting subjects used 6ms of CPU"},
		{"a neighbour on the core", 125 * time.Millisecond, 0, dyno.Disturbance{ForeignCPUNs: ms(60)}, "others used 60ms of CPU"},
		{"5 %", 1000 * time.Millisecond, 0, dyno.Disturbance{ForeignCPUNs: ms(50)}, ""},
		{"above it", 1000 * time.Millisecond, 0, dyno.Disturbance{ForeignCPUNs: ms(51)}, "others used 51ms of CPU"},
		{"the hypervisor", 125 * time.Millisecond, 0, dyno.Disturbance{ForeignCPUNs: ms(90), StealNs: ms(20)}, "the hypervisor took 20ms"},
		{"memory", 100 * time.Millisecond, 0, dyno.Disturbance{MemoryStallNs: ms(9)}, "processes waited 9ms for memory"},
	} {
		if got := suspicion(tt.length, 1, tt.restNs, tt.d); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestDisturbedRoundsAreMadeUpFor disturbs looks at the machine by their number, and counts what is measured.
func TestDisturbedRoundsAreMadeUpFor(t *testing.T) {
	for _, tt := range []struct {
		name          string
		disturbed     func(look int) bool // of each round one at the whole, and one at each of the two slices
		slices, flags int                 // of each subject, and of both together
	}{
		{"quiet", func(int) bool { return false }, 4, 0},
		{"the first round", func(look int) bool { return look == 1 || look == 2 }, 5, 2},
		{"one slice of the first round", func(look int) bool { return look == 1 }, 5, 1},
		{"the first round as a whole", func(look int) bool { return look == 0 }, 5, 2},
		{"one slice in each of two rounds", func(look int) bool { return look == 1 || look == 4 }, 5, 2},
		{"always", func(int) bool { return true }, 6, 12}, // half as many again, and no more
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, map[string]func(net.Conn){"a": echo, "b": echo})
			seen := 0
			b.Watch = func() func(int64) dyno.Disturbance {
				d := dyno.Disturbance{}
				if tt.disturbed(seen) {
					d.ForeignCPUNs = int64(time.Second)
				}
				seen++
				return func(int64) dyno.Disturbance { return d }
			}
			run := testRun(testSuite(1, 1, 4), "a", "b")
			run.Machine.ServerCPUs = []int{1 << 20} // which does not exist: nobody can time it
			if err := b.Measure(t.Context(), run, done()); err != nil {
				t.Fatal(err)
			}
			flags := 0
			for _, trial := range b.store.trials {
				for i, s := range trial.Slices {
					if s.Round != i {
						t.Errorf("slice %d is of round %d", i, s.Round)
					}
					if strings.HasPrefix(s.Flag, "others used") {
						flags++
					}
				}
				if len(trial.Slices) != tt.slices {
					t.Errorf("%s: %d slices, want %d", trial.Subject, len(trial.Slices), tt.slices)
				}
				if trial.Noise != (dyno.Noise{}) {
					t.Errorf("noise %+v", trial.Noise)
				}
			}
			if flags != tt.flags {
				t.Errorf("%d slices flagged, want %d", flags, tt.flags)
			}
		})
	}
}

// TestRoundsGoOn gives a cell slices that scatter by a known amount.
func TestRoundsGoOn(t *testing.T) {
	closed, users := dyno.Cell{Load: dyno.Load{Connections: 1, Depth: 1}}, dyno.Cell{Load: dyno.Load{Users: 5}}
	// Ratios of 1 and 0.9 in turns scatter by 0.078: 1,023 rounds make that 0.25 %, 64 make it 1 %, and 11 2.5 %.
	laneOf := func(name string, replies ...int64) *lane {
		l := &lane{subject: dyno.Subject{Name: name}}
		for round, n := range replies {
			l.trial.Slices = append(l.trial.Slices, dyno.Slice{Round: round, DurationNs: 1e9, Replies: n})
		}
		return l
	}
	steady, wild := laneOf("steady", 1000, 1000, 1000, 1000), laneOf("wild", 1000, 900, 1000, 900)
	void, ceiling := laneOf("void", 1000, 1, 500, 2000), laneOf("ceiling", 1000, 1, 500, 2000)
	void.trial.Void, ceiling.subject.Ceiling = "it died", true
	for _, tt := range []struct {
		name       string
		cell       dyno.Cell
		blockError float64
		planned    int
		disturbed  int
		lanes      []*lane
		want       int
	}{
		{"no error wanted", closed, 0, 20, 0, []*lane{steady, wild}, 20},
		{"flags are made up for", closed, 0, 20, 3, []*lane{steady, wild}, 23},
		{"by half at most", closed, 0, 20, 300, []*lane{steady, wild}, 30},
		{"until the ratio is known", closed, 0.01, 20, 3, []*lane{steady, wild}, 64},
		{"but not for ever", closed, 0.0025, 20, 0, []*lane{steady, wild}, 200},
		{"never fewer than planned", closed, 0.025, 20, 0, []*lane{steady, wild}, 20},
		{"nor than what is made up for", closed, 0.025, 20, 2, []*lane{steady, wild}, 22},
		{"equal ones", closed, 0.0025, 20, 0, []*lane{steady, steady}, 20},
		{"who has no say", closed, 0.01, 20, 0, []*lane{steady, wild, void, ceiling}, 64},
		{"one alone", closed, 0.01, 20, 0, []*lane{wild}, 20},
		{"virtual users", users, 0.01, 20, 0, []*lane{steady, wild}, 20},
		{"a continuous window that was disturbed", closed, 0.01, 1, 1, []*lane{steady, wild}, 2},
	} {
		b := &block{execution: &execution{run: dyno.Run{Suite: dyno.Suite{Method: dyno.Method{Rounds: 20, Continuous: tt.planned == 1, BlockError: tt.blockError}}}}}
		if got := b.roundsWanted(tt.cell, tt.planned, tt.disturbed, tt.lanes); got != tt.want {
			t.Errorf("%s: %d rounds, want %d", tt.name, got, tt.want)
		}
	}
}
