package strictyaml

import (
	"encoding"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"dyno/internal/words"
)

// decoder walks nodes and Go values side by side. The name that its methods take is what errors call
// the value: a key in quotes, or an item of one.
type decoder struct{ path string }

func (d decoder) fail(node ast.Node, format string, args ...any) error {
	line, column := position(node)
	return at(d.path, line, column, fmt.Sprintf(format, args...))
}

// value stores the node in target, or says why it does not fit.
func (d decoder) value(node ast.Node, target reflect.Value, name string) error {
	kind := target.Kind()
	if kind == reflect.Interface {
		return d.anything(node, target, name)
	}
	if node.Type() == ast.NullType {
		return d.fail(node, "%s has no value; give it one, or remove the key", name)
	}
	if u, ok := target.Addr().Interface().(encoding.TextUnmarshaler); ok {
		return d.textUnmarshaler(node, u, name)
	}
	if target.Type() == reflect.TypeFor[time.Duration]() {
		return d.duration(node, target, name)
	}
	switch kind {
	case reflect.Pointer:
		target.Set(reflect.New(target.Type().Elem()))
		return d.value(node, target.Elem(), name)
	case reflect.Struct:
		return d.structure(node, target, name)
	case reflect.Map:
		return d.mapping(node, target, name)
	case reflect.Slice:
		return d.list(node, target, name)
	default:
		return d.scalar(node, target, name)
	}
}

// anything stores plain data (text, numbers, lists, maps) in an empty interface.
func (d decoder) anything(node ast.Node, target reflect.Value, name string) error {
	if err := yaml.NodeToValue(node, target.Addr().Interface()); err != nil {
		return d.fail(node, "%s cannot be read; check its indentation and quotes", name)
	}
	return nil
}

func (d decoder) textUnmarshaler(node ast.Node, u encoding.TextUnmarshaler, name string) error {
	s, ok := text(node)
	if scalar, is := node.(ast.ScalarNode); is && !ok {
		s = scalar.GetToken().Value // what would be wrong in quotes is better told at once
	}
	if err := u.UnmarshalText([]byte(s)); err != nil {
		return d.fail(node, "%s: %v", name, err)
	}
	if !ok {
		return d.fail(node, "%s must be text, not %s; put it in quotes", name, describe(node))
	}
	return nil
}

func (d decoder) duration(node ast.Node, target reflect.Value, name string) error {
	s, _ := text(node)
	v, err := time.ParseDuration(s)
	if err != nil {
		return d.fail(node, "%s must be a duration, not %s; write it with a unit, such as 200ms or 10s", name, describe(node))
	}
	target.SetInt(int64(v))
	return nil
}

// structure stores a mapping in a struct, key by key.
func (d decoder) structure(node ast.Node, target reflect.Value, name string) error {
	fields := fieldsOf(target.Type())
	return d.pairs(node, name, func(key string, keyNode, value ast.Node) error {
		for _, f := range fields {
			if f.key != key {
				continue
			}
			to := target.FieldByIndex(f.index)
			if f.single && value.Type() != ast.SequenceType {
				to.Set(reflect.MakeSlice(to.Type(), 1, 1))
				to = to.Index(0)
			}
			return d.value(value, to, words.Quote(key))
		}
		return d.fail(keyNode, "%s", words.Unknown("key", key, keysOf(fields)))
	})
}

// mapping stores a mapping with free keys in a map[string]T.
func (d decoder) mapping(node ast.Node, target reflect.Value, name string) error {
	t := target.Type()
	if t.Key().Kind() != reflect.String {
		panic("strictyaml: map keys must be strings, not " + t.String())
	}
	result := reflect.MakeMap(t)
	err := d.pairs(node, name, func(key string, _, value ast.Node) error {
		item := reflect.New(t.Elem()).Elem()
		if err := d.value(value, item, words.Quote(key)); err != nil {
			return err
		}
		result.SetMapIndex(reflect.ValueOf(key).Convert(t.Key()), item)
		return nil
	})
	if err != nil {
		return err
	}
	target.Set(result)
	return nil
}

// pairs calls visit for each key of a mapping, and refuses keys that are not text or come twice.
func (d decoder) pairs(node ast.Node, name string, visit func(key string, keyNode, value ast.Node) error) error {
	m, ok := node.(*ast.MappingNode)
	if !ok {
		return d.fail(node, "%s must be a mapping, not %s; write it as \"key: value\" lines", name, describe(node))
	}
	firstLine := map[string]int{}
	for _, pair := range m.Values {
		key, ok := keyText(pair.Key)
		if !ok {
			return d.fail(pair.Key, "the key %s is not text; put it in quotes", words.Shorten(pair.Key.GetToken().Value))
		}
		line, _ := position(pair.Key)
		if first, seen := firstLine[key]; seen {
			return d.fail(pair.Key, "the key %s is given twice, first in line %d; remove one", words.Quote(key), first)
		}
		firstLine[key] = line
		if err := visit(key, pair.Key, pair.Value); err != nil {
			return err
		}
	}
	return nil
}

