package store

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"dyno"
	"dyno/hist"
)

func openTest(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// simpleRun is the least that a run needs.
func simpleRun(id string, startedAt time.Time, state dyno.RunState) dyno.Run {
	return dyno.Run{ID: id, StartedAt: startedAt, State: state, Suite: dyno.Suite{Name: "minecraft"}}
}

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func create(t *testing.T, s *Store, r dyno.Run) {
	t.Helper()
	if err := s.CreateRun(t.Context(), r); err != nil {
		t.Fatal(err)
	}
}

func TestEveryFieldOfARunComesBack(t *testing.T) {
	s := openTest(t, t.TempDir())
	rng := rand.New(rand.NewPCG(1, 1))
	want := map[string]dyno.Run{}
	for range 30 {
		r := randomRun(rng)
		create(t, s, r)
		want[r.ID] = r
	}
	for id, w := range want {
		got, err := s.Run(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, w) {
			t.Fatalf("changed on the way:\ngot  %+v\nwant %+v", got, w)
		}
	}
	bare := simpleRun("bare", noon, dyno.RunStarted)
	create(t, s, bare)
	if got, err := s.Run(t.Context(), "bare"); err != nil || !reflect.DeepEqual(got, bare) {
		t.Errorf("a run of few fields: %+v, %v", got, err)
	}
}

func TestEveryFieldOfATrialComesBack(t *testing.T) {
	s := openTest(t, t.TempDir())
	create(t, s, simpleRun("r", noon, dyno.RunStarted))
	rng := rand.New(rand.NewPCG(2, 2))
	want := []dyno.Trial{{}}
	for range 30 {
		want = append(want, randomTrial(rng))
	}
	if err := s.AddTrials(t.Context(), "r", want[:7]); err != nil {
		t.Fatal(err)
	}
	if err := s.AddTrials(t.Context(), "r", want[7:]); err != nil {
		t.Fatal(err)
	}
	keys, err := s.Keys(t.Context(), "r")
	if err != nil || len(keys) != len(want) || keys[0] != want[0].TrialKey {
		t.Errorf("keys %v, %v", keys, err)
	}
	got, err := s.Trials(t.Context(), "r")
	if err != nil || len(got) != len(want) {
		t.Fatalf("%d trials, want %d, %v", len(got), len(want), err)
	}
	for i := range want {
		if !bytes.Equal(encoded(t, got[i]), encoded(t, want[i])) {
			t.Errorf("trial %d: a histogram changed", i)
		}
		for _, trial := range []*dyno.Trial{&got[i], &want[i]} {
			trial.Latency, trial.FirstByte, trial.Session = nil, nil, nil
		}
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Fatalf("changed on the way:\ngot  %+v\nwant %+v", got[i], want[i])
		}
	}
	if none, err := s.Trials(t.Context(), "other"); err != nil || len(none) != 0 {
		t.Errorf("trials of a run without any: %d, %v", len(none), err)
	}
}

// encoded returns the histograms of a trial, with a mark between them.
func encoded(t *testing.T, trial dyno.Trial) (all []byte) {
	t.Helper()
	for _, h := range []*hist.Histogram{trial.Latency, trial.FirstByte, trial.Session} {
		if h != nil {
			b, err := h.Encode()
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, b...)
		}
		all = append(all, '|')
	}
	return all
}

// group returns the trials of one cell of one block.
func group(block int) []dyno.Trial {
	var trials []dyno.Trial
	for _, subject := range []string{"bun", "deno", "node"} {
		t := dyno.Trial{TrialKey: dyno.TrialKey{Block: block, Subject: subject}, StartedAt: noon}
		for round := range 8 {
			t.Slices = append(t.Slices, dyno.Slice{Round: round, DurationNs: 1e8, Replies: 1000})
		}
		trials = append(trials, t)
	}
	return trials
}

