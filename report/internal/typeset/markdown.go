package typeset

import "strings"

// escapable are the characters that Markdown or HTML within it may take for markup.
var escapable = strings.NewReplacer(
	Unbreakable, " ", `\`, `\\`, "`", "\\`", `|`, `\|`, `*`, `\*`, `_`, `\_`, `<`, `&lt;`, `>`, `&gt;`, `[`, `\[`, `]`, `\]`, `&`, `&amp;`, `~`, `\~`,
)

// Markdown makes clean text mean itself in GitHub's flavour of Markdown.
func Markdown(s string) string {
	s = escapable.Replace(Clean(s))
	if strings.HasPrefix(s, "#") { // would make a heading of a line
		return `\` + s
	}
	return s
}
