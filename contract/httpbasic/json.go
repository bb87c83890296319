package httpbasic

import (
	"fmt"

	"dyno/contract/internal/gate"
	"dyno/contract/internal/httpgate"
	"dyno/contract/internal/jsontext"
)

func jsonCompact(p *gate.Probe) error {
	var exchanges []httpgate.Exchange
	for range 16 {
		value := small(p.Source, plainText...)
		exchanges = append(exchanges, mirror(jsontext.Compact(value), value))
	}
	list := jsontext.Array{float64(p.Between(1, 1e6)), p.Word(1, 20), nil}
	return httpgate.AskFresh(p, append(exchanges, mirror(jsontext.Compact(list), list))...)
}

// jsonSpaced is what an echo of the text cannot pass: nobody writes these spellings.
func jsonSpaced(p *gate.Probe) error {
	hello := jsontext.Object{{Key: "hello", Value: "world"}}
	exchanges := []httpgate.Exchange{mirror([]byte(`{ "hello": "world" }`), hello)} // what the seed sends
	for range 12 {
		value := small(p.Source, plainText...)
		exchanges = append(exchanges, mirror(jsontext.Loose(value, p.Rand), value))
	}
	return httpgate.AskFresh(p, exchanges...)
}

func jsonEscapes(p *gate.Probe) error { return bothSpellings(p, jsontext.Escaped) }

func jsonUnicode(p *gate.Probe) error { return bothSpellings(p, jsontext.Unicode) }

// bothSpellings mirrors eight values with strings of a script, in both spellings.
func bothSpellings(p *gate.Probe, script jsontext.Script) error {
	var exchanges []httpgate.Exchange
	for range 8 {
		value := jsontext.Object{{Key: "text", Value: jsontext.Maker{Rand: p.Rand, Scripts: []jsontext.Script{script}}.Text(4, 60)},
			{Key: "rest", Value: small(p.Source, jsontext.Plain, script)}}
		exchanges = append(exchanges, mirror(jsontext.Compact(value), value), mirror(jsontext.Loose(value, p.Rand), value))
	}
	return httpgate.AskFresh(p, exchanges...)
}

func jsonNested(p *gate.Probe) error {
	maker := jsontext.Maker{Rand: p.Rand, Scripts: plainText}
	empty := jsontext.Object{
		{Key: "object", Value: jsontext.Object{}}, {Key: "array", Value: jsontext.Array{}}, {Key: "text", Value: ""},
		{Key: "nothing", Value: nil}, {Key: "no", Value: false}, {Key: "zero", Value: 0.0},
		{Key: "list", Value: jsontext.Array{jsontext.Array{}, jsontext.Object{}, nil, ""}},
	}
	values := []jsontext.Value{empty, jsontext.Object{}, jsontext.Array{}}
	for _, depth := range []int{2, 5, p.Between(10, 20), 32} {
		values = append(values, maker.Nested(depth))
	}
	var numbers jsontext.Array
	for _, n := range []float64{0, 1, -1, 0.5, -0.25, 1 << 31, 1<<53 - 1, -(1 << 53) + 1, 1e20, 0.000125} {
		numbers = append(numbers, n, n+float64(p.Between(-9, 9)))
	}
	values = append(values, numbers)
	var exchanges []httpgate.Exchange
	for _, value := range values {
		exchanges = append(exchanges, mirror(jsontext.Compact(value), value), mirror(jsontext.Loose(value, p.Rand), value))
	}
	return httpgate.AskFresh(p, exchanges...)
}

// jsonLarge stays below 100,000 B, the limit of some body parsers that nobody changed.
func jsonLarge(p *gate.Probe) error {
	maker := jsontext.Maker{Rand: p.Rand, Scripts: []jsontext.Script{jsontext.Plain, jsontext.Plain, jsontext.Unicode}}
	var exchanges []httpgate.Exchange
	for _, size := range []int{p.Between(8e3, 40e3), p.Between(64<<10, 95e3)} {
		value := maker.Object(size)
		exchanges = append(exchanges, mirror(jsontext.Compact(value), value))
	}
	value := jsontext.Object{{Key: "text", Value: p.Word(64<<10, 90e3)}}
	return httpgate.AskFresh(p, append(exchanges, mirror(jsontext.Compact(value), value))...)
}

// jsonMalformed sends what JSON.parse refuses. A server may close the connection with its reply.
func jsonMalformed(p *gate.Probe) error {
	word := p.Word(3, 9)
	for _, text := range []string{
		`{"` + word, `{"` + word + `":`, `{"` + word + `":1`, `{"` + word + `":1,}`, `{` + word + `:1}`,
		`{'` + word + `':1}`, `{"` + word + `":1}}`, `{"` + word + `":1} ` + word, `[1,` + fmt.Sprint(p.Between(1, 99)),
		`{"` + word + `":tru}`, `{"` + word + `":01}`, `{"` + word + `" 1}`, "{\"" + word + "\":\"\n\"}",
	} {
		if err := httpgate.AskFresh(p, refused([]byte(text))); err != nil {
			return err
		}
	}
	return p.Others()
}