func TestAGroupIsStoredWholeOrNotAtAll(t *testing.T) {
	s := openTest(t, t.TempDir())
	create(t, s, simpleRun("r", noon, dyno.RunStarted))
	if err := s.AddTrials(t.Context(), "r", group(0)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		spoil func(g []dyno.Trial)
		is    error
		says  string
	}{
		{"last slice impossible", func(g []dyno.Trial) { g[2].Slices[7].Replies = -1 }, nil, "trial of node in block 2"},
		{"a round twice", func(g []dyno.Trial) { g[1].Slices[3].Round = 2 }, nil, "trial of deno in block 2"},
		{"negative block", func(g []dyno.Trial) { g[2].Block = -1 }, nil, "CHECK"},
		{"measured before", func(g []dyno.Trial) { g[2].TrialKey = group(0)[2].TrialKey }, ErrMeasuredTwice, "nothing of its group was written"},
		{"twice in the group", func(g []dyno.Trial) { g[2].TrialKey = g[0].TrialKey }, ErrMeasuredTwice, "trial of bun in block 2"},
	} {
		g := group(1)
		c.spoil(g)
		err := s.AddTrials(t.Context(), "r", g)
		if err == nil || c.is != nil && !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", c.name, err)
		}
		if got, err := s.Trials(t.Context(), "r"); err != nil || len(got) != 3 {
			t.Fatalf("%s: %d trials in the store, want the 3 from before (%v)", c.name, len(got), err)
		}
	}
	if err := s.AddTrials(t.Context(), "elsewhere", group(1)); !errors.Is(err, ErrUnknownRun) {
		t.Errorf("trials of an unknown run: %v", err)
	}
	if err := s.AddTrials(t.Context(), "r", nil); err != nil {
		t.Errorf("no trials: %v", err)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.AddTrials(canceled, "r", group(1)); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

func TestATrialIsNeverChanged(t *testing.T) {
	s := openTest(t, t.TempDir())
	create(t, s, simpleRun("r", noon, dyno.RunStarted))
	if err := s.AddTrials(t.Context(), "r", group(0)); err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{"UPDATE trial SET void = 'unwanted'", "UPDATE slice SET replies = 2 * replies"} {
		if _, err := s.db.Exec(statement); err == nil || !strings.Contains(err.Error(), "is never changed") {
			t.Errorf("%s: %v", statement, err)
		}
	}
}

func TestRunLife(t *testing.T) {
	s := openTest(t, t.TempDir())
	create(t, s, simpleRun("minecraft-2", noon.Add(time.Second/2), dyno.RunStarted))
	create(t, s, simpleRun("minecraft-1", noon, dyno.RunPartial))
	create(t, s, simpleRun("minecraft-3", noon.Add(time.Hour), dyno.RunComplete))
	quick := simpleRun("minecraft-quick", noon.Add(time.Minute), dyno.RunPartial)
	quick.Suite.Quick = true
	create(t, s, quick)

	if err := s.CreateRun(t.Context(), simpleRun("minecraft-1", noon, dyno.RunStarted)); !errors.Is(err, ErrMeasuredTwice) {
		t.Errorf("an id twice: %v", err)
	}
	var ids []string
	runs, err := s.Runs(t.Context())
	for _, r := range runs {
		ids = append(ids, r.ID)
	}
	if want := []string{"minecraft-1", "minecraft-2", "minecraft-quick", "minecraft-3"}; err != nil || !slices.Equal(ids, want) {
		t.Errorf("runs %v, want %v (%v)", ids, want, err)
	}

	resumable := func(suite string, quick bool) string {
		r, ok, err := s.LatestResumable(t.Context(), suite, quick)
		if err != nil || ok != (r.ID != "") {
			t.Errorf("resumable: %q, %v, %v", r.ID, ok, err)
		}
		return r.ID
	}
	if a, b, c := resumable("minecraft", false), resumable("minecraft", true), resumable("rpc", false); a != "minecraft-2" || b != "minecraft-quick" || c != "" {
		t.Errorf("resumable: %q, quick %q, other suite %q", a, b, c)
	}

	gates := []dyno.GateResult{{Subject: "bun", Cases: []dyno.CaseResult{{Case: "split-frame", OK: true}}}}
	if err := s.SaveGates(t.Context(), "minecraft-2", gates); err != nil {
		t.Fatal(err)
	}
	if err := s.FinishRun(t.Context(), "minecraft-2", dyno.RunComplete, noon.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	r, err := s.Run(t.Context(), "minecraft-2")
	if err != nil || r.State != dyno.RunComplete || !r.EndedAt.Equal(noon.Add(time.Hour)) || !reflect.DeepEqual(r.Gates, gates) {
		t.Errorf("finished: %+v, %v", r, err)
	}
	if id := resumable("minecraft", false); id != "minecraft-1" {
		t.Errorf("resumable after the end: %q", id)
	}
	if err := s.FinishRun(t.Context(), "minecraft-1", "lost", noon); err == nil {
		t.Error("an unknown state was stored")
	}
}

func TestUnknownRunNamesTheNearest(t *testing.T) {
	s := openTest(t, t.TempDir())
	if _, err := s.Run(t.Context(), "x"); !errors.Is(err, ErrUnknownRun) || !strings.Contains(err.Error(), "has no runs") {
		t.Errorf("empty store: %v", err)
	}
	for i, id := range []string{"rpc-20261121-100000", "minecraft-20261121-084812", "minecraft-20261120-084812", "codec-20261121-084812"} {
		create(t, s, simpleRun(id, noon.Add(time.Duration(i)*time.Hour), dyno.RunComplete))
	}
	_, err := s.Run(t.Context(), "minecraft-20261121-084821")
	want := `nearest: minecraft-20261121-084812, minecraft-20261120-084812, codec-20261121-084812`
	if !errors.Is(err, ErrUnknownRun) || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("got %v\nwant …%s", err, want)
	}
	if err := s.SaveGates(t.Context(), "nothing", nil); !errors.Is(err, ErrUnknownRun) {
		t.Errorf("gates of an unknown run: %v", err)
	}
	if err := s.FinishRun(t.Context(), "nothing", dyno.RunPartial, noon); !errors.Is(err, ErrUnknownRun) {
		t.Errorf("end of an unknown run: %v", err)
	}
}

func TestReadersSeeWholeGroupsWhileAnotherWrites(t *testing.T) {
	dir := t.TempDir()
	s := openTest(t, dir)
	create(t, s, simpleRun("r", noon, dyno.RunStarted))
	reader, err := OpenReadOnly(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = reader.Close() })

	const groups = 20
	var writer sync.WaitGroup
	writer.Go(func() {
		for block := range groups {
			if err := s.AddTrials(context.Background(), "r", group(block)); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for seen := 0; seen < 3*groups && !t.Failed(); {
		trials, err := reader.Trials(t.Context(), "r")
		if err != nil {
			t.Fatal(err)
		}
		if len(trials) < seen || len(trials)%3 != 0 {
			t.Fatalf("%d trials after %d: not whole groups", len(trials), seen)
		}
		for _, trial := range trials {
			if len(trial.Slices) != 8 {
				t.Fatalf("a trial with %d slices", len(trial.Slices))
			}
		}
		seen = len(trials)
	}
	writer.Wait()
	if err := reader.CreateRun(t.Context(), simpleRun("x", noon, dyno.RunStarted)); err == nil {
		t.Error("a reader could write")
	}
}
