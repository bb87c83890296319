package scenario

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// Values of variables are what JSON holds: nil, bool, float64, string, []any and map[string]any; and
// undefined, where there is none. They print and compare as JavaScript does it, because scripts were
// written against that.

// undefinedType is the type of undefined.
type undefinedType struct{}

// undefined is the value of a variable that does not exist.
var undefined any = undefinedType{}

// plain turns numbers of any type into float64, deeply; what YAML and JavaScript hand over has several.
func plain(v any) any {
	switch v := v.(type) {
	case int:
		return float64(v)
	case int64:
		return float64(v)
	case uint64:
		return float64(v)
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = plain(v[key])
		}
	case map[any]any:
		m := make(map[string]any, len(v))
		for key, value := range v {
			m[text(plain(key))] = plain(value)
		}
		return m
	}
	return v
}

// text is a value within text.
func text(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case undefinedType:
		return "undefined"
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return number(v)
	}
	return string(encodeJSON(v))
}

// number prints as JavaScript does.
func number(f float64) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 0):
		return strings.Replace(strconv.FormatFloat(f, 'f', -1, 64), "Inf", "Infinity", 1)
	case f == 0:
		return "0"
	case math.Abs(f) >= 1e21 || math.Abs(f) < 1e-6:
		mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, 64), "e")
		return mantissa + "e" + exponent[:1] + strings.TrimLeft(exponent[1:], "0")
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// encodeJSON writes a value without blanks, keys in order. What JSON has no word for is left out of
// maps and null in lists.
func encodeJSON(v any) []byte {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(withoutUndefined(v)); err != nil {
		return []byte("null") // NaN or infinite, as JSON.stringify has it
	}
	return []byte(strings.TrimSuffix(b.String(), "\n"))
}

func withoutUndefined(v any) any {
	switch v := v.(type) {
	case undefinedType:
		return nil
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = withoutUndefined(v[i])
		}
		return list
	case map[string]any:
		m := make(map[string]any, len(v))
		for key, value := range v {
			if value != undefined {
				m[key] = withoutUndefined(value)
			}
		}
		return m
	}
	return v
}

// truthy is whether JavaScript takes a value for true.
func truthy(v any) bool {
	switch v := v.(type) {
	case nil, undefinedType:
		return false
	case bool:
		return v
	case string:
		return v != ""
	case float64:
		return v != 0 && !math.IsNaN(v)
	}
	return true
}

// numeric is a value as a number; NaN when it is none.
func numeric(v any) float64 {
	switch v := v.(type) {
	case nil:
		return 0
	case bool:
		if v {
			return 1
		}
		return 0
	case float64:
		return v
	case string:
		trimmed := strings.TrimSpace(v)
		if trimmed == "" {
			return 0
		}
		if f, ok := parseNumber(trimmed); ok {
			return f
		}
	}
	return math.NaN()
}

// parseNumber reads decimal numbers only, not what Go takes beyond them.
func parseNumber(s string) (float64, bool) {
	if s == "" || strings.Trim(s, "0123456789+-.eE") != "" {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil
}

// same compares as === does.
func same(a, b any) bool {
	switch a.(type) {
	case []any, map[string]any:
		return false // two objects are never the same one
	}
	switch b.(type) {
	case []any, map[string]any:
		return false
	}
	return a == b
}

// scope finds variables by name.
type scope interface {
	lookup(name string) (any, bool)
}

// get follows a path such as user.items[0]["name"].
func get(s scope, path []string) any {
	v, ok := s.lookup(path[0])
	if !ok {
		return undefined
	}
	for _, key := range path[1:] {
		if v, ok = member(v, key); !ok {
			return undefined
		}
	}
	return v
}

func member(v any, key string) (any, bool) {
	switch v := v.(type) {
	case map[string]any:
		item, ok := v[key]
		return item, ok
	case []any:
		if key == "length" {
			return float64(len(v)), true
		}
		if i, err := strconv.Atoi(key); err == nil && i >= 0 && i < len(v) {
			return v[i], true
		}
	}
	return nil, false
}

// parsePath reads a path. A text without a key in it gives nil.
func parsePath(s string) []string {
	var path []string
	for _, part := range strings.FieldsFunc(s, func(r rune) bool { return r == '.' || r == '[' || r == ']' }) {
		if part = strings.Trim(strings.TrimSpace(part), `"'`); part != "" {
			path = append(path, part)
		}
	}
	return path
}
