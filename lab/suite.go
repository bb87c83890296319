package lab

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"dyno"
	"dyno/contract"
	"dyno/internal/strictyaml"
	"dyno/internal/words"
	"dyno/load"
)

// suiteFile is what a suite's YAML file says. A file either describes a suite or names, under
// quick_of, suites to run in their quick form.
type suiteFile struct {
	Title    string   `yaml:"title"`
	QuickOf  []member `yaml:"quick_of"`
	Contract string   `yaml:"contract"`
	Subjects []string `yaml:"subjects"`
	Versus   []string `yaml:"versus"`
	Claims   []claim  `yaml:"claims"`
	matrix   `yaml:",inline"`
	Quick    matrix        `yaml:"quick"`
	Capacity *capacityFile `yaml:"capacity"` // no part of a bundle, which is short; who runs the quick form decides
}

// claim is something that was published about two subjects.
type claim struct {
	Said  string  `yaml:"said"`
	A     string  `yaml:"a"`
	B     string  `yaml:"b"`
	Ratio float64 `yaml:"ratio"` // rate of a over that of b
}

// matrix is the part of a suite that its quick form may change.
type matrix struct {
	Workloads    []string       `yaml:"workloads"`
	PayloadBytes []int          `yaml:"payload_bytes"`
	Loads        []loadFile     `yaml:"loads"`
	Scenarios    []scenarioFile `yaml:"scenarios"` // cells of their own, beside workloads × loads
	Blocks       int            `yaml:"blocks"`
	Rounds       int            `yaml:"rounds"`
	BlockError   blockError     `yaml:"block_error"`
	Slice        time.Duration  `yaml:"slice"`
	Skip         *time.Duration `yaml:"skip"` // pointers where 0 or false has a meaning
	WarmUp       *time.Duration `yaml:"warm_up"`
	ReplyWithin  time.Duration  `yaml:"reply_within"`
	Continuous   *bool          `yaml:"continuous"`
	Baselines    *bool          `yaml:"baselines"` // measure the baselines of the subjects beside them
	Poller       string         `yaml:"poller"`
}

// blockError is a percentage such as 1%, or none; "" where the file is silent.
type blockError string

const noBlockError blockError = "none"

func (e blockError) share() (share float64, ok bool) {
	if e == noBlockError {
		return 0, true
	}
	share, ok = words.Percentage(string(e))
	return share, ok && share >= 0.001 && share <= 0.5
}

// UnmarshalText refuses what is no such percentage.
func (e *blockError) UnmarshalText(text []byte) error {
	*e = blockError(text)
	if _, ok := e.share(); !ok {
		return fmt.Errorf("%.20q is no percentage between 0.1%% and 50%%, such as 1%%, nor none", text)
	}
	return nil
}

type loadFile struct {
	Connections int `yaml:"connections"`
	Depth       int `yaml:"depth"`
}

// defaults stand where a suite file is silent.
var defaults = matrix{
	Blocks:      12,
	Rounds:      14,
	BlockError:  noBlockError,
	Slice:       36 * time.Millisecond,
	Skip:        new(6 * time.Millisecond),
	WarmUp:      new(3 * time.Second),
	ReplyWithin: 2 * time.Second,
	Continuous:  new(false),
	Baselines:   new(false),
	Poller:      string(load.Auto),
}

// over returns m with its unset values taken from base.
func (m matrix) over(base matrix) matrix {
	if m.Workloads == nil {
		m.Workloads = base.Workloads
	}
	if m.PayloadBytes == nil {
		m.PayloadBytes = base.PayloadBytes
	}
	if m.Loads == nil {
		m.Loads = base.Loads
	}
	if m.Scenarios == nil {
		m.Scenarios = base.Scenarios
	}
	m.Blocks = orElse(m.Blocks, base.Blocks)
	m.Rounds = orElse(m.Rounds, base.Rounds)
	m.BlockError = orElse(m.BlockError, base.BlockError)
	m.Slice = orElse(m.Slice, base.Slice)
	m.Skip = orElse(m.Skip, base.Skip)
	m.WarmUp = orElse(m.WarmUp, base.WarmUp)
	m.ReplyWithin = orElse(m.ReplyWithin, base.ReplyWithin)
	m.Continuous = orElse(m.Continuous, base.Continuous)
	m.Baselines = orElse(m.Baselines, base.Baselines)
	m.Poller = orElse(m.Poller, base.Poller)
	return m
}

func orElse[T comparable](v, other T) T {
	var zero T
	if v == zero {
		return other
	}
	return v
}

func orZero(d *time.Duration) time.Duration {
	if d == nil {
		return 0
	}
	return *d
}

