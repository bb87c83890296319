package scenario

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"dyno/internal/strictyaml"
	"dyno/internal/words"
)

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
