package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"dyno/bench/internal/frame"
	"dyno/bench/internal/table"
	"dyno/internal/golden"
)

// TestMain lets the test binary be the children that the bench makes of itself.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == childCommand {
		main()
	}
	os.Exit(m.Run())
}

func TestHelp(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := program.Run(context.Background(), []string{"-h"}, &stdout, &stderr); code != 0 {
		t.Errorf("exit status %d, want 0", code)
	}
	golden.Check(t, "help.txt", stderr.String())
}

// made returns samples in which every operation of a side takes what its name is long, in nanoseconds, or
// a multiple of that, so that the tables show which figures they take.
func made(sides map[string]float64, ops []op) samples {
	var all samples
	for round := range 3 {
		s := sample{}
		for side, factor := range sides {
			s[side] = map[string]timing{}
			for _, o := range ops {
				ns := factor * (1 + float64(len(o.name))/100 + float64(round)/10)
				s[side][o.name] = timing{BestNs: ns}
			}
		}
		all = append(all, s)
	}
	return all
}

func TestReport(t *testing.T) {
	var out bytes.Buffer
	var twinOps []op
	for _, name := range []string{"write move", "read move", "write chat", "read chat", "text alone", "frame 64 B", "copy 64 B"} {
		twinOps = append(twinOps, op{name: name})
	}
	results := goTables(made(map[string]float64{"mpacket": 1, "go-mc": 12}, ourOps()))
	results = append(results, scriptTables("bun")(made(map[string]float64{"mpacket": 40, "protodef": 100, "minecraft-protocol": 400}, twinOps))...)
	for _, r := range results {
		table.Write(&out, r.Name, r.Result, true)
		for _, line := range r.Result.Missed(r.Name) {
			out.WriteString(line + "\n")
		}
	}
	golden.Check(t, "report.txt", out.String())
}

// TestSidesAgree compares what both sides make of the same inputs: what is measured is what is checked.
func TestSidesAgree(t *testing.T) {
	s := sample{"mpacket": sums(ourOps()), "go-mc": sums(gomcOps())}
	if err := s.agree(); err != nil {
		t.Error(err)
	}
	for name := range s["go-mc"] {
		if s["mpacket"][name].Sum == 0 {
			t.Errorf("mpacket has no %q", name)
		}
	}
	s["go-mc"]["encrypt"] = timing{Sum: 1}
	if err := s.agree(); err == nil || !strings.HasPrefix(err.Error(), "encrypt: ") {
		t.Errorf("another sum: %v", err)
	}
}

func sums(ops []op) map[string]timing {
	timings := map[string]timing{}
	for _, o := range ops {
		if o.sum != nil {
			timings[o.name] = timing{Sum: o.sum()}
		}
	}
	return timings
}

func TestTakeTurns(t *testing.T) {
	done := 0
	timings := takeTurns([]op{
		{name: "count", run: func(n int) { done += n }, sum: func() uint64 { return 7 }},
		{name: "sleep", run: func(n int) { time.Sleep(time.Duration(n) * time.Microsecond) }},
	}, pace{slices: 3, slice: time.Millisecond})
	if got := timings["count"]; got.Sum != 7 || got.BestNs <= 0 || done == 0 {
		t.Errorf("%+v after %d operations", got, done)
	}
	if got := timings["sleep"]; got.BestNs < 1000 || got.Sum != 0 {
		t.Errorf("a sleep of 1 µs took %+v ns", got)
	}
}

func TestCursorVisitsEveryInputInOrder(t *testing.T) {
	var c cursor
	var seen []int
	for range 3 {
		c.each(5, 4, 3, func(at, count int) {
			for i := range count {
				seen = append(seen, at+i)
			}
		})
	}
	for i, at := range seen {
		if at != i%4 {
			t.Fatalf("visited %v", seen)
		}
	}
	if len(seen) != 15 {
		t.Errorf("%d inputs, want 15", len(seen))
	}
}

// TestScriptsAgree runs every side of a TypeScript item once, on Node.
func TestScriptsAgree(t *testing.T) {
	node(t, "")
	s := sample{}
	argvs, names, err := scriptSides("node")()
	if err != nil {
		t.Fatal(err)
	}
	for i, argv := range argvs {
		timings, err := runChild(t.Context(), append(argv, "2", "1"))
		if err != nil {
			t.Fatal(err)
		}
		s[names[i]] = timings
	}
	if err := s.agree(); err != nil {
		t.Error(err)
	}
	for _, o := range scriptOps {
		for _, need := range []struct{ side, name string }{{"mpacket", o.name}, {"mpacket", o.bound}, {"minecraft-protocol", o.name}} {
			if need.name != "" && s[need.side][need.name].BestNs <= 0 {
				t.Errorf("%s has no %q", need.side, need.name)
			}
		}
	}
	if len(s["protodef"]) != 4 {
		t.Errorf("protodef: %d operations, want those of two packets", len(s["protodef"]))
	}
}

func TestChildrenRefuseNonsense(t *testing.T) {
	for _, args := range [][]string{{}, {"mpacket"}, {"gopher", "1", "1"}, {"mpacket", "one", "1"}, {"mpacket", "1", "1", "1"}} {
		var stdout, stderr bytes.Buffer
		if code := childMain(args, &stdout, &stderr); code != frame.ExitUsage || strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("%q: exit status %d, %q", args, code, &stderr)
		}
	}
}

func TestRunChildSaysWhatFailed(t *testing.T) {
	for _, test := range []struct {
		argv []string
		want string
	}{
		{[]string{"/nonexistent"}, "/nonexistent: "},
		{[]string{"sh", "-c", "echo why >&2; exit 3"}, "exit status 3: why"},
		{[]string{"echo", "no JSON"}, `no timings in "no JSON\n"`},
	} {
		if _, err := runChild(t.Context(), test.argv); err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: %v, want %q", test.argv, err, test.want)
		}
	}
}
