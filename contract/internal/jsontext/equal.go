package jsontext

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Equal reports whether two texts are the same JSON value. The order of keys, white space, escapes
// and the spelling of numbers do not count. What is no JSON, or no UTF-8, equals nothing.
func Equal(a, b []byte) bool { return Difference(a, b) == "" }

// Echoes reports whether got is only the text of a request, as it was sent or without its white space,
// though the server's own text would differ: compact is what JSON.stringify makes of the value.
func Echoes(got, text, compact []byte) bool {
	if bytes.Equal(got, compact) {
		return false
	}
	if bytes.Equal(got, text) {
		return true
	}
	squeezed := squeeze(text)
	return !bytes.Equal(squeezed, compact) && bytes.Equal(squeeze(got), squeezed)
}

// squeeze returns a JSON text without the white space between its tokens.
func squeeze(text []byte) []byte {
	out := make([]byte, 0, len(text))
	inString, escaped := false, false
	for _, c := range text {
		if !inString && (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
			continue
		}
		out = append(out, c)
		switch {
		case escaped:
			escaped = false
		case inString && c == '\\':
			escaped = true
		case c == '"':
			inString = !inString
		}
	}
	return out
}

// Difference says in one line where the value of got is not that of want, and is empty when they
// are the same value.
func Difference(got, want []byte) string {
	g, fault := decode(got)
	if fault != "" {
		return fault
	}
	w, fault := decode(want)
	if fault != "" {
		return "what it is compared with: " + fault
	}
	return differ("", g, w)
}

func decode(text []byte) (v any, fault string) {
	if !utf8.Valid(text) {
		return nil, fmt.Sprintf("%s is not UTF-8", quote(text))
	}
	if err := json.Unmarshal(text, &v); err != nil {
		return nil, fmt.Sprintf("%s is not JSON: %v", quote(text), err)
	}
	return v, ""
}

// differ compares two decoded values that stand at path.
func differ(path string, got, want any) string {
	switch want := want.(type) {
	case map[string]any:
		if got, ok := got.(map[string]any); ok {
			return differObjects(path, got, want)
		}
	case []any:
		if got, ok := got.([]any); ok {
			return differArrays(path, got, want)
		}
	default:
		if got == want { // want is no map and no slice, so this cannot panic
			return ""
		}
	}
	return fmt.Sprintf("%s is %s, want %s", place(path), show(got), show(want))
}

func differArrays(path string, got, want []any) string {
	if len(got) != len(want) {
		return fmt.Sprintf("%s has %d elements, want %d", place(path), len(got), len(want))
	}
	for i := range want {
		if d := differ(fmt.Sprintf("%s[%d]", path, i), got[i], want[i]); d != "" {
			return d
		}
	}
	return ""
}

func differObjects(path string, got, want map[string]any) string {
	for _, key := range keys(want) {
		value, ok := got[key]
		if !ok {
			return fmt.Sprintf("%s lacks the key %s", place(path), quote([]byte(key)))
		}
		if d := differ(path+"."+plainKey(key), value, want[key]); d != "" {
			return d
		}
	}
	for _, key := range keys(got) {
		if _, ok := want[key]; !ok {
			return fmt.Sprintf("%s has a key that nobody sent: %s", place(path), quote([]byte(key)))
		}
	}
	return ""
}

func keys(m map[string]any) []string {
	all := make([]string, 0, len(m))
	for key := range m {
		all = append(all, key)
	}
	slices.Sort(all)
	return all
}

// pathMax bounds the paths in reasons, in bytes: a value may be nested deeply.
const pathMax = 80

func place(path string) string {
	if path == "" {
		return "the value"
	}
	if len(path) > pathMax {
		path = "…" + path[len(path)-pathMax:]
	}
	return path
}

// plainKey shows a key as a part of a path.
func plainKey(key string) string {
	quoted := strconv.QuoteToASCII(key)
	return quoted[1 : len(quoted)-1]
}

// show puts a decoded value into a few words.
func show(v any) string {
	switch v := v.(type) {
	case map[string]any:
		return fmt.Sprintf("an object of %d keys", len(v))
	case []any:
		return fmt.Sprintf("an array of %d elements", len(v))
	case string:
		return quote([]byte(v))
	case nil:
		return "null"
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	default:
		return fmt.Sprint(v)
	}
}
