package subject

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"dyno"
	"dyno/internal/strictyaml"
	"dyno/internal/words"
)

// Runtime is an entry of runtimes.yaml: what a runtime is, and how it starts an entry file. In argv
// lists {binary} stands for its executable, {entry} for the subject's entry file, {dir} for the
// subject's folder and {output} for the file that a build writes, all absolute.
type Runtime struct {
	Title          string            `yaml:"title"`
	Engine         string            `yaml:"engine"`
	EngineLanguage string            `yaml:"engine_language"`
	Language       string            `yaml:"language"`
	FirstRelease   int               `yaml:"first_release"` // year
	Packages       map[string]string `yaml:"packages"`      // npm package by GOARCH
	Binary         string            `yaml:"binary"`        // path of the executable in the package
	Build          []string          `yaml:"build"`         // argv that makes {output}; empty when nothing is built
	Run            []string          `yaml:"run"`           // argv that starts the server
	Version        []string          `yaml:"version"`       // argv that prints the version; empty when there is none
}

// facts returns what tables say about the runtime. One without an engine of its own, such as a compiled
// language's, is told by its language; one without either is no runtime.
func (r Runtime) facts() dyno.RuntimeFacts {
	if r.Language == "" {
		return dyno.RuntimeFacts{}
	}
	return dyno.RuntimeFacts{
		Title: r.Title, Engine: r.Engine, EngineLanguage: r.EngineLanguage, Language: r.Language, FirstRelease: r.FirstRelease,
	}
}

var placeholder = regexp.MustCompile(`\{[^{}]*\}`)

func loadRuntimes(path string) (map[string]Runtime, error) {
	data, err := strictyaml.ReadFile(path)
	if err != nil {
		return nil, err
	}
	runtimes := map[string]Runtime{}
	if err := strictyaml.Decode(path, data, &runtimes); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(runtimes)) {
		if key, fault := runtimes[name].fault(name); fault != "" {
			return nil, fmt.Errorf("%s: %s", strictyaml.Locate(path, data, name, key), fault)
		}
	}
	return runtimes, nil
}

// fault returns what is wrong with a runtime, with the way out, and the key it is about.
func (r Runtime) fault(name string) (key, fault string) {
	switch {
	case !nameRule.MatchString(name):
		return "", fmt.Sprintf("%q is no name for a runtime; use small letters, digits, - and .", name)
	case strings.TrimSpace(r.Title) == "":
		return "title", fmt.Sprintf("runtime %s has no title; add how tables call it", name)
	case len(r.Run) == 0 || r.Run[0] == "":
		return "run", fmt.Sprintf("runtime %s has no run; add the argv that starts {entry}", name)
	case r.Binary != "" && !filepath.IsLocal(r.Binary):
		return "binary", fmt.Sprintf("the binary %q lies outside of its package; name a path in it", r.Binary)
	case r.Binary != "" && len(r.Packages) == 0:
		return "packages", fmt.Sprintf("runtime %s has a binary and no packages; add the npm package for each architecture", name)
	}
	for arch, pkg := range r.Packages {
		if !filepath.IsLocal(pkg) {
			return "packages", fmt.Sprintf("%q is no npm package for %s; name one", pkg, arch)
		}
	}
	for _, argv := range []struct {
		key     string
		argv    []string
		allowed []string
	}{
		{"build", r.Build, []string{"{binary}", "{entry}", "{dir}", "{output}"}},
		{"run", r.Run, []string{"{binary}", "{entry}", "{dir}", "{output}"}},
		{"version", r.Version, []string{"{binary}"}},
	} {
		for _, word := range placeholder.FindAllString(strings.Join(argv.argv, " "), -1) {
			switch {
			case !slices.Contains(argv.allowed, word):
				return argv.key, words.Unknown("placeholder", word, argv.allowed)
			case word == "{binary}" && r.Binary == "":
				return argv.key, fmt.Sprintf("%s uses {binary}, and runtime %s has none; add binary and packages", argv.key, name)
			case word == "{output}" && len(r.Build) == 0:
				return argv.key, fmt.Sprintf("%s uses {output}, and runtime %s builds nothing; add build", argv.key, name)
			}
		}
	}
	return "", ""
}

// expand puts values in the place of placeholders.
func expand(argv []string, values map[string]string) []string {
	expanded := make([]string, len(argv))
	for i, arg := range argv {
		expanded[i] = placeholder.ReplaceAllStringFunc(arg, func(word string) string { return values[word] })
	}
	return expanded
}
