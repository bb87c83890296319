package main_test

import (
	"database/sql"
	"encoding/json"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"

	"dyno"
	"dyno/lab/calibrate"
)

// lab starts an experiment with the folders of the bench.
func (b *bench) lab(args string) *running {
	return b.start(b.command(append(strings.Fields("lab "+args), "--out", b.out)...))
}

// TestExperimentsGoOn ends an experiment by kill -9 and by Ctrl-C, and goes on each time.
func TestExperimentsGoOn(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	r := b.lab("noise tiny --only good --seed 8")
	b.waitUntilStored()
	r.signal(syscall.SIGKILL)
	r.wait()
	b.nothingLives()
	killed, before := b.stored()
	first := killed[0].ID
	if killed[0].State == dyno.RunComplete {
		t.Fatal("the run was complete before the kill")
	}

	r = b.lab("noise tiny --only good --resume") // finds the seed by itself
	r.waitFor("flagged so far: ")                // which is after the first run
	r.signal(syscall.SIGINT)
	o := r.wait()
	hint := inBackticks.FindStringSubmatch(o.lastLine())
	if o.code() != 130 || len(hint) != 2 || !strings.HasPrefix(hint[1], "dyno lab noise tiny --seed 8 --only good ") || !strings.HasSuffix(hint[1], " --resume") {
		t.Fatalf("exit %d; the last line names no command: %s", o.code(), o.lastLine())
	}
	if !strings.Contains(o.lastLine(), "what was counted until then is above") || !strings.Contains(o.stdout, "With a neighbour on the servers' CPU, not flagged: ") {
		t.Errorf("what was counted is not told:\n%s%s", o.stdout, o.stderr)
	}
	runs, trials := b.stored()
	if runs[0].ID != first || runs[0].State != dyno.RunComplete || !reflect.DeepEqual(before[first], trials[first][:len(before[first])]) {
		t.Errorf("the run that was killed is %s, with %d trials of %d before", runs[0].State, len(trials[first]), len(before[first]))
	}

	command := hint[1] + " --json --budget 4s"
	o = b.start(b.bare("/bin/sh", "-c", "dyno() { "+b.program+" \"$@\"; }; "+command)).wait()
	var found calibrate.Result
	must(t, json.Unmarshal([]byte(o.stdout), &found))
	if o.code() != 0 && !strings.Contains(o.lastLine(), brokenPromise) {
		t.Errorf("%s: exit %d\n%s", command, o.code(), o.stderr)
	}
	runs, trials = b.stored()
	checkExperiment(t, runs, trials, found)
	if found.Ended != calibrate.EndedBudget || !strings.Contains(o.stderr, "the budget is over; `dyno lab noise tiny --seed 8 --only good ") {
		t.Errorf("ended by %s; stderr:\n%s", found.Ended, o.stderr)
	}
}

// checkExperiment proves that the runs in the store are those of one noise experiment with the seed 8, each measured
// once, and that its result counts each once.
func checkExperiment(t *testing.T, runs []dyno.Run, trials map[string][]dyno.Trial, found calibrate.Result) {
	t.Helper()
	var sum calibrate.NoiseTally
	var ids []string
	for number, run := range runs {
		if calibrate.ExperimentSeed(run.Seed) != 8 || calibrate.RunNumber(run.Seed) != number {
			t.Errorf("run %d has the number %d of seed %d", number, calibrate.RunNumber(run.Seed), calibrate.ExperimentSeed(run.Seed))
		}
		checkGroups(t, run, trials[run.ID], run.State == dyno.RunComplete)
		sum = sum.Plus(calibrate.CountNoise(run.Seed, trials[run.ID]))
		ids = append(ids, run.ID)
	}
	if !slices.Equal(found.Runs, ids) || found.Seed != 8 || found.Noise == nil || *found.Noise != sum {
		t.Errorf("the result is\n%+v\nwant the runs %v with\n%+v", found, ids, sum)
	}
}

// TestExperimentsRefuseWhatDiffers goes on with an experiment that was another one.
func TestExperimentsRefuseWhatDiffers(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	r := b.lab("noise tiny --seed 8")
	b.waitUntilStored()
	r.signal(syscall.SIGINT)
	if o := r.wait(); o.code() != 130 {
		t.Fatalf("exit %d\n%s", o.code(), o.stderr)
	}
	refused := func(code int, args, want string) {
		t.Helper()
		if o := b.lab("noise " + args + " --resume --budget 1s").wait(); o.code() != code || !strings.Contains(o.lastLine(), want) || strings.Count(o.stderr, "\ndyno: ") > 1 {
			t.Errorf("%s: exit %d, want %d and …%s…; stderr:\n%s", args, o.code(), code, want, o.stderr)
		}
	}
	refused(2, "tiny --seed 9", "no experiment tiny-noise with seed 9 in ")
	refused(2, "tiny --only other", "the subjects differed then; repeat the flags and the suite with which it began")
	b.suite("tiny", "[37, 64]", "[37, 65]")
	refused(2, "tiny", "the cells differed then")
	b.suite("tiny", "rounds: 2", "rounds: 3")
	refused(2, "tiny", "the method differed then")
	b.suite("tiny")

	db, err := sql.Open("sqlite", filepath.Join(b.out, "dyno.db"))
	must(t, err)
	defer db.Close()
	for change, want := range map[string]string{
		"dyno_version = '0.0.9'": "it was begun by dyno 0.0.9 and this is ",
		"cpus = 4096":            "it was begun on 4096 CPUs of ",
	} {
		column, _, _ := strings.Cut(change, " ")
		var was any
		must(t, db.QueryRow("SELECT "+column+" FROM run").Scan(&was))
		_, err := db.Exec("UPDATE run SET " + change)
		must(t, err)
		refused(1, "tiny", want)
		_, err = db.Exec("UPDATE run SET "+column+" = ?", was)
		must(t, err)
	}
}
