package main_test

import (
	"database/sql"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"dyno"
)

const (
	kills = 20
	// Every second kill comes so long after the start at the most, which is in the gate mostly; the
	// others so long after the first group was stored.
	killAfterStart = 1200 * time.Millisecond
	killAfterGroup = 500 * time.Millisecond
)

// TestKillLosesNothingAndLeavesNobody kills dyno with SIGKILL at random moments and lets the next one
// resume. One of the subjects leaves a process behind that has a session of its own.
func TestKillLosesNothingAndLeavesNobody(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.subject("parent", "-grandchild")
	b.suite("tough", "[good, other]", "[good, parent]", "[37, 64]", "[37, 64, 65, 66]", "blocks: 2", "blocks: 8")
	seed := uint64(time.Now().UnixNano())
	t.Logf("the moments follow from seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	stored := 0
	for kill := range kills {
		r := b.start(b.command(b.next("tough")...))
		within := killAfterStart
		if kill%2 == 1 {
			r.waitForGroup()
			within = killAfterGroup
		}
		select {
		case <-r.ended:
		case <-time.After(time.Duration(random.Int64N(int64(within)))):
		}
		r.signal(syscall.SIGKILL)
		if o := r.wait(); o.code() > 0 {
			t.Fatalf("kill %d: exit %d; stderr:\n%s", kill, o.code(), o.stderr)
		}
		b.nothingLives()
		now := b.checkRemains(t)
		if now < stored {
			t.Fatalf("kill %d: %d trials are left of %d", kill, now, stored)
		}
		stored = now
		if t.Failed() {
			t.FailNow()
		}
	}
	t.Logf("%d trials were stored by dynos that were killed", stored)
	if args := b.next("tough"); slices.Contains(args, "--resume") {
		if o := b.dyno(args...); o.code() != 0 {
			t.Errorf("resumed: exit %d; stderr:\n%s", o.code(), o.stderr)
		}
	}
	runs, trials := b.stored()
	for _, run := range runs {
		if run.State != dyno.RunComplete {
			t.Errorf("run %s is %s", run.ID, run.State)
		}
		checkGroups(t, run, trials[run.ID], true)
	}
}

// next returns the command that goes on: it resumes the run, if one was begun and is not complete.
func (b *bench) next(suite string) []string {
	args := []string{"run", suite}
	if !b.hasStore() {
		return args
	}
	runs, _ := b.stored()
	if slices.ContainsFunc(runs, func(r dyno.Run) bool { return r.State != dyno.RunComplete }) {
		args = append(args, "--resume")
	}
	return args
}

// waitForGroup waits for the first group of trials of this execution, or the end.
func (r *running) waitForGroup() {
	for !strings.Contains(r.stderr.String(), "] block ") {
		select {
		case <-r.ended:
			return
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// checkRemains looks at the database as another program would, and returns how many trials it holds.
func (b *bench) checkRemains(t *testing.T) int {
	t.Helper()
	if !b.hasStore() {
		return 0
	}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(b.out, "dyno.db")+"?mode=ro")
	must(t, err)
	defer db.Close()
	var verdict string
	must(t, db.QueryRow("PRAGMA integrity_check").Scan(&verdict))
	if verdict != "ok" {
		t.Fatalf("integrity_check: %s", verdict)
	}
	runs, trials := b.stored()
	n := 0
	for _, run := range runs {
		checkGroups(t, run, trials[run.ID], false)
		n += len(trials[run.ID])
	}
	return n
}
