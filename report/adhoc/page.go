package adhoc

import (
	"strings"

	"dyno/report/internal/typeset"
)

const (
	widthMax = 100
	widthMin = 60
	nameMax  = 20 // columns of the names in a list of pairs

	bold  = "\x1b[1m"
	dim   = "\x1b[2m"
	plain = "\x1b[0m"
)

// page is text for a terminal in the making.
type page struct {
	width int
	color bool
	out   strings.Builder
}

func newPage(o Options) *page {
	width := widthMax
	if o.Width > 0 {
		width = min(max(o.Width, widthMin), widthMax)
	}
	return &page{width: width, color: o.Color}
}

func (p *page) gap() { p.out.WriteByte('\n') }

func (p *page) line(style, text string) {
	text = strings.TrimRight(strings.ReplaceAll(text, typeset.Unbreakable, " "), " ")
	if p.color && style != "" && text != "" {
		text = style + text + plain
	}
	p.out.WriteString(text + "\n")
}

// wrapped writes text in lines of the page's width; those after the first begin with indent.
func (p *page) wrapped(style, text, indent string) {
	line := ""
	for _, word := range wordsOf(text, p.width-len(indent)) {
		switch {
		case line == "":
			line = word
		case typeset.Width(line)+1+typeset.Width(word) > p.width:
			p.line(style, line)
			line = indent + word
		default:
			line += " " + word
		}
	}
	p.line(style, line)
}

// wordsOf splits clean text at its breakable spaces; no word is wider than width.
func wordsOf(text string, width int) []string {
	all := strings.FieldsFunc(typeset.Clean(text), func(r rune) bool { return r == ' ' })
	for i, word := range all {
		all[i] = typeset.Cut(word, width)
	}
	return all
}

// table is a head and rows; the first column is a name, the others are figures.
type table [][]string

func (p *page) table(t table) {
	widths := make([]int, len(t[0]))
	for _, row := range t {
		for i, cell := range row {
			widths[i] = max(widths[i], typeset.Width(cell))
		}
	}
	gap := "  "
	if total(widths, len(gap)) > p.width {
		gap = " " // narrow terminals
	}
	rules := make([]string, len(widths))
	for i, w := range widths {
		rules[i] = strings.Repeat("─", w)
	}
	for n, row := range t {
		style := ""
		if n == 0 {
			style = bold
		}
		p.line(style, aligned(row, widths, gap))
		if n == 0 {
			p.line(dim, strings.Join(rules, gap))
		}
	}
}

func total(widths []int, gap int) int {
	sum := gap * (len(widths) - 1)
	for _, w := range widths {
		sum += w
	}
	return sum
}

func aligned(cells []string, widths []int, gap string) string {
	parts := make([]string, len(cells))
	for i, cell := range cells {
		parts[i] = typeset.Pad(cell, widths[i], i > 0)
	}
	return strings.Join(parts, gap)
}

// pairs writes names and what is to be said of each, indented, the texts below each other.
func (p *page) pairs(all [][2]string) {
	widest := 0
	for i := range all {
		all[i][0] = typeset.Cut(typeset.Clean(all[i][0]), nameMax)
		widest = max(widest, typeset.Width(all[i][0]))
	}
	indent := strings.Repeat(" ", 2+widest+2)
	for _, pair := range all {
		head := "  " + typeset.Pad(pair[0], widest, false) + "  "
		p.hanging(head, pair[1], indent)
	}
}

// hanging writes a head and wraps the text beside it.
func (p *page) hanging(head, text, indent string) {
	line, fresh := head, true
	for _, word := range wordsOf(text, p.width-len(indent)) {
		switch {
		case fresh:
			line, fresh = line+word, false
		case typeset.Width(line)+1+typeset.Width(word) > p.width:
			p.line("", line)
			line = indent + word
		default:
			line += " " + word
		}
	}
	p.line("", line)
}
