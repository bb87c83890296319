package main_test

import (
	"encoding/json"
	"strings"
	"testing"

	"dyno"
	"dyno/internal/golden"
)

// parseCapacity reads what dyno capacity --json printed.
func parseCapacity(t *testing.T, o outcome) (c dyno.Capacity) {
	t.Helper()
	if err := json.Unmarshal([]byte(o.stdout), &c); err != nil {
		t.Fatalf("%v: %s%s", err, o.stdout, o.stderr)
	}
	return c
}

// Tests must not depend on timing, so these promise what any server keeps, or none.
var quickSearch = []string{"-d", "200ms", "--searches", "2", "--most", "1000", "-c", "4"}

func TestCapacityOfAURL(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	o := b.dyno(append([]string{"capacity", "http://" + b.null("http") + "/", "--slo", "errors<=100%", "--slo", "unsent<=100%", "--json"}, quickSearch...)...)
	c := parseCapacity(t, o)
	if o.code() != 0 || c.Protocol != "http" || c.Limit != dyno.LimitHighest || c.RatePerS.Value < 999 || c.RatePerS.N != 2 || c.Confirmation == nil || c.Fresh {
		t.Errorf("exit %d: %s\n%s", o.code(), o.stdout, o.stderr)
	}
	for _, p := range c.Probes {
		if p.Due == 0 || p.Failed > 0 || p.ServerCPUShare <= 0 {
			t.Errorf("%+v", p)
		}
	}
	if !strings.Contains(o.stderr, "approach: 500/s kept") {
		t.Errorf("no progress in %s", o.stderr)
	}
}

func TestCapacityOfAnAddress(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	o := b.dyno(append([]string{"capacity", b.null("framed"), "--slo", "min<1ns", "--size", "8"}, quickSearch...)...)
	for _, want := range []string{"none found: no rate that was tried kept the promise", "payloads of 8 B", "p99.9", "Server CPU"} {
		if !strings.Contains(o.stdout, want) {
			t.Errorf("no %q in\n%s", want, o.stdout)
		}
	}
	if o.code() != 1 || !strings.Contains(o.stderr, "promise less") {
		t.Errorf("exit %d: %s", o.code(), o.stderr)
	}
}

func TestCapacityOfASubject(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	o := b.dyno(append([]string{"capacity", "good", "--slo", "errors<=100%", "--slo", "unsent<=100%", "--json"}, quickSearch...)...)
	c := parseCapacity(t, o)
	if o.code() != 0 || c.Protocol != "framed" || !c.Fresh || c.RatePerS.N != 2 || !strings.Contains(c.Options.Load.String(), "4 connections") {
		t.Errorf("exit %d: %s\n%s", o.code(), o.stdout, o.stderr)
	}
}

func TestCapacityInPlayers(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	o := b.dyno("capacity", b.null("framed"), "--players", "--slo", "errors<=100%", "--slo", "unsent<=100%", "-d", "200ms", "--searches", "2", "--most", "1000")
	for _, want := range []string{"at least 50 players", "a connection for each player, 20 packets/s", "from 2 searches", "Players"} {
		if !strings.Contains(o.stdout, want) {
			t.Errorf("exit %d, no %q in\n%s%s", o.code(), want, o.stdout, o.stderr)
		}
	}
}

// Several subjects are searched in blocks, stored as a run, compared and reported.
func TestCapacitiesOfSubjectsAreCompared(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	args := append([]string{"capacity", "good", "other", "--slo", "errors<=100%", "--slo", "unsent<=100%", "--json", "--out", b.out}, quickSearch...)
	o := b.dyno(args...)
	var v dyno.Verdict
	if err := json.Unmarshal([]byte(o.stdout), &v); err != nil || v.Capacity == nil || o.code() != 0 {
		t.Fatalf("exit %d, %v: %s%s", o.code(), err, o.stdout, o.stderr)
	}
	for _, r := range v.Capacity.Rows {
		if r.RatePerS.N != 2 || !r.LowerBound || len(r.Curve) == 0 {
			t.Errorf("%+v", r)
		}
	}
	if x, ok := v.Capacity.Compare("good", "other"); !ok || x.Outcome != dyno.Undecided {
		t.Errorf("%+v", x)
	}
	for _, format := range []string{"text", "md", "html", "json"} {
		if r := b.dyno("report", "--out", b.out, "--format", format); r.code() != 0 || !strings.Contains(strings.ToLower(r.stdout), "capacity") {
			t.Errorf("%s: exit %d: %s", format, r.code(), r.stderr)
		}
	}
	if again := b.dyno(append(args, "--resume")...); again.code() != 2 || !strings.Contains(again.stderr, "no interrupted run of capacity") {
		t.Errorf("a run that is complete is resumed: %s", again.stderr)
	}
}

