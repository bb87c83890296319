package lab

import (
	"path/filepath"
	"slices"
	"strconv"

	"dyno"
	"dyno/internal/strictyaml"
	"dyno/internal/words"
)

// member is a suite in a bundle: its quick form with fewer subjects or another matrix.
type member struct {
	Suite    string   `yaml:"suite"`
	Subjects []string `yaml:"subjects"`
	matrix   `yaml:",inline"`
}

// members loads the suites that a bundle names.
func (f *suiteText) members(dir string, checks []SubjectCheck) ([]dyno.Suite, error) {
	if err := f.checkBundle(); err != nil {
		return nil, err
	}
	names, err := SuiteNames(dir)
	if err != nil {
		return nil, err
	}
	var suites []dyno.Suite
	for i, m := range f.QuickOf {
		at := []string{"quick_of", strconv.Itoa(i)}
		if !slices.Contains(names, m.Suite) {
			return nil, f.fail(append(at, "suite"), "%s", words.Unknown("suite", m.Suite, names))
		}
		file, err := readSuite(dir, m.Suite, filepath.Join(dir, m.Suite+".yaml"))
		if err != nil {
			return nil, err
		}
		if len(file.QuickOf) > 0 {
			return nil, f.fail(at, "the suite %q only names others; list them here instead", m.Suite)
		}
		if err := f.check(m.matrix, file.Contract, at); err != nil {
			return nil, err
		}
		s, err := file.suite(m.Suite, true, m.matrix, checks)
		if err != nil {
			return nil, err
		}
		if s, err = f.narrow(s, m.Subjects, at); err != nil {
			return nil, err
		}
		s.Capacity = nil // searches take minutes, and a bundle is a quick look
		suites = append(suites, s)
	}
	return suites, nil
}

// checkBundle refuses what would be without effect beside quick_of.
func (f *suiteText) checkBundle() error {
	for _, key := range strictyaml.Keys(f.suiteFile) {
		if key != "title" && key != "quick_of" && f.has([]string{key}) {
			return f.fail([]string{key}, "%s says nothing in a bundle; put it into the suites under quick_of", key)
		}
	}
	return nil
}

// narrow keeps the subjects that a bundle names; none stands for all.
func (f *suiteText) narrow(s dyno.Suite, names, at []string) (dyno.Suite, error) {
	if len(names) == 0 {
		return s, nil
	}
	for i, name := range names {
		here := append(slices.Clone(at), "subjects", strconv.Itoa(i))
		if !slices.Contains(s.Subjects, name) {
			return s, f.fail(here, "%s", words.Unknown("subject of "+s.Name, name, s.Subjects))
		}
		if slices.Index(names, name) < i {
			return s, f.fail(here, "subject %q is named twice; remove one", name)
		}
	}
	return s.Only(names), nil
}
