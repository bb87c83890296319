package scenario

import (
	"cmp"
	"crypto/sha256"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"dyno"
	"dyno/internal/strictyaml"
	"dyno/internal/words"
)

// Options change a script without editing it, as the flags of `artillery run` do.
type Options struct {
	Environment string         // one of config.environments; "": none
	Target      string         // instead of config.target
	Variables   map[string]any // added to config.variables
	Overrides   string         // JSON that is merged into the script; lists are replaced
	Scenario    string         // name of the only scenario to run; "": all, by their weights
	Insecure    bool           // certificates are not verified, whatever the script says
	Environ     []string       // NAME=VALUE, for $env and $processEnvironment
}

// Program is a script that was read, checked and prepared. It is not changed by runs.
type Program struct {
	Path    string
	Target  *url.URL
	Ensures []Check
	Remarks []string // with their places: what does something else than with Artillery

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
	endpoints *endpoints // nil: not asked for
	apdexNs   int64      // how long a user is satisfied to wait; 0: not asked for
	thinkBy   any        // jitter
	timeoutNs int64
	tracing   *tracing // nil: not asked for
	pool      int      // 0: a connection for each user
	insecure  bool     // certificates are not verified
}

// TargetPort is the port of the target, or that of its scheme.
func (p *Program) TargetPort() string { return portOf(p.Target) }

// tlsFor is how users speak TLS with a host.
func (p *Program) tlsFor(host string) *tls.Config {
	return &tls.Config{ServerName: cmp.Or(p.config.TLS.Servername, host), InsecureSkipVerify: p.insecure}
}

// Users is how many virtual users arrive in all phases.
func (p *Program) Users() int64 { return p.arrivals.users }

// DurationNs is the length of all phases.
func (p *Program) DurationNs() int64 { return p.arrivals.endNs }

// Script returns the script as it is now, with a digest of all files that it names. The error is that of one which
// cannot be read any more.
func (p *Program) Script() (dyno.Script, error) {
	files := []string{p.Path}
	for _, payload := range p.config.Payload {
		files = append(files, (&reader{path: p.Path}).beside(payload.Path))
	}
	if p.processor != nil {
		files = append(files, p.processor.path)
	}
	s := dyno.Script{Name: filepath.Base(p.Path), Path: p.Path}
	sum := sha256.New()
	for i, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			return s, fmt.Errorf("script %s: %w; put the file back", s.Name, err)
		}
		if i == 0 {
			s.Text = string(data)
		}
		fmt.Fprintf(sum, "%d %s", len(data), data)
	}
	s.Digest = fmt.Sprintf("%x", sum.Sum(nil)[:16])
	return s, nil
}

// reader turns a file into a Program. The keys say where in the file it is.
type reader struct {
	path string
	data []byte
	keys []string

	remarks []string
}

// remark notes something at the present keys that a user of Artillery may stumble over.
func (r *reader) remark(text string) {
	r.remarks = append(r.remarks, strictyaml.Locate(r.path, r.data, r.keys...)+": "+text)
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

// program prepares everything.
func (r *reader) program(s *Script, o Options) (*Program, error) {
	p := &Program{Path: r.path, config: s.Config, shared: map[string]any{}, lists: map[string][]any{}, expect: s.Config.Plugins.Expect}
	p.insecure = o.Insecure
	for _, step := range []func(*Program, *Script) error{
		func(p *Program, _ *Script) error { return r.variables(p, o) },
		r.resolve, r.target, r.settings, r.tracing, r.plugins, r.phases, r.payloads, r.processorFile, r.flows, func(p *Program, _ *Script) error { return r.choose(p, o.Scenario) }, r.ensures,
	} {
		if err := step(p, s); err != nil {
			return nil, err
		}
	}
	p.Remarks = r.remarks
	return p, nil
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
