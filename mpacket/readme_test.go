package mpacket_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// readmeProgram matches a program in README.md and what it prints.
var readmeProgram = regexp.MustCompile("(?s)```go\n(.*?)```\n```text\n(.*?)```")

// TestReadme runs the programs that README.md shows: they print what it says.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	programs := readmeProgram.FindAllSubmatch(readme, -1)
	if blocks := regexp.MustCompile("```go\n").FindAll(readme, -1); len(programs) == 0 || len(blocks) != len(programs) {
		t.Fatalf("%d of %d programs say what they print", len(programs), len(blocks))
	}
	for i, program := range programs {
		file := filepath.Join(t.TempDir(), "main.go")
		if err := os.WriteFile(file, program[1], 0o644); err != nil {
			t.Fatal(err)
		}
		out, err := exec.CommandContext(t.Context(), "go", "run", file).CombinedOutput()
		if err != nil || string(out) != string(program[2]) {
			t.Errorf("program %d: %v\n%s\nwant\n%s", i, err, out, program[2])
		}
	}
}
