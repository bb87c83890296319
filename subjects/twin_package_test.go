package subjects_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// twinExamples matches an example in the README of the twin and what it prints.
var twinExamples = regexp.MustCompile("(?s)```ts\n(.*?)```\n```text\n(.*?)```")

// TestTwinPackage builds the twin as it is published and runs the examples of its README against it, on
// every runtime. Their types are checked too.
func TestTwinPackage(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "mpacket", "ts", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	examples := twinExamples.FindAllSubmatch(readme, -1)
	if blocks := regexp.MustCompile("```ts\n").FindAll(readme, -1); len(examples) == 0 || len(blocks) != len(examples) {
		t.Fatalf("%d of %d examples say what they print", len(examples), len(blocks))
	}
	specs := runtimes(t)
	home := buildTwin(t, specs)
	check := []string{"--noEmit", "--strict", "--target", "es2024", "--lib", "es2024,dom", "--module", "nodenext"}
	for i, example := range examples {
		name := fmt.Sprintf("example%d.ts", i)
		if err := os.WriteFile(filepath.Join(home, name), example[1], 0o644); err != nil {
			t.Fatal(err)
		}
		check = append(check, name)
	}
	runTool(t, specs, home, "typescript/bin/tsc", check...)
	eachTwin(t, func(t *testing.T, runtime string) {
		for i, example := range examples {
			cmd := twinCommand(t, specs, runtime, "")
			cmd.Args[len(cmd.Args)-1] = fmt.Sprintf("example%d.ts", i)
			if runtime == "deno" {
				cmd.Args = slices.Insert(cmd.Args, 2, "--node-modules-dir=manual")
			}
			cmd.Dir = home
			out, err := cmd.CombinedOutput()
			if err != nil || string(out) != string(example[2]) {
				t.Errorf("example %d: %v\n%s\nprints\n%s\nwant\n%s", i, err, example[1], out, example[2])
			}
		}
	})
}

// TestTwinBench runs every operation of the benchmark program for a moment on every runtime.
func TestTwinBench(t *testing.T) {
	specs := runtimes(t)
	eachTwin(t, func(t *testing.T, runtime string) {
		cmd := twinCommand(t, specs, runtime, "bench/run.ts", "--ms=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
		}
		ops := map[string]bool{}
		for line := range bytes.Lines(out) {
			var result struct {
				Op         string  `json:"op"`
				NsPerOp    float64 `json:"ns_per_op"`
				Ops        int     `json:"ops"`
				BytesPerOp int     `json:"bytes_per_op"`
			}
			if err := json.Unmarshal(line, &result); err != nil || result.NsPerOp <= 0 || result.Ops <= 0 || result.BytesPerOp < 0 {
				t.Errorf("line %q: %v", line, err)
			}
			ops[result.Op] = true
		}
		if len(ops) < 40 {
			t.Errorf("%d operations, want 40 at least", len(ops))
		}
	})
}

// buildTwin returns a folder in which the package mpacket is installed.
func buildTwin(t *testing.T, specs map[string]runtimeSpec) (home string) {
	t.Helper()
	home = t.TempDir()
	installed := filepath.Join(home, "node_modules", "mpacket")
	source := filepath.Join("..", "mpacket", "ts")
	runTool(t, specs, ".", "typescript/bin/tsc", "--project", filepath.Join(source, "tsconfig.build.json"), "--outDir", filepath.Join(installed, "dist"))
	manifest, err := os.ReadFile(filepath.Join(source, "package.json"))
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		filepath.Join(installed, "package.json"): string(manifest),
		filepath.Join(home, "package.json"):      `{"type": "module", "dependencies": {"mpacket": "*"}}`,
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return home
}

// runTool runs a tool of node_modules on the pinned Node.
func runTool(t *testing.T, specs map[string]runtimeSpec, dir, tool string, args ...string) {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("node_modules", tool))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), specs["node"].binary(t), append([]string{path}, args...)...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
}
