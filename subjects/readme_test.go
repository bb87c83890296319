package subjects_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestReadmeExample makes the subject that README.md shows, in a temporary tree, and runs it.
func TestReadmeExample(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	dir := filepath.Join(root, "subjects", "framed-node-iter")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, fence := range map[string]string{"subject.yaml": "yaml", "server.ts": "ts"} {
		block := regexp.MustCompile("(?s)```" + fence + "\n(.*?)```").FindSubmatch(readme)
		if block == nil {
			t.Fatalf("README.md has no %s block", fence)
		}
		if err := os.WriteFile(filepath.Join(dir, name), block[1], 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"mpacket", "subjects/shared", "subjects/package.json"} {
		target, err := filepath.Abs(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	checkFramed(t, dir)
}
