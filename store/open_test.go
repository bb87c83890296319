package store

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestWhatCannotBeOpened puts every kind of wrong thing in the place of a results folder.
func TestWhatCannotBeOpened(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(t *testing.T, dir string)
		says string // by both ways of opening
	}{
		{"newer version", func(t *testing.T, dir string) {
			if s, err := Open(dir); err != nil || s.Close() != nil {
				t.Fatal(err)
			}
			runSQL(t, filepath.Join(dir, fileName), "PRAGMA user_version = 7")
		}, fmt.Sprintf("has version 7, and this dyno knows versions up to %d: use the dyno that wrote it, or another --out folder", len(migrations))},
		{"negative version", func(t *testing.T, dir string) {
			runSQL(t, filepath.Join(dir, fileName), fmt.Sprintf("PRAGMA application_id = %d", applicationID), "PRAGMA user_version = -1")
		}, "has version -1"},
		{"another program's database", func(t *testing.T, dir string) {
			runSQL(t, filepath.Join(dir, fileName), "CREATE TABLE person (name)")
		}, "belongs to another program"},
		{"not a database", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, fileName), strings.Repeat("not a database, but long enough for a header\n", 100))
		}, "is damaged, or no database at all"},
		{"half a database", func(t *testing.T, dir string) {
			if s, err := Open(dir); err != nil || s.Close() != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, fileName)
			whole, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			write(t, path, string(whole[:len(whole)/2+100]))
		}, "is damaged, or no database at all"},
		{"a folder in place of the file", func(t *testing.T, dir string) {
			if err := os.Mkdir(filepath.Join(dir, fileName), 0o700); err != nil {
				t.Fatal(err)
			}
		}, "dyno.db cannot be "},
		{"a file in place of the folder", func(t *testing.T, dir string) {
			if err := os.Remove(dir); err != nil {
				t.Fatal(err)
			}
			write(t, dir, "")
		}, "cannot be used (not a directory): use another --out folder"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "results")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			c.make(t, dir)
			for _, open := range []func(string) (*Store, error){Open, OpenReadOnly} {
				s, err := open(dir)
				if err == nil {
					_ = s.Close()
					t.Fatal("opened")
				}
				if text := err.Error(); !strings.Contains(text, c.says) || strings.Contains(text, "\n") {
					t.Errorf("got %q, want one line with %q", text, c.says)
				}
			}
		})
	}
}

func TestAnotherProgramsDatabaseIsNotTouched(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, fileName)
	runSQL(t, path, "CREATE TABLE person (name)")
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if s, err := Open(dir); err == nil {
		_ = s.Close()
		t.Fatal("opened")
	}
	after, err := os.ReadFile(path)
	if err != nil || string(before) != string(after) {
		t.Errorf("the file changed (%v)", err)
	}
}

func TestFoldersWithoutResults(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	empty := t.TempDir()
	write(t, filepath.Join(empty, fileName), "")
	for _, dir := range []string{missing, t.TempDir(), empty} {
		if s, err := OpenReadOnly(dir); err == nil || !strings.Contains(err.Error(), "measure with 'dyno run'") {
			t.Errorf("%v, %v", s, err)
		}
	}
	if _, err := os.Stat(missing); err == nil {
		t.Error("reading created the folder")
	}
	for _, dir := range []string{filepath.Join(missing, "deep"), empty} {
		s, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		_ = s.Close()
	}
}

func TestReadOnlyFolder(t *testing.T) {
	dir := t.TempDir()
	if s, err := Open(dir); err != nil || s.Close() != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
	if f, err := os.Create(filepath.Join(dir, "probe")); err == nil {
		_ = f.Close()
		t.Skip("this user may write to read-only folders")
	}
	_ = os.Remove(filepath.Join(dir, lockName))
	if s, err := Open(dir); err == nil || !strings.Contains(err.Error(), "use another --out folder") {
		t.Errorf("%v, %v", s, err)
	}
	s, err := OpenReadOnly(dir)
	if err != nil {
		t.Fatalf("a folder that may be read cannot be read: %v", err)
	}
	_ = s.Close()
}

func TestOneWriterAtATime(t *testing.T) {
	dir := t.TempDir()
	first := openTest(t, dir)
	second, err := Open(dir)
	if err == nil {
		_ = second.Close()
		t.Fatal("two dynos measure into one folder")
	}
	want := fmt.Sprintf("another dyno (pid %d) is measuring into %s: wait for it", os.Getpid(), dir)
	if err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
	if reader, err := OpenReadOnly(dir); err != nil {
		t.Errorf("a reader was refused: %v", err)
	} else {
		_ = reader.Close()
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	openTest(t, dir)
}

func TestTheLockFileOfADeadDynoDoesNotMatter(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, lockName), "999999999999 an old and longer text than a pid")
	openTest(t, dir)
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("(pid %d)", os.Getpid())) {
		t.Errorf("got %v", err)
	}
}
