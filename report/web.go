package report

import (
	"fmt"
	"io"
	"strings"

	"dyno"
	"dyno/report/html"
	"dyno/report/internal/chart"
	"dyno/report/internal/typeset"
)

// Link names a file with raw data, relative to where the page will lie.
type Link struct{ Words, Path string }

// DrawnMax is how many subjects a drawing of curves, or of service times over time, has room for.
const DrawnMax = chart.SeriesMax

// PageOptions say what a page shows.
type PageOptions struct {
	Draw  []string // names of at most DrawnMax subjects to draw where not all have room; empty: those with the highest rates
	Links []Link   // to the files beside the page; without them it stands alone
}

// HTML writes the report as one self-contained page, with drawings, their tables, and the figures of every trial.
// The error is the writer's.
func HTML(w io.Writer, v dyno.Verdict, evidence dyno.Evidence, o PageOptions) error {
	p := web{editor: newEditor(v), evidence: evidence, draw: o.Draw}
	page := html.Page{
		Title:    firstOf(v.Run.Suite.Title, v.Run.Suite.Name, v.Run.ID),
		Question: p.question(),
		Answer:   p.answer(),
		Blocks:   p.body(),
		Made:     "Made by dyno " + firstOf(v.Run.Dyno, "of unknown version") + " from run " + firstOf(v.Run.ID) + ". Every figure follows from its stored trials.",
	}
	for _, l := range o.Links {
		page.Links = append(page.Links, html.Link{Words: l.Words, To: l.Path})
	}
	var out strings.Builder
	if err := html.Render(&out, page); err != nil {
		return err
	}
	return write(w, out.String())
}

// web is an editor that has the single trials as well, for drawings.
type web struct {
	editor
	evidence dyno.Evidence
	draw     []string // subjects to draw; empty: the fastest
}

// question says in a line what the suite asks.
func (p web) question() string {
	first, second, ok := p.duellists()
	subjects := p.ranked()
	switch {
	case ok:
		return fmt.Sprintf("%s or %s: which is faster, by how much, how sure is that, and what does it cost?", p.title(first), p.title(second))
	case len(subjects) == 0 && p.v.Capacity != nil:
		return "How much does each hold before it breaks its promise, and how sure is that?"
	case len(subjects) > 1:
		return fmt.Sprintf("Which of %d %ss is the fastest, by how much, how sure is that, and what does it cost?", len(subjects), strings.ToLower(p.words.Subject))
	case len(subjects) == 1:
		return fmt.Sprintf("How fast is %s, and what does it cost?", p.title(subjects[0]))
	}
	return "What was measured?"
}

// answer is the first screen: the verdict, its certainty, the machine and the versions.
func (p web) answer() []html.Block {
	var d document
	p.partial(&d)
	p.headline(&d)
	var lines bullets
	lines.add("Machine: " + p.machine())
	lines.add("Versions: " + p.versions())
	d.add(lines)
	return p.blocks(d)
}

// body is everything below the first screen.
func (p web) body() []html.Block {
	var d document
	p.runtimes(&d)
	p.clones(&d)
	p.findings(&d)
	p.adviceSection(&d)
	if p.v.Run.Suite.Contract == codecContract {
		p.codecDrawings(&d)
		p.codec(&d)
	} else {
		for _, load := range p.loads() {
			p.loadSection(&d, load)
		}
		p.drawn(&d, p.scaling, p.scalingDrawing)
		p.drawn(&d, p.latency, p.latencyDrawings)
		p.visits(&d)
	}
	p.drawn(&d, p.capacitySection, p.capacityDrawings)
	p.pairs(&d)
	p.drawn(&d, p.cost, p.costDrawings)
	p.packages(&d)
	p.shares(&d)
	p.claims(&d)
	p.verdicts(&d)
	p.notMeasured(&d)
	p.voids(&d)
	p.instrument(&d)
	p.suspects(&d)
	p.undecided(&d)
	p.everyTrial(&d)
	if p.overHTTP() {
		p.folded(&d, "In autocannon's tables", p.cannon)
	}
	p.setting(&d)
	p.howToRead(&d)
	return p.blocks(d)
}

// drawn adds a section of the report with drawings below its heading.
func (p web) drawn(d *document, section func(*document), drawings func() []any) {
	var tables document
	section(&tables)
	if len(tables.blocks) == 0 {
		return
	}
	d.add(tables.blocks[0])
	d.add(drawings()...)
	d.add(tables.blocks[1:]...)
}

// folded adds a section that few people read, closed, with its heading as the words to click on.
func (p web) folded(d *document, summary string, section func(*document)) {
	var inside document
	section(&inside)
	if len(inside.blocks) > 0 {
		d.add(html.Fold{Summary: summary, Blocks: p.blocks(inside)})
	}
}

// blocks turns a document into blocks of a page. What is one already stays what it is.
func (p web) blocks(d document) []html.Block {
	var all []html.Block
	for _, b := range d.blocks {
		switch b := b.(type) {
		case html.Block:
			all = append(all, b)
		case heading:
			all = append(all, html.Heading{Level: max(b.level, 2), Text: b.text})
		case paragraph:
			all = append(all, html.Text{Words: string(b)})
		case note:
			all = append(all, html.Text{Words: string(b), Manner: "note"})
		case alarm:
			all = append(all, html.Text{Words: string(b), Manner: "alarm"})
		case bullets:
			all = append(all, p.list(b))
		case *table:
			all = append(all, webTable(b))
		}
	}
	return all
}

func (p web) list(b bullets) html.List {
	var list html.List
	for _, item := range b {
		i := html.Item{Words: item.text}
		for _, l := range item.quoted {
			i.Quoted = append(i.Quoted, typeset.Cut(typeset.Clean(l), quotedMax))
		}
		if item.link.Section != "" {
			i.Link = p.linkOf(item.link)
		}
		list = append(list, i)
	}
	return list
}

// linkOf leads to what backs a finding: the row of its verdict, or else the section with its figures.
func (p web) linkOf(f Finding) *html.Link {
	if f.pair[0] != "" && p.told(f.cell, f.pair[0], f.pair[1]) {
		return &html.Link{Words: "the verdict", To: "#" + verdictID(f.cell, f.pair[0], f.pair[1])}
	}
	return &html.Link{Words: "the figures", To: "#" + html.Slug(f.Section)}
}

func webTable(t *table) *html.Table {
	out := &html.Table{}
	for _, c := range t.columns {
		out.Columns = append(out.Columns, html.Column{Title: c.title, Right: c.right})
	}
	for _, r := range t.rows {
		out.Rows = append(out.Rows, html.Row{Cells: r.cells, Strong: r.strong, ID: r.id})
	}
	return out
}
