package subject

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"dyno"
	"dyno/internal/strictyaml"
	"dyno/internal/words"
)

// manifest is the content of a subject.yaml.
type manifest struct {
	Title    string            `yaml:"title"`    // how tables call the subject
	Contract string            `yaml:"contract"` // what it promises to keep
	Runtime  string            `yaml:"runtime"`  // key of runtimes.yaml
	Entry    string            `yaml:"entry"`    // file that the runtime starts, in the subject's folder
	Args     []string          `yaml:"args"`     // after the entry
	Env      map[string]string `yaml:"env"`      // added to the environment

	BaselineOf   string `yaml:"baseline_of"`  // the subject that this one is measured beside
	Package      string `yaml:"package"`      // npm package that the subject shows
	Backend      string `yaml:"backend"`      // what does the work below it: native or fallback, and words
	Patched      string `yaml:"patched"`      // what was changed in the package, and why
	Unmaintained string `yaml:"unmaintained"` // since when, or why
	Unavailable  string `yaml:"unavailable"`  // why it cannot run here
}

// nameRule keeps names usable as file names, in commands and in tables.
var nameRule = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$`)

// backendRule keeps the first word of backend countable.
var backendRule = regexp.MustCompile(`^(native|fallback)(; .+)?$`)

var envRule = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// loadManifest reads the manifest of the subject in a folder, and checks all that can be checked
// without starting anything.
func loadManifest(path, name, folder string, runtimes map[string]Runtime) (entry, error) {
	data, err := strictyaml.ReadFile(path)
	if err != nil {
		return entry{}, err
	}
	var m manifest
	if err := strictyaml.Decode(path, data, &m); err != nil {
		return entry{}, err
	}
	if key, fault := m.fault(name, folder, runtimes); fault != "" {
		return entry{}, fmt.Errorf("%s: %s", strictyaml.Locate(path, data, strings.Split(key, "/")...), fault)
	}
	return entry{
		subject: dyno.Subject{
			Name: name, Title: m.Title, Contract: m.Contract, Runtime: m.Runtime, About: runtimes[m.Runtime].facts(),
			Package: m.Package, Backend: m.Backend, Patched: m.Patched, Unmaintained: m.Unmaintained,
			Dir: folder, Env: m.Env, Unavailable: m.Unavailable, BaselineOf: m.BaselineOf,
		},
		file: filepath.Join(folder, m.Entry),
		args: m.Args,
	}, nil
}

// fault returns what is wrong with a manifest, with the way out, and the key it is about.
func (m manifest) fault(name, folder string, runtimes map[string]Runtime) (key, fault string) {
	if !nameRule.MatchString(name) {
		return "", fmt.Sprintf("the folder's name %q is no name for a subject; use small letters, digits, - and .", name)
	}
	for _, required := range []struct{ key, value, means string }{
		{"title", m.Title, "how tables call it"},
		{"contract", m.Contract, "what it promises to keep, such as framed"},
		{"runtime", m.Runtime, "a key of runtimes.yaml"},
		{"entry", m.Entry, "the file that the runtime starts"},
	} {
		if strings.TrimSpace(required.value) == "" {
			return required.key, fmt.Sprintf("%q is missing; add it: %s", required.key, required.means)
		}
	}
	if key, fault := m.faultOfText(); fault != "" {
		return key, fault
	}
	for _, word := range append(slices.Collect(maps.Values(m.Env)), m.Args...) {
		if strings.ContainsRune(word, 0) {
			return "", fmt.Sprintf("%q in args or env holds a NUL character, which no process can be given; remove it", word)
		}
	}
	if _, ok := runtimes[m.Runtime]; !ok {
		return "runtime", words.Unknown("runtime", m.Runtime, slices.Sorted(maps.Keys(runtimes)))
	}
	if !filepath.IsLocal(m.Entry) {
		return "entry", fmt.Sprintf("the entry %q lies outside of the subject's folder; name a file in it", m.Entry)
	}
	if info, err := os.Stat(filepath.Join(folder, m.Entry)); err != nil || !info.Mode().IsRegular() {
		return "entry", fmt.Sprintf("there is no file %q in the subject's folder; create it, or correct the name", m.Entry)
	}
	for _, variable := range slices.Sorted(maps.Keys(m.Env)) {
		switch {
		case variable == "HOST" || variable == "PORT":
			return "env/" + variable, fmt.Sprintf("dyno sets %s itself; remove it", variable)
		case !envRule.MatchString(variable):
			return "env/" + variable, fmt.Sprintf("%q is no name for an environment variable; use letters, digits and _", variable)
		}
	}
	return "", ""
}

// faultOfText is fault for the keys that hold words to be shown.
func (m manifest) faultOfText() (key, fault string) {
	for _, text := range []struct{ key, value string }{
		{"title", m.Title}, {"backend", m.Backend}, {"patched", m.Patched},
		{"unmaintained", m.Unmaintained}, {"unavailable", m.Unavailable},
	} {
		if strings.ContainsFunc(text.value, unicode.IsControl) {
			return text.key, fmt.Sprintf("%q must be one line of plain text; remove its control characters", text.key)
		}
	}
	if m.Backend != "" && !backendRule.MatchString(m.Backend) {
		return "backend", "\"backend\" must begin with native or fallback; add words after a semicolon, such as \"fallback; why\""
	}
	if m.Package != "" && !filepath.IsLocal(m.Package) {
		return "package", fmt.Sprintf("%q is no npm package; name one that package.json lists", m.Package)
	}
	return "", ""
}
