package words

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	valid := []string{"blocks", "rounds", "slice", "framed-bun", "framed-deno", "node"}
	for _, tt := range []struct{ word, want string }{
		{"blokcs", "blocks"}, {"block", "blocks"}, {"blocks", "blocks"}, {"BLOCKS", "blocks"},
		{"slise", "slice"}, {"slices", "slice"}, {"framed-bnu", "framed-bun"}, {"bun", "framed-bun"},
		{"nod", "node"}, {"xyz", ""}, {"", ""}, {"q", ""}, {strings.Repeat("blocks", 20), ""},
	} {
		if got := Nearest(tt.word, valid); got != tt.want {
			t.Errorf("Nearest(%q) = %q, want %q", tt.word, got, tt.want)
		}
	}
}

func TestTypingErrors(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "acb", 1}, {"abc", "abd", 1},
		{"kitten", "sitting", 3}, {"ca", "abc", 3}, {"é", "e", 1},
	} {
		if got := typingErrors(tt.a, tt.b); got != tt.want {
			t.Errorf("typingErrors(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestUnknown(t *testing.T) {
	for _, tt := range []struct {
		word  string
		valid []string
		want  string
	}{
		{"bnu", []string{"bun", "deno"}, `unknown runtime "bnu"; did you mean "bun"?`},
		{"perl", []string{"bun", "deno"}, `unknown runtime "perl"; choose from bun, deno`},
		{"perl", strings.Fields(strings.Repeat("bun ", 28)), `unknown runtime "perl"; choose from ` + strings.Repeat("bun, ", 19) + "bun and 8 more"},
		{"a\nb", nil, `unknown runtime "a\nb"; there is none to choose from`},
	} {
		if got := Unknown("runtime", tt.word, tt.valid); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}

func TestCount(t *testing.T) {
	for want, got := range map[string]string{
		"0 trials": Count(0, "trial"), "1 trial": Count(1, "trial"), "3 trials": Count(3, "trial"), "2 searches": Count(2, "search"), "1 search": Count(1, "search"),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestPercentage(t *testing.T) {
	for text, want := range map[string]float64{"1%": 0.01, " 0.5 % ": 0.005, "100%": 1, "-3%": -0.03} {
		if got, ok := Percentage(text); !ok || got != want {
			t.Errorf("%q: %g, %v; want %g", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "%", "1", "0.01", "one%", "1%%", "1 percent"} {
		if got, ok := Percentage(text); ok {
			t.Errorf("%q is %g", text, got)
		}
	}
}
