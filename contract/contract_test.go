package contract

import (
	"strings"
	"testing"
)

func TestByName(t *testing.T) {
	for _, name := range Names() {
		c, err := ByName(name)
		if err != nil || c.Name() != name || len(c.Cases()) == 0 {
			t.Errorf("ByName(%q) = %v, %v", name, c, err)
		}
	}
}

func TestByNameRefuses(t *testing.T) {
	for _, name := range []string{"", "fraemd", "Framed", "framed ", "no\nsuch", strings.Repeat("x", 1000)} {
		_, err := ByName(name)
		if err == nil || !strings.Contains(err.Error(), `did you mean "framed"?`) || strings.Contains(err.Error(), "\n") {
			t.Errorf("ByName(%q): %v", name, err)
		}
	}
}

func TestNearest(t *testing.T) {
	valid := []string{"framed", "httpbasic", "rpc"}
	for word, want := range map[string]string{
		"framed": "framed", "frmed": "framed", "htpbasic": "httpbasic", "rcp": "rpc", "pc": "rpc", "httpbasics": "httpbasic",
	} {
		if got := nearest(word, valid); got != want {
			t.Errorf("nearest(%q) = %q, want %q", word, got, want)
		}
	}
}

func TestEditDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"kitten", "sitting", 3}, {"framed", "fraemd", 2}} {
		if got := editDistance(c.a, c.b); got != c.want {
			t.Errorf("editDistance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
