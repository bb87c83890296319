package subjects_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// rootPackage is the package.json that makes `bun run benchmark` and `npm run benchmark` do what those of
// seed 004 did.
const rootPackage = "../package.json"

func TestRootPackageHasNoDependencies(t *testing.T) {
	data, err := os.ReadFile(rootPackage)
	if err != nil {
		t.Fatal(err)
	}
	var p map[string]any
	if err := json.Unmarshal(data, &p); err != nil {
		t.Fatal(err)
	}
	if p["private"] != true {
		t.Error("it could be published by mistake")
	}
	for _, key := range []string{"dependencies", "devDependencies", "optionalDependencies", "peerDependencies"} {
		if p[key] != nil {
			t.Errorf("it has %s: those belong to subjects/package.json", key)
		}
	}
}

// TestRootScripts runs the scripts with stand-ins for make and dyno that tell how they were called.
func TestRootScripts(t *testing.T) {
	bun, err := filepath.Abs("node_modules/@oven/bun-linux-x64/bin/bun")
	if err != nil {
		t.Fatal(err)
	}
	for _, runner := range []struct {
		program string
		between []string // what must stand before the arguments of a script
	}{{"npm", []string{"--"}}, {bun, nil}} {
		if _, err := exec.LookPath(runner.program); err != nil {
			t.Logf("%s is not here: skipped", filepath.Base(runner.program))
			continue
		}
		for script, want := range map[string]string{
			"benchmark": "make -s install build;./bin/dyno run frameworks --quick;",
			"verify":    "make -s install build;./bin/dyno verify frameworks --quick;",
			"test":      "make test --quick;",
			"check":     "make check --quick;",
		} {
			argv := append(append([]string{"run", script}, runner.between...), "--quick")
			if got := scriptCalls(t, runner.program, argv...); got != want {
				t.Errorf("%s run %s: %q, want %q", filepath.Base(runner.program), script, got, want)
			}
		}
	}
}

// scriptCalls returns what a script of the root package calls.
func scriptCalls(t *testing.T, program string, argv ...string) string {
	t.Helper()
	dir := t.TempDir()
	text, err := os.ReadFile(rootPackage)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "package.json"), text, 0o644)
	}
	for _, stub := range []string{"make", "bin/dyno"} {
		path := filepath.Join(dir, stub)
		name := stub
		if stub == "bin/dyno" {
			name = "./" + stub
		}
		if err == nil {
			err = os.MkdirAll(filepath.Dir(path), 0o755)
		}
		if err == nil {
			err = os.WriteFile(path, []byte("#!/bin/sh\nprintf '"+name+" %s;' \"$*\" >> calls\n"), 0o755)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, argv...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", argv, err, out)
	}
	calls, err := os.ReadFile(filepath.Join(dir, "calls"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(calls))
}
