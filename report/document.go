package report

// document is a report before it is known where it will be read. All text in it is plain: the
// renderers clean it, because some of it was written by the subjects.
type document struct{ blocks []any }

// The blocks of a document.
type (
	heading struct {
		level int // 1 for the title
		text  string
	}
	paragraph string
	alarm     string // a paragraph that must not be overlooked
	note      string // explains the table above it
	bullets   []bullet
	table     struct {
		columns []column
		rows    []row
		wrapped bool // titles are broken where a column is too narrow for them
	}
)

type bullet struct {
	text   string
	quoted []string // lines as a subject wrote them, below the text
	link   Finding  // where the verdict stands that backs the text; without a section there is none
}

type column struct {
	title string
	right bool // align to the right: numbers
	spare bool // may be left out where space is short; the last one goes first
	least int  // columns of a terminal to which names are cut before a spare column goes; 0: they are not
}

type row struct {
	cells []string
	// strong marks a row that sums up the others. With a single cell it is a heading within the
	// table.
	strong bool
	id     string // what a link can lead to, on a page; may be empty
}

func (d *document) add(blocks ...any) { d.blocks = append(d.blocks, blocks...) }

func (b *bullets) add(text string) { *b = append(*b, bullet{text: text}) }

func (t *table) add(cells ...string)    { t.rows = append(t.rows, row{cells: cells}) }
func (t *table) strong(cells ...string) { t.rows = append(t.rows, row{cells: cells, strong: true}) }

func left(title string) column  { return column{title: title} }
func right(title string) column { return column{title: title, right: true} }
func spare(title string) column { return column{title: title, right: true, spare: true} }
