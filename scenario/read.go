package scenario

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"dyno/internal/strictyaml"
	"dyno/internal/words"
)

// Options change a script without editing it, as the flags of `artillery run` do.
type Options struct {
	Environment string         // one of config.environments; "": none
	Target      string         // instead of config.target
	Variables   map[string]any // added to config.variables
	Overrides   string         // JSON that is merged into the script; lists are replaced
	Environ     []string       // NAME=VALUE, for $env and $processEnvironment
}

// Program is a script that was read, checked and prepared. It is not changed by runs.
type Program struct {
	Path    string
	Target  *url.URL
	Ensures []Check

	config    Config
	arrivals  *arrivals
	flows     []*flow
	before    *flow
	after     *flow
	tables    []*table
	shared    map[string]any // variables that all users begin with
	lists     map[string][]any
	processor *source
	defaults  requestDefaults
	expect    *ExpectPlugin
	thinkBy   any // jitter
	timeoutNs int64
	pool      int // 0: a connection for each user
}

// Users is how many virtual users arrive in all phases.
func (p *Program) Users() int64 { return p.arrivals.users }

// DurationNs is the length of all phases.
func (p *Program) DurationNs() int64 { return p.arrivals.endNs }

// reader turns a file into a Program. The keys say where in the file it is.
type reader struct {
	path string
	data []byte
	keys []string
}

// fault places an error at the present keys.
func (r *reader) fault(err error) error {
	return fmt.Errorf("%s: %w", strictyaml.Locate(r.path, r.data, r.keys...), err)
}

// under runs f with more keys.
func (r *reader) under(f func() error, keys ...string) error {
	before := r.keys
	r.keys = append(slices.Clip(r.keys), keys...)
	err := f()
	r.keys = before
	return err
}

// Read reads the script in a file, and the files that it names. The error is one line with file, line
// and column.
func Read(path string, o Options) (*Program, error) {
	data, err := strictyaml.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := &reader{path: path, data: data}
	var s Script
	if err := strictyaml.Decode(path, data, &s); err != nil {
		return nil, err
	}
	if err := r.refuse(reflect.ValueOf(s)); err != nil {
		return nil, err
	}
	if err := r.change(&s, o); err != nil {
		return nil, err
	}
	return r.program(&s, o)
}

