package store

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// ErrUnknownRun is behind every error about a run that is not in the store.
var ErrUnknownRun = errors.New("unknown run")

// ErrMeasuredTwice is behind the error about a trial or a run whose key is already stored.
var ErrMeasuredTwice = errors.New("already stored")

// explain turns what SQLite said into one line: the thing, the cause, the way out.
func (s *Store) explain(what string, err error) error {
	var failure *sqlite.Error
	if !errors.As(err, &failure) {
		return fmt.Errorf("%s: %s: %w", s.path, what, err)
	}
	cause := strings.Join(strings.Fields(failure.Error()), " ")
	switch failure.Code() & 0xff { // extended codes carry the primary one in their low byte
	case sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT:
		return fmt.Errorf("%s is damaged, or no database at all: move it away, or use another --out folder", s.path)
	case sqlite3.SQLITE_FULL:
		return s.diskFull()
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM:
		return fmt.Errorf("%s cannot be written (%s): change its permissions, or use another --out folder", s.path, cause)
	case sqlite3.SQLITE_CANTOPEN:
		return fmt.Errorf("%s cannot be opened (%s): check its permissions, or use another --out folder", s.path, cause)
	case sqlite3.SQLITE_IOERR:
		if s.nearlyFull() { // SQLite says so only when it extends the database itself
			return s.diskFull()
		}
		return fmt.Errorf("%s cannot be read or written (%s): check that it is a file on a sound disk, or use another --out folder",
			s.path, cause)
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return fmt.Errorf("%s is held by another program for more than %d s: close that program", s.path, busyTimeoutMs/1000)
	}
	return fmt.Errorf("%s: %s: %w", s.path, what, err)
}

func (s *Store) diskFull() error {
	return fmt.Errorf("%s: the disk is full: free some space and use --resume; all trials stored so far are safe", s.path)
}

// nearlyFull reports whether the disk has less room than SQLite's smallest auxiliary file needs.
func (s *Store) nearlyFull() bool {
	const sharedMemoryBytes = 32 << 10
	var disk unix.Statfs_t
	err := unix.Statfs(filepath.Dir(s.path), &disk)
	return err == nil && disk.Bavail*uint64(disk.Bsize) < sharedMemoryBytes
}

// isDuplicate reports whether err says that a key is already stored.
func isDuplicate(err error) bool {
	var failure *sqlite.Error
	return errors.As(err, &failure) &&
		(failure.Code() == sqlite3.SQLITE_CONSTRAINT_UNIQUE || failure.Code() == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY)
}

// isOrphan reports whether err says that a run is not in the store.
func isOrphan(err error) bool {
	var failure *sqlite.Error
	return errors.As(err, &failure) && failure.Code() == sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY
}

// folderError says why the results folder cannot be used.
func folderError(dir string, err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err // the folder is named once already
	}
	if errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("results folder %s: the disk is full: free some space, or use another --out folder", dir)
	}
	return fmt.Errorf("results folder %s cannot be used (%w): use another --out folder", dir, err)
}

func noResults(dir string) error {
	return fmt.Errorf("no results in %s (no runs in %s): measure with 'dyno run', or name the folder with --out",
		dir, filepath.Join(dir, fileName))
}

// immutable returns the parameter that lets SQLite read a folder it cannot write to: it would
// otherwise create files for readers and writers to meet in. Without such a file and without the
// right to create one, nobody of this system writes.
func immutable(dir string) string {
	if unix.Access(dir, unix.W_OK) == nil {
		return ""
	}
	if unix.Access(filepath.Join(dir, fileName+"-wal"), unix.F_OK) == nil {
		return ""
	}
	return "&immutable=1"
}
