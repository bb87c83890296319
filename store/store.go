// Package store keeps runs and their trials in one SQLite file, DIR/dyno.db, so that what was
// measured survives whatever happens to dyno: a trial is in the file whole or not at all.
//
// It never changes a trial, never judges one, and lets only one dyno at a time write to a folder,
// while any number may read.
package store

import (
	"context"
	"database/sql"
	_ "embed"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	_ "modernc.org/sqlite" // the database/sql driver called "sqlite"
)

const (
	fileName = "dyno.db"

	// applicationID marks the file as dyno's: the letters "dyno".
	applicationID = 0x64796e6f

	// busyTimeoutMs is how long to wait for another program that holds the file, e.g. a person in
	// the sqlite3 shell. Writers of dyno exclude each other by the lock file.
	busyTimeoutMs = 10_000
)

//go:embed schema_1.sql
var schemaV1 string

//go:embed schema_2.sql
var schemaV2 string

//go:embed schema_3.sql
var schemaV3 string

//go:embed schema_4.sql
var schemaV4 string

//go:embed schema_5.sql
var schemaV5 string

// migrations lead from each version to the next; the first one creates the file. Entries are only
// ever appended.
var migrations = []string{schemaV1, schemaV2, schemaV3, schemaV4, schemaV5}

// Store is an open results folder, or an exported file.
type Store struct {
	path string // of the database, as the user knows it
	db   *sql.DB
	lock *os.File    // nil when open for reading only
	file os.FileInfo // the database as it was opened for measuring
	copy string      // folder of the private copy that is read instead; "" when there is none
}

// Open opens DIR for measuring; it creates the folder and the file where they are missing. It
// fails when another dyno is measuring into DIR.
func Open(dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, folderError(dir, err)
	}
	lock, err := acquire(dir)
	if err != nil {
		return nil, err
	}
	// One connection: SQLite has one writer anyway, and a second would only wait for the first.
	s, err := open(filepath.Join(dir, fileName), toWrite)
	if err != nil {
		_ = lock.Close() // the error that matters is err
		return nil, err
	}
	s.lock = lock
	s.db.SetMaxOpenConns(1)
	if err := s.prepare(context.Background()); err != nil {
		_ = s.Close()
		return nil, err
	}
	if s.file, err = os.Stat(s.path); err != nil {
		_ = s.Close()
		return nil, folderError(dir, err)
	}
	return s, nil
}

// inPlace refuses to go on when the database was removed or replaced: SQLite would write on into a file
// that nobody can find.
func (s *Store) inPlace() error {
	if now, err := os.Stat(s.path); s.file == nil || err == nil && os.SameFile(now, s.file) {
		return nil
	}
	return fmt.Errorf("%s was removed or replaced while dyno measured into it, so what was measured is lost: leave the folder alone and start again", s.path)
}

// OpenReadOnly opens DIR for listing and reporting, also while another dyno measures into it.
func OpenReadOnly(dir string) (*Store, error) {
	path := filepath.Join(dir, fileName)
	if _, err := os.Stat(path); err != nil {
		if os.IsNotExist(err) {
			return nil, noResults(dir)
		}
		return nil, folderError(dir, err)
	}
	s, err := open(path, "mode=ro"+immutable(dir))
	if err != nil {
		return nil, err
	}
	version, err := s.version(context.Background())
	if err == nil && version == 0 {
		err = noResults(dir)
	}
	if err == nil {
		err = s.checkVersion(version, 1, len(migrations))
	}
	if err == nil && version < len(migrations) {
		err = s.readCopy(context.Background())
	}
	if err != nil {
		_ = s.Close()
		return nil, err
	}
	return s, nil
}

// Close releases the file and the folder.
func (s *Store) Close() error {
	err := s.db.Close()
	if s.lock != nil {
		// The lock goes with its file handle. The file stays: removing it would let two dynos
		// lock two different files of one name.
		_ = s.lock.Close()
	}
	if s.copy != "" {
		_ = os.RemoveAll(s.copy) // it lies among temporary files, which the system clears
	}
	if err != nil {
		return s.explain("close", err)
	}
	return nil
}

