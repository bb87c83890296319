// Package report renders a verdict for people (terminal text, Markdown, HTML) and for programs (JSON), and so a
// comparison.
//
// It says what the verdict says and nothing more: it computes no statistics, ranks nobody whom the
// verdict does not rank, and prints no figure without its unit and its interval. It does no I/O
// but writing to the writer it is given.
package report

import (
	"encoding/json"
	"fmt"
	"io"

	"dyno"
)

const (
	widthMax = 100 // columns of a terminal that people really have
	widthMin = 60  // below this the tables cannot be told from noise
)

// Options say how Text looks.
type Options struct {
	Width int  // columns, 60 to 100; 0 means 100
	Color bool // use bold and dim of the terminal
}

// Text writes the report for a terminal. No line is wider than the options allow, as long as the
// figures themselves fit. The error is the writer's.
func Text(w io.Writer, v dyno.Verdict, o Options) error {
	r := textRenderer{width: o.width(), color: o.Color}
	return write(w, r.render(composeText(v)))
}

func (o Options) width() int {
	if o.Width <= 0 {
		return widthMax
	}
	return min(max(o.Width, widthMin), widthMax)
}

// Markdown writes the report in GitHub's flavour of Markdown. The error is the writer's.
func Markdown(w io.Writer, v dyno.Verdict) error {
	return write(w, markdown(compose(v)))
}

// Schema names the JSON that JSON writes. It changes when a key changes its meaning or goes; new keys do not change
// it. docs/JSON.md says what the keys mean.
const Schema = "dyno.report/1"

// verdictDocument is a verdict as JSON.
type verdictDocument struct {
	Schema string `json:"schema"`
	dyno.Verdict
}

// JSON writes the verdict itself, indented. The error is the writer's, or that of a figure that
// JSON cannot hold.
func JSON(w io.Writer, v dyno.Verdict) error {
	b, err := json.MarshalIndent(verdictDocument{Schema, v}, "", "  ")
	if err != nil {
		return fmt.Errorf("report of %s as JSON: %w", v.Run.ID, err)
	}
	return write(w, string(b)+"\n")
}

func write(w io.Writer, s string) error {
	if _, err := io.WriteString(w, s); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}