// SuiteNames lists the suites of a folder.
func SuiteNames(dir string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		return nil, err
	}
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = strings.TrimSuffix(filepath.Base(f), ".yaml")
	}
	slices.Sort(names)
	return names, nil
}

// SubjectCheck says what is wrong with naming a subject in a suite of a contract, with the way out.
type SubjectCheck func(subject, contract string) error

// LoadSuites reads the suite called name from dir, or the file at the path name when it ends in
// .yaml. A file with quick_of stands for several suites. What the checks say of a subject is an error
// at its place in the file.
func LoadSuites(dir, name string, quick bool, checks ...SubjectCheck) ([]dyno.Suite, error) {
	path := name
	if !strings.HasSuffix(name, ".yaml") {
		path = filepath.Join(dir, name+".yaml")
	}
	f, err := readSuite(dir, name, path)
	if err != nil {
		return nil, err
	}
	if len(f.QuickOf) > 0 {
		return f.members(dir, checks)
	}
	s, err := f.suite(strings.TrimSuffix(filepath.Base(path), ".yaml"), quick, matrix{}, checks)
	if err != nil {
		return nil, err
	}
	return []dyno.Suite{s}, nil
}

func readSuite(dir, name, path string) (*suiteText, error) {
	data, err := strictyaml.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && path != name {
		names, listErr := SuiteNames(dir)
		if listErr != nil {
			return nil, listErr
		}
		return nil, errors.New(words.Unknown("suite", name, names))
	}
	if err != nil {
		return nil, err
	}
	f := &suiteText{path: path, data: data}
	if err := strictyaml.Decode(path, data, &f.suiteFile); err != nil {
		return nil, err
	}
	return f, nil
}

// suiteText is a parsed suite file together with its text, in which errors are located.
type suiteText struct {
	suiteFile
	path string
	data []byte
}

// fail returns an error at the value that the keys lead to.
func (f *suiteText) fail(keys []string, format string, args ...any) error {
	return fmt.Errorf("%s: %s", strictyaml.Locate(f.path, f.data, keys...), fmt.Sprintf(format, args...))
}

// suite checks every value and builds the suite. What over sets goes before what the file says.
func (f *suiteText) suite(name string, quick bool, over matrix, checks []SubjectCheck) (dyno.Suite, error) {
	if _, err := contract.ByName(f.Contract); err != nil {
		return dyno.Suite{}, f.fail([]string{"contract"}, "%v", err)
	}
	if err := f.checkSubjects(checks); err != nil {
		return dyno.Suite{}, err
	}
	suite := dyno.Suite{Name: name, Title: orElse(f.Title, name), Contract: f.Contract, Subjects: f.Subjects, Quick: quick}
	if len(f.Versus) > 0 {
		suite.Versus = [2]string(f.Versus)
	}
	for _, c := range f.Claims {
		suite.Claims = append(suite.Claims, dyno.Claim(c))
	}
	if err := f.check(f.matrix, f.Contract, nil); err != nil {
		return dyno.Suite{}, err
	}
	if err := f.check(f.Quick, f.Contract, []string{"quick"}); err != nil {
		return dyno.Suite{}, err
	}
	m := f.matrix.over(defaults)
	if quick {
		m = f.Quick.over(m)
	}
	m = over.over(m)
	if *m.Skip >= m.Slice {
		return dyno.Suite{}, f.fail([]string{"skip"}, "skip %v leaves nothing of a slice of %v; make it shorter", *m.Skip, m.Slice)
	}
	suite.Baselines = *m.Baselines
	if err := f.checkMatrix(m); err != nil {
		return dyno.Suite{}, err
	}
	suite.Method = dyno.Method{
		Blocks: m.Blocks, Rounds: m.Rounds, Slice: m.Slice, Skip: *m.Skip,
		WarmUpMax: *m.WarmUp, ReplyWithin: m.ReplyWithin, Continuous: *m.Continuous,
		Poller: m.Poller,
	}
	suite.Method.BlockError, _ = m.BlockError.share()
	var err error
	if suite.Capacity, err = f.capacityPlan(m); err != nil {
		return dyno.Suite{}, err
	}
	for _, l := range m.Loads {
		for _, w := range m.workloads() {
			suite.Cells = append(suite.Cells, dyno.Cell{
				Workload: w,
				Load:     dyno.Load{Connections: l.Connections, Depth: orElse(l.Depth, 1)},
			})
		}
	}
	return suite, f.addScenarios(&suite, m)
}

