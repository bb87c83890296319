package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"dyno"
)

// Imported says what an import added.
type Imported struct {
	Run    dyno.Run
	New    bool // the run was not stored before
	Trials int  // added now
}

// Import adds the run of an exported file to the store, all of it or nothing. Importing a file twice
// adds nothing the second time; a later export of the same run adds the trials that were missing.
// Another run that has the same id is refused.
func (s *Store) Import(ctx context.Context, file *Store) (Imported, error) {
	runs, err := file.Runs(ctx)
	if err != nil {
		return Imported{}, err
	}
	if len(runs) != 1 {
		return Imported{}, fmt.Errorf("%s holds %d runs, and one is imported at a time: export the run that you mean", file.path, len(runs))
	}
	run := runs[0]
	trials, err := file.Trials(ctx, run.ID)
	if err != nil {
		return Imported{}, err
	}
	here, err := s.selectRuns(ctx, "WHERE id = ?", run.ID)
	if err != nil {
		return Imported{}, err
	}
	if len(here) == 1 {
		return s.complete(ctx, here[0], run, trials)
	}
	err = s.inTx(ctx, func(tx *sql.Tx) error { return addWhole(ctx, tx, run, trials) })
	if err != nil {
		return Imported{}, s.explain("import run "+run.ID, err)
	}
	return Imported{Run: run, New: true, Trials: len(trials)}, s.inPlace()
}

// complete adds to a stored run what the same run has more elsewhere.
func (s *Store) complete(ctx context.Context, here, run dyno.Run, trials []dyno.Trial) (Imported, error) {
	if here.Seed != run.Seed || !here.StartedAt.Equal(run.StartedAt) || here.Machine.Hostname != run.Machine.Hostname {
		return Imported{}, fmt.Errorf("%s has another run with the id %s: import into another --out folder", s.path, run.ID)
	}
	known, err := s.Keys(ctx, run.ID)
	if err != nil {
		return Imported{}, err
	}
	stored := map[dyno.TrialKey]bool{}
	for _, k := range known {
		stored[k] = true
	}
	missing := slices.DeleteFunc(trials, func(t dyno.Trial) bool { return stored[t.TrialKey] })
	if len(missing) == 0 {
		return Imported{Run: here}, nil
	}
	err = s.inTx(ctx, func(tx *sql.Tx) error {
		if _, err := addTrials(ctx, tx, run.ID, missing); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "UPDATE run SET state = ?, ended_at = ?, gates = ? WHERE id = ?",
			run.State, moment{&run.EndedAt}, list{&run.Gates}, run.ID)
		return err
	})
	if err != nil {
		return Imported{}, s.explain("import run "+run.ID, err)
	}
	return Imported{Run: run, Trials: len(missing)}, s.inPlace()
}
