package store

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"dyno"
)

// exported returns a file with a run of three groups, and the store that it came from.
func exported(t testing.TB) (path string, from *Store) {
	t.Helper()
	from, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = from.Close() })
	if err := from.CreateRun(t.Context(), simpleRun("r", noon, dyno.RunComplete)); err != nil {
		t.Fatal(err)
	}
	for block := range 3 {
		if err := from.AddTrials(t.Context(), "r", group(block)); err != nil {
			t.Fatal(err)
		}
	}
	path = filepath.Join(t.TempDir(), "r.dyno")
	if err := from.Export(t.Context(), "r", path); err != nil {
		t.Fatal(err)
	}
	return path, from
}

func openFileTest(t testing.TB, path string) *Store {
	t.Helper()
	s, err := OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestAnExportedRunIsTheSame(t *testing.T) {
	path, from := exported(t)
	file := openFileTest(t, path)
	want, err := from.Run(t.Context(), "r")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := file.Run(t.Context(), "r"); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("the run became %+v (%v)", got, err)
	}
	wantTrials, err := from.Trials(t.Context(), "r")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := file.Trials(t.Context(), "r"); err != nil || !reflect.DeepEqual(got, wantTrials) {
		t.Errorf("%d trials became %d (%v)", len(wantTrials), len(got), err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); len(left) != 1 {
		t.Errorf("beside the file lie %v", left)
	}
	if file.Busy() {
		t.Error("somebody measures into a file")
	}
}

func TestExportOverwritesNothing(t *testing.T) {
	path, from := exported(t)
	if err := from.Export(t.Context(), "r", path); err == nil || !strings.Contains(err.Error(), "exists: remove it") {
		t.Errorf("got %v", err)
	}
	if err := from.Export(t.Context(), "r", filepath.Join(t.TempDir(), "missing", "r.dyno")); err == nil || !strings.Contains(err.Error(), "no such file or directory: name a file in a folder that can be written") {
		t.Errorf("got %v", err)
	}
	if err := from.Export(t.Context(), "s", filepath.Join(t.TempDir(), "s.dyno")); err == nil || !strings.Contains(err.Error(), `unknown run "s"`) {
		t.Errorf("got %v", err)
	}
}

func TestImportIsIdempotent(t *testing.T) {
	path, _ := exported(t)
	to := openTest(t, t.TempDir())
	file := openFileTest(t, path)
	for i, want := range []Imported{{New: true, Trials: 9}, {}} {
		got, err := to.Import(t.Context(), file)
		if err != nil || got.New != want.New || got.Trials != want.Trials || got.Run.ID != "r" {
			t.Errorf("import %d: %+v, %v", i+1, got, err)
		}
	}
	if trials, err := to.Trials(t.Context(), "r"); err != nil || len(trials) != 9 {
		t.Errorf("%d trials (%v)", len(trials), err)
	}
}

func TestALaterExportAddsWhatWasMissing(t *testing.T) {
	path, _ := exported(t)
	to := openTest(t, t.TempDir())
	partial := simpleRun("r", noon, dyno.RunPartial)
	create(t, to, partial)
	if err := to.AddTrials(t.Context(), "r", group(1)); err != nil {
		t.Fatal(err)
	}
	got, err := to.Import(t.Context(), openFileTest(t, path))
	if err != nil || got.New || got.Trials != 6 {
		t.Errorf("%+v, %v", got, err)
	}
	if run, err := to.Run(t.Context(), "r"); err != nil || run.State != dyno.RunComplete {
		t.Errorf("the run is %s (%v)", run.State, err)
	}
}

func TestAnotherRunOfTheSameNameIsRefused(t *testing.T) {
	path, _ := exported(t)
	to := openTest(t, t.TempDir())
	other := simpleRun("r", noon, dyno.RunComplete)
	other.Machine.Hostname = "elsewhere"
	create(t, to, other)
	if _, err := to.Import(t.Context(), openFileTest(t, path)); err == nil || !strings.Contains(err.Error(), "has another run with the id r: import into another --out folder") {
		t.Errorf("got %v", err)
	}
}

// TestEveryOlderVersionIsRead opens files and folders of every version so far.
func TestEveryOlderVersionIsRead(t *testing.T) {
	for version := 1; version < len(migrations); version++ {
		dir := t.TempDir()
		path := filepath.Join(dir, fileName)
		runSQL(t, path, strings.Join(migrations[:version], ";")+fmt.Sprintf(";PRAGMA application_id = %d; PRAGMA user_version = %d;", applicationID, version)+`
			INSERT INTO run (id, state, started_at, seed, dyno_version, suite, suite_title, contract, quick, versus_a, versus_b, blocks,
				rounds, slice_ns, skip_ns, warm_up_max_ns, continuous, reply_within_ns, hostname, os, kernel, arch, cpu_model, cpus,
				memory_bytes, virtual, governor, shared_cpus, open_files_max, go_version, clock_source, transparent_huge_pages)
			VALUES ('old', 'complete', '2026-11-20T08:00:00.000000000Z', '7', '0.1.0', 'minecraft', 'M', 'framed', 0, '', '', 1, 1, 1000, 0, 0, 0, 1000,
				'h', 'o', 'k', 'a', 'c', 2, 1, '', '', 0, 1, 'go', '', '')`)
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for name, open := range map[string]func() (*Store, error){
			"folder": func() (*Store, error) { return OpenReadOnly(dir) },
			"file":   func() (*Store, error) { return OpenFile(path) },
		} {
			s, err := open()
			if err != nil {
				t.Fatalf("version %d, %s: %v", version, name, err)
			}
			if run, err := s.Run(t.Context(), "old"); err != nil || run.Seed != 7 {
				t.Errorf("version %d, %s: %+v, %v", version, name, run, err)
			}
			copied := s.copy
			_ = s.Close()
			if _, err := os.Stat(copied); err == nil {
				t.Errorf("version %d, %s: the copy %s is left", version, name, copied)
			}
		}
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
			t.Errorf("version %d: reading changed the file (%v)", version, err)
		}
	}
}

