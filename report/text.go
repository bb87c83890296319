package report

import (
	"slices"
	"strings"

	"dyno/report/internal/typeset"
)

const (
	gap      = 2 // spaces between the columns of a table
	textMin  = 6 // least width of a column of names
	bold     = "\x1b[1m"
	dim      = "\x1b[2m"
	plain    = "\x1b[0m"
	quoteTab = "    | "
)

// textRenderer renders a document for a terminal.
type textRenderer struct {
	width int
	color bool
	out   strings.Builder
}

func (r *textRenderer) render(d document) string {
	for i, b := range d.blocks {
		if _, isNote := b.(note); i > 0 && !isNote {
			r.out.WriteByte('\n')
		}
		r.block(b)
	}
	return r.out.String()
}

func (r *textRenderer) block(b any) {
	switch b := b.(type) {
	case heading:
		r.wrapped(bold, b.text, "", "")
		if rule := map[int]string{1: "═", 2: "─"}[b.level]; rule != "" {
			r.line(dim, strings.Repeat(rule, min(typeset.Width(typeset.Clean(b.text)), r.width)))
		}
	case paragraph:
		r.wrapped("", string(b), "", "")
	case alarm:
		r.wrapped(bold, string(b), "", "")
	case note:
		r.wrapped(dim, string(b), "", "")
	case bullets:
		for _, item := range b {
			r.wrapped("", item.text, "- ", "  ")
			for _, l := range item.quoted {
				r.line(dim, quoteTab+typeset.Cut(typeset.Clean(l), r.width-typeset.Width(quoteTab)))
			}
		}
	case *table:
		r.table(b)
	}
}

func (r *textRenderer) line(style, text string) {
	text = strings.TrimRight(strings.ReplaceAll(text, typeset.Unbreakable, " "), " ")
	if r.color && style != "" {
		text = style + text + plain
	}
	r.out.WriteString(text + "\n")
}

// wrapped writes text in lines of the width, the first after head, the others after tail.
func (r *textRenderer) wrapped(style, text, head, tail string) {
	current := head
	fresh := true
	for _, word := range strings.FieldsFunc(typeset.Clean(text), func(r rune) bool { return r == ' ' }) {
		if !fresh && typeset.Width(current)+1+typeset.Width(word) > r.width {
			r.line(style, current)
			current, fresh = tail, true
		}
		if !fresh {
			current += " "
		}
		current += typeset.Cut(word, r.width-typeset.Width(tail))
		fresh = false
	}
	r.line(style, current)
}

func (r *textRenderer) table(t *table) {
	shown, hidden := fit(layOut(t), r.width)
	widths := shown.widths()
	shrink(widths, shown, r.width)

	rules := make([]string, len(shown.columns))
	for i := range shown.columns {
		rules[i] = strings.Repeat("─", widths[i])
	}
	for _, head := range shown.heads(widths) {
		r.line(bold, shown.lineOf(head, widths))
	}
	r.line(dim, shown.lineOf(rules, widths))
	for i, row := range shown.rows {
		style := ""
		if row.strong {
			style = bold
		}
		if len(row.cells) == 1 {
			if i > 0 {
				r.line("", "")
			}
			r.line(style, typeset.Cut(row.cells[0], r.width))
			continue
		}
		r.line(style, shown.lineOf(row.cells, widths))
	}
	if len(hidden) > 0 {
		r.wrapped(dim, "Not shown for lack of width: "+strings.Join(hidden, ", ")+".", "", "")
	}
}

// layOut returns a copy of the table with clean cells whose intervals stand below each other.
func layOut(t *table) *table {
	out := &table{columns: slices.Clone(t.columns)}
	for i := range out.columns {
		out.columns[i].title = typeset.Clean(out.columns[i].title)
	}
	for _, r := range t.rows {
		cells := make([]string, len(r.cells))
		for i, c := range r.cells {
			cells[i] = typeset.Clean(c)
		}
		out.rows = append(out.rows, row{cells: cells, strong: r.strong})
	}
	for i, c := range out.columns {
		if c.right {
			alignDoubts(out.rows, i)
		}
	}
	return out
}