// A suite's searches follow its cells. The promise is one that no rate keeps, so that they are quick.
func TestSuitesSearchForCapacities(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.suite("held", "blocks: 2", "capacity: {slo: [\"min<1ns\"], players: true, blocks: 1, probe: 200ms}\nblocks: 1")
	o := b.dyno("run", "held", "--out", b.out)
	if o.code() != 1 || !strings.Contains(o.stderr, "plan: 2 searches for capacities") || !strings.Contains(o.stderr, "kept the promise at no rate in 1 of 1 searches") ||
		!strings.Contains(o.stdout, "Capacity in players at min<1ns: Good none, Other none.") {
		t.Errorf("exit %d: %s%s", o.code(), o.stdout, o.stderr)
	}
	without := b.dyno("run", "held", "--capacity=false", "--out", b.out)
	if without.code() != 0 || strings.Contains(without.stdout+without.stderr, "Capacity in") {
		t.Errorf("exit %d: %s%s", without.code(), without.stdout, without.stderr)
	}
	if none := b.dyno("run", "tiny", "--capacity", "--out", b.out); none.code() != 2 || !strings.Contains(none.stderr, "does not say what to promise") {
		t.Errorf("exit %d: %s", none.code(), none.stderr)
	}
}

// badSearches are command lines that must be refused. ADDR is where nobody listens.
var badSearches = []string{
	"capacity",
	"capacity ADDR ADDR",
	"capacity good good",
	"capacity good goood",
	"capacity good other -w 2",
	"capacity good other --slo p99>5ms",
	"capacity good --out results",
	"capacity good other --format md",
	"capacity good --format oha",
	"capacity good --json --format md",
	"capacity ADDR",
	"capacity http://ADDR/",
	"capacity http://192.0.2.1/",
	"capacity 192.0.2.1:80",
	"capacity ftp://localhost/",
	"capacity goood",
	"capacity good --workload small",
	"capacity good --size 8,16 -c 4",
	"capacity ADDR --slo p99",
	"capacity ADDR --slo p99>50ms",
	"capacity ADDR --slo throughput<5",
	"capacity ADDR --slo p99<fast",
	"capacity ADDR --searches 0",
	"capacity ADDR --searches 1000",
	"capacity ADDR -d 1ms",
	"capacity ADDR -d 25h",
	"capacity ADDR -c 0",
	"capacity ADDR --most 0",
	"capacity ADDR --most NaN",
	"capacity ADDR --most many",
	"capacity ADDR --arrivals closed",
	"capacity ADDR --searchs 5",
	"capacity ADDR --players -c 5",
	"capacity ADDR --players --size 8",
	"capacity http://ADDR/ --players",
	"capacity ADDR --players --arrivals constant",
	"capacity ADDR --arrivals constant",
	"capacity ADDR -H a:b",
	"capacity ADDR --workload x",
	"capacity http://ADDR/ --size 64",
	"capacity http://ADDR/ --runtime bun=/bin/true",
	"capacity good --sni example",
	"capacity good other --expect-status 204",
}

// TestBadSearches keeps what dyno says in testdata/capacity_bad_input.golden: exit status and one line
// each.
func TestBadSearches(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var all strings.Builder
	refusedLines(t, &all, b, badSearches, closedPort(t))
	golden.Check(t, "capacity_bad_input.golden", all.String())
}
