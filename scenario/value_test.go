package scenario

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func testUser(vars map[string]any) *user {
	p := &Program{shared: map[string]any{"target": "http://localhost"}}
	return &user{runner: &runner{program: p, rand: rand.New(rand.NewPCG(1, 2))}, vars: vars}
}

func TestTemplates(t *testing.T) {
	u := testUser(map[string]any{"n": 7.0, "s": "x", "no": nil, "big": 1e21, "o": map[string]any{"list": []any{1.0, "b"}}, "yes": true})
	for _, c := range []struct {
		in, want any
	}{
		{"plain", "plain"},
		{"{{ n }}", 7.0},
		{"{{n}}", 7.0},
		{"{{{ n }}}", 7.0},
		{"a {{ n }} b {{ s }}", "a 7 b x"},
		{"{{ o.list[1] }}", "b"},
		{"{{ o['list'][0] }}!", "1!"},
		{"{{ o.list }}.", `[1,"b"].`},
		{"{{ missing }}", undefined},
		{"-{{ missing }}-", "-undefined-"},
		{"-{{ no }}-", "-null-"},
		{"{{ big }}.", "1e+21."},
		{"{{ yes }}", true},
		{"{{ $randomNumber(3, 3) }}", "3"},
		{5, 5.0},
	} {
		tmpl, err := compile(c.in)
		if err != nil {
			t.Errorf("%v: %v", c.in, err)
		} else if got := tmpl.render(u); got != c.want {
			t.Errorf("%v: %#v; want %#v", c.in, got, c.want)
		}
	}
	body, err := compile(map[string]any{"id": "{{ n }}", "gone": "{{ missing }}", "in": []any{"{{ s }}", "{{ missing }}"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := string(encodeJSON(body.render(u))); got != `{"id":7,"in":["x",null]}` {
		t.Errorf("a JSON body becomes %s", got)
	}
	random, err := compile("{{ $randomString(12) }}")
	if err != nil || len(text(random.render(u))) != 12 {
		t.Errorf("$randomString(12): %q, %v", random.render(u), err)
	}
}

func TestTemplatesThatAreRefused(t *testing.T) {
	for in, want := range map[string]string{
		"{{ n":                   "does not close it",
		"{{ }}":                  "not the name of a variable",
		"{{ a + b }}":            "not the name of a variable",
		"{{ $randomNumbr(1) }}":  `did you mean "$randomNumber"?`,
		"{{ $randomNumber(x) }}": "not a number",
		"{{ $randomNumber(1 }}":  "does not close its call",
		"{{ $randomString(-1)}}": "a length from 0",
		"{{ $uuid(1) }}":         "too many arguments",
	} {
		if _, err := compile(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want an error with %q", in, err, want)
		}
	}
}

func TestExpressions(t *testing.T) {
	u := testUser(map[string]any{"a": 3.0, "b": "x", "o": map[string]any{"n": 2.0}, "http.codes.200": 9.0, "yes": true})
	for in, want := range map[string]bool{
		"a == 3": true, "a != 3": false, "a > 2 and a < 4": true, "a > 2 && b == 'y'": false,
		"not (a == 3)": false, "!yes": false, "yes": true, "missing": false,
		"a in (1, 2, 3)": true, `b in ("y", "z")`: false, "o.n * 2 + 1 == 5": true, "-a + 4 == 1": true,
		"2 ^ 3 == 8": true, "7 % 4 == a": true, "http.codes.200 == 9": true, "a == 1 or b == \"x\"": true,
		"a / 2 >= 1.5": true, "missing == 0": false,
	} {
		e, err := parseExpression(in)
		if err != nil {
			t.Errorf("%s: %v", in, err)
		} else if got := truthy(e(u)); got != want {
			t.Errorf("%s is %v", in, got)
		}
	}
	for _, in := range []string{"", "a ==", "(a", "a b", "'x", "1.2.3", "a in 3", "a ? b", strings.Repeat("(", 500)} {
		if _, err := parseExpression(in); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.20q: %v; want an error of one line", in, err)
		}
	}
}

func TestNumbersPrintAsInJavaScript(t *testing.T) {
	for f, want := range map[float64]string{0: "0", -0.5: "-0.5", 1e6: "1000000", 12345678901234567890: "12345678901234567000",
		1e21: "1e+21", 1e-7: "1e-7", 1.5e-10: "1.5e-10", 123.456: "123.456", math.Inf(-1): "-Infinity", math.Inf(1): "+Infinity"} {
		if got := strings.TrimPrefix(number(f), "+"); got != strings.TrimPrefix(want, "+") {
			t.Errorf("%v prints as %s; want %s", f, got, want)
		}
	}
}

func TestJitterStaysWithinItsBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for by, width := range map[any]int64{"20%": 200e6, "100ms": 100e6, 50: 50e6, "odd": 0} {
		for range 1000 {
			if got := jitter(1e9, by, r); got < 1e9-width || got > 1e9+width {
				t.Fatalf("1 s with jitter %v becomes %d ns", by, got)
			}
		}
	}
}

func FuzzTemplate(f *testing.F) {
	for _, seed := range []string{"{{ a.b[0] }}", "x{{{ y }}}z", "{{ $randomNumber(1, 2) }}", "{{", "}}{{ $uuid() }}"} {
		f.Add(seed)
	}
	u := testUser(map[string]any{"a": map[string]any{"b": []any{1.0}}})
	f.Fuzz(func(t *testing.T, in string) {
		if len(in) > 1000 {
			return
		}
		if tmpl, err := compile(in); err == nil {
			tmpl.render(u)
		}
	})
}

func FuzzExpression(f *testing.F) {
	for _, seed := range []string{"a == 1 and not b", "x in (1,'2')", "-a^2", "http.response_time.p95 < 200"} {
		f.Add(seed)
	}
	u := testUser(map[string]any{"a": 1.0})
	f.Fuzz(func(t *testing.T, in string) {
		if e, err := parseExpression(in); err == nil {
			e(u)
		}
	})
}
