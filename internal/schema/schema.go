// Package schema makes JSON Schemas of the types that dyno writes as JSON, described by the comments of their Go
// fields, and holds real output to them. So the schemas in docs cannot drift from what is written. Only tests
// import it.
package schema

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"dyno/internal/golden"
)

// Schema is the form of one kind of document.
type Schema struct {
	strict *jsonschema.Schema // knows every key
	id     string
}

// Of returns the schema of documents that are made of values like sample, a struct. id names the form and its
// version, e.g. "dyno.report/1", and stands in every document as "schema". The comments are those of the Go files
// in folders.
func Of(t testing.TB, id, title string, sample any, folders ...string) Schema {
	t.Helper()
	root := reflect.TypeOf(sample)
	said := read(t, folders)
	var types []reflect.Type
	collect(root, &types)
	known := map[reflect.Type]*jsonschema.Schema{}
	for _, named := range types {
		switch {
		case named.Kind() == reflect.Struct && named != root:
			known[named] = &jsonschema.Schema{Ref: "#/$defs/" + named.Name()}
		case named.Kind() == reflect.Map: // keys that are numbers become text
			counts, err := jsonschema.ForType(named.Elem(), nil)
			if err != nil {
				t.Fatal(err)
			}
			known[named] = &jsonschema.Schema{Type: "object", AdditionalProperties: counts}
		case len(said.values[named.Name()]) > 0:
			known[named] = &jsonschema.Schema{Type: "string", Enum: said.values[named.Name()]}
		}
	}
	s := ofType(t, root, known, said)
	s.Schema, s.Title = "https://json-schema.org/draft/2020-12/schema", title
	s.Properties["schema"].Const = jsonschema.Ptr[any](id)
	s.Defs = map[string]*jsonschema.Schema{}
	for _, named := range types {
		if named.Kind() == reflect.Struct && named != root {
			s.Defs[named.Name()] = ofType(t, named, known, said)
		}
	}
	return Schema{s, id}
}

// ofType returns the schema of one struct, which refers to those of others.
func ofType(t testing.TB, of reflect.Type, known map[reflect.Type]*jsonschema.Schema, said comments) *jsonschema.Schema {
	t.Helper()
	others := map[reflect.Type]*jsonschema.Schema{}
	for other, s := range known {
		if other != of {
			others[other] = s
		}
	}
	for _, embedded := range embeddedIn(of) {
		delete(others, embedded)
	}
	s, err := jsonschema.ForType(of, &jsonschema.ForOptions{TypeSchemas: others})
	if err != nil {
		t.Fatal(err)
	}
	s.Description = said.types[of.Name()]
	for _, owner := range append(embeddedIn(of), of) {
		for key, p := range s.Properties {
			if text := said.fields[owner.Name()+"."+key]; text != "" {
				p.Description = text
			}
		}
	}
	for _, p := range s.Properties {
		if p.Ref != "" {
			p.Types = nil // a pointer that is null is left out
		}
	}
	return s
}

// collect appends the named types of this module that a type is made of, and maps by numbers, each once.
func collect(t reflect.Type, all *[]reflect.Type) {
	switch t.Kind() {
	case reflect.Map:
		if t.Key().Kind() != reflect.String && !slices.Contains(*all, t) {
			*all = append(*all, t)
		}
		collect(t.Elem(), all)
		return
	case reflect.Pointer, reflect.Slice, reflect.Array:
		collect(t.Elem(), all)
		return
	}
	if !strings.HasPrefix(t.PkgPath(), "dyno") && t.Name() != "" || slices.Contains(*all, t) {
		return
	}
	switch t.Kind() {
	case reflect.String:
		*all = append(*all, t)
	case reflect.Struct:
		*all = append(*all, t)
		for i := range t.NumField() {
			if f := t.Field(i); f.Tag.Get("json") != "-" && f.IsExported() {
				if f.Anonymous { // its fields are those of t
					collectFields(f.Type, all)
					continue
				}
				collect(f.Type, all)
			}
		}
	}
}

func collectFields(t reflect.Type, all *[]reflect.Type) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	for i := range t.NumField() {
		if f := t.Field(i); f.Tag.Get("json") != "-" && f.IsExported() {
			collect(f.Type, all)
		}
	}
}

// embeddedIn returns the types whose fields are also those of t.
func embeddedIn(t reflect.Type) []reflect.Type {
	var all []reflect.Type
	for i := range t.NumField() {
		if f := t.Field(i); f.Anonymous {
			inner := f.Type
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			all = append(all, inner)
		}
	}
	return all
}

// Golden compares the schema with the file in testdata that is published. There, documents of a later dyno may have
// keys that it does not know.
func (s Schema) Golden(t *testing.T, name string) {
	t.Helper()
	published := s.strict.CloneSchemas()
	published.AdditionalProperties = nil
	for _, d := range published.Defs {
		d.AdditionalProperties = nil
	}
	text, err := json.MarshalIndent(published, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, name, string(text)+"\n")
}

// Holds reports what of a document is not as the schema says: a key that it does not know, or one that lacks.
func (s Schema) Holds(t testing.TB, name string, document []byte) {
	t.Helper()
	resolved, err := s.strict.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if err := json.Unmarshal(document, &value); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if err := resolved.Validate(value); err != nil {
		t.Errorf("%s is not %s: %v", name, s.id, err)
	}
}