// checkSubjects refuses lists of subjects that make no sense.
func (f *suiteText) checkSubjects(checks []SubjectCheck) error {
	if len(f.Subjects) == 0 {
		return f.fail([]string{"subjects"}, "no subjects; name at least one folder of subjects/")
	}
	for i, s := range f.Subjects {
		at := []string{"subjects", strconv.Itoa(i)}
		if slices.Index(f.Subjects, s) < i {
			return f.fail(at, "subject %q is named twice; remove one", s)
		}
		for _, check := range checks {
			if err := check(s, f.Contract); err != nil {
				return f.fail(at, "%v", err)
			}
		}
	}
	for i, c := range f.Claims {
		if err := f.checkClaim(c, []string{"claims", strconv.Itoa(i)}); err != nil {
			return err
		}
	}
	if len(f.Versus) > 0 && (len(f.Versus) != 2 || f.Versus[0] == f.Versus[1]) {
		return f.fail([]string{"versus"}, "needs two different subjects")
	}
	for i, s := range f.Versus {
		if !slices.Contains(f.Subjects, s) {
			return f.fail([]string{"versus", strconv.Itoa(i)}, "%s", words.Unknown("subject of this suite", s, f.Subjects))
		}
	}
	return nil
}

func (f *suiteText) checkClaim(c claim, at []string) error {
	for key, s := range map[string]string{"a": c.A, "b": c.B} {
		if !slices.Contains(f.Subjects, s) {
			return f.fail(append(at, key), "%s", words.Unknown("subject of this suite", s, f.Subjects))
		}
	}
	switch {
	case c.A == c.B:
		return f.fail(append(at, "b"), "a claim needs two different subjects")
	case c.Said == "":
		return f.fail(at, "a claim needs %q: what was published", "said")
	case c.Ratio < 0.001 || c.Ratio > 1000:
		return f.fail(append(at, "ratio"), "ratio is %g; it must lie between 0.001 and 1000", c.Ratio)
	}
	return nil
}

// The bounds of a suite's values. Beyond them a run is a mistake, not a measurement.
const (
	maxPayloadBytes = 1 << 20 // what the framed gate proves
	maxConnections  = 20_000  // one source address has about 28,000 ports
	maxBlocks       = 1_000
	maxRounds       = 10_000
	minSlice        = 10 * time.Millisecond
	maxSlice        = 10 * time.Minute
)

// check refuses numbers that are not set to something sensible; 0 and nil mean "not set" only where
// the file is silent.
func (f *suiteText) check(m matrix, contractName string, under []string) error {
	at := func(keys ...string) []string { return append(slices.Clone(under), keys...) }
	whole := func(v, low, high int, keys ...string) error {
		if (v != 0 || f.has(at(keys...))) && (v < low || v > high) {
			return f.fail(at(keys...), "%s is %d; it must lie between %d and %d", keys[len(keys)-1], v, low, high)
		}
		return nil
	}
	span := func(v, low, high time.Duration, key string) error {
		if (v != 0 || f.has(at(key))) && (v < low || v > high) {
			return f.fail(at(key), "%s is %v; it must lie between %v and %v", key, v, low, high)
		}
		return nil
	}
	errs := []error{
		whole(m.Blocks, 1, maxBlocks, "blocks"),
		whole(m.Rounds, 1, maxRounds, "rounds"),
		span(m.Slice, minSlice, maxSlice, "slice"),
		span(orZero(m.Skip), 0, maxSlice, "skip"),
		span(orZero(m.WarmUp), 0, maxSlice, "warm_up"),
		span(m.ReplyWithin, minSlice, maxSlice, "reply_within"),
		f.checkWorkloads(m, contractName, at),
		f.checkScenarios(m, contractName, at),
	}
	if f.has(at("poller")) && !slices.Contains(load.Pollers(), m.Poller) {
		errs = append(errs, f.fail(at("poller"), "%s", words.Unknown("poller", m.Poller, load.Pollers())))
	}
	for i, l := range m.Loads {
		item := strconv.Itoa(i)
		if l.Connections < 1 || l.Connections > maxConnections {
			errs = append(errs, f.fail(at("loads", item, "connections"), "%d connections; it must lie between 1 and %d", l.Connections, maxConnections))
		}
		errs = append(errs, whole(l.Depth, 1, load.MaxDepth, "loads", item, "depth"))
		if slices.Index(m.Loads, l) < i {
			errs = append(errs, f.fail(at("loads", item), "this load is listed twice; remove one"))
		}
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// has reports whether the file gives a value under keys: then its last key is what Locate finds.
func (f *suiteText) has(keys []string) bool {
	return strictyaml.Locate(f.path, f.data, keys...) != strictyaml.Locate(f.path, f.data, keys[:len(keys)-1]...)
}
