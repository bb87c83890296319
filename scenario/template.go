package scenario

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"dyno/internal/words"
)

// template is a value with {{ variables }} and {{ $functions() }} in its texts, prepared once and
// rendered for each user.
type template struct {
	constant any    // nothing is to be rendered
	parts    []part // of a text
	list     []template
	object   []field
}

// part is a piece of text: literal, or a variable, or a call.
type part struct {
	literal string
	path    []string
	call    *call
}

type field struct {
	key   template
	value template
}

// call is a function of Artillery with constant arguments.
type call struct {
	name string
	args []any
}

// functions are what templates may call.
var functions = []string{"$randomNumber", "$randomString", "$uuid"}

// compile prepares a value. The error, without its place, says what is wrong with a template in it.
func compile(v any) (template, error) {
	switch v := plain(v).(type) {
	case string:
		return compileText(v)
	case []any:
		t := template{list: make([]template, len(v))}
		constant := true
		for i := range v {
			var err error
			if t.list[i], err = compile(v[i]); err != nil {
				return t, err
			}
			constant = constant && t.list[i].isConstant()
		}
		if constant {
			return template{constant: v}, nil
		}
		return t, nil
	case map[string]any:
		return compileObject(v)
	default:
		return template{constant: v}, nil
	}
}

func compileObject(v map[string]any) (template, error) {
	t := template{object: make([]field, 0, len(v))}
	constant := true
	for _, key := range slices.Sorted(maps.Keys(v)) {
		name, err := compileText(key)
		if err != nil {
			return t, err
		}
		value, err := compile(v[key])
		if err != nil {
			return t, err
		}
		t.object = append(t.object, field{name, value})
		constant = constant && name.isConstant() && value.isConstant()
	}
	if constant {
		return template{constant: v}, nil
	}
	return t, nil
}

func (t *template) isConstant() bool { return t.parts == nil && t.list == nil && t.object == nil }

func compileText(s string) (template, error) {
	var parts []part
	rest := s
	for {
		from := strings.Index(rest, "{{")
		if from < 0 {
			break
		}
		to := strings.Index(rest[from:], "}}")
		if to < 0 {
			return template{}, fmt.Errorf("%s opens {{ and does not close it; add }}", words.Quote(s))
		}
		to += from
		inner := strings.TrimSpace(strings.Trim(rest[from:to], "{"))
		after := rest[to+2:]
		if strings.HasPrefix(rest[from:], "{{{") {
			after = strings.TrimPrefix(after, "}")
		}
		if from > 0 {
			parts = append(parts, part{literal: rest[:from]})
		}
		p, err := compilePart(inner)
		if err != nil {
			return template{}, err
		}
		parts = append(parts, p)
		rest = after
	}
	if parts == nil {
		return template{constant: s}, nil
	}
	if rest != "" {
		parts = append(parts, part{literal: rest})
	}
	return template{parts: parts}, nil
}

func compilePart(inner string) (part, error) {
	name, args, isCall := strings.Cut(inner, "(")
	name = strings.TrimSpace(name)
	if !isCall {
		path := parsePath(inner)
		if path == nil || strings.ContainsAny(inner, "{}()|+*/?:;,") {
			return part{}, fmt.Errorf("{{ %s }} is not the name of a variable; templates hold names such as {{ user.id }} and calls such as {{ $randomNumber(1, 10) }}", words.Shorten(inner))
		}
		return part{path: path}, nil
	}
	if !slices.Contains(functions, name) {
		return part{}, fmt.Errorf("{{ %s }}: %s", words.Shorten(inner), words.Unknown("function", name, functions))
	}
	c := &call{name: name}
	args = strings.TrimSpace(args)
	if !strings.HasSuffix(args, ")") {
		return part{}, fmt.Errorf("{{ %s }} does not close its call; write {{ %s() }}", words.Shorten(inner), name)
	}
	for arg := range strings.SplitSeq(strings.TrimSuffix(args, ")"), ",") {
		if arg = strings.TrimSpace(arg); arg == "" {
			continue
		}
		f, ok := parseNumber(arg)
		if !ok {
			return part{}, fmt.Errorf("{{ %s }}: the argument %s is not a number; write {{ $randomNumber(1, 10) }}", words.Shorten(inner), words.Quote(arg))
		}
		c.args = append(c.args, f)
	}
	return part{call: c}, c.check(inner)
}

const randomStringMax = 1 << 20

func (c *call) check(inner string) error {
	switch {
	case c.name == "$randomNumber" && len(c.args) > 2, c.name == "$randomString" && len(c.args) > 1, c.name == "$uuid" && len(c.args) > 0:
		return fmt.Errorf("{{ %s }} has too many arguments; leave some out", words.Shorten(inner))
	case c.name == "$randomString" && len(c.args) == 1 && (numeric(c.args[0]) < 0 || numeric(c.args[0]) > randomStringMax):
		return fmt.Errorf("{{ %s }}: a length from 0 to %d is needed", words.Shorten(inner), randomStringMax)
	}
	return nil
}

// render returns the value for a user. What is one variable and nothing else keeps its type.
func (t *template) render(u *user) any {
	switch {
	case t.list != nil:
		list := make([]any, len(t.list))
		for i := range t.list {
			list[i] = t.list[i].render(u)
		}
		return list
	case t.object != nil:
		object := make(map[string]any, len(t.object))
		for i := range t.object {
			object[text(t.object[i].key.render(u))] = t.object[i].value.render(u)
		}
		return object
	case len(t.parts) == 0:
		return t.constant
	case len(t.parts) == 1 && t.parts[0].path != nil:
		return get(u, t.parts[0].path)
	}
	var b strings.Builder
	for i := range t.parts {
		p := &t.parts[i]
		switch {
		case p.call != nil:
			b.WriteString(text(u.call(p.call)))
		case p.path != nil:
			b.WriteString(text(get(u, p.path)))
		default:
			b.WriteString(p.literal)
		}
	}
	return b.String()
}

// text is render for where text is needed.
func (t *template) text(u *user) string {
	if s, ok := t.constant.(string); ok && len(t.parts) == 0 {
		return s
	}
	return text(t.render(u))
}
