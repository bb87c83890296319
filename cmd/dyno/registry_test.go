package main_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dyno"
)

// TestUnknownContractCostsItsOwnRowOnly: every other subject is checked and measured all the same.
func TestUnknownContractCostsItsOwnRowOnly(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.write("subjects/good/subject.yaml", "title: Good\ncontract: fremed\nruntime: exec\nentry: server\n")
	const why = `unknown contract "fremed"; did you mean "framed"?`

	o := b.dyno("list", "subjects")
	if o.code() != 0 || !strings.Contains(o.stdout, why) {
		t.Errorf("list: exit %d\n%s%s", o.code(), o.stdout, o.stderr)
	}
	o = b.dyno("verify")
	if o.code() != 1 || !strings.Contains(o.stdout, "1 of 1 subjects keep all") || !strings.Contains(strings.Join(strings.Fields(o.stdout), " "), why) {
		t.Errorf("verify: exit %d\n%s%s", o.code(), o.stdout, o.stderr)
	}
	o = b.dyno("run", "tiny", "--json")
	var v dyno.Verdict
	must(t, json.Unmarshal([]byte(o.stdout), &v))
	if o.code() != 1 || len(v.Cells) == 0 || len(v.Cells[0].Rows) != 1 || v.Cells[0].Rows[0].Subject != "other" {
		t.Errorf("run: exit %d, cells %+v\n%s", o.code(), v.Cells, o.stderr)
	}
}

// TestDeclaredUnavailableIsNoFailure: what a manifest says cannot run here is listed, and fails nothing.
func TestDeclaredUnavailableIsNoFailure(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.write("subjects/good/subject.yaml", "title: Good\ncontract: framed\nruntime: exec\nentry: server\nunavailable: on no registry\n")
	for _, command := range []string{"verify", "run"} {
		if o := b.dyno(command, "tiny"); o.code() != 0 || !strings.Contains(o.stdout, "on no registry") {
			t.Errorf("%s: exit %d\n%s%s", command, o.code(), o.stdout, o.stderr)
		}
	}
}

// TestOwnRuntime: a build of one's own takes the place of the pinned one, and the results say its version.
func TestOwnRuntime(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	home, err := filepath.Abs(filepath.Join("..", ".."))
	must(t, err)
	b.needRuntimes(home, []string{"http-runtime-node22", "http-runtime-bun"})
	own := filepath.Join(b.home, "own-node")
	pinned := filepath.Join(home, "subjects", "node_modules", "node22-linux-x64", "bin", "node")
	if _, err := os.Stat(pinned); err != nil {
		t.Skipf("%v: this machine has another architecture", err)
	}
	must(t, os.WriteFile(own, fmt.Appendf(nil, "#!/bin/sh\n[ \"$1\" = --version ] && { echo v22.99.7; exit; }\nexec '%s' \"$@\"\n", pinned), 0o755))

	o := b.dyno("verify", "http-runtime-node22", "--home", home, "--runtime", "node22="+own)
	if o.code() != 0 {
		t.Errorf("verify: exit %d\n%s%s", o.code(), o.stdout, o.stderr)
	}
	b.write("suites/own.yaml", `title: Two builds
contract: httpbasic
subjects: [http-runtime-node22, http-runtime-bun]
workloads: ["GET /"]
loads: [{ connections: 2 }]
blocks: 1
rounds: 2
slice: 40ms
warm_up: 200ms
`)
	o = b.dyno("run", filepath.Join(b.home, "suites", "own.yaml"), "--home", home, "--runtime", "node22="+own)
	if o.code() != 0 {
		t.Fatalf("run: exit %d\n%s%s", o.code(), o.stdout, o.stderr)
	}
	run, _ := b.theRun()
	for _, s := range run.Subjects {
		if s.Name == "http-runtime-node22" && (s.RuntimeVersion != "22.99.7" || s.Command[0] != own) {
			t.Errorf("it ran %v, version %s", s.Command, s.RuntimeVersion)
		}
	}
	for _, line := range []string{"Node.js 22  V8              C++              C++                        2009  22.99.7", "null server (ceiling)"} {
		if !strings.Contains(o.stdout, line) {
			t.Errorf("the report lacks %q:\n%s", line, o.stdout)
		}
	}
	dump, err := os.ReadFile(filepath.Join(b.out, run.ID, "http-runtime-node22.txt"))
	if err != nil || !strings.Contains(string(dump), "Reqs/sec") {
		t.Errorf("%v:\n%s", err, dump)
	}
}
