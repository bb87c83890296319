package subjects_test

import (
	"path/filepath"
	"testing"
)

// TestCodecSubjects verifies every subject of the contract codec with its gate, which does every operation
// with seeds made at run time.
func TestCodecSubjects(t *testing.T) {
	names, err := filepath.Glob("codec-*")
	if err != nil || len(names) != 4 {
		t.Fatalf("codec subjects %v: %v", names, err)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) { verify(t, name) })
	}
}
