package subjects_test

import (
	"path/filepath"
	"slices"
	"testing"

	"dyno"
	"dyno/contract"
)

// verifySeed makes the values of the gate; any will do.
const verifySeed = 5

// TestHTTPSubjects verifies every available subject of the contracts httpbasic and rpc with its gate, three
// at a time: each of them is a runtime with all it loads.
func TestHTTPSubjects(t *testing.T) {
	free := make(chan struct{}, 3)
	for _, pattern := range []string{"http-*", "rpc-*"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("no subjects %s: %v", pattern, err)
		}
		for _, name := range names {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				free <- struct{}{}
				defer func() { <-free }()
				verify(t, name)
			})
		}
	}
}

// verify starts a subject, verifies it and stops it.
func verify(t *testing.T, name string) {
	var m manifest
	decodeStrict(t, filepath.Join(name, "subject.yaml"), &m)
	if m.Unavailable != "" {
		t.Skip(m.Unavailable)
	}
	c, err := contract.ByName(m.Contract)
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, name)
	if err := c.Ping(t.Context(), s.addr); err != nil {
		t.Errorf("ping: %v", err)
	}
	results := c.Verify(t.Context(), s.addr, verifySeed)
	for _, r := range results {
		if !r.OK {
			t.Errorf("%s: %s", r.Case, r.Reason)
		}
	}
	idle := dial(t, s) // must not keep the server from ending
	defer idle.Close()
	if status := s.terminate(t); status != 0 {
		t.Errorf("exit status %d after SIGTERM, want 0", status)
	}
	if s.stderr.Len() > 0 {
		t.Errorf("stderr: %s", &s.stderr)
	}
	if len(results) == 0 || slices.ContainsFunc(results, func(r dyno.CaseResult) bool { return r.Case == "" }) {
		t.Errorf("the gate gave %d results", len(results))
	}
}
