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
		if err == nil || !strings.Contains(err.Error(), "framed") || strings.Contains(err.Error(), "\n") {
			t.Errorf("ByName(%q): %v", name, err)
		}
	}
}
