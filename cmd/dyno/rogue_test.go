package main_test

import (
	"path/filepath"
	"strings"
	"testing"

	"dyno"
)

// rogues are subjects that misbehave, and what a run must say of them.
var rogues = []struct {
	name   string
	args   []string
	void   string   // reason of its void trials; "" when the gate turns it away
	voids  int      // trials that are void, of 4
	said   []string // in the report
	atGate string   // what the gate says on stderr
}{
	{name: "liar", args: []string{"-then=wrong"}, void: "wrong reply: connection ", voids: 2,
		said: []string{"Liar, 37 B × 2 connections, block 1: wrong reply: ", "payload of 37 B differs at offset 18"}},
	{name: "crasher", args: []string{"-then=crash"}, void: "the process ended: exit code 9", voids: 2,
		said: []string{"Crasher, 37 B × 2 connections, blocks 1 and 2: the process ended: exit code 9", "| rogue: fatal: out of cheese"}},
	{name: "hanger", args: []string{"-then=hang"}, void: "timeout", voids: 2,
		said: []string{"Hanger, 37 B × 2 connections, blocks 1 and 2: ", "× timeout", "| rogue: thinking"}},
	{name: "shouter", args: []string{"-then=flood"}, void: "the process floods its stderr", voids: 2,
		said: []string{"Shouter, 37 B × 2 connections, blocks 1 and 2: the process floods its stderr", "| la la la"}},
	// Its process is fresh in the gate and in the first block; the third start fails.
	{name: "quitter", args: []string{"-starts-most=2", "-starts-file=STARTS"}, void: "quitter ended before it was ready (exit code 3; it wrote: rogue: fatal: no more starts today)", voids: 2,
		said: []string{"Quitter, 37 B × 2 connections, block 2: quitter ended before it was ready (exit code 3; ", "| rogue: fatal: no more starts today"}},
	{name: "parent", args: []string{"-grandchild"}},
	{name: "zombie", args: []string{"-ignore-term"}, atGate: "zombie fails the gate: zombie ignored SIGTERM",
		said: []string{"Zombie could not be checked: zombie ignored SIGTERM for 3s and was killed"}},
	{name: "parrot", args: []string{"-raw-echo"}, atGate: "parrot fails the gate: padded-length: ",
		said: []string{"Parrot broke its contract in ", "first in padded-length: "}},
	{name: "stillborn", args: []string{"-starts-file=STARTS"}, atGate: "stillborn fails the gate: stillborn ended before it was ready",
		said: []string{"Stillborn could not be checked: stillborn ended before it was ready (exit code 3; it wrote: rogue: fatal: no more starts today)"}},
	{name: "mute", args: []string{"-mute"}, atGate: "mute fails the gate: mute was not ready within 20s: it did not listen",
		said: []string{"Mute could not be checked: mute was not ready within 20s: it did not listen on 127.0.0.1:"}},
}

// TestRoguesSpoilNothing measures a good subject among rogues of all kinds.
func TestRoguesSpoilNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	names := []string{"good"}
	for _, r := range rogues {
		args := make([]string, len(r.args))
		for i, arg := range r.args {
			args[i] = strings.ReplaceAll(arg, "STARTS", filepath.Join(b.home, r.name+".starts"))
		}
		b.subject(r.name, args...)
		names = append(names, r.name)
	}
	b.suite("rogues", "good, other", strings.Join(names, ", "), "reply_within: 10s", "reply_within: 3s")
	o := b.dyno("run", "rogues")
	if o.code() != 1 {
		t.Fatalf("exit %d; stderr:\n%s", o.code(), o.stderr)
	}
	if want := "dyno: 4 subjects not measured, 10 void trials; the report says why"; o.lastLine() != want {
		t.Errorf("last line %q, want %q", o.lastLine(), want)
	}
	run, trials := b.theRun()
	if run.State != dyno.RunComplete {
		t.Errorf("state %s", run.State)
	}
	voids := map[string][]dyno.Trial{}
	for _, trial := range trials {
		if trial.Void != "" {
			voids[trial.Subject] = append(voids[trial.Subject], trial)
		} else if trial.Client.Verified == 0 || trial.RatePerS() <= 0 {
			t.Errorf("%v of %s counts and has no figures", trial.Cell, trial.Subject)
		}
	}
	for _, good := range []string{"good", "null", "parent"} {
		if len(voids[good]) > 0 {
			t.Errorf("%s is void: %s", good, voids[good][0].Void)
		}
	}
	report := unwrapped(o.stdout)
	for _, r := range rogues {
		if len(voids[r.name]) != r.voids {
			t.Errorf("%s: %d void trials, want %d", r.name, len(voids[r.name]), r.voids)
		}
		for _, trial := range voids[r.name] {
			if !strings.Contains(trial.Void, r.void) {
				t.Errorf("%s is void: %s; want %s", r.name, trial.Void, r.void)
			}
		}
		for _, want := range r.said {
			if !strings.Contains(report, want) {
				t.Errorf("the report lacks %q", want)
			}
		}
		if r.atGate != "" && !strings.Contains(o.stderr, r.atGate) {
			t.Errorf("stderr lacks %q", r.atGate)
		}
	}
	if t.Failed() {
		t.Logf("%s\n%s", o.stdout, o.stderr)
	}
}

// unwrapped joins the lines that a report broke.
func unwrapped(text string) string { return strings.ReplaceAll(text, "\n  ", " ") }

// TestNobodyPasses measures nothing at all.
func TestNobodyPasses(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.subject("parrot", "-raw-echo")
	b.suite("hopeless", "[good, other]", "[parrot]")
	o := b.dyno("run", "hopeless")
	if want := "dyno: no subject of hopeless passed the gate, so nothing was measured; the report says why"; o.code() != 1 || o.lastLine() != want {
		t.Errorf("exit %d, last line %q, want %q", o.code(), o.lastLine(), want)
	}
	if !strings.Contains(o.stdout, "padded-length") {
		t.Errorf("the report does not name the case:\n%s", o.stdout)
	}
	o = b.dyno("verify", "good", "parrot")
	if want := "dyno: 1 of 2 subjects not proved to keep the contract; the table above says why"; o.code() != 1 || o.lastLine() != want {
		t.Errorf("verify: exit %d, last line %q, want %q", o.code(), o.lastLine(), want)
	}
	if !strings.Contains(o.stdout, "Parrot fails padded-length") {
		t.Errorf("the table does not name the case:\n%s", o.stdout)
	}
}
