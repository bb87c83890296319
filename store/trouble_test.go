package store

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dyno"
)

func TestMigrationsAreStepsThatHoldOrDoNotHappen(t *testing.T) {
	dir := t.TempDir()
	s := openTest(t, dir)
	create(t, s, simpleRun("r", noon, dyno.RunStarted))
	current := len(migrations)
	steps := append(slices.Clone(migrations), "ALTER TABLE run ADD COLUMN note TEXT", "CREATE TABLE half (x); no such statement")

	if err := s.migrate(t.Context(), current, steps[:current+1]); err != nil {
		t.Fatal(err)
	}
	if _, err := s.db.Exec("UPDATE run SET note = 'kept' WHERE id = 'r'"); err != nil {
		t.Errorf("the next version is not there: %v", err)
	}
	if err := s.migrate(t.Context(), current+1, steps); err == nil || !strings.Contains(err.Error(), fmt.Sprint("bring to version ", current+2)) {
		t.Errorf("a broken step: %v", err)
	}
	version, err := s.version(t.Context())
	if err != nil || version != current+1 {
		t.Errorf("version %d after a broken step, want %d (%v)", version, current+1, err)
	}
	if _, err := s.db.Exec("SELECT * FROM half"); err == nil {
		t.Error("half of a broken step is there")
	}
}

func TestFullDisk(t *testing.T) {
	s := openTest(t, t.TempDir())
	create(t, s, simpleRun("r", noon, dyno.RunStarted))
	if _, err := s.db.Exec("PRAGMA max_page_count = 1"); err != nil { // means: not a page more
		t.Fatal(err)
	}
	var err error
	stored := 0
	for block := 0; err == nil && block < 1000; block++ {
		if err = s.AddTrials(t.Context(), "r", group(block)); err == nil {
			stored += 3
		}
	}
	if err == nil || !strings.Contains(err.Error(), "the disk is full: free some space and use --resume") {
		t.Fatalf("got %v", err)
	}
	if trials, err := s.Trials(t.Context(), "r"); err != nil || len(trials) != stored {
		t.Errorf("%d trials after the disk was full, want %d (%v)", len(trials), stored, err)
	}
}

// TestWhatAPersonMayHaveDone puts into the columns what only the sqlite3 shell could.
func TestWhatAPersonMayHaveDone(t *testing.T) {
	for _, c := range []struct{ table, column, value string }{
		{"run", "started_at", "'yesterday'"}, {"run", "started_at", "5"}, {"run", "seed", "'-1'"}, {"run", "seed", "x'00'"},
		{"run", "cells", "'[{'"}, {"run", "cells", "17"}, {"run", "gates", "'{}'"}, {"run", "blocks", "'many'"},
		{"trial", "latency_hdr", "'text'"}, {"trial", "latency_hdr", "x'0102'"}, {"trial", "latency_hdr", "x''"},
		{"trial", "errors", "'[]'"}, {"trial", "settled", "'perhaps'"}, {"slice", "replies", "1e300"},
	} {
		s := openTest(t, t.TempDir())
		create(t, s, simpleRun("r", noon, dyno.RunStarted))
		if err := s.AddTrials(t.Context(), "r", group(0)); err != nil {
			t.Fatal(err)
		}
		for _, statement := range []string{
			"DROP TRIGGER trial_is_final", "DROP TRIGGER slice_is_final",
			fmt.Sprintf("UPDATE %s SET %s = %s", c.table, c.column, c.value),
		} {
			if _, err := s.db.Exec(statement); err != nil {
				t.Fatal(err)
			}
		}
		var err error
		if c.table == "run" {
			_, err = s.Run(t.Context(), "r")
		} else {
			_, err = s.Trials(t.Context(), "r")
		}
		if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), fileName) {
			t.Errorf("%s.%s = %s: %v", c.table, c.column, c.value, err)
		}
	}
}

func TestPathsAreTakenLiterally(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "50% a?mode=memory#b 'c' é")
	s := openTest(t, dir)
	create(t, s, simpleRun("r", noon, dyno.RunStarted))
	if _, err := os.Stat(filepath.Join(dir, fileName)); err != nil {
		t.Error(err)
	}
	reader, err := OpenReadOnly(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	if _, err := reader.Run(t.Context(), "r"); err != nil {
		t.Error(err)
	}
}

