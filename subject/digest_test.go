package subject

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// shopFiles is a folder of subjects in which "shop" shows a package and shares files with others.
var shopFiles = map[string]string{
	"runtimes.yaml":                       testRuntimes,
	"shop/subject.yaml":                   "title: T\ncontract: c\nruntime: sh\nentry: s.ts\npackage: \"@a/fast\"\n",
	"shop/s.ts":                           "import { f } from \"../shared/direct.ts\";\nimport \"../gone.ts\";\nimport x from \"@a/fast\";\n",
	"shop/routes/id.mjs":                  "export * from '../../shared/routes.js';\n",
	"shop/node_modules/own/index.js":      "1",
	"shared/direct.ts":                    "const later = await import( \"./indirect.js\" );\n",
	"shared/indirect.js":                  "import \"./direct.ts\";\n",
	"shared/routes.js":                    "",
	"shared/other.ts":                     "",
	"node_modules/@a/fast/package.json":   `{"name": "x", "version": "1.2.3-rc.1"}`,
	"node_modules/@a/fast/index.js":       "1",
	"node_modules/unrelated/package.json": `{"version": "1.0.0"}`,
}

// TestDigest changes one file at a time.
func TestDigest(t *testing.T) {
	root := tree(t, shopFiles)
	digestNow := func() string {
		r := mustLoad(t, root)
		s := r.Resolve(t.Context(), find(t, r, "shop"))
		if s.Unavailable != "" || s.PackageVersion == "" {
			t.Fatalf("got %+v", s)
		}
		return s.Digest
	}
	before := digestNow()
	if again := digestNow(); again != before || len(before) != 16 {
		t.Fatalf("the digest of the same files is %q and %q", before, again)
	}
	for file, covered := range map[string]bool{
		"shop/subject.yaml":                 true,
		"shop/s.ts":                         true,
		"shop/routes/id.mjs":                true,
		"shared/direct.ts":                  true,
		"shared/indirect.js":                true,
		"shared/routes.js":                  true,
		"node_modules/@a/fast/package.json": true,
		"shared/other.ts":                   false,
		"shop/node_modules/own/index.js":    false,
		"node_modules/@a/fast/index.js":     false, // its version stands for it
	} {
		path := filepath.Join(root, file)
		changed := strings.Replace(shopFiles[file], "rc.1", "rc.2", 1)
		if changed == shopFiles[file] {
			changed += "\n# changed\n"
		}
		if err := os.WriteFile(path, []byte(changed), 0o644); err != nil {
			t.Fatal(err)
		}
		if after := digestNow(); (after != before) != covered {
			t.Errorf("%s changed: the digest went from %s to %s, covered is %v", file, before, after, covered)
		}
		if err := os.WriteFile(path, []byte(shopFiles[file]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPackageVersion(t *testing.T) {
	const notWell = "the package @a/fast is installed wrongly ("
	for _, tt := range []struct{ name, content, version, unavailable string }{
		{"installed", `{"version": "5.12.8"}`, "5.12.8", ""},
		{"missing", "", "", "the package @a/fast is not installed: run `make reinstall`"},
		{"no JSON", "<html>", "", notWell},
		{"no version", `{"name": "fast"}`, "", notWell},
		{"version is a number", `{"version": 5}`, "", notWell},
		{"a list", `[]`, "", notWell},
	} {
		files := maps.Clone(shopFiles)
		files["node_modules/@a/fast/package.json"] = tt.content
		if tt.content == "" {
			delete(files, "node_modules/@a/fast/package.json")
		}
		r := mustLoad(t, tree(t, files))
		s := r.Resolve(t.Context(), find(t, r, "shop"))
		if s.PackageVersion != tt.version || !strings.HasPrefix(s.Unavailable, tt.unavailable) || tt.unavailable == "" && s.Unavailable != "" {
			t.Errorf("%s: version %q, unavailable %q", tt.name, s.PackageVersion, s.Unavailable)
		}
		if strings.Contains(s.Unavailable, "\n") {
			t.Errorf("%s: more than one line: %q", tt.name, s.Unavailable)
		}
	}
}

// TestDigestOfBuild makes a change that only the built program shows.
func TestDigestOfBuild(t *testing.T) {
	root := tree(t, map[string]string{
		"runtimes.yaml":      "cp:\n  title: Copy\n  build: [cp, \"{dir}/../shared/lib\", \"{output}\"]\n  run: [sh, \"{output}\"]\n",
		"built/subject.yaml": "title: T\ncontract: c\nruntime: cp\nentry: s\n",
		"built/s":            "",
		"shared/lib":         "1",
	})
	digestNow := func(buildDir string) string {
		r := mustLoad(t, root, WithBuildDir(buildDir))
		s := r.Resolve(t.Context(), find(t, r, "built"))
		if s.Unavailable != "" {
			t.Fatal(s.Unavailable)
		}
		return s.Digest
	}
	before := digestNow(t.TempDir())
	if again := digestNow(t.TempDir()); again != before {
		t.Errorf("the digest depends on where the build is put: %s, %s", before, again)
	}
	if err := os.WriteFile(filepath.Join(root, "shared/lib"), []byte("2"), 0o644); err != nil {
		t.Fatal(err)
	}
	if after := digestNow(t.TempDir()); after == before {
		t.Error("another program has the same digest")
	}
}