func (d decoder) list(node ast.Node, target reflect.Value, name string) error {
	seq, ok := node.(*ast.SequenceNode)
	if !ok {
		return d.fail(node, "%s must be a list, not %s; write it as [a, b]", name, describe(node))
	}
	result := reflect.MakeSlice(target.Type(), len(seq.Values), len(seq.Values))
	for i, item := range seq.Values {
		if err := d.value(item, result.Index(i), fmt.Sprintf("item %d of %s", i+1, name)); err != nil {
			return err
		}
	}
	target.Set(result)
	return nil
}

// scalar stores text, a boolean or a number. Nothing is converted: a number is not text.
func (d decoder) scalar(node ast.Node, target reflect.Value, name string) error {
	switch kind := target.Kind(); {
	case kind == reflect.String:
		s, ok := text(node)
		if !ok {
			return d.fail(node, "%s must be text, not %s%s", name, describe(node), quotesHelp(node))
		}
		target.SetString(s)
	case kind == reflect.Bool:
		b, ok := node.(*ast.BoolNode)
		if !ok {
			return d.fail(node, "%s must be true or false, not %s", name, describe(node))
		}
		target.SetBool(b.Value)
	case target.CanFloat():
		f, ok := float(node)
		if !ok || target.OverflowFloat(f) {
			return d.fail(node, "%s must be a number, not %s", name, describe(node))
		}
		target.SetFloat(f)
	case target.CanInt() || target.CanUint():
		return d.integer(node, target, name)
	default:
		panic("strictyaml: cannot decode into " + target.Type().String())
	}
	return nil
}

func (d decoder) integer(node ast.Node, target reflect.Value, name string) error {
	if n, ok := node.(*ast.IntegerNode); ok {
		// The parser yields uint64 for what is not negative and int64 for the rest.
		unsigned, isUnsigned := n.Value.(uint64)
		signed, isSigned := n.Value.(int64)
		if isUnsigned && target.CanInt() && unsigned <= math.MaxInt64 {
			signed, isSigned = int64(unsigned), true
		}
		switch {
		case isSigned && target.CanInt() && !target.OverflowInt(signed):
			target.SetInt(signed)
			return nil
		case isUnsigned && target.CanUint() && !target.OverflowUint(unsigned):
			target.SetUint(unsigned)
			return nil
		}
	}
	want := "a whole number"
	if isNumber(node) && node.Type() != ast.FloatType {
		want += " from " + rangeOf(target)
	}
	return d.fail(node, "%s must be %s, not %s", name, want, describe(node))
}

// rangeOf returns the range of an integer type, e.g. "-128 to 127".
func rangeOf(v reflect.Value) string {
	bits := v.Type().Bits()
	if v.CanUint() {
		return fmt.Sprintf("0 to %d", uint64(math.MaxUint64)>>(64-bits))
	}
	high := int64(math.MaxInt64) >> (64 - bits)
	return fmt.Sprintf("%d to %d", -high-1, high)
}

// text returns the value of a node that is text. A number or a boolean is not.
func text(node ast.Node) (string, bool) {
	switch n := node.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	}
	return "", false
}

func keyText(key ast.MapKeyNode) (string, bool) {
	node, ok := ast.Node(key), true
	if explicit, is := node.(*ast.MappingKeyNode); is {
		node = explicit.Value
	}
	if node == nil {
		return "", false
	}
	s, ok := text(node)
	return s, ok
}

func float(node ast.Node) (float64, bool) {
	switch n := node.(type) {
	case *ast.FloatNode:
		return n.Value, !math.IsInf(n.Value, 0) && !math.IsNaN(n.Value)
	case *ast.IntegerNode:
		switch v := n.Value.(type) {
		case int64:
			return float64(v), true
		case uint64:
			return float64(v), true
		}
	}
	return 0, false
}

// describe says in words what a node is, for "must be …, not …".
func describe(node ast.Node) string {
	switch node.Type() {
	case ast.NullType:
		return "nothing"
	case ast.MappingType, ast.MappingValueType:
		return "a mapping"
	case ast.SequenceType:
		return "a list"
	case ast.StringType, ast.LiteralType:
		if isNumber(node) {
			break
		}
		s, _ := text(node)
		return "the text " + words.Quote(s)
	}
	if isNumber(node) {
		return "the number " + words.Shorten(node.GetToken().Value)
	}
	return words.Shorten(strings.TrimSpace(node.GetToken().Value))
}

// isNumber reports whether a reader takes the node for a number. The parser takes plain digits that
// fit no 64-bit integer for text.
func isNumber(node ast.Node) bool {
	switch node.Type() {
	case ast.IntegerType, ast.FloatType, ast.InfinityType, ast.NanType:
		return true
	case ast.StringType:
		tk := node.GetToken()
		_, err := strconv.ParseFloat(tk.Value, 64)
		return tk.Type == token.StringType && err == nil
	}
	return false
}

// quotesHelp is the way out when a plain word of the file was meant as text.
func quotesHelp(node ast.Node) string {
	if isNumber(node) || node.Type() == ast.BoolType {
		return "; put it in quotes"
	}
	return ""
}
