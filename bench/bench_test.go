package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"dyno"
	"dyno/bench/internal/frame"
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

func TestHelp(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := program.Run(context.Background(), []string{"-h"}, &stdout, &stderr); code != 0 {
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

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
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
		if code := serverMain(args, &stdout, &stderr); code != frame.ExitUsage || strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("server %q: exit status %d, %q", args, code, &stderr)
		}
	}
	for _, args := range [][]string{{}, {"{"}, {"{}", "{}"}} {
		var stdout, stderr bytes.Buffer
		if code := clientMain(args, &stdout, &stderr); code != frame.ExitUsage || strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("client %q: exit status %d, %q", args, code, &stderr)
		}
	}
}
