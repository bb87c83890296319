package subjects_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// pins returns the versions of package.json, an alias "npm:NAME@VERSION" reduced to its version.
func pins(t *testing.T) map[string]string {
	t.Helper()
	data, err := os.ReadFile("package.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Dependencies         map[string]string `json:"dependencies"`
		DevDependencies      map[string]string `json:"devDependencies"`
		OptionalDependencies map[string]string `json:"optionalDependencies"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	versions := map[string]string{}
	for _, group := range []map[string]string{file.Dependencies, file.DevDependencies, file.OptionalDependencies} {
		for name, version := range group {
			if strings.HasPrefix(version, "npm:") {
				version = version[strings.LastIndex(version, "@")+1:]
			}
			versions[name] = version
		}
	}
	return versions
}

func TestPinsAreExact(t *testing.T) {
	exact := regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?$`)
	for name, version := range pins(t) {
		if !exact.MatchString(version) {
			t.Errorf("package.json: %s is pinned to %q; write one exact version", name, version)
		}
	}
	lock, err := os.ReadFile("package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(lock), `"resolved": "http`) {
		t.Error("package-lock.json names the registry that served it; keep omit-lockfile-registry-resolved in .npmrc and install again")
	}
}

func TestRuntimes(t *testing.T) {
	number := regexp.MustCompile(`\d+\.\d+(\.\d+)?`)
	versions := pins(t)
	for key, spec := range runtimes(t) {
		t.Run(key, func(t *testing.T) {
			if spec.Title == "" || len(spec.Run) == 0 {
				t.Error("title and run are needed")
			}
			for arch, name := range spec.Packages {
				if versions[name] == "" {
					t.Errorf("package %s for %s is not in package.json", name, arch)
				}
			}
			if len(spec.Version) == 0 {
				return
			}
			argv := expand(spec.Version, map[string]string{"binary": spec.binary(t)})
			out, err := exec.Command(argv[0], argv[1:]...).Output()
			if err != nil {
				t.Fatalf("%v: %v", argv, err)
			}
			got, want := number.FindString(string(out)), versions[spec.Packages[runtime.GOARCH]]
			if got == "" || want != "" && got != want {
				t.Errorf("%v prints %q: version %q, want %q", argv, out, got, want)
			}
		})
	}
}

func TestManifests(t *testing.T) {
	paths, err := filepath.Glob("*/subject.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no manifests found: %v", err)
	}
	specs, versions, titles := runtimes(t), pins(t), map[string]string{}
	for _, path := range paths {
		var m manifest
		decodeStrict(t, path, &m)
		if other := titles[m.Contract+m.Title]; other != "" {
			t.Errorf("%s has the title of %s", path, other)
		}
		titles[m.Contract+m.Title] = path
		if m.Package != "" && versions[m.Package] == "" {
			t.Errorf("%s: package %s is not in package.json", path, m.Package)
		}
		if m.Title == "" || m.Contract == "" || m.Entry == "" {
			t.Errorf("%s: title, contract and entry are needed", path)
		}
		if _, known := specs[m.Runtime]; !known {
			t.Errorf("%s: runtime %q is not in runtimes.yaml", path, m.Runtime)
		}
		if _, err := os.Stat(filepath.Join(filepath.Dir(path), m.Entry)); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// rowsOfSeed004 are the rows of the table that the suite frameworks continues. People look for them
// under these names.
var rowsOfSeed004 = []string{
	"uws (node)", "bun (bun)", "stricjs (bun)", "elysia (bun)", "vixeny (bun)", "hono (bun)", "bun-web-standard (bun)",
	"bun-bakery (bun)", "nhttp (bun)", "hyper-express (node)", "hyperbun (bun)", "baojs (bun)", "nbit (bun)", "h3 (node)",
	"fast (deno)", "fastify (node)", "cheetah (deno)", "oak (deno)", "abc (deno)", "koa (node)", "express (bun)",
	"hapi (node)", "adonis (node)", "express (node)", "hono (node)", "nest (node)", "acorn (deno)",
}

func TestEveryRowOfSeed004(t *testing.T) {
	names, err := filepath.Glob("http-*")
	if err != nil {
		t.Fatal(err)
	}
	runtimeOf := map[string]string{}
	for _, name := range names {
		var m manifest
		decodeStrict(t, filepath.Join(name, "subject.yaml"), &m)
		runtimeOf[m.Title] = m.Runtime
	}
	for _, row := range rowsOfSeed004 {
		_, want, _ := strings.Cut(strings.TrimSuffix(row, ")"), " (")
		if got := runtimeOf[row]; !strings.HasPrefix(got, want) {
			t.Errorf("the row %q runs on %q", row, got)
		}
	}
}
