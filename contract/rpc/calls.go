package rpc

import (
	"fmt"
	"slices"

	"dyno/contract/http1"
	"dyno/contract/internal/gate"
	"dyno/contract/internal/httpgate"
	"dyno/contract/internal/jsontext"
)

const path = "/api/rpc"

// call makes the body of a valid call.
func call(s *gate.Source, scripts ...jsontext.Script) jsontext.Object {
	maker := jsontext.Maker{Rand: s.Rand, Scripts: scripts}
	tags := jsontext.Array{}
	for range s.Between(0, 4) {
		tags = append(tags, maker.Text(1, 10))
	}
	return jsontext.Object{
		{Key: "id", Value: float64(s.Between(0, 1<<40))},
		{Key: "name", Value: maker.Text(1, 24)},
		{Key: "active", Value: s.IntN(2) == 0},
		{Key: "tags", Value: tags},
		{Key: "address", Value: jsontext.Object{
			{Key: "city", Value: maker.Text(1, 16)},
			{Key: "zip", Value: s.Word(5, 8)},
		}},
	}
}

func valid(s *gate.Source) httpgate.Exchange { return mirrored(call(s, jsontext.Plain)) }

func mirrored(body jsontext.Object) httpgate.Exchange {
	return httpgate.Mirror(path, jsontext.Compact(body), body)
}

// spaced makes a valid call in a spelling that nobody writes.
func spaced(s *gate.Source) httpgate.Exchange {
	body := call(s, jsontext.Plain)
	return httpgate.Mirror(path, jsontext.Loose(body, s.Rand), body)
}

// unicode makes a valid call with strings in many scripts.
func unicode(s *gate.Source) httpgate.Exchange {
	return mirrored(call(s, jsontext.Unicode, jsontext.Escaped))
}

// refused posts text and wants a 400.
func refused(label string, text []byte) httpgate.Exchange {
	return refusedRequest(label, httpgate.JSONRequest(path, text))
}

func refusedRequest(label string, r http1.Request) httpgate.Exchange {
	x := httpgate.New(r, httpgate.Exchange{
		Exchange: http1.Exchange{Want: http1.Want{Status: 400, BodyAny: true}},
	})
	x.Label = "POST " + path + " with " + label
	return x
}

// fault is one way to spoil a valid call.
type fault struct {
	name  string
	spoil func(s *gate.Source, body jsontext.Object) jsontext.Value
}

// keys are the keys of a call, with values of a wrong type each. A word that reads as a number is
// still a string, and null is no value.
var keys = []struct {
	name  string
	wrong []jsontext.Value
}{
	{"id", []jsontext.Value{"7", 1.5, true, nil, jsontext.Array{}, jsontext.Object{}}},
	{"name", []jsontext.Value{7.0, true, nil, jsontext.Array{"a"}, jsontext.Object{}}},
	{"active", []jsontext.Value{"true", 1.0, nil, jsontext.Array{}, jsontext.Object{}}},
	{"tags", []jsontext.Value{"a", 1.0, nil, jsontext.Object{}, jsontext.Array{"a", 1.0}, jsontext.Array{nil}}},
	{"address", []jsontext.Value{"a", 1.0, nil, jsontext.Array{}, jsontext.Object{}}},
}

// missingKeys and wrongTypes list all the ways in which one key can be wrong.
var missingKeys, wrongTypes = func() (missing, wrong []fault) {
	for _, key := range keys {
		missing = append(missing, fault{"no " + key.name, func(_ *gate.Source, body jsontext.Object) jsontext.Value {
			return without(body, key.name)
		}})
		for _, value := range key.wrong {
			name := fmt.Sprintf("%s = %s", key.name, jsontext.Compact(value))
			wrong = append(wrong, fault{name, func(_ *gate.Source, body jsontext.Object) jsontext.Value {
				return with(body, key.name, value)
			}})
		}
	}
	for _, key := range []string{"city", "zip"} {
		missing = append(missing, fault{"no address." + key, func(_ *gate.Source, body jsontext.Object) jsontext.Value {
			return with(body, "address", without(address(body), key))
		}})
		for _, value := range []jsontext.Value{7.0, nil} {
			name := fmt.Sprintf("address.%s = %s", key, jsontext.Compact(value))
			wrong = append(wrong, fault{name, func(_ *gate.Source, body jsontext.Object) jsontext.Value {
				return with(body, "address", with(address(body), key, value))
			}})
		}
	}
	return missing, wrong
}()

// wrongShapes are bodies that are no object.
var wrongShapes = []fault{
	{"a list of calls", func(_ *gate.Source, body jsontext.Object) jsontext.Value { return jsontext.Array{body} }},
	{"an empty list", func(*gate.Source, jsontext.Object) jsontext.Value { return jsontext.Array{} }},
	{"an empty object", func(*gate.Source, jsontext.Object) jsontext.Value { return jsontext.Object{} }},
	{"another object", func(s *gate.Source, _ jsontext.Object) jsontext.Value {
		return jsontext.Maker{Rand: s.Rand, Scripts: []jsontext.Script{jsontext.Plain}}.Object(100)
	}},
}

// spoiled makes an invalid call with that fault.
func spoiled(s *gate.Source, f fault) httpgate.Exchange {
	return refused(f.name, jsontext.Compact(f.spoil(s, call(s, jsontext.Plain))))
}

// invalid makes the i-th invalid call of a corpus; the kinds take turns.
func invalid(s *gate.Source, i int) httpgate.Exchange {
	kinds := slices.Concat(missingKeys, wrongTypes, wrongShapes[:1])
	if i%8 == 0 {
		text := jsontext.Compact(call(s, jsontext.Plain))
		return refused("JSON cut off", text[:s.Between(1, len(text)-1)])
	}
	return spoiled(s, gate.Pick(s, kinds))
}

func address(body jsontext.Object) jsontext.Object {
	return body[len(body)-1].Value.(jsontext.Object)
}

func without(body jsontext.Object, key string) jsontext.Object {
	return slices.DeleteFunc(slices.Clone(body), func(m jsontext.Member) bool { return m.Key == key })
}

func with(body jsontext.Object, key string, value jsontext.Value) jsontext.Object {
	body = slices.Clone(body)
	for i := range body {
		if body[i].Key == key {
			body[i].Value = value
		}
	}
	return body
}
