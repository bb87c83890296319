package calibrate

import (
	"errors"
	"strings"
	"testing"
	"time"

	"dyno"
	"dyno/internal/golden"
	"dyno/internal/schema"
)

// TestJSONIsAsItsSchemaSays holds the results of all experiments to docs/experiment.schema.json. -update writes it
// from the Go types and their comments.
func TestJSONIsAsItsSchemaSays(t *testing.T) {
	document := schema.Of(t, ResultSchema, "What dyno lab --json writes", resultDocument{}, "../..", ".")
	document.Golden(t, "../../../docs/experiment.schema.json")
	for name, do := range does {
		found, err := do(t.Context(), newMemory(t, 1000).experiment())
		if err != nil {
			t.Fatal(err)
		}
		r := Result{
			Experiment: name, Suite: "s", Seed: 3, Runs: []string{"s-" + name + "-20261121-084812"}, Dyno: "0.1.0",
			Machine: dyno.Machine{CPUs: 2}, EndedAt: time.Unix(1795250892, 0).UTC(), Ended: EndedEnough, Promises: []dyno.PromisedRate{},
		}
		switch found := found.(type) {
		case dyno.CloneCheck:
			r.Clones, r.Promises = &found, found.Promises()
		case NoiseTally:
			r.Noise, r.Promises = &found, found.Promises()
		case SlicingCheck:
			r.Slicing = &found
		}
		var out strings.Builder
		if err := r.WriteJSON(&out); err != nil {
			t.Fatal(err)
		}
		document.Holds(t, name, []byte(out.String()))
		if name == "noise" {
			golden.Check(t, "noise.json", out.String())
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestJSONThatCannotBeWrittenIsOneLine(t *testing.T) {
	if err := (Result{Experiment: "noise"}).WriteJSON(full{}); err == nil || err.Error() != "write lab noise as JSON: no space left" {
		t.Error(err)
	}
}