// alignDoubts pads the "±" parts of a column to one width, so that the figures before them line up.
func alignDoubts(rows []row, column int) {
	widest := 0
	each := func(f func(cell *string, at int)) {
		for _, r := range rows {
			if len(r.cells) > 1 {
				f(&r.cells[column], strings.Index(r.cells[column], "±"))
			}
		}
	}
	each(func(cell *string, at int) {
		if at >= 0 {
			widest = max(widest, typeset.Width((*cell)[at:]))
		}
	})
	each(func(cell *string, at int) {
		if at >= 0 {
			*cell = (*cell)[:at] + typeset.Pad((*cell)[at:], widest, true)
		} else if widest > 0 {
			*cell += strings.Repeat(" ", widest+1)
		}
	})
}

// widths returns the width that each column wants.
func (t *table) widths() []int {
	all := make([]int, len(t.columns))
	for i, c := range t.columns {
		all[i] = t.cellsWidth(i)
		if !t.wrapped {
			all[i] = max(all[i], typeset.Width(c.title))
		}
		for word := range strings.FieldsSeq(c.title) {
			all[i] = max(all[i], typeset.Width(word))
		}
	}
	return all
}

// leastWidths is widths with names cut as far as they may be for the sake of another column.
func (t *table) leastWidths() []int {
	all := t.widths()
	for i, c := range t.columns {
		if c.least > 0 {
			all[i] = min(all[i], c.least)
		}
	}
	return all
}

// heads returns the lines of the table's head: one, or as many as the titles take in columns that are too
// narrow for them.
func (t *table) heads(widths []int) [][]string {
	titles := make([][]string, len(t.columns))
	most := 1
	for i, c := range t.columns {
		titles[i] = []string{c.title}
		if t.wrapped {
			titles[i] = typeset.Wrap(c.title, widths[i])
		}
		most = max(most, len(titles[i]))
	}
	lines := make([][]string, most)
	for n := range lines {
		lines[n] = make([]string, len(t.columns))
		for i, parts := range titles {
			if above := most - len(parts); n >= above { // the last line stands on the rule
				lines[n][i] = parts[n-above]
			}
		}
	}
	return lines
}

func (t *table) cellsWidth(column int) int {
	widest := 0
	for _, r := range t.rows {
		if len(r.cells) > 1 {
			widest = max(widest, typeset.Width(r.cells[column]))
		}
	}
	return widest
}

func total(widths []int) int {
	sum := gap * (len(widths) - 1)
	for _, w := range widths {
		sum += w
	}
	return sum
}

// fit breaks the titles of a table that is too wide, and leaves out spare columns from the right until it
// fits, which it names.
func fit(t *table, width int) (shown *table, hidden []string) {
	t.wrapped = total(t.widths()) > width
	shown = t
	for i := len(t.columns) - 1; i >= 0 && total(shown.leastWidths()) > width; i-- {
		if !t.columns[i].spare {
			continue
		}
		hidden = append([]string{t.columns[i].title}, hidden...)
		shown = shown.without(i)
	}
	return shown, hidden
}

func (t *table) without(column int) *table {
	out := &table{columns: slices.Delete(slices.Clone(t.columns), column, column+1), wrapped: t.wrapped}
	for _, r := range t.rows {
		if len(r.cells) > 1 {
			r.cells = slices.Delete(slices.Clone(r.cells), column, column+1)
		}
		out.rows = append(out.rows, r)
	}
	return out
}

// shrink narrows the widest columns until the table fits: names and titles can be cut, a number
// never is, because a cut number is another number.
func shrink(widths []int, t *table, width int) {
	for total(widths) > width {
		widest := -1
		for i, c := range t.columns {
			least := textMin
			if c.right {
				least = max(textMin, t.cellsWidth(i))
			}
			if widths[i] > least && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return
		}
		widths[widest]--
	}
}

func (t *table) lineOf(cells []string, widths []int) string {
	parts := make([]string, len(cells))
	for i, c := range cells {
		parts[i] = typeset.Pad(typeset.Cut(c, widths[i]), widths[i], t.columns[i].right)
	}
	return strings.Join(parts, strings.Repeat(" ", gap))
}