// TestHostileFiles changes an export in every way that somebody might.
func TestHostileFiles(t *testing.T) {
	sql := func(statements ...string) func(t *testing.T, path string) {
		return func(t *testing.T, path string) { runSQL(t, path, statements...) }
	}
	for name, c := range map[string]struct {
		spoil func(t *testing.T, path string)
		says  string
	}{
		"missing": {func(t *testing.T, path string) { _ = os.Remove(path) }, "no such file or directory: name a file that dyno export wrote"},
		"folder":  {func(t *testing.T, path string) { _ = os.Remove(path); _ = os.Mkdir(path, 0o700) }, "not a file: name a file"},
		"named pipe": {func(t *testing.T, path string) {
			_ = os.Remove(path)
			if err := unix.Mkfifo(path, 0o600); err != nil {
				t.Fatal(err)
			}
		}, "not a file: name a file"},
		"empty":             {func(t *testing.T, path string) { write(t, path, "") }, "is not a run of dyno"},
		"text":              {func(t *testing.T, path string) { write(t, path, strings.Repeat("hello\n", 1000)) }, "is not a run of dyno"},
		"foreign":           {sql("PRAGMA application_id = 5"), "is not a run of dyno"},
		"newer":             {sql("PRAGMA user_version = 99"), "has version 99, and this dyno knows versions up to"},
		"version 0":         {sql("PRAGMA user_version = 0"), "has version 0"},
		"results database":  {sql("PRAGMA journal_mode = WAL"), "is a results database"},
		"another table":     {sql("CREATE TABLE x (y)"), "defines other tables"},
		"a view":            {sql("ALTER TABLE trial RENAME TO x", "CREATE VIEW trial AS SELECT * FROM x"), "defines other tables"},
		"a trigger":         {sql("CREATE TRIGGER x AFTER INSERT ON run BEGIN DELETE FROM trial; END"), "defines other tables"},
		"a missing trigger": {sql("DROP TRIGGER trial_is_final"), "defines other tables"},
		"no run":            {sql("PRAGMA foreign_keys = 1", "DELETE FROM run"), "holds 0 runs"},
		"orphans":           {sql("DELETE FROM run"), "is damaged"},
		"two runs":          {func(t *testing.T, path string) { twice(t, path) }, "holds 2 runs"},
		"a path as id":      {sql("UPDATE run SET id = '../../r'"), "is damaged"},
		"escapes":           {sql("UPDATE run SET hostname = char(27) || '[2J'"), "is damaged"},
		"no JSON":           {sql("UPDATE run SET cells = '[{'"), "is damaged"},
		"no time":           {sql("UPDATE run SET started_at = 'yesterday'"), "is damaged"},
		"no state":          {sql("PRAGMA ignore_check_constraints = 1", "UPDATE run SET state = 'lost'"), "is damaged"},
		"a broken histogram": {sql("PRAGMA writable_schema = 1", "UPDATE sqlite_schema SET sql = sql WHERE 0", "PRAGMA writable_schema = 0",
			"INSERT INTO trial (run_id, block, workload, payload_bytes, connections, depth, subject, void, latency_hdr, warm_up_ns, warm_up_replies, settled, "+
				"start_up_ns, peak_rss_bytes, threads, sent, verified, client_gc_pauses, client_gc_ns, reconnects) "+
				"SELECT run_id, 77, workload, payload_bytes, connections, depth, subject, void, x'0102', warm_up_ns, warm_up_replies, settled, "+
				"start_up_ns, peak_rss_bytes, threads, sent, verified, client_gc_pauses, client_gc_ns, reconnects FROM trial LIMIT 1"), "is damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			path, _ := exported(t)
			c.spoil(t, path)
			s, err := OpenFile(path)
			if err == nil {
				_ = s.Close()
				t.Fatal("opened")
			}
			if text := err.Error(); !strings.Contains(text, c.says) || strings.Contains(text, "\n") || !strings.HasPrefix(text, path) {
				t.Errorf("got %q, want one line that names the file, with %q", text, c.says)
			}
		})
	}
}

