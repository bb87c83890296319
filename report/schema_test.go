package report

import (
	"bytes"
	"testing"

	"dyno/internal/schema"
)

// TestJSONIsAsItsSchemaSays holds every kind of run to docs/report.schema.json, and comparisons to
// docs/contrast.schema.json. -update writes these files from the Go types and their comments.
func TestJSONIsAsItsSchemaSays(t *testing.T) {
	verdict := schema.Of(t, Schema, "What dyno report --format json writes", verdictDocument{}, "..", ".")
	verdict.Golden(t, "../../docs/report.schema.json")
	for name, s := range scenes() {
		var out bytes.Buffer
		if err := JSON(&out, s.verdict()); err != nil {
			t.Fatal(err)
		}
		verdict.Holds(t, name, out.Bytes())
	}
	contrast := schema.Of(t, ContrastSchema, "What dyno compare --format json writes", contrastDocument{}, "..", ".")
	contrast.Golden(t, "../../docs/contrast.schema.json")
	c, judged := regression()
	var out bytes.Buffer
	if err := ContrastJSON(&out, c, judged); err != nil {
		t.Fatal(err)
	}
	contrast.Holds(t, "a regression", out.Bytes())
}
