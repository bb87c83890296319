package subject

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestTail(t *testing.T) {
	long := strings.Repeat("x", 1000)
	var many, last []string
	for i := range 50 {
		many = append(many, fmt.Sprintf("line %d", i))
	}
	last = many[30:]
	for _, tt := range []struct {
		name, in string
		want     []string
	}{
		{"nothing", "", nil},
		{"one line", "a\n", []string{"a"}},
		{"unfinished line", "a\nb", []string{"a", "b"}},
		{"empty lines stay", "\n\n", []string{"", ""}},
		{"carriage return", "a\r\nb\r\n", []string{"a", "b"}},
		{"many lines", strings.Join(many, "\n") + "\n", last},
		{"many lines, the last unfinished", strings.Join(many, "\n"), last},
		{"long line", long + "\nb\n", []string{long[:tailLineBytes-3] + "…", "b"}},
		{"long line of wide characters", strings.Repeat("é", 300) + "\n", []string{strings.Repeat("é", 198) + "…"}},
		{"line of the greatest length", long[:tailLineBytes] + "\n", []string{long[:tailLineBytes]}},
		{"control characters", "a\x1b[2Jb\x00c\rd\u202ee\n", []string{`a\x1b[2Jb\x00c\rd\u202ee`}},
		{"no text", "\xff\xfe\n", []string{`\xff\xfe`}},
		{"quotes, backslashes and tabs stay", "say \"a\\b\"\tc\n", []string{`say "a\b"    c`}},
	} {
		tail := newTail()
		tail.write([]byte(tt.in))
		if got := tail.lines(); !slices.Equal(got, tt.want) {
			t.Errorf("%s:\n got %q\nwant %q", tt.name, got, tt.want)
		}
	}
}

func TestTelling(t *testing.T) {
	for _, tt := range []struct {
		lines []string
		want  string
	}{
		{nil, ""},
		{[]string{"", " "}, ""},
		{[]string{"starting", "bye", ""}, "bye"},
		{[]string{"at x.ts:3", "  TypeError: x is not a function", "    at y", "", "Node.js v24.21.0"}, "TypeError: x is not a function"},
		{[]string{"# dyno/subjects/x", "./main.go:3:1: undefined: x"}, "./main.go:3:1: undefined: x"},
	} {
		if got := telling(tt.lines); got != tt.want {
			t.Errorf("telling(%q) = %q, want %q", tt.lines, got, tt.want)
		}
	}
}

// FuzzTail holds the promises for any bytes in any pieces: few lines, short, fit for a terminal, the
// same however the bytes are split.
func FuzzTail(f *testing.F) {
	f.Add([]byte("a\nb\r\n\x1b[31m\xff"), 3)
	f.Add(bytes.Repeat([]byte("é"), 500), 401)
	f.Add(bytes.Repeat([]byte("\n"), 50), 7)
	f.Fuzz(func(t *testing.T, in []byte, split int) {
		whole, pieces := newTail(), newTail()
		whole.write(in)
		for rest := in; len(rest) > 0; {
			n := min(max(split, 1), len(rest))
			pieces.write(rest[:n])
			rest = rest[n:]
		}
		lines := whole.lines()
		if !slices.Equal(lines, pieces.lines()) {
			t.Errorf("split every %d bytes: %q, whole: %q", split, pieces.lines(), lines)
		}
		if len(lines) > tailLines {
			t.Errorf("%d lines", len(lines))
		}
		for _, line := range lines {
			if len(line) > tailLineBytes || !utf8.ValidString(line) || strings.ContainsFunc(line, unicode.IsControl) {
				t.Errorf("not fit to be shown: %q", line)
			}
		}
	})
}
