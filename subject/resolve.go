package subject

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"

	"dyno"
)

const (
	versionWithin = 20 * time.Second // a runtime that needs longer to print its version is broken
	buildWithin   = 5 * time.Minute  // a first build compiles the standard library
	outputMost    = 64 << 10         // bytes of a command's output that are kept
)

var versionNumber = regexp.MustCompile(`\d+(\.\d+)+`)

// Resolve finds out how a subject starts on this machine: it locates the runtime's executable, asks its
// version, builds what must be built, and fills Command, RuntimeVersion, PackageVersion and Digest. What
// is missing makes the subject Unavailable with the reason and the way out; that is a result, not an error. Versions and
// builds are made once in the life of a registry.
func (r *Registry) Resolve(ctx context.Context, s dyno.Subject) dyno.Subject {
	if s.Unavailable != "" {
		return s
	}
	e, ok := r.entries[s.Name]
	if !ok {
		s.Unavailable = fmt.Sprintf("%s is not in %s: give it a folder with a subject.yaml", s.Name, r.root)
		return s
	}
	r.resolving.Lock()
	defer r.resolving.Unlock()
	err := r.resolve(ctx, &s, e)
	if err != nil {
		s.Unavailable = err.Error()
	}
	return s
}

func (r *Registry) resolve(ctx context.Context, s *dyno.Subject, e entry) error {
	rt := r.runtimes[s.Runtime]
	values := map[string]string{
		"{entry}":  e.file,
		"{dir}":    s.Dir,
		"{output}": filepath.Join(r.buildDir, s.Name),
	}
	if rt.Binary != "" {
		binary, err := r.binary(s.Runtime)
		if err != nil {
			return err
		}
		values["{binary}"] = binary
	}
	version, err := r.version(ctx, s.Runtime, expand(rt.Version, values))
	if err != nil {
		return err
	}
	if len(rt.Build) > 0 && !r.built[s.Name] {
		if err := r.build(ctx, s.Dir, expand(rt.Build, values)); err != nil {
			return err
		}
		r.built[s.Name] = true
	}
	argv := append(expand(rt.Run, values), e.args...)
	if argv[0], err = locate(argv[0]); err != nil {
		return err
	}
	s.Command, s.RuntimeVersion = argv, version
	if s.PackageVersion, err = r.packageVersion(s.Package); err != nil {
		return err
	}
	s.Digest, err = r.digest(*s, values["{output}"])
	return err
}

// packageVersion returns the version of an npm package that is installed, "" for no package.
func (r *Registry) packageVersion(name string) (string, error) {
	if name == "" {
		return "", nil
	}
	path := filepath.Join(r.root, "node_modules", name, "package.json")
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("the package %s is not installed: run `make reinstall`", name)
	}
	var installed struct{ Version string }
	if err == nil {
		err = json.Unmarshal(data, &installed)
	}
	if err == nil && installed.Version == "" {
		err = errors.New("it has no version")
	}
	if err != nil {
		return "", fmt.Errorf("the package %s is installed wrongly (%s: %w): run `make reinstall`", name, path, err)
	}
	return installed.Version, nil
}

// binary returns the path of a runtime's executable for this architecture.
func (r *Registry) binary(name string) (string, error) {
	if path, ok := r.overrides[name]; ok {
		return path, nil
	}
	rt := r.runtimes[name]
	pkg, ok := rt.Packages[runtime.GOARCH]
	if !ok {
		return "", fmt.Errorf("%s has no package for %s: use another build with --runtime %s=PATH", name, runtime.GOARCH, name)
	}
	path := filepath.Join(r.root, "node_modules", pkg, rt.Binary)
	switch reason := notExecutable(path); reason {
	case "":
		return path, nil
	case "no such file":
		return "", fmt.Errorf("%s is not installed: run `make reinstall`", name)
	default:
		return "", fmt.Errorf("%s is installed wrongly (%s: %s): run `make reinstall`", name, path, reason)
	}
}

// version asks a runtime for its version, once.
func (r *Registry) version(ctx context.Context, name string, argv []string) (string, error) {
	if version, known := r.versions[name]; known || len(argv) == 0 {
		return version, nil
	}
	output, err := command(ctx, versionWithin, r.root, argv)
	if err != nil {
		return "", fmt.Errorf("%s does not run: %w: run `make reinstall`, or name a working build with --runtime %s=PATH", name, err, name)
	}
	version := versionNumber.FindString(output)
	if version == "" {
		return "", fmt.Errorf("%s printed no version number: correct version in runtimes.yaml, or name another build with --runtime %s=PATH", name, name)
	}
	r.versions[name] = version
	return version, nil
}

func (r *Registry) build(ctx context.Context, folder string, argv []string) error {
	if err := os.MkdirAll(r.buildDir, 0o755); err != nil {
		return fmt.Errorf("the build folder cannot be made: %w: make room for it, or choose another", err)
	}
	if _, err := command(ctx, buildWithin, folder, argv); err != nil {
		return fmt.Errorf("the build failed: %w: run %q in %s", err, strings.Join(argv, " "), folder)
	}
	return nil
}

// command runs a tool in dyno's own environment, since nothing of it is measured, and returns what it
// printed. The error is one line with the most telling line of the output.
func command(ctx context.Context, within time.Duration, folder string, argv []string) (string, error) {
	path, err := locate(argv[0])
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, argv[1:]...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "NO_COLOR=1")
	cmd.WaitDelay = time.Second // for children of a killed tool that hold its output open
	var output head
	cmd.Stdout, cmd.Stderr = &output, &output
	switch err := cmd.Run(); {
	case err == nil:
		return string(output), nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return "", fmt.Errorf("no end within %s", within)
	case ctx.Err() != nil:
		return "", ctx.Err()
	default:
		if line := telling(visibleLines(output)); line != "" {
			return "", fmt.Errorf("%w: %s", err, line)
		}
		return "", err
	}
}

// locate finds a program: by its path, else in dyno's PATH.
func locate(program string) (string, error) {
	if strings.ContainsRune(program, filepath.Separator) {
		if reason := notExecutable(program); reason != "" {
			return "", fmt.Errorf("%s: %s: create it, or make it executable with chmod +x", program, reason)
		}
		return program, nil
	}
	path, err := exec.LookPath(program)
	if err != nil {
		return "", fmt.Errorf("the program %q is not in PATH: install it", program)
	}
	return filepath.Abs(path)
}

// head keeps the first bytes written to it.
type head []byte

func (h *head) Write(b []byte) (int, error) {
	*h = append(*h, b[:min(len(b), outputMost-len(*h))]...)
	return len(b), nil
}