// refuse finds what Artillery has and dyno has not.
func (r *reader) refuse(v reflect.Value) error {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return r.refuse(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			if err := r.under(func() error { return r.refuse(v.Index(i)) }, strconv.Itoa(i)); err != nil {
				return err
			}
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			if err := r.under(func() error { return r.refuse(v.MapIndex(key)) }, key.String()); err != nil {
				return err
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			key, _, _ := strings.Cut(field.Tag.Get("yaml"), ",")
			if err := r.under(func() error { return r.refuseField(field, v.Field(i), key) }, key); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *reader) refuseField(field reflect.StructField, v reflect.Value, key string) error {
	if field.Type == reflect.TypeFor[refused]() && !v.IsNil() {
		return r.fault(fmt.Errorf("%q is something that Artillery has and dyno has not; remove it, or run this script with Artillery", key))
	}
	if key == "engine" && v.String() != "" && v.String() != "http" {
		return r.fault(fmt.Errorf("the engine %s is one that Artillery has and dyno has not; dyno runs http, so run this script with Artillery", words.Quote(v.String())))
	}
	return r.refuse(v)
}

// change merges the environment, the overrides and the variables into the script.
func (r *reader) change(s *Script, o Options) error {
	if o.Environment != "" {
		chosen, ok := s.Config.Environments[o.Environment]
		if !ok {
			r.keys = []string{"config", "environments"}
			return r.fault(errors.New(words.Unknown("environment", o.Environment, slices.Sorted(maps.Keys(s.Config.Environments)))))
		}
		merge(reflect.ValueOf(&s.Config).Elem(), reflect.ValueOf(chosen))
	}
	if o.Overrides != "" {
		var over Script
		if err := strictyaml.Decode("--overrides", []byte(o.Overrides), &over); err != nil {
			return err
		}
		if err := (&reader{path: "--overrides", data: []byte(o.Overrides)}).refuse(reflect.ValueOf(over)); err != nil {
			return err
		}
		merge(reflect.ValueOf(s).Elem(), reflect.ValueOf(over))
	}
	if s.Config.Variables == nil {
		s.Config.Variables = map[string]any{}
	}
	maps.Copy(s.Config.Variables, o.Variables)
	if o.Target != "" {
		s.Config.Target = o.Target
	}
	return nil
}

// merge lets what is set in from replace what is in to; maps and structs are merged within.
func merge(to, from reflect.Value) {
	switch {
	case from.IsZero():
	case from.Kind() == reflect.Struct:
		for i := range from.NumField() {
			merge(to.Field(i), from.Field(i))
		}
	case from.Kind() == reflect.Map && !to.IsNil():
		for _, key := range from.MapKeys() {
			to.SetMapIndex(key, from.MapIndex(key))
		}
	default:
		to.Set(from)
	}
}

// program prepares everything.
func (r *reader) program(s *Script, o Options) (*Program, error) {
	p := &Program{Path: r.path, config: s.Config, shared: map[string]any{}, lists: map[string][]any{}, expect: s.Config.Plugins.Expect}
	for _, step := range []func(*Program, *Script) error{
		func(p *Program, _ *Script) error { return r.variables(p, o) },
		r.resolve, r.target, r.settings, r.phases, r.payloads, r.processorFile, r.flows, r.ensures,
	} {
		if err := step(p, s); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// variables gathers what every user begins with.
func (r *reader) variables(p *Program, o Options) error {
	environ := map[string]any{}
	for _, entry := range o.Environ {
		name, value, _ := strings.Cut(entry, "=")
		environ[name] = value
	}
	dir, err := filepath.Abs(filepath.Dir(r.path))
	if err != nil {
		return r.fault(err)
	}
	p.shared["$env"], p.shared["$processEnvironment"] = environ, environ
	p.shared["$environment"] = undefined
	if o.Environment != "" {
		p.shared["$environment"] = o.Environment
	}
	p.shared["$dirname"], p.shared["$scenarioFile"] = dir, r.path
	for name, value := range p.config.Variables {
		value = plain(value)
		if list, ok := value.([]any); ok && len(list) > 0 {
			p.lists[name] = list
			continue
		}
		p.shared[name] = value
	}
	return nil
}

// configPrefixes are the variables that config itself may use; others belong to the users.
var configPrefixes = []string{"$env", "$processEnvironment", "$environment", "$dirname"}

// resolve renders the templates of config that are known before any user is.
func (r *reader) resolve(p *Program, _ *Script) error {
	u := &user{runner: &runner{program: p}}
	return r.under(func() error { return r.resolveIn(reflect.ValueOf(&p.config).Elem(), u) }, "config")
}

func (r *reader) resolveIn(v reflect.Value, u *user) error {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return r.resolveIn(v.Elem(), u)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			key, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
			if key == "environments" {
				continue
			}
			if err := r.under(func() error { return r.resolveIn(v.Field(i), u) }, key); err != nil {
				return err
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			if err := r.under(func() error { return r.resolveIn(v.Index(i), u) }, strconv.Itoa(i)); err != nil {
				return err
			}
		}
	case reflect.String, reflect.Interface:
		return r.resolveText(v, u)
	}
	return nil
}

func (r *reader) resolveText(v reflect.Value, u *user) error {
	s, ok := v.Interface().(string)
	if !ok || !strings.Contains(s, "{{") {
		return nil
	}
	t, err := compileText(s)
	if err != nil {
		return r.fault(err)
	}
	for _, p := range t.parts {
		if p.call != nil || p.path != nil && !slices.Contains(configPrefixes, p.path[0]) && u.runner.program.shared[p.path[0]] == nil {
			return nil
		}
	}
	if got := t.render(u); got == undefined {
		return r.fault(fmt.Errorf("%s has no value; set the environment variable that it names", words.Quote(s)))
	}
	v.Set(reflect.ValueOf(t.text(u)))
	return nil
}

func (r *reader) target(p *Program, _ *Script) error {
	return r.under(func() error {
		if p.config.Target == "" {
			return r.fault(errors.New("no target; give one as config.target, in an environment (-e), or with --target"))
		}
		target, err := url.Parse(p.config.Target)
		switch {
		case err != nil || target.Hostname() == "" || target.User != nil:
			return r.fault(fmt.Errorf("the target %s is no URL; write it like http://127.0.0.1:8080", words.Quote(p.config.Target)))
		case target.Scheme != "http":
			return r.fault(fmt.Errorf("the target %s: dyno scenario speaks http:// only; use a plain port of the server, or Artillery", words.Quote(p.config.Target)))
		}
		p.Target = target
		p.config.Target = strings.TrimSuffix(p.config.Target, "/")
		p.shared["target"] = p.config.Target
		return nil
	}, "config", "target")
}

const (
	timeoutDefaultS = 10
	timeoutMaxS     = 24 * 3600
	poolMax         = 1_000_000
)

// settings reads what holds for all requests.
func (r *reader) settings(p *Program, _ *Script) error {
	c := &p.config
	p.timeoutNs = timeoutDefaultS * 1e9
	for _, timeout := range []struct {
		v    any
		keys []string
	}{{c.HTTP.Timeout, []string{"config", "http", "timeout"}}, {c.Timeout, []string{"config", "timeout"}}} {
		if timeout.v == nil {
			continue
		}
		f, err := seconds(timeout.v)
		if err == nil && (f <= 0 || f > timeoutMaxS) {
			err = fmt.Errorf("is %s s; it must lie between 0 and %d", number(f), timeoutMaxS)
		}
		if err != nil {
			return r.under(func() error { return r.fault(fmt.Errorf("\"timeout\" %w", err)) }, timeout.keys...)
		}
		p.timeoutNs = int64(f * 1e9)
	}
	if c.HTTP.Pool != nil {
		f, err := aNumber(c.HTTP.Pool)
		if err != nil || f < 1 || f > poolMax {
			return r.under(func() error {
				return r.fault(fmt.Errorf("\"pool\" is %s; give a number of connections from 1 to %d", shown(c.HTTP.Pool), poolMax))
			}, "config", "http", "pool")
		}
		p.pool = int(f)
	}
	d := c.Defaults
	merge(reflect.ValueOf(&d).Elem(), reflect.ValueOf(c.HTTP.Defaults))
	p.thinkBy = d.Think.Jitter
	return r.under(func() error { return r.requestDefaults(p, d) }, "config", "http", "defaults")
}

// phases makes the schedule. Without any, one user arrives at once, as with Artillery.
func (r *reader) phases(p *Program, _ *Script) error {
	specs := p.config.Phases
	if len(specs) == 0 {
		specs = []Phase{{Duration: 1, ArrivalCount: 1}}
	}
	var phases []phase
	startNs := int64(0)
	for i, spec := range specs {
		ph, err := newPhase(spec, startNs)
		if err != nil {
			return r.under(func() error { return r.fault(err) }, "config", "phases", strconv.Itoa(i))
		}
		phases = append(phases, ph)
		startNs += ph.lengthNs
	}
	p.arrivals = newArrivals(phases)
	return nil
}

// processorBytesMax is far above what anybody writes by hand.
const processorBytesMax = 4 << 20

func (r *reader) processorFile(p *Program, _ *Script) error {
	name := p.config.Processor
	if name == "" {
		return nil
	}
	return r.under(func() error {
		path := r.beside(name)
		if filepath.Ext(path) == "" {
			path += ".js"
		}
		info, err := os.Stat(path)
		switch {
		case err != nil:
			return r.fault(fmt.Errorf("the processor %s cannot be read: %w; correct its path", words.Quote(name), errors.Unwrap(err)))
		case info.Size() > processorBytesMax:
			return r.fault(fmt.Errorf("the processor %s has more than %d bytes; is it the right file?", words.Quote(name), processorBytesMax))
		}
		p.processor, err = compileProcessor(path)
		if err != nil {
			return r.fault(err)
		}
		return nil
	}, "config", "processor")
}

// beside is a path that counts from the script's folder.
func (r *reader) beside(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(r.path), name)
}

// shown is a value in an error.
func shown(v any) string {
	b, err := json.Marshal(plain(v))
	if err != nil {
		return "unreadable"
	}
	return words.Shorten(string(b))
}
