package jsontext

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestCompact holds the spelling of JSON.stringify, as ECMA-262 defines it.
func TestCompact(t *testing.T) {
	for _, c := range []struct {
		value Value
		want  string
	}{
		{nil, `null`},
		{true, `true`},
		{false, `false`},
		{"", `""`},
		{0.0, `0`},
		{-1.0, `-1`},
		{0.5, `0.5`},
		{-69.21875, `-69.21875`},
		{0.000125, `0.000125`},
		{1e20, `100000000000000000000`},
		{float64(1<<53 - 1), `9007199254740991`},
		{"a\"b\\c/d", `"a\"b\\c/d"`},
		{"\b\f\n\r\t", `"\b\f\n\r\t"`},
		{"\x00\x1f\x7f", "\"\\u0000\\u001f\x7f\""},
		{"<&>é漢😀\u2028", "\"<&>é漢😀\u2028\""},
		{Array{}, `[]`},
		{Object{}, `{}`},
		{Array{1.0, "a", nil, Array{}, Object{}}, `[1,"a",null,[],{}]`},
		{Object{{"b", 1.0}, {"a", Object{{"é", false}}}}, `{"b":1,"a":{"é":false}}`},
	} {
		if got := string(Compact(c.value)); got != c.want {
			t.Errorf("%#v: %s, want %s", c.value, got, c.want)
		}
	}
}

func maker(seed uint64) Maker {
	return Maker{Rand: rand.New(rand.NewPCG(seed, 1)), Scripts: []Script{Plain, Unicode, Escaped}}
}

// TestSpellings: every spelling of a value is JSON and the same value, and only a spelling of the
// server's own is no echo.
func TestSpellings(t *testing.T) {
	for seed := range uint64(300) {
		m := maker(seed)
		value := Value(m.Object(m.IntN(600)))
		if seed%3 == 0 {
			value = m.Nested(1 + m.IntN(30))
		}
		compact, loose := Compact(value), Loose(value, m.Rand)
		var indented bytes.Buffer
		if err := json.Indent(&indented, compact, " ", "\t"); err != nil {
			t.Fatalf("seed %d: %s: %v", seed, compact, err)
		}
		var decoded any
		if err := json.Unmarshal(loose, &decoded); err != nil {
			t.Fatalf("seed %d: %s: %v", seed, loose, err)
		}
		sorted, err := json.Marshal(decoded)
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string][]byte{"loose": loose, "indented": indented.Bytes(), "sorted": sorted} {
			if d := Difference(text, compact); d != "" {
				t.Errorf("seed %d, %s: %s", seed, name, d)
			}
		}
		if bytes.Equal(loose, compact) || !Echoes(loose, loose, compact) || Echoes(compact, loose, compact) || Echoes(compact, compact, compact) {
			t.Errorf("seed %d: %s and %s are not told apart", seed, loose, compact)
		}
		if Echoes(indented.Bytes(), loose, compact) && !bytes.Equal(squeeze(loose), compact) {
			t.Errorf("seed %d: an indented text counts as an echo of %s", seed, loose)
		}
		if squeezed := squeeze(loose); !bytes.Equal(squeezed, compact) && !Echoes(squeezed, loose, compact) {
			t.Errorf("seed %d: without white space %s is no echo", seed, loose)
		}
	}
}

func TestSqueeze(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "",
		" \t\r\n":                "",
		` { "a b" : [ 1 , 2 ] }`: `{"a b":[1,2]}`,
		`"a \" b" : 1`:           `"a \" b":1`,
		`"a\\" : "b c"`:          `"a\\":"b c"`,
		`"open `:                 `"open `,
	} {
		if got := string(squeeze([]byte(text))); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestDifference(t *testing.T) {
	long := strings.Repeat("é", 100)
	for _, c := range []struct{ got, want, says string }{
		{`{"a":1,"b":[true,null]}`, ` { "b" : [ true , null ] , "a" : 1.0 } `, ""},
		{`{"a":1}`, `{"a":1,"a":1}`, ""},
		{`"\u00e9\/"`, `"é/"`, ""},
		{``, `1`, `"" is not JSON: unexpected end of JSON input`},
		{`hi`, `1`, `"hi" is not JSON: invalid character 'h' looking for beginning of value`},
		{`1 2`, `1`, `"1 2" is not JSON: invalid character '2' after top-level value`},
		{"\"\xff\"", `"a"`, `"\"\xff\"" is not UTF-8`},
		{`1`, `x`, `what it is compared with: "x" is not JSON: invalid character 'x' looking for beginning of value`},
		{`1`, `"1"`, `the value is 1, want "1"`},
		{`null`, `{}`, `the value is null, want an object of 0 keys`},
		{`[]`, `{}`, `the value is an array of 0 elements, want an object of 0 keys`},
		{`{}`, `1`, `the value is an object of 0 keys, want 1`},
		{`[1,2]`, `[1]`, `the value has 2 elements, want 1`},
		{`[1,[2,3]]`, `[1,[2,4]]`, `[1][1] is 3, want 4`},
		{`{"a":{}}`, `{"a":{"b":1}}`, `.a lacks the key "b"`},
		{`{"a":{"c":1,"b":1}}`, `{"a":{"b":1}}`, `.a has a key that nobody sent: "c"`},
		{`{"a\nb":1}`, `{"a\nb":2}`, `.a\nb is 1, want 2`},
		{`["` + long + `"]`, `[true]`, `[0] is "` + strings.Repeat("é", 30) + `"… (200 B), want true`},
	} {
		if got := Difference([]byte(c.got), []byte(c.want)); got != c.says {
			t.Errorf("%s and %s: %s, want %s", c.got, c.want, got, c.says)
		}
		if Equal([]byte(c.got), []byte(c.want)) != (c.says == "") {
			t.Errorf("%s and %s: Equal says otherwise", c.got, c.want)
		}
	}
}

// TestSizes: objects have the size that is asked for, within a member.
func TestSizes(t *testing.T) {
	for seed := range uint64(20) {
		m := maker(seed)
		for _, size := range []int{1, 64, 1000, 9000} {
			if n := len(Compact(m.Object(size))); n < size || n > size+600 {
				t.Errorf("seed %d: %d B, want about %d", seed, n, size)
			}
		}
		if v, ok := m.Nested(5).(Object); !ok || strings.Count(string(Compact(v)), "[")+strings.Count(string(Compact(v)), "{") < 5 {
			t.Errorf("seed %d: %s is not nested", seed, Compact(v))
		}
	}
}

// FuzzDifference: any two texts get a judgement in one short line, a text equals itself when it is
// JSON, and the judgement is the same from both sides.
func FuzzDifference(f *testing.F) {
	f.Add([]byte(`{"a":[1,"b"]}`), []byte(` {"a" : [1.0,"\u0062"]}`))
	f.Add([]byte(`{`), []byte("\xff"))
	f.Add([]byte(`[[[]]]`), []byte(`[[{}]]`))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		d := Difference(a, b)
		if strings.ContainsAny(d, "\n\r") || len(d) > 1000 {
			t.Errorf("%q and %q: %q is not one short line", a, b, d)
		}
		if (d == "") != Equal(b, a) {
			t.Errorf("%q and %q: equal from one side only", a, b)
		}
		if Equal(a, a) && !json.Valid(a) {
			t.Errorf("%q is no JSON and equals itself", a)
		}
		if !Echoes(a, a, nil) && len(a) > 0 {
			t.Errorf("%q is no echo of itself", a)
		}
	})
}
