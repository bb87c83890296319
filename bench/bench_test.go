package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"dyno"
	"dyno/bench/internal/table"
	"dyno/host"
	"dyno/internal/golden"
	"dyno/load"
	"dyno/subject"
)

// TestMain lets the test binary be the children that the bench makes of itself.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case subject.WardenCommand, serverCommand, clientCommand:
			main()
		}
	}
	os.Exit(m.Run())
}

func TestParse(t *testing.T) {
	for _, test := range []struct {
		args, items string
		repeat      int
		quick       bool
		fault       string
	}{
		{args: "", items: "client-cost spin slicing"},
		{args: "-quick", items: "client-cost spin slicing", quick: true},
		{args: "-items spin,client-cost,spin -repeat 7", items: "spin client-cost", repeat: 7},
		{args: "-items spn", fault: `-items: unknown item "spn"; choose among client-cost, spin, slicing, load-cost, load-pollers, load-pacing, load-many, load-held, scenario-same, scenario-cost`},
		{args: "-items=", fault: `-items: unknown item ""; choose among client-cost, spin, slicing, load-cost, load-pollers, load-pacing, load-many, load-held, scenario-same, scenario-cost`},
		{args: "-repeat 1", fault: "-repeat 1; one run has no spread, so it must lie between 2 and 1000"},
		{args: "-repeat -3", fault: "-repeat -3; one run has no spread, so it must lie between 2 and 1000"},
		{args: "-repeat 1001", fault: "-repeat 1001; one run has no spread, so it must lie between 2 and 1000"},
		{args: "-repeat many", fault: `invalid value "many" for flag -repeat: parse error; see go run ./bench -h`},
		{args: "-fast", fault: "flag provided but not defined: -fast; see go run ./bench -h"},
		{args: "spin", fault: `unknown argument "spin"; choose items with -items client-cost,spin,slicing`},
	} {
		o, err := parse(strings.Fields(test.args), &bytes.Buffer{})
		if fault := message(err); fault != test.fault {
			t.Errorf("%q: error %q, want %q", test.args, fault, test.fault)
		}
		var names []string
		for _, it := range o.items {
			names = append(names, it.name)
		}
		if got := strings.Join(names, " "); got != test.items || o.repeat != test.repeat || o.quick != test.quick {
			t.Errorf("%q: %q, repeat %d, quick %v", test.args, got, o.repeat, o.quick)
		}
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestRepetitions(t *testing.T) {
	it := item{repeat: 5, quick: 2}
	for _, test := range []struct {
		o      options
		n      int
		judged bool
	}{
		{options{}, 5, true},
		{options{quick: true}, 2, false},
		{options{repeat: 4}, 4, false},
		{options{repeat: 9}, 9, true},
		{options{repeat: 9, quick: true}, 9, false},
	} {
		if n, judged := test.o.repetitions(it); n != test.n || judged != test.judged {
			t.Errorf("%+v: %d, %v; want %d, %v", test.o, n, judged, test.n, test.judged)
		}
	}
}

func TestUsageIsExitTwoAndOneLine(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := run(context.Background(), []string{"-items", "everything"}, &stdout, &stderr); code != exitUsage {
		t.Errorf("exit status %d, want %d", code, exitUsage)
	}
	if stdout.Len() > 0 || strings.Count(stderr.String(), "\n") != 1 || !strings.HasPrefix(stderr.String(), "bench: -items: ") {
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

func TestReport(t *testing.T) {
	var out bytes.Buffer
	writeHead(&out, host.Placement{ClientCPUs: []int{2}, ServerCPUs: []int{3}, Warnings: []string{"client CPU 2 and server CPU 3 are hardware threads of one core"}})
	cost := costResult(loadLength, []float64{5.5, 5.6, 5.4}, []float64{7.4, 7.5, 7.25}, []float64{5.6, 5.7, 5.5})
	table.Write(&out, "client-cost", cost, true)
	pace := spinResult(loadLength, []float64{50_900, 51_200.4, 49_000}, []float64{28_800, 28_300, 999})
	table.Write(&out, "spin", pace, true)
	s := dyno.Subject{Title: "Bun", RuntimeVersion: "1.4.5"}
	sliced := slicingResult(slicingMethod(false), s, []pairRatios{
		{[]float64{0.01, -0.012, 0.013}, []float64{0.02, -0.01, 0.03}},
		{[]float64{0.02, -0.002, 0.023}, []float64{0.03, -0.02, 0.04}},
	})
	table.Write(&out, "slicing", sliced, true)
	table.Write(&out, "slicing", sliced, false)
	table.WriteUnmeasured(&out, "client-cost", os.ErrNotExist)
	for _, r := range []table.Result{cost, pace, sliced} {
		for _, line := range r.Missed("item") {
			out.WriteString(line + "\n")
		}
	}
	golden.Check(t, "report.txt", out.String())
}

func TestAnswerCheck(t *testing.T) {
	for _, test := range []struct {
		a     answer
		fault string
	}{
		{answer{Verified: 1}, ""},
		{answer{}, "dyno's client: no reply at all; run the bench again on a quieter machine"},
		{answer{Verified: 9, Errors: map[string]int64{"timeout": 2, "eof": 1}}, "dyno's client: 1 × eof, 2 × timeout; run the bench again on a quieter machine"},
		{answer{Verified: 9, Errors: map[string]int64{"wrong": 1}, Fault: "payload differs"}, "dyno's client: wrong reply: payload differs"},
	} {
		if fault := message(test.a.check()); fault != test.fault {
			t.Errorf("%+v: %q, want %q", test.a, fault, test.fault)
		}
	}
}

// The children are real: a null server and a client, each a process of its own.
func TestClientAgainstNullServer(t *testing.T) {
	p, err := host.Place()
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{placement: p, children: newLauncher(), stderr: &bytes.Buffer{}}
	s, err := b.serve("framed")
	if err != nil {
		t.Fatal(err)
	}
	a, cpu, err := b.drive(t.Context(), order{Addr: s.addr, Connections: 4, Duration: 100 * time.Millisecond, Skip: 10 * time.Millisecond})
	if err != nil || a.Verified == 0 || a.RatePerS <= 0 || cpu <= 0 {
		t.Errorf("%+v, CPU %v, %v", a, cpu, err)
	}
	s.stop()
	_, _, err = b.drive(t.Context(), order{Addr: s.addr, Connections: 1, Duration: 100 * time.Millisecond})
	if fault := message(err); !strings.Contains(fault, "dyno's client: ") || !strings.Contains(fault, "connect to "+s.addr.String()) {
		t.Errorf("with the server gone: %q", fault)
	}
}

func TestClientComparesPollers(t *testing.T) {
	p, err := host.Place()
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{placement: p, children: newLauncher(), stderr: &bytes.Buffer{}}
	s, err := b.serve("http")
	if err != nil {
		t.Fatal(err)
	}
	defer s.stop()
	a, _, err := b.drive(t.Context(), order{Addr: s.addr, HTTP: true, Connections: 16, Depth: 1, Pairs: 2, Duration: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if a.Pollers.UnusableHere != "" {
		t.Skip(a.Pollers.UnusableHere)
	}
	if len(a.Pollers.EpollUs) != 2 || len(a.Pollers.RingUs) != 2 || a.Pollers.EpollUs[0] <= 0 || a.Pollers.Auto == load.Auto {
		t.Errorf("%+v", a.Pollers)
	}
}

func TestPollerReport(t *testing.T) {
	cells := []pollerCell{
		{shape{1, 1}, 0, load.Epoll, []float64{1.10, 1.12, 1.11, 1.14}},
		{shape{256, 16}, clientSpin, load.IOUring, []float64{0.90, 0.91, 1.30, 0.89}},
	}
	var out bytes.Buffer
	table.Write(&out, "load-pollers", pollerResult(cells, 4), true)
	golden.Check(t, "pollers.txt", out.String())
}

func TestChildrenRefuseNonsense(t *testing.T) {
	for _, args := range [][]string{{}, {"gopher"}, {"framed", "http"}} {
		var stdout, stderr bytes.Buffer
		if code := serverMain(args, &stdout, &stderr); code != exitUsage || strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("server %q: exit status %d, %q", args, code, &stderr)
		}
	}
	for _, args := range [][]string{{}, {"{"}, {"{}", "{}"}} {
		var stdout, stderr bytes.Buffer
		if code := clientMain(args, &stdout, &stderr); code != exitUsage || strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("client %q: exit status %d, %q", args, code, &stderr)
		}
	}
}
