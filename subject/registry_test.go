package subject

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"dyno"
	"dyno/internal/golden"
)

const testRuntimes = `
sh:
  title: Shell
  run: [sh, "{entry}"]
fake:
  title: Fake
  engine: V8
  first_release: 2022
  packages: { ` + runtime.GOARCH + `: "@scope/fake" }
  binary: bin/fake
  run: ["{binary}", run, "{entry}"]
  version: ["{binary}", --version]
other-arch:
  title: Other
  packages: { pdp11: other }
  binary: other
  run: ["{binary}"]
go:
  title: Go
  build: [go, build, -o, "{output}", "{dir}"]
  run: ["{output}"]
  version: [go, version]
exec:
  title: Command
  run: ["{entry}"]
missing-tool:
  title: Missing
  run: [no-such-program-anywhere, "{entry}"]
`

// tree writes a folder of subjects. Names that end in * are executable.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "subjects")
	for name, content := range files {
		name, executable := strings.CutSuffix(name, "*")
		path := filepath.Join(root, name)
		mode := os.FileMode(0o644)
		if executable {
			mode = 0o755
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func mustLoad(t *testing.T, root string, options ...Option) *Registry {
	t.Helper()
	r, err := Load(root, options...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func find(t *testing.T, r *Registry, name string) dyno.Subject {
	t.Helper()
	s, err := r.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// loadError returns why a folder is refused, with its path left out.
func loadError(t *testing.T, root string) string {
	t.Helper()
	_, err := Load(root)
	if err == nil {
		t.Error("no error")
		return ""
	}
	oneLine(t, err)
	return strings.ReplaceAll(err.Error(), root+"/", "")
}

const fakeRuntime = "#!/bin/sh\necho fake 1.4.5-rc\necho called >> \"$(dirname \"$0\")/calls\"\n"

func TestLoadFindsSubjects(t *testing.T) {
	root := tree(t, map[string]string{
		"runtimes.yaml":      testRuntimes,
		"b-two/subject.yaml": "title: Two\ncontract: framed\nruntime: sh\nentry: s.sh\nunavailable: not on npm\n",
		"b-two/s.sh":         "",
		"a-one/subject.yaml": "title: One\ncontract: framed\nruntime: fake\nentry: src/s.ts\nargs: [--fast]\nenv: {A: b}\n" +
			"package: \"@a/one\"\nbackend: fallback; no binary\npatched: routes\nunmaintained: since 2023\n",
		"a-one/src/s.ts":          "",
		"shared/echo.ts":          "",
		"node_modules/x/index.js": "",
		"README.md":               "",
	})
	r := mustLoad(t, root)
	want := []dyno.Subject{
		{
			Name: "a-one", Title: "One", Contract: "framed", Runtime: "fake", Dir: filepath.Join(root, "a-one"), Env: map[string]string{"A": "b"},
			Package: "@a/one", Backend: "fallback; no binary", Patched: "routes", Unmaintained: "since 2023",
		},
		{Name: "b-two", Title: "Two", Contract: "framed", Runtime: "sh", Dir: filepath.Join(root, "b-two"), Unavailable: "not on npm"},
	}
	if got := r.All(); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if r.Runtimes()["fake"].FirstRelease != 2022 {
		t.Errorf("runtimes are %+v", r.Runtimes())
	}
	if got := r.Resolve(t.Context(), want[1]); !reflect.DeepEqual(got, want[1]) {
		t.Errorf("an unavailable subject was resolved: %+v", got)
	}
	for name, text := range map[string]string{
		"a-oen": `unknown subject "a-oen"; did you mean "a-one"?`,
		"zzz":   `unknown subject "zzz"; choose from a-one, b-two`,
	} {
		if _, err := r.Find(name); err == nil || err.Error() != text {
			t.Errorf("got %v, want %s", err, text)
		}
	}
}

func TestBadManifests(t *testing.T) {
	const good = "title: T\ncontract: framed\nruntime: sh\nentry: s.sh\n"
	replace := func(old, new string) string { return strings.Replace(good, old, new, 1) }
	var got strings.Builder
	for _, tt := range []struct{ name, folder, manifest string }{
		{"empty", "x", ""},
		{"binary", "x", "\x7fELF\x00"},
		{"not YAML", "x", "title: [\n"},
		{"unknown key", "x", good + "runtme: sh\n"},
		{"duplicate key", "x", good + "title: U\n"},
		{"no title", "x", replace("title: T\n", "")},
		{"blank title", "x", replace("title: T", `title: " "`)},
		{"title of two lines", "x", replace("title: T", `title: "a\nb"`)},
		{"no contract", "x", replace("contract: framed\n", "")},
		{"no runtime", "x", replace("runtime: sh\n", "")},
		{"no entry", "x", replace("entry: s.sh\n", "")},
		{"unknown runtime", "x", replace("runtime: sh", "runtime: hs")},
		{"entry that does not exist", "x", replace("s.sh", "t.sh")},
		{"entry that is a folder", "x", replace("s.sh", ".")},
		{"entry outside", "x", replace("s.sh", "../x/s.sh")},
		{"absolute entry", "x", replace("s.sh", "/bin/sh")},
		{"number in args", "x", good + "args: [8080]\n"},
		{"number in env", "x", good + "env: {WORKERS: 4}\n"},
		{"NUL in env", "x", good + "env: {A: \"a\\0b\"}\n"},
		{"NUL in args", "x", good + "args: [\"\\0\"]\n"},
		{"escape sequence in the title", "x", replace("title: T", `title: "\e[31m"`)},
		{"PORT in env", "x", good + "env: {A: b, PORT: \"80\"}\n"},
		{"HOST in env", "x", good + "env:\n  HOST: 0.0.0.0\n"},
		{"bad variable", "x", good + "env: {A-B: c}\n"},
		{"number as package", "x", good + "package: 5\n"},
		{"package outside", "x", good + "package: ../../x\n"},
		{"backend in other words", "x", good + "backend: in C++\n"},
		{"backend that only begins like one", "x", good + "backend: natively\n"},
		{"patched of two lines", "x", good + "patched: |\n  a\n  b\n"},
		{"unavailable with an escape sequence", "x", good + "unavailable: \"\\e[31m\"\n"},
		{"folder with a blank", "my server", good},
		{"folder in capitals", "Server", good},
	} {
		root := tree(t, map[string]string{
			"runtimes.yaml": testRuntimes, tt.folder + "/subject.yaml": tt.manifest, tt.folder + "/s.sh": "",
		})
		fmt.Fprintf(&got, "%s\n    %s\n", tt.name, loadError(t, root))
	}
	golden.Check(t, "manifests.golden", got.String())
}

func TestBadRuntimes(t *testing.T) {
	var got strings.Builder
	for _, tt := range []struct{ name, runtimes string }{
		{"empty", ""},
		{"list", "- a\n"},
		{"unknown key", "bun:\n  title: Bun\n  rnu: [a]\n"},
		{"no title", "bun:\n  run: [a]\n"},
		{"no run", "bun:\n  title: Bun\n"},
		{"empty run", "bun:\n  title: Bun\n  run: []\n"},
		{"run is text", "bun:\n  title: Bun\n  run: bun run\n"},
		{"misspelt placeholder", "bun:\n  title: Bun\n  run: [a, \"{enrty}\"]\n"},
		{"binary without packages", "bun:\n  title: Bun\n  binary: b\n  run: [\"{binary}\"]\n"},
		{"binary that is not there", "bun:\n  title: Bun\n  run: [\"{binary}\"]\n"},
		{"output without build", "go:\n  title: Go\n  run: [\"{output}\"]\n"},
		{"version of an entry", "bun:\n  title: Bun\n  run: [a]\n  version: [\"{entry}\"]\n"},
		{"binary outside", "bun:\n  title: Bun\n  packages: {amd64: a}\n  binary: ../../sh\n  run: [\"{binary}\"]\n"},
		{"package outside", "bun:\n  title: Bun\n  packages: {amd64: ../a}\n  binary: sh\n  run: [\"{binary}\"]\n"},
		{"bad name", "Bun Runtime:\n  title: Bun\n  run: [a]\n"},
		{"year as text", "bun:\n  title: Bun\n  run: [a]\n  first_release: \"2022\"\n"},
	} {
		fmt.Fprintf(&got, "%s\n    %s\n", tt.name, loadError(t, tree(t, map[string]string{"runtimes.yaml": tt.runtimes})))
	}
	golden.Check(t, "runtimes.golden", got.String())
}

func TestLoadWithoutFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, root := range []string{t.TempDir(), "/does/not/exist", file} {
		_, err := Load(root)
		oneLine(t, err)
	}
	folder := tree(t, map[string]string{"runtimes.yaml": testRuntimes, "x/subject.yaml/oops": ""})
	_, err := Load(folder)
	oneLine(t, err)
}

func TestResolve(t *testing.T) {
	files := map[string]string{"runtimes.yaml": testRuntimes, "node_modules/@scope/fake/bin/fake*": fakeRuntime}
	for _, name := range []string{"fake", "sh", "exec", "other-arch", "missing-tool"} {
		files["on-"+name+"/subject.yaml"] = "title: T\ncontract: c\nruntime: " + name + "\nentry: s\nargs: [-x, y z]\n"
		files["on-"+name+"/s"] = "#!/bin/sh\n"
	}
	files["exec-able/subject.yaml"] = "title: T\ncontract: c\nruntime: exec\nentry: s\n"
	files["exec-able/s*"] = "#!/bin/sh\n"
	root := tree(t, files)
	r := mustLoad(t, root)
	fake := filepath.Join(root, "node_modules/@scope/fake/bin/fake")
	for _, tt := range []struct {
		name, version string
		argv          []string
		unavailable   string
	}{
		{"on-fake", "1.4.5", []string{fake, "run", root + "/on-fake/s", "-x", "y z"}, ""},
		{"on-sh", "", []string{"/bin/sh", root + "/on-sh/s", "-x", "y z"}, ""},
		{"exec-able", "", []string{root + "/exec-able/s"}, ""},
		{"on-exec", "", nil, root + "/on-exec/s: not executable: create it, or make it executable with chmod +x"},
		{"on-other-arch", "", nil, "other-arch has no package for " + runtime.GOARCH + ": use another build with --runtime other-arch=PATH"},
		{"on-missing-tool", "", nil, `the program "no-such-program-anywhere" is not in PATH: install it`},
	} {
		got := r.Resolve(t.Context(), find(t, r, tt.name))
		if len(got.Command) > 0 && filepath.Base(got.Command[0]) == "sh" {
			got.Command[0] = "/bin/sh" // wherever this machine has it
		}
		if got.RuntimeVersion != tt.version || !slices.Equal(got.Command, tt.argv) || got.Unavailable != tt.unavailable {
			t.Errorf("%s: %q %q %q", tt.name, got.RuntimeVersion, got.Command, got.Unavailable)
		}
	}
	r.Resolve(t.Context(), find(t, r, "on-fake"))
	if calls, _ := os.ReadFile(filepath.Join(filepath.Dir(fake), "calls")); string(calls) != "called\n" {
		t.Errorf("the version was asked %d times", strings.Count(string(calls), "\n"))
	}
	stranger := r.Resolve(t.Context(), dyno.Subject{Name: "stranger"})
	if !strings.Contains(stranger.Unavailable, "stranger is not in "+root) {
		t.Errorf("got %q", stranger.Unavailable)
	}
}

func TestBrokenRuntimes(t *testing.T) {
	const unavailable = "fake does not run: "
	for _, tt := range []struct{ name, binary, content, want string }{
		{"missing", "", "", "fake is not installed: run `make reinstall`"},
		{"not executable", "node_modules/@scope/fake/bin/fake", fakeRuntime, "fake is installed wrongly ("},
		{"fails", "node_modules/@scope/fake/bin/fake*", "#!/bin/sh\necho 'libc.so: cannot open' >&2; exit 127\n",
			unavailable + "exit status 127: libc.so: cannot open: run `make reinstall`, or name a working build with --runtime fake=PATH"},
		{"for another machine", "node_modules/@scope/fake/bin/fake*", "\x7fELF nonsense", unavailable + "fork/exec "},
		{"without a number", "node_modules/@scope/fake/bin/fake*", "#!/bin/sh\necho nightly\n", "fake printed no version number: "},
		{"floods", "node_modules/@scope/fake/bin/fake*", "#!/bin/sh\necho v1.2\nhead -c 3000000 /dev/zero\n", ""},
	} {
		files := map[string]string{
			"runtimes.yaml": testRuntimes, "x/subject.yaml": "title: T\ncontract: c\nruntime: fake\nentry: s\n", "x/s": "",
		}
		if tt.binary != "" {
			files[tt.binary] = tt.content
		}
		r := mustLoad(t, tree(t, files))
		got := r.Resolve(t.Context(), find(t, r, "x")).Unavailable
		if !strings.HasPrefix(got, tt.want) || tt.want == "" && got != "" || strings.Contains(got, "\n") {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestResolveInterrupted(t *testing.T) {
	root := tree(t, map[string]string{
		"runtimes.yaml": testRuntimes, "x/subject.yaml": "title: T\ncontract: c\nruntime: fake\nentry: s\n", "x/s": "",
		"node_modules/@scope/fake/bin/fake*": fakeRuntime,
	})
	r := mustLoad(t, root)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if s := r.Resolve(ctx, find(t, r, "x")); !strings.Contains(s.Unavailable, "canceled") {
		t.Errorf("got %+v", s)
	}
	if s := r.Resolve(t.Context(), find(t, r, "x")); s.Unavailable != "" || s.RuntimeVersion != "1.4.5" {
		t.Errorf("the interruption was remembered: %+v", s)
	}
}

func TestWithRuntime(t *testing.T) {
	root := tree(t, map[string]string{
		"runtimes.yaml": testRuntimes, "x/subject.yaml": "title: T\ncontract: c\nruntime: fake\nentry: s\n", "x/s": "",
		"my-fake*": "#!/bin/sh\necho 2.0.1\n", "plain": "",
	})
	mine := filepath.Join(root, "my-fake")
	r := mustLoad(t, root, WithRuntime("fake", mine))
	if s := r.Resolve(t.Context(), find(t, r, "x")); s.RuntimeVersion != "2.0.1" || len(s.Command) == 0 || s.Command[0] != mine {
		t.Errorf("got %+v", s)
	}
	for _, bad := range []struct{ name, path, want string }{
		{"faek", mine, `unknown runtime "faek"; did you mean "fake"?`},
		{"sh", mine, "runtime sh has no executable of its own to exchange"},
		{"fake", "/does/not/exist", "runtime fake: /does/not/exist: no such file; name an executable file"},
		{"fake", root, "runtime fake: " + root + ": not a file; name an executable file"},
		{"fake", filepath.Join(root, "plain"), "runtime fake: " + root + "/plain: not executable; name an executable file"},
	} {
		_, err := Load(root, WithRuntime(bad.name, bad.path))
		if err == nil || !strings.HasPrefix(err.Error(), bad.want) {
			t.Errorf("got %v, want %s", err, bad.want)
		}
	}
}

const goServer = `package main

import (
	"io"
	"net"
	"os"
)

func main() {
	listener, err := net.Listen("tcp", os.Getenv("HOST")+":"+os.Getenv("PORT"))
	if err != nil {
		panic(err)
	}
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		go io.Copy(conn, conn)
	}
}
`

// TestAddingASubject is the promise of subjects/README.md: a folder with two files is all.
func TestAddingASubject(t *testing.T) {
	root := tree(t, map[string]string{"runtimes.yaml": testRuntimes, "go.mod": "module example\n\ngo 1.26\n"})
	if n := len(mustLoad(t, root).All()); n != 0 {
		t.Fatalf("%d subjects in an empty folder", n)
	}
	folder := filepath.Join(root, "my-server")
	for name, content := range map[string]string{"subject.yaml": "title: Mine\ncontract: echo\nruntime: go\nentry: main.go\n", "main.go": goServer} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	build := filepath.Join(t.TempDir(), "build")
	r := mustLoad(t, root, WithBuildDir(build))
	s := r.Resolve(t.Context(), find(t, r, "my-server"))
	if s.Unavailable != "" || s.Command[0] != filepath.Join(build, "my-server") || !strings.HasPrefix(s.RuntimeVersion, "1.") {
		t.Fatalf("got %+v", s)
	}
	o := options()
	o.Ping = ping
	p := mustStart(t, s, o)
	if err := p.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if reason := p.ExitReason(); reason != "killed by SIGTERM" {
		t.Errorf("exit reason %q", reason)
	}
}

func TestBuildFails(t *testing.T) {
	root := tree(t, map[string]string{
		"runtimes.yaml": testRuntimes, "go.mod": "module example\n\ngo 1.26\n",
		"x/subject.yaml": "title: T\ncontract: c\nruntime: go\nentry: main.go\n", "x/main.go": "package main\n\nfunc main() { oops() }\n",
	})
	r := mustLoad(t, root)
	s := r.Resolve(t.Context(), find(t, r, "x"))
	if !strings.HasPrefix(s.Unavailable, "the build failed: exit status 1: ./main.go:3:15: undefined: oops: run ") && !strings.Contains(s.Unavailable, "main.go:3:15: undefined: oops") {
		t.Errorf("got %q", s.Unavailable)
	}
	r = mustLoad(t, root, WithBuildDir(filepath.Join(root, "go.mod")))
	if s := r.Resolve(t.Context(), find(t, r, "x")); !strings.HasPrefix(s.Unavailable, "the build folder cannot be made: ") {
		t.Errorf("got %q", s.Unavailable)
	}
}
