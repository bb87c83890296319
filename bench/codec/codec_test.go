package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
	"time"

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

func TestParse(t *testing.T) {
	for _, test := range []struct {
		args, items string
		rounds      int
		quick       bool
		fault       string
	}{
		{args: "", items: "go node deno bun", rounds: judgedRounds},
		{args: "-quick", items: "go node deno bun", rounds: quickRounds, quick: true},
		{args: "-items bun,go,bun -rounds 9", items: "bun go", rounds: 9},
		{args: "-items rust", fault: `-items: unknown item "rust"; choose among go, node, deno, bun`},
		{args: "-items=", fault: `-items: unknown item ""; choose among go, node, deno, bun`},
		{args: "-rounds 1", fault: "-rounds 1; one process has no spread, so it must lie between 2 and 1000"},
		{args: "-rounds 1001", fault: "-rounds 1001; one process has no spread, so it must lie between 2 and 1000"},
		{args: "-rounds many", fault: `invalid value "many" for flag -rounds: parse error; see go run . -h`},
		{args: "-fast", fault: "flag provided but not defined: -fast; see go run . -h"},
		{args: "go", fault: `unknown argument "go"; choose items with -items go,node,deno,bun`},
	} {
		o, err := parse(strings.Fields(test.args), &bytes.Buffer{})
		if fault := message(err); fault != test.fault {
			t.Errorf("%q: error %q, want %q", test.args, fault, test.fault)
		}
		var names []string
		for _, it := range o.items {
			names = append(names, it.name)
		}
		if got := strings.Join(names, " "); got != test.items || o.rounds != test.rounds || o.quick != test.quick {
			t.Errorf("%q: %q, %d rounds, quick %v", test.args, got, o.rounds, o.quick)
		}
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestUsageIsExitTwoAndOneLine(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := run(context.Background(), []string{"-items", "everything"}, &stdout, &stderr); code != exitUsage {
		t.Errorf("exit status %d, want %d", code, exitUsage)
	}
	if stdout.Len() > 0 || strings.Count(stderr.String(), "\n") != 1 || !strings.HasPrefix(stderr.String(), "bench-codec: -items: ") {
		t.Errorf("stdout %q, stderr %q", &stdout, &stderr)
	}
}

func TestHelp(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := run(context.Background(), []string{"-h"}, &stdout, &stderr); code != 0 {
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
		table.Write(&out, r.name, r.result, true)
		for _, line := range r.result.Missed(r.name) {
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
		if code := childMain(args, &stdout, &stderr); code != exitUsage || strings.Count(stderr.String(), "\n") != 1 {
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
