// Package subject knows the servers that can be put on the bench, and the life of their processes: what
// the manifests say, where the pinned runtimes are, how a server is started, proved ready, watched and
// stopped. No process survives: a warden stands between dyno and each server, and ends everything that
// the server left behind, even when dyno itself was killed.
//
// It never speaks a subject's protocol (the caller gives a Ping), never installs anything and never
// measures more than start-up, memory and CPU time.
package subject

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"dyno"
	"dyno/internal/strictyaml"
	"dyno/internal/words"
)

// Registry holds all subjects and runtimes of one folder.
type Registry struct {
	root      string // absolute
	buildDir  string // absolute
	overrides map[string]string
	contracts []string // those that subjects can keep; nil: any
	runtimes  map[string]Runtime
	entries   map[string]entry // by the subject's name

	resolving sync.Mutex        // one command at a time
	versions  map[string]string // what version commands found, by runtime
	built     map[string]bool   // subjects that were built
}

// entry is a subject and what its manifest says beyond that.
type entry struct {
	subject dyno.Subject
	file    string // the entry file, absolute
	args    []string
}

// Option changes how a registry finds things.
type Option func(*Registry)

// WithRuntime uses the executable at path instead of the pinned one.
func WithRuntime(name, path string) Option {
	return func(r *Registry) { r.overrides[name] = path }
}

// WithContracts makes subjects of any other contract unavailable, with the reason.
func WithContracts(names []string) Option {
	return func(r *Registry) { r.contracts = names }
}

// WithBuildDir puts built servers into dir instead of bin/subjects beside the folder of subjects.
func WithBuildDir(dir string) Option {
	return func(r *Registry) { r.buildDir = dir }
}

// Load reads root/runtimes.yaml and the manifests root/*/subject.yaml. Folders without a manifest are
// no subjects. Errors are one line; those about the content of a file begin with file:line:column.
func Load(root string, options ...Option) (*Registry, error) {
	absolute, err := filepath.Abs(root)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; name the folder of subjects by its full path", root, err)
	}
	r := &Registry{
		root:      absolute,
		buildDir:  filepath.Join(filepath.Dir(absolute), "bin", "subjects"),
		overrides: map[string]string{},
		entries:   map[string]entry{},
		versions:  map[string]string{},
		built:     map[string]bool{},
	}
	for _, option := range options {
		option(r)
	}
	if r.buildDir, err = filepath.Abs(r.buildDir); err != nil {
		return nil, fmt.Errorf("%s: %w; name the build folder by its full path", r.buildDir, err)
	}
	if r.runtimes, err = loadRuntimes(filepath.Join(root, "runtimes.yaml")); err != nil {
		return nil, err
	}
	if err := r.checkOverrides(); err != nil {
		return nil, err
	}
	if err := r.loadManifests(root); err != nil {
		return nil, err
	}
	for name, e := range r.entries {
		if e.subject.Unavailable == "" {
			e.subject.Unavailable = r.pointsNowhere(e.subject)
			r.entries[name] = e
		}
	}
	return r, nil
}

// pointsNowhere says what a manifest names that does not exist, "" when all does. It costs the subject its
// place on the bench and no other's.
func (r *Registry) pointsNowhere(s dyno.Subject) string {
	if r.contracts != nil && !slices.Contains(r.contracts, s.Contract) {
		return place(s, "contract") + ": " + words.Unknown("contract", s.Contract, r.contracts)
	}
	if _, err := r.Find(s.BaselineOf); s.BaselineOf != "" && err != nil {
		return place(s, "baseline_of") + ": " + err.Error()
	}
	return ""
}

// place returns file:line:column of a key's value in a subject's manifest.
func place(s dyno.Subject, key string) string {
	path := filepath.Join(s.Dir, "subject.yaml")
	data, err := strictyaml.ReadFile(path)
	if err != nil {
		return path // it was readable a moment ago
	}
	return strictyaml.Locate(path, data, key)
}

func (r *Registry) loadManifests(root string) error {
	folders, err := os.ReadDir(root)
	if err != nil {
		return fmt.Errorf("%w; name the folder of subjects", err)
	}
	for _, folder := range folders {
		path := filepath.Join(root, folder.Name(), "subject.yaml")
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) || !isFolder(filepath.Dir(path)) {
			continue
		}
		e, err := loadManifest(path, folder.Name(), filepath.Join(r.root, folder.Name()), r.runtimes)
		if err != nil {
			return err
		}
		r.entries[e.subject.Name] = e
	}
	return nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// All returns the subjects, not resolved, sorted by name.
func (r *Registry) All() []dyno.Subject {
	all := make([]dyno.Subject, 0, len(r.entries))
	for _, name := range r.names() {
		all = append(all, r.entries[name].subject)
	}
	return all
}

// Find returns the subject of a name, not resolved. The error names the nearest one.
func (r *Registry) Find(name string) (dyno.Subject, error) {
	e, ok := r.entries[name]
	if !ok {
		return dyno.Subject{}, errors.New(words.Unknown("subject", name, r.names()))
	}
	return e.subject, nil
}

func (r *Registry) names() []string { return slices.Sorted(maps.Keys(r.entries)) }

// Runtimes returns what runtimes.yaml says, by name.
func (r *Registry) Runtimes() map[string]Runtime { return maps.Clone(r.runtimes) }

// checkOverrides refuses a runtime that does not exist, or cannot be exchanged.
func (r *Registry) checkOverrides() error {
	for _, name := range slices.Sorted(maps.Keys(r.overrides)) {
		path := r.overrides[name]
		known, ok := r.runtimes[name]
		if !ok {
			return errors.New(words.Unknown("runtime", name, slices.Sorted(maps.Keys(r.runtimes))))
		}
		if known.Binary == "" {
			return fmt.Errorf("runtime %s has no executable of its own to exchange; change its run in runtimes.yaml", name)
		}
		absolute, err := filepath.Abs(path)
		if err != nil {
			return fmt.Errorf("runtime %s: %w; name its executable by its full path", name, err)
		}
		if reason := notExecutable(absolute); reason != "" {
			return fmt.Errorf("runtime %s: %s: %s; name an executable file", name, path, reason)
		}
		r.overrides[name] = absolute
	}
	return nil
}

// notExecutable says why a file cannot be started, "" when it can.
func notExecutable(path string) string {
	switch info, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		return "no such file"
	case err != nil:
		return errors.Unwrap(err).Error()
	case !info.Mode().IsRegular():
		return "not a file"
	case info.Mode()&0o111 == 0:
		return "not executable"
	}
	return ""
}
