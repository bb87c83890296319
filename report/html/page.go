// Package html renders a report as one self-contained page: no network, no library, light and dark, for screens
// of every width and for paper. Behind every drawing stands its table.
//
// It knows blocks and nothing of verdicts. All text that it is given is foreign to it: cleaned of what is
// invisible and escaped, with a content policy that runs no script but its own.
package html

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"

	"dyno/report/internal/typeset"
)

// Page is a whole report.
type Page struct {
	Title    string
	Question string
	Answer   []Block // what the first screen says
	Blocks   []Block
	Links    []Link // files with the raw data
	Made     string // what made the page, when
}

// Block is one of the types below.
type Block interface{ kind() string }

// Heading begins a section. Those of level 2 make up the table of contents.
type Heading struct {
	Level int
	Text  string
}

// Text is a paragraph.
type Text struct {
	Words string
	// Manner is "" for plain words, "note" for what explains the block before, "alarm" for what must not be
	// overlooked.
	Manner string
}

// List is a list of items.
type List []Item

// Item is one line of a list.
type Item struct {
	Words  string
	Quoted []string // lines as a subject wrote them
	Link   *Link
}

// Link leads somewhere: to an id of this page (#…) or to a file beside it.
type Link struct{ Words, To string }

// Table is a table.
type Table struct {
	Columns []Column
	Rows    []Row
}

// Column is the head of one column.
type Column struct {
	Title string
	Right bool // numbers
}

// Row is one line of a table. With a single cell it is a heading within it.
type Row struct {
	ID     string // what a link can lead to; may be empty
	Cells  []string
	Strong bool
}

// Gallery is a row of drawings.
type Gallery []Figure

// Figure is a drawing, with the table behind it.
type Figure struct {
	Title string
	SVG   string // made by package svg, which escapes
	Note  string
	Table *Table
}

// Fold is closed until somebody opens it.
type Fold struct {
	Summary string
	Blocks  []Block
}

func (Heading) kind() string { return "heading" }
func (Text) kind() string    { return "text" }
func (List) kind() string    { return "list" }
func (*Table) kind() string  { return "table" }
func (Gallery) kind() string { return "gallery" }
func (Fold) kind() string    { return "fold" }

// Slug returns the id of the heading with this text, as GitHub makes it for Markdown, too.
func Slug(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ' || r == '-':
			return '-'
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r > 0x7F && typeset.Clean(string(r)) != "" && !strings.ContainsRune("–—×÷±·…“”‘’", r):
			return r
		}
		return -1
	}, typeset.Clean(text))
}

// Anchor returns text as an id without blanks.
func Anchor(parts ...string) string {
	return "v-" + Slug(strings.Join(parts, "-"))
}

var (
	//go:embed page.css
	style string
	//go:embed page.js
	script string
	//go:embed page.tmpl
	layout string
)

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"kind":  func(b Block) string { return b.kind() },
	"clean": typeset.Clean,
	"slug":  Slug,
	"sections": func(blocks []Block) []string {
		var all []string
		for _, b := range blocks {
			if h, ok := b.(Heading); ok && h.Level == 2 {
				all = append(all, h.Text)
			}
		}
		return all
	},
	"svg":    func(s string) template.HTML { return template.HTML(s) },
	"style":  func() template.CSS { return template.CSS(style) },
	"script": func() template.JS { return template.JS(script) },
	"policy": func() string {
		return fmt.Sprintf("default-src 'none'; style-src 'sha256-%s'; script-src 'sha256-%s'; base-uri 'none'; form-action 'none'", digest(style), digest(script))
	},
}).Parse(layout))

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// Render writes the page. The error is the writer's.
func Render(w io.Writer, p Page) error {
	if err := page.Execute(w, p); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}
