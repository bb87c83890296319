package report

import (
	"strings"

	"dyno/report/html"
	"dyno/report/internal/typeset"
)

// quotedMax is where a line that a subject wrote is cut: whoever needs more has its stderr.
const quotedMax = 160

// markdown renders a document in GitHub's flavour of Markdown.
func markdown(d document) string {
	var out strings.Builder
	for i, b := range d.blocks {
		if i > 0 {
			out.WriteByte('\n')
		}
		switch b := b.(type) {
		case heading:
			out.WriteString(strings.Repeat("#", b.level) + " " + typeset.Markdown(b.text) + "\n")
		case paragraph:
			out.WriteString(typeset.Markdown(string(b)) + "\n")
		case alarm:
			out.WriteString("**" + typeset.Markdown(string(b)) + "**\n")
		case note:
			out.WriteString("<sub>" + typeset.Markdown(string(b)) + "</sub>\n")
		case bullets:
			for _, item := range b {
				out.WriteString("- " + typeset.Markdown(item.text) + linkTo(item.link.Section) + "\n")
				for i, l := range item.quoted {
					end := "\\\n" // ends the line, not the paragraph
					if i == len(item.quoted)-1 {
						end = "\n"
					}
					out.WriteString("  > " + typeset.Markdown(typeset.Cut(typeset.Clean(l), quotedMax)) + end)
				}
			}
		case *table:
			markdownTable(&out, b)
		}
	}
	return out.String()
}

// linkTo leads to the section with the verdict that backs a sentence.
func linkTo(section string) string {
	if section == "" {
		return ""
	}
	return " ([" + typeset.Markdown(section) + "](#" + html.Slug(section) + "))"
}

func markdownTable(out *strings.Builder, t *table) {
	titles := make([]string, len(t.columns))
	rules := make([]string, len(t.columns))
	for i, c := range t.columns {
		titles[i] = typeset.Markdown(c.title)
		rules[i] = "---"
		if c.right {
			rules[i] = "---:"
		}
	}
	line := func(cells []string) { out.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	line(titles)
	line(rules)
	for _, r := range t.rows {
		cells := make([]string, len(t.columns))
		for i, c := range r.cells {
			cells[i] = typeset.Markdown(c)
			if r.strong && cells[i] != "" {
				cells[i] = "**" + cells[i] + "**"
			}
		}
		line(cells)
	}
}
