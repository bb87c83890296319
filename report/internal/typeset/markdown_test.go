package typeset

import "testing"

func FuzzMarkdown(f *testing.F) {
	f.Add("\x1b[31mB|u`n\x1b[0m\u202e\n# x")
	f.Fuzz(func(t *testing.T, s string) {
		for i, r := range Markdown(s) {
			if r < ' ' || i == 0 && r == '#' {
				t.Fatalf("%q came through as %q", s, Markdown(s))
			}
		}
	})
}
