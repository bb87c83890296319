// Package typeset sets figures and foreign text for reading: digits in groups, widths as terminals
// count them, and nothing in a line that could disturb a terminal. It knows no report and no verdict.
package typeset

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/mattn/go-runewidth"
)

// escapeSequence matches what moves a cursor or sets a colour, as a whole, so that no "[31m" is
// left when its first character goes.
var escapeSequence = regexp.MustCompile("\x1b\\[[0-?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b]*(\x07|\x1b\\\\)")

// Unbreakable is a space within a figure, which no line may end at. It leaves as a plain space.
const Unbreakable = "\u00a0"

// Clean makes text from anywhere fit for one line of a terminal: no control characters, nothing
// invisible, nothing that turns the direction of writing.
func Clean(s string) string {
	s = escapeSequence.ReplaceAllString(s, "")
	s = strings.ToValidUTF8(s, "\uFFFD")
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case string(r) == Unbreakable:
			return r
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Co, r):
			return -1
		}
		return r
	}, s))
}

// widths are those of a terminal that does not take "±" and "µ" for wide characters, whatever the
// locale of this process says: a report must not depend on who makes it.
var widths = &runewidth.Condition{}

// Width returns the columns that s takes.
func Width(s string) int { return widths.StringWidth(s) }

// Cut shortens s to a width and shows that it did.
func Cut(s string, width int) string {
	if Width(s) <= width {
		return s
	}
	return widths.Truncate(s, width, "…")
}

// Pad fills s with spaces to a width.
func Pad(s string, width int, right bool) string {
	space := strings.Repeat(" ", max(width-Width(s), 0))
	if right {
		return space + s
	}
	return s + space
}

// Wrap breaks a text between words into lines of a width, as far as its words allow.
func Wrap(s string, width int) []string {
	var lines []string
	for word := range strings.FieldsFuncSeq(s, func(r rune) bool { return unicode.IsSpace(r) && string(r) != Unbreakable }) {
		last := len(lines) - 1
		if last >= 0 && Width(lines[last])+1+Width(word) <= width {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	if lines == nil {
		return []string{""}
	}
	return lines
}
