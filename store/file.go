package store

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/sys/unix"

	"dyno"
)

// A run travels as one SQLite file with the tables of a results folder and a single run in them. Its
// header names dyno and the version of the tables, so that a newer dyno brings the file up to date (in
// a copy) and an older one refuses it. docs/STORE.md describes it.

// fileMax bounds what is read from elsewhere. A full run of every suite takes a few MB.
const fileMax = 1 << 30

// Export writes one run and its trials, as of one moment, into a new file. It never overwrites.
func (s *Store) Export(ctx context.Context, runID, path string) error {
	run, err := s.Run(ctx, runID)
	if err != nil {
		return err
	}
	trials, err := s.Trials(ctx, runID)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s exists: remove it, or export into another file", path)
	}
	// Written beside its final place and then linked, so that nobody ever finds half a file there.
	dir, err := os.MkdirTemp(filepath.Dir(path), ".dyno-export-")
	if err != nil {
		return fileError(path, err, "name a file in a folder that can be written")
	}
	defer os.RemoveAll(dir)
	part := filepath.Join(dir, filepath.Base(path))
	if err := writeFile(ctx, part, run, trials); err != nil {
		return err
	}
	if err := os.Link(part, path); err == nil || !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, fs.ErrPermission) {
		return fileError(path, err, "export into another file")
	}
	return fileError(path, os.Rename(part, path), "export into another file") // a disk that knows no links
}

func writeFile(ctx context.Context, path string, run dyno.Run, trials []dyno.Trial) error {
	out, err := open(path, toWrite)
	if err != nil {
		return err
	}
	defer out.Close()
	out.db.SetMaxOpenConns(1)
	if err := out.migrate(ctx, 0, migrations); err != nil {
		return err
	}
	err = out.inTx(ctx, func(tx *sql.Tx) error { return addWhole(ctx, tx, run, trials) })
	if err != nil {
		return out.explain("export run "+run.ID, err)
	}
	return out.Close()
}

func addWhole(ctx context.Context, tx *sql.Tx, run dyno.Run, trials []dyno.Trial) error {
	if err := addRun(ctx, tx, run); err != nil {
		return err
	}
	_, err := addTrials(ctx, tx, run.ID, trials)
	return err
}

// OpenFile opens a file that Export wrote, with this dyno or an older one, for reading. It reads a
// private copy: the file is not changed, and changing it has no effect on what was opened. A file that
// is truncated, foreign, newer, or that says anything an export never says is refused.
func OpenFile(path string) (*Store, error) {
	version, err := checkHeader(path)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "dyno-file-")
	if err != nil {
		return nil, fileError(path, err, "point TMPDIR at a folder that can be written")
	}
	s, err := openCopy(path, dir, version)
	if err != nil {
		_ = os.RemoveAll(dir)
		return nil, err
	}
	return s, nil
}

func openCopy(path, dir string, version int) (*Store, error) {
	inner := filepath.Join(dir, fileName)
	if err := copyFile(path, inner); err != nil {
		return nil, fileError(path, err, "make room among the temporary files, or point TMPDIR elsewhere")
	}
	s, err := open(inner, toWrite+"&_pragma=trusted_schema(0)")
	if err != nil {
		return nil, err
	}
	s.path, s.copy = path, dir
	s.db.SetMaxOpenConns(1)
	ctx := context.Background()
	// What somebody planted among the tables could run when they are read, so the tables come first.
	if err = s.checkTables(ctx, version); err == nil {
		err = s.checkPages(ctx)
	}
	if err == nil {
		err = s.migrate(ctx, version, migrations)
	}
	if err == nil {
		err = s.checkContents(ctx)
	}
	if err != nil {
		_ = s.Close()
		return nil, err
	}
	return s, nil
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, io.LimitReader(in, fileMax)); err != nil {
		_ = out.Close() // the error that matters is err
		return err
	}
	return out.Close()
}

// checkHeader reads the version of an exported file from its first 100 bytes, and refuses what can be
// seen to be something else before SQLite looks at it. Source: sqlite.org/fileformat.html, section 1.3.
func checkHeader(path string) (version int, err error) {
	const (
		magic                                                          = "SQLite format 3\x00"
		pageSizeAt, journalAt, pagesAt, versionAt, applicationAt, size = 16, 18, 28, 60, 68, 100
	)
	// Without O_NONBLOCK a named pipe that nobody writes would hold dyno here before it is seen to be one.
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return 0, fileError(path, err, "name a file that dyno export wrote")
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("not a file")
	}
	if err != nil {
		return 0, fileError(path, err, "name a file that dyno export wrote")
	}
	var h [size]byte
	number := func(at int) int64 { return int64(int32(binary.BigEndian.Uint32(h[at:]))) }
	if _, err := io.ReadFull(f, h[:]); err != nil || string(h[:len(magic)]) != magic || number(applicationAt) != applicationID {
		return 0, fmt.Errorf("%s is not a run of dyno: name a file that dyno export wrote", path)
	}
	pageSize := int64(binary.BigEndian.Uint16(h[pageSizeAt:]))
	if pageSize == 1 {
		pageSize = 1 << 16
	}
	version = int(number(versionAt))
	switch whole := pageSize * number(pagesAt); {
	case version < 1 || version > len(migrations):
		return 0, fmt.Errorf("%s has version %d, and this dyno knows versions up to %d: read it with the dyno that wrote it, or a newer one", path, version, len(migrations))
	case h[journalAt] != 1 || h[journalAt+1] != 1:
		return 0, fmt.Errorf("%s is a results database, of which others may be writing a part elsewhere: write a run of it into a file with dyno export", path)
	case info.Size() > fileMax:
		return 0, fmt.Errorf("%s has %d MB, and a run at most %d: name a file that dyno export wrote", path, info.Size()>>20, fileMax>>20)
	case info.Size() != whole:
		return 0, fmt.Errorf("%s is damaged: it has %d bytes of %d; copy it again", path, info.Size(), whole)
	}
	return version, nil
}

