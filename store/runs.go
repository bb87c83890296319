package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"dyno"
	"dyno/internal/words"
)

// CreateRun stores a run before its first trial. An id that is already stored is refused.
func (s *Store) CreateRun(ctx context.Context, r dyno.Run) error {
	err := addRun(ctx, s.db, r)
	if isDuplicate(err) {
		return fmt.Errorf("run %s is %w in %s: choose another id, or --resume it", r.ID, ErrMeasuredTwice, s.path)
	}
	if err != nil {
		return s.explain("store run "+r.ID, err)
	}
	return nil
}

func addRun(ctx context.Context, db interface {
	ExecContext(context.Context, string, ...any) (sql.Result, error)
}, r dyno.Run) error {
	columns := runColumns(&r)
	_, err := db.ExecContext(ctx,
		fmt.Sprintf("INSERT INTO run (%s) VALUES (%s)", names(columns), placeholders(len(columns))), fields(columns)...)
	return err
}

// SaveGates replaces what the gate saw of each subject in a run.
func (s *Store) SaveGates(ctx context.Context, id string, gates []dyno.GateResult) error {
	return s.updateRun(ctx, id, "UPDATE run SET gates = ? WHERE id = ?", list{&gates}, id)
}

// FinishRun records how far a run got. A resumed run goes back to RunStarted with the zero time.
func (s *Store) FinishRun(ctx context.Context, id string, state dyno.RunState, endedAt time.Time) error {
	return s.updateRun(ctx, id, "UPDATE run SET state = ?, ended_at = ? WHERE id = ?", state, moment{&endedAt}, id)
}

func (s *Store) updateRun(ctx context.Context, id, statement string, args ...any) error {
	result, err := s.db.ExecContext(ctx, statement, args...)
	if err != nil {
		return s.explain("update run "+id, err)
	}
	if n, err := result.RowsAffected(); err == nil && n == 0 {
		return s.unknownRun(ctx, id)
	}
	return s.inPlace()
}

// Run returns a stored run. The error for an unknown id names the nearest ones.
func (s *Store) Run(ctx context.Context, id string) (dyno.Run, error) {
	runs, err := s.selectRuns(ctx, "WHERE id = ?", id)
	if err != nil {
		return dyno.Run{}, err
	}
	if len(runs) == 0 {
		return dyno.Run{}, s.unknownRun(ctx, id)
	}
	return runs[0], nil
}

// Runs returns all stored runs, the oldest first.
func (s *Store) Runs(ctx context.Context) ([]dyno.Run, error) {
	return s.selectRuns(ctx, "ORDER BY started_at, id")
}

// LatestResumable returns the latest run of a suite that is not complete, if there is one. A run that
// measured something goes before those that did not get that far.
func (s *Store) LatestResumable(ctx context.Context, suite string, quick bool) (dyno.Run, bool, error) {
	runs, err := s.selectRuns(ctx, "WHERE suite = ? AND quick = ? AND state IN (?, ?) "+
		"ORDER BY EXISTS (SELECT 1 FROM trial WHERE run_id = run.id) DESC, started_at DESC, id DESC LIMIT 1",
		suite, quick, dyno.RunStarted, dyno.RunPartial)
	if err != nil || len(runs) == 0 {
		return dyno.Run{}, false, err
	}
	return runs[0], true, nil
}

func (s *Store) selectRuns(ctx context.Context, rest string, args ...any) ([]dyno.Run, error) {
	rows, err := s.db.QueryContext(ctx, fmt.Sprintf("SELECT %s FROM run %s", names(runColumns(&dyno.Run{})), rest), args...)
	if err != nil {
		return nil, s.explain("read runs", err)
	}
	defer rows.Close()
	var runs []dyno.Run
	for rows.Next() {
		var r dyno.Run
		if err := rows.Scan(fields(runColumns(&r))...); err != nil {
			return nil, s.explain("read runs", err)
		}
		runs = append(runs, r)
	}
	if err := rows.Err(); err != nil {
		return nil, s.explain("read runs", err)
	}
	return runs, nil
}

// unknownRun names the stored ids that id was most likely meant to be.
func (s *Store) unknownRun(ctx context.Context, id string) error {
	rows, err := s.db.QueryContext(ctx, "SELECT id FROM run ORDER BY started_at DESC, id DESC")
	if err != nil {
		return s.explain("read runs", err)
	}
	defer rows.Close()
	var ids []string
	for rows.Next() {
		var known string
		if err := rows.Scan(&known); err != nil {
			return s.explain("read runs", err)
		}
		ids = append(ids, known)
	}
	if err := rows.Err(); err != nil {
		return s.explain("read runs", err)
	}
	if len(ids) == 0 {
		return fmt.Errorf("%w %q: %s has no runs: measure with 'dyno run'", ErrUnknownRun, id, s.path)
	}
	return fmt.Errorf("%w %q in %s: nearest: %s", ErrUnknownRun, id, s.path, strings.Join(words.Ranked(id, ids, 3), ", "))
}
