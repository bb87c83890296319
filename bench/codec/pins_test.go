package main

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
)

func TestPinsAreExact(t *testing.T) {
	exact := regexp.MustCompile(`^\d+\.\d+\.\d+$`)
	text, err := os.ReadFile("package.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Dependencies map[string]string }
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	if text, err = os.ReadFile("requirements.txt"); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if name, version, _ := strings.Cut(strings.TrimSpace(line), "=="); name != "" && name[0] != '#' {
			file.Dependencies[name] = version
		}
	}
	for name, version := range file.Dependencies {
		if !exact.MatchString(version) {
			t.Errorf("%s is pinned to %q; write one exact version", name, version)
		}
	}
	lock, err := os.ReadFile("package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(lock), `"resolved"`) {
		t.Error("package-lock.json names the registry that served it; keep omit-lockfile-registry-resolved in .npmrc and install again")
	}
}