// readCopy turns a store of an older version, open for reading, to a private copy of the current one:
// reading must not change what another dyno may be writing.
func (s *Store) readCopy(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "dyno-old-")
	if err != nil {
		return fileError(s.path, err, "point TMPDIR at a folder that can be written")
	}
	s.copy = dir // Close removes it, whatever happens next
	inner := filepath.Join(dir, fileName)
	if _, err := s.db.ExecContext(ctx, "VACUUM INTO ?", inner); err != nil {
		return s.explain("copy", err)
	}
	current, err := open(inner, toWrite)
	if err != nil {
		return err
	}
	_ = s.db.Close() // nothing was written through it
	s.db = current.db
	s.db.SetMaxOpenConns(1)
	version, err := s.version(ctx) // that of the copy: a dyno that opens the file meanwhile brings it forward
	if err != nil {
		return err
	}
	return s.migrate(ctx, version, migrations)
}

// checkTables compares what the file defines with what this version of dyno defines: no table more, no
// view, no trigger of somebody else's.
func (s *Store) checkTables(ctx context.Context, version int) error {
	model, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return err
	}
	defer model.Close()
	model.SetMaxOpenConns(1) // every connection has a memory of its own
	for _, step := range migrations[:version] {
		if _, err := model.ExecContext(ctx, step); err != nil {
			return err
		}
	}
	want, err := definitions(ctx, model)
	if err != nil {
		return err
	}
	got, err := definitions(ctx, s.db)
	if err != nil {
		return s.unreadable(err)
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("%s defines other tables than version %d of dyno: somebody changed it; export the run again", s.path, version)
	}
	return nil
}

func definitions(ctx context.Context, db *sql.DB) ([]string, error) {
	rows, err := db.QueryContext(ctx, "SELECT type || ' ' || name || ' ' || tbl_name || ' ' || coalesce(sql, '') FROM sqlite_schema LIMIT 1000")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var one string
		if err := rows.Scan(&one); err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	slices.Sort(all)
	return all, rows.Err()
}

// checkPages looks at every page, index and constraint.
func (s *Store) checkPages(ctx context.Context) error {
	var found string
	var broken sql.NullString
	if err := s.db.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&found); err != nil {
		return s.unreadable(err)
	}
	err := s.db.QueryRowContext(ctx, `SELECT "table" FROM pragma_foreign_key_check LIMIT 1`).Scan(&broken)
	if found == "ok" && errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	return s.unreadable(err)
}

// checkContents reads everything once, so that what cannot be read is told now, and refuses values that
// no dyno writes and that others would trust: the id of a run becomes the name of a folder.
func (s *Store) checkContents(ctx context.Context) error {
	runs, err := s.Runs(ctx)
	if err != nil {
		return s.unreadable(err)
	}
	if len(runs) != 1 {
		return fmt.Errorf("%s holds %d runs, and an exported file has one: export the run again", s.path, len(runs))
	}
	r := runs[0]
	for _, word := range []string{r.ID, r.Suite.Name, r.Machine.Hostname} {
		if len(word) > 255 || strings.ContainsFunc(word, unicode.IsControl) {
			return s.unreadable(nil)
		}
	}
	if r.ID == "" || r.ID[0] == '.' || strings.ContainsRune(r.ID, '/') || r.Suite.Method.Blocks < 0 || r.Suite.Method.Rounds < 0 ||
		r.Suite.Capacity != nil && r.Suite.Capacity.Blocks < 0 {
		return s.unreadable(nil)
	}
	if _, err := s.Trials(ctx, r.ID); err != nil {
		return s.unreadable(err)
	}
	return nil
}

// unreadable is the error for a file whose contents make no sense. What exactly is wrong with them
// helps nobody who did not tamper with it.
func (s *Store) unreadable(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("%s is damaged: export the run again", s.path)
}

// fileError says why a file cannot be used; nil stays nil.
func fileError(path string, err error, wayOut string) error {
	if err == nil {
		return nil
	}
	var inner *fs.PathError
	if errors.As(err, &inner) {
		err = inner.Err // the file is named once already
	}
	return fmt.Errorf("%s: %w: %s", path, err, wayOut)
}
