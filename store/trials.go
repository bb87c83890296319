package store

import (
	"context"
	"database/sql"
	"fmt"

	"dyno"
)

// AddTrials stores all of the given trials, or none: those of one cell of one block belong
// together. A trial whose key is already stored is refused, and all others with it.
func (s *Store) AddTrials(ctx context.Context, runID string, trials []dyno.Trial) error {
	if err := s.inPlace(); err != nil {
		return err
	}
	failed := -1
	err := s.inTx(ctx, func(tx *sql.Tx) error {
		var err error
		failed, err = addTrials(ctx, tx, runID, trials)
		return err
	})
	if err == nil {
		return nil
	}
	if isOrphan(err) {
		return s.unknownRun(ctx, runID)
	}
	what := fmt.Sprintf("store trials of run %s", runID)
	if failed >= 0 {
		k := trials[failed].TrialKey
		what = fmt.Sprintf("trial of %s in block %d, %s, run %s", k.Subject, k.Block+1, k.Cell, runID)
		if isDuplicate(err) {
			return fmt.Errorf("%s: %s is %w: nothing of its group was written", s.path, what, ErrMeasuredTwice)
		}
	}
	return s.explain(what, err)
}

// addTrials returns which trial failed, -1 when none did.
func addTrials(ctx context.Context, tx *sql.Tx, runID string, trials []dyno.Trial) (failed int, err error) {
	for i := range trials {
		if err := addTrial(ctx, tx, runID, &trials[i]); err != nil {
			return i, err
		}
	}
	return -1, nil
}

func addTrial(ctx context.Context, tx *sql.Tx, runID string, t *dyno.Trial) error {
	columns := append(trialColumns(t), column{"run_id", &runID})
	result, err := tx.ExecContext(ctx,
		fmt.Sprintf("INSERT INTO trial (%s) VALUES (%s)", names(columns), placeholders(len(columns))), fields(columns)...)
	if err != nil {
		return err
	}
	id, err := result.LastInsertId()
	if err != nil {
		return err
	}
	for i := range t.Slices {
		columns := append(sliceColumns(&t.Slices[i]), column{"trial_id", &id})
		_, err := tx.ExecContext(ctx,
			fmt.Sprintf("INSERT INTO slice (%s) VALUES (%s)", names(columns), placeholders(len(columns))), fields(columns)...)
		if err != nil {
			return err
		}
	}
	return nil
}

// Keys returns which trials of a run are stored, in the order in which they were. It reads none of
// their figures.
func (s *Store) Keys(ctx context.Context, runID string) ([]dyno.TrialKey, error) {
	rows, err := s.db.QueryContext(ctx,
		"SELECT block, workload, payload_bytes, connections, depth, users, subject FROM trial WHERE run_id = ? ORDER BY id", runID)
	if err != nil {
		return nil, s.explain("read trials of run "+runID, err)
	}
	defer rows.Close()
	var keys []dyno.TrialKey
	for rows.Next() {
		var k dyno.TrialKey
		if err := rows.Scan(&k.Block, &k.Cell.Workload.Name, &k.Cell.Workload.PayloadBytes, &k.Cell.Load.Connections, &k.Cell.Load.Depth, &k.Cell.Load.Users, &k.Subject); err != nil {
			return nil, s.explain("read trials of run "+runID, err)
		}
		keys = append(keys, k)
	}
	if err := rows.Err(); err != nil {
		return nil, s.explain("read trials of run "+runID, err)
	}
	return keys, nil
}

// Trials returns the trials of a run in the order in which they were stored, as of one moment: a
// group that is being added meanwhile is in it whole or not at all.
func (s *Store) Trials(ctx context.Context, runID string) ([]dyno.Trial, error) {
	var trials []dyno.Trial
	err := s.inTx(ctx, func(tx *sql.Tx) error {
		var err error
		byID := map[int64]int{}
		if trials, err = selectTrials(ctx, tx, runID, byID); err != nil {
			return err
		}
		return selectSlices(ctx, tx, runID, trials, byID)
	})
	if err != nil {
		return nil, s.explain("read trials of run "+runID, err)
	}
	return trials, nil
}

// selectTrials returns the trials without their slices and fills byID with their places.
func selectTrials(ctx context.Context, tx *sql.Tx, runID string, byID map[int64]int) ([]dyno.Trial, error) {
	rows, err := tx.QueryContext(ctx,
		fmt.Sprintf("SELECT id, %s FROM trial WHERE run_id = ? ORDER BY id", names(trialColumns(&dyno.Trial{}))), runID)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var trials []dyno.Trial
	for rows.Next() {
		var id int64
		var t dyno.Trial
		if err := rows.Scan(append([]any{&id}, fields(trialColumns(&t))...)...); err != nil {
			return nil, err
		}
		byID[id] = len(trials)
		trials = append(trials, t)
	}
	return trials, rows.Err()
}

func selectSlices(ctx context.Context, tx *sql.Tx, runID string, trials []dyno.Trial, byID map[int64]int) error {
	rows, err := tx.QueryContext(ctx, fmt.Sprintf(
		"SELECT trial_id, %s FROM slice WHERE trial_id IN (SELECT id FROM trial WHERE run_id = ?) ORDER BY trial_id, id",
		names(sliceColumns(&dyno.Slice{}))), runID)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var slice dyno.Slice
		if err := rows.Scan(append([]any{&id}, fields(sliceColumns(&slice))...)...); err != nil {
			return err
		}
		t := &trials[byID[id]]
		t.Slices = append(t.Slices, slice)
	}
	return rows.Err()
}
