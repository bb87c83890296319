package main

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"dyno"
	"dyno/lab/calibrate"
	"dyno/stat"
)

// TestStatusOfExperiments: 1 when a promise is shown to be broken, not when that is merely possible.
func TestStatusOfExperiments(t *testing.T) {
	missed := func(hits, of int) []dyno.PromisedRate {
		return dyno.CloneCheck{Missed: stat.RateOf(hits, of), Slowdown: 0.03}.Promises()
	}
	for _, c := range []struct {
		name     string
		err      error
		ended    calibrate.Ended
		promises []dyno.PromisedRate
		code     int
		says     string
	}{
		{"kept", nil, calibrate.EndedEnough, missed(0, 1000), 0, ""},
		{"open", nil, calibrate.EndedEnough, missed(3, 50), 0, ""},
		{"broken", nil, calibrate.EndedEnough, missed(24, 50), exitFailed, "a promise is shown to be broken: a slowdown of 3 % was missed in 24 of 50 (48.0 %, 95 % interval 33.7 to 62.6 %), promised: at most 5 %; "},
		{"broken, by a budget", nil, calibrate.EndedBudget, missed(24, 50), exitFailed, "a promise is shown to be broken: "},
		{"interrupted", context.Canceled, calibrate.EndedInterrupted, missed(24, 50), exitInterrupted, "what was counted until then is above; `GO ON` goes on"},
		{"too short", calibrate.ErrTooShort, calibrate.EndedBudget, nil, exitFailed, "`GO ON` goes on"},
		{"a fault", errors.New("no room"), calibrate.EndedInterrupted, missed(24, 50), exitFailed, "no room"},
	} {
		var said []string
		x := &experiment{found: calibrate.Result{Ended: c.ended, Promises: c.promises}}
		if c.promises != nil {
			x.found.Clones = &dyno.CloneCheck{}
		}
		x.Say = func(line string) { said = append(said, line) }
		err := x.status(c.err, "GO ON")
		var status *statusError
		code := 0
		if errors.As(err, &status) {
			code = status.code
		} else if err != nil {
			code = exitFailed
		}
		if code != c.code || err != nil && (!strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%s: status %d, %v", c.name, code, err)
		}
		if hinted := len(said) > 0; hinted != (c.ended == calibrate.EndedBudget && c.err == nil) {
			t.Errorf("%s: said %q", c.name, said)
		}
	}
}

// TestLatestSitting: two experiments with one seed are not mixed, and what comes twice is the later one.
func TestLatestSitting(t *testing.T) {
	seed := func(number uint64) uint64 { return 8 | number*calibrate.SeedsEnd }
	began := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	var runs []dyno.Run
	for _, c := range []struct {
		id   string
		seed uint64
	}{{"a0", seed(0)}, {"a1", seed(1)}, {"other", 9}, {"a3", seed(3)}, {"b0", seed(0)}, {"b1", seed(1)}} {
		began = began.Add(time.Minute)
		runs = append(runs, dyno.Run{ID: c.id, Seed: c.seed, StartedAt: began})
	}
	for n, want := range map[int]string{1: "a0", 2: "a0 a1", 4: "a0 a1 a3", 5: "b0", 6: "b0 b1"} {
		var got []string
		sitting := latestSitting(runs[:n], 8)
		for number := range uint64(5) {
			if run, ok := sitting[seed(number)]; ok {
				got = append(got, run.ID)
			}
		}
		if strings.Join(got, " ") != want || len(sitting) != len(got) {
			t.Errorf("of %d runs: %v, want %s", n, got, want)
		}
	}
}
