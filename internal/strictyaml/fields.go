package strictyaml

import (
	"reflect"
	"slices"
	"strings"
)

// field is one key of a struct and the way to its Go field.
type field struct {
	key    string
	index  []int
	single bool // of a slice: its only item may stand for the list
}

// fieldsOf lists the keys of a struct type in the order of its fields.
func fieldsOf(t reflect.Type) []field {
	var fields []field
	for i := range t.NumField() {
		f := t.Field(i)
		key, rest, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		options := strings.Split(rest, ",")
		if slices.Contains(options, "inline") {
			for _, inner := range fieldsOf(f.Type) {
				inner.index = append([]int{i}, inner.index...)
				fields = append(fields, inner)
			}
			continue
		}
		if !f.IsExported() || key == "-" {
			continue
		}
		if key == "" {
			key = strings.ToLower(f.Name)
		}
		fields = append(fields, field{key, []int{i}, slices.Contains(options, "single")})
	}
	return fields
}

func keysOf(fields []field) []string {
	keys := make([]string, len(fields))
	for i, f := range fields {
		keys[i] = f.key
	}
	return keys
}

// validKeys is the way out for a file without any key.
func validKeys(t reflect.Type) string {
	if t.Kind() != reflect.Struct {
		return "write \"key: value\" lines"
	}
	return "its keys are " + strings.Join(keysOf(fieldsOf(t)), ", ")
}
