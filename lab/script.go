package lab

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"dyno"
	"dyno/internal/words"
	"dyno/scenario"
)

// scenarioFile is a cell whose workload and load are an Artillery script.
type scenarioFile struct {
	Script string `yaml:"script"` // its path counts from the suite's folder
	Users  int    `yaml:"users"`  // only the first so many of a trial; 0: all
}

// httpContracts are those whose subjects a script can ask.
var httpContracts = []string{"httpbasic", "rpc"}

// checkScenarios refuses scripts that dyno cannot read, or that would not do the same for every subject.
func (f *suiteText) checkScenarios(m matrix, contractName string, at func(...string) []string) error {
	if len(m.Scenarios) > 0 && !slices.Contains(httpContracts, contractName) {
		return f.fail(at("scenarios"), "scripts speak HTTP, and the contract %s does not; remove them", contractName)
	}
	for i, s := range m.Scenarios {
		item := strconv.Itoa(i)
		if s.Script == "" {
			return f.fail(at("scenarios", item), "a scenario needs a %q: the path of an Artillery script", "script")
		}
		program, err := f.program(s)
		if err != nil {
			return f.fail(at("scenarios", item, "script"), "%v", err)
		}
		switch {
		case program.Users() < 1:
			return f.fail(at("scenarios", item, "script"), "no user arrives in the phases of %s; give it some", words.Quote(s.Script))
		case s.Users < 0 || int64(s.Users) > program.Users():
			return f.fail(at("scenarios", item, "users"), "%d users; the script lets in %d, so it must lie between 1 and that", s.Users, program.Users())
		}
		if slices.ContainsFunc(m.Scenarios[:i], func(o scenarioFile) bool { return filepath.Base(o.Script) == filepath.Base(s.Script) }) {
			return f.fail(at("scenarios", item), "the script %s is listed twice; remove one", words.Quote(s.Script))
		}
	}
	return nil
}

// program reads a script. Its own target does not matter: every subject is one in turn.
func (f *suiteText) program(s scenarioFile) (*scenario.Program, error) {
	path := s.Script
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(f.path), path)
	}
	return scenario.Read(path, scenario.Options{Target: "http://127.0.0.1"})
}

// addScenarios adds the scripts and their cells to the suite.
func (f *suiteText) addScenarios(suite *dyno.Suite, m matrix) error {
	for _, s := range m.Scenarios {
		program, err := f.program(s)
		if err != nil {
			return err
		}
		script, err := program.Script()
		if err != nil {
			return err
		}
		users := orElse(s.Users, int(program.Users()))
		if users < suite.Method.Rounds && !suite.Method.Continuous {
			return fmt.Errorf("%s: %d users of %s do not fill %d rounds; let in more users, or measure fewer rounds", f.path, users, s.Script, suite.Method.Rounds)
		}
		if script.Path, err = filepath.Abs(script.Path); err != nil {
			return fmt.Errorf("suite file %s: %w", f.path, err)
		}
		suite.Scripts = append(suite.Scripts, script)
		suite.Cells = append(suite.Cells, dyno.Cell{Workload: dyno.Workload{Name: script.Name}, Load: dyno.Load{Users: users}})
	}
	return nil
}
