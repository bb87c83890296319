package adhoc

import (
	"os"
	"path/filepath"
	"testing"

	"dyno/internal/schema"
)

// TestJSONIsAsItsSchemaSays holds all golden documents to docs/load.schema.json and docs/capacity.schema.json.
// -update writes these files from the Go types and their comments.
func TestJSONIsAsItsSchemaSays(t *testing.T) {
	load := schema.Of(t, Schema, "What dyno http and dyno tcp write with --json", document{}, "../..", ".")
	load.Golden(t, "../../../docs/load.schema.json")
	capacity := schema.Of(t, CapacitySchema, "What dyno capacity writes with --json", capacityDocument{}, "../..", ".")
	capacity.Golden(t, "../../../docs/capacity.schema.json")
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden documents: ", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Base(file) == "capacity.json" {
			capacity.Holds(t, file, text)
		} else {
			load.Holds(t, file, text)
		}
	}
}