func runSQL(t *testing.T, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, statement := range statements {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(fmt.Errorf("%s: %w", statement, err))
		}
	}
}

// TestTheFirstVersionIsBroughtUp proves that trials which the first dyno stored are still there, with
// their slices, and are still final.
func TestTheFirstVersionIsBroughtUp(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, fileName)
	runSQL(t, path, schemaV1+fmt.Sprintf(";PRAGMA application_id = %d; PRAGMA user_version = 1;", applicationID)+`
		INSERT INTO run VALUES ('old', 'complete', '2026-11-20T08:00:00Z', NULL, '7', '0.1.0', 'minecraft', 'M', 'framed', 0,
			'["a","b"]', '', '', '[]', 1, 1, 1000, 0, 0, 0, 1000, 'h', 'o', 'k', 'a', 'c', 2, 1, '', '', '[0]', '[1]', 0, 1,
			NULL, 'go', '', '', '[]', '[]');
		INSERT INTO trial (id, run_id, block, payload_bytes, connections, depth, subject, void, warm_up_ns, warm_up_replies,
			settled, start_up_ns, peak_rss_bytes, threads, sent, verified, client_gc_pauses, client_gc_ns, reconnects)
			VALUES (5, 'old', 0, 64, 4, 1, 'a', 'was void', 1, 2, 1, 3, 4, 5, 6, 7, 8, 9, 10);
		INSERT INTO slice VALUES (1, 5, 0, 0, 1000, 11, 12, 13, 14, 15, '');`)
	s := openTest(t, dir)
	trials, err := s.Trials(t.Context(), "old")
	if err != nil || len(trials) != 1 || len(trials[0].Slices) != 1 {
		t.Fatalf("%d trials (%v): %+v", len(trials), err, trials)
	}
	if key := (dyno.TrialKey{Cell: dyno.Cell{Workload: dyno.Workload{PayloadBytes: 64}, Load: dyno.Load{Connections: 4, Depth: 1}}, Subject: "a"}); trials[0].TrialKey != key || trials[0].Client.Reconnects != 10 || trials[0].Client.Poller != "" || trials[0].Slices[0].Replies != 11 {
		t.Errorf("the trial became %+v", trials[0])
	}
	if _, err := s.db.Exec("UPDATE trial SET void = ''"); err == nil {
		t.Error("a trial could be changed")
	}
	if _, err := s.db.Exec("DELETE FROM run"); err != nil {
		t.Error(err)
	}
	var left int
	if err := s.db.QueryRow("SELECT count(*) FROM slice").Scan(&left); err != nil || left != 0 {
		t.Errorf("%d slices without a run (%v): references are no longer kept", left, err)
	}
}

func TestARemovedDatabaseIsNotWrittenTo(t *testing.T) {
	for name, meddle := range map[string]func(dir string) error{
		"removed":  os.RemoveAll,
		"replaced": func(dir string) error { return os.WriteFile(filepath.Join(dir, "new"), nil, 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "results")
			s := openTest(t, dir)
			create(t, s, simpleRun("r", noon, dyno.RunStarted))
			if err := meddle(dir); err != nil {
				t.Fatal(err)
			}
			if name == "replaced" {
				if err := os.Rename(filepath.Join(dir, "new"), filepath.Join(dir, fileName)); err != nil {
					t.Fatal(err)
				}
			}
			for _, err := range []error{s.AddTrials(t.Context(), "r", group(0)), s.FinishRun(t.Context(), "r", dyno.RunComplete, noon)} {
				if err == nil || !strings.Contains(err.Error(), "was removed or replaced while dyno measured into it") {
					t.Errorf("got %v", err)
				}
			}
		})
	}
}

func TestBusy(t *testing.T) {
	dir := t.TempDir()
	writer := openTest(t, dir)
	reader, err := OpenReadOnly(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = reader.Close() })
	if !reader.Busy() {
		t.Error("a dyno that measures is not seen")
	}
	_ = writer.Close()
	if reader.Busy() {
		t.Error("nobody measures")
	}
}