// toWrite are the parameters of a database that is written to.
const toWrite = "mode=rwc&_txlock=immediate&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)"

func open(path, query string) (*Store, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, folderError(filepath.Dir(path), err)
	}
	// As a URL, so that no character of the path is taken for a parameter.
	dsn := url.URL{Scheme: "file", Path: absolute, RawQuery: fmt.Sprintf("_pragma=busy_timeout(%d)&%s", busyTimeoutMs, query)}
	db, err := sql.Open("sqlite", dsn.String())
	if err != nil {
		return nil, folderError(filepath.Dir(path), err)
	}
	return &Store{path: path, db: db}, nil
}

// prepare checks that the file is dyno's and brings it to the current version.
func (s *Store) prepare(ctx context.Context) error {
	version, err := s.version(ctx)
	if err != nil {
		return err
	}
	if err := s.checkVersion(version, 0, len(migrations)); err != nil {
		return err
	}
	// Only now that the file is known to be dyno's: the journal mode is written into it.
	if _, err := s.db.ExecContext(ctx, "PRAGMA journal_mode = WAL"); err != nil {
		return s.explain("open", err)
	}
	return s.migrate(ctx, version, migrations)
}

// version returns the file's version, 0 when it is empty.
func (s *Store) version(ctx context.Context) (int, error) {
	var application, version, tables int
	row := s.db.QueryRowContext(ctx, `SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema)
		FROM pragma_application_id, pragma_user_version`)
	if err := row.Scan(&application, &version, &tables); err != nil {
		return 0, s.explain("open", err)
	}
	isNew := application == 0 && version == 0 && tables == 0
	if application != applicationID && !isNew {
		return 0, fmt.Errorf("%s belongs to another program (application_id %#x): move it away, or use another --out folder",
			s.path, application)
	}
	return version, nil
}

func (s *Store) checkVersion(version, oldest, newest int) error {
	if version >= oldest && version <= newest {
		return nil
	}
	return fmt.Errorf("%s has version %d, and this dyno knows versions up to %d: use the dyno that wrote it, or another --out folder",
		s.path, version, newest)
}

// migrate takes every step from version to the end of steps, each in a transaction of its own. A step
// may make a table anew, and dropping the old one must not take along what refers to it; SQLite heeds
// that setting outside of transactions only, so the steps have a connection to themselves.
func (s *Store) migrate(ctx context.Context, version int, steps []string) error {
	if version == len(steps) {
		return nil
	}
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return s.explain("open", err)
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, "PRAGMA foreign_keys = OFF"); err != nil {
		return s.explain("prepare for a new version", err)
	}
	for ; err == nil && version < len(steps); version++ {
		err = inTx(ctx, conn, func(tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, fmt.Sprintf("%s\n;PRAGMA application_id = %d; PRAGMA user_version = %d",
				steps[version], applicationID, version+1))
			return err
		})
		if err != nil {
			err = s.explain(fmt.Sprintf("bring to version %d", version+1), err)
		}
	}
	if _, onErr := conn.ExecContext(ctx, "PRAGMA foreign_keys = ON"); err == nil && onErr != nil {
		err = s.explain("go on after a new version", onErr)
	}
	return err
}

func (s *Store) inTx(ctx context.Context, f func(*sql.Tx) error) error { return inTx(ctx, s.db, f) }

// inTx runs f in a transaction: all of it is stored, or nothing.
func inTx(ctx context.Context, db interface {
	BeginTx(context.Context, *sql.TxOptions) (*sql.Tx, error)
}, f func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := f(tx); err != nil {
		_ = tx.Rollback() // the error that matters is err; an unfinished transaction is undone anyway
		return err
	}
	return tx.Commit()
}