func twice(t *testing.T, path string) {
	runSQL(t, path, "CREATE TEMP TABLE x AS SELECT * FROM run; UPDATE x SET id = 's'; INSERT INTO run SELECT * FROM x")
}

// TestDamagedFilesAreRefusedOrWhole cuts and flips an export at random places: a file that is opened all
// the same gives whole trials.
func TestDamagedFilesAreRefusedOrWhole(t *testing.T) {
	path, _ := exported(t)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 3))
	for range 40 {
		spoilt := bytes.Clone(whole)
		cut := rng.IntN(2) == 0
		if cut {
			spoilt = spoilt[:rng.IntN(len(spoilt))]
		} else {
			spoilt[rng.IntN(len(spoilt))] ^= byte(1 << rng.IntN(8))
		}
		openSpoilt(t, spoilt, cut)
	}
}

// openSpoilt opens a file with these bytes, which must be refused in one line or read to the end.
func openSpoilt(t *testing.T, content []byte, refused bool) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "spoilt.dyno")
	write(t, path, string(content))
	s, err := OpenFile(path)
	if err != nil {
		if strings.Contains(err.Error(), "\n") {
			t.Errorf("more than a line: %q", err)
		}
		return
	}
	defer s.Close()
	if refused {
		t.Error("a file that was cut off was opened")
	}
	runs, err := s.Runs(t.Context())
	if err != nil || len(runs) != 1 {
		t.Fatalf("%d runs (%v)", len(runs), err)
	}
	if _, err := s.Trials(t.Context(), runs[0].ID); err != nil {
		t.Error(err)
	}
}

// FuzzHeader fuzzes what is read before SQLite is asked. (SQLite itself is fuzzed by others, and gives one
// execution a second here.)
func FuzzHeader(f *testing.F) {
	path, _ := exported(f)
	whole, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(nil))
	f.Add(whole[:100])
	f.Add(whole)
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(t.TempDir(), "fuzzed.dyno")
		write(t, path, string(content))
		version, err := checkHeader(path)
		if err == nil && (version < 1 || version > len(migrations)) {
			t.Errorf("version %d", version)
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("more than a line: %q", err)
		}
	})
}

// TestPowerCut takes the files of a writer that never said goodbye, cuts its log at random places as a
// power cut might, and looks at what is left: whole groups, the earlier ones first.
func TestPowerCut(t *testing.T) {
	dir := t.TempDir()
	s := openTest(t, dir)
	create(t, s, simpleRun("r", noon, dyno.RunStarted))
	for block := range 10 {
		if err := s.AddTrials(t.Context(), "r", group(block)); err != nil {
			t.Fatal(err)
		}
	}
	read := func(name string) []byte {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	database, log := read(fileName), read(fileName+"-wal")
	rng := rand.New(rand.NewPCG(4, 4))
	for cut := range 30 {
		after := t.TempDir()
		write(t, filepath.Join(after, fileName), string(database))
		write(t, filepath.Join(after, fileName+"-wal"), string(log[:rng.IntN(len(log)+1)]))
		left, err := Open(after)
		if err != nil {
			t.Fatalf("cut %d: %v", cut, err)
		}
		_ = left.Close()
		checkRemains(t, after, cut, -1)
	}
}
