package calibrate

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"dyno"
)

// ResultSchema names the JSON that a Result writes. It changes when a key changes its meaning or goes; new keys do
// not change it. docs/JSON.md says what the keys mean.
const ResultSchema = "dyno.experiment/1"

// Ended says why an experiment ended.
type Ended string

// The ends of an experiment.
const (
	EndedEnough      Ended = "enough"      // as much was counted as it takes to hold dyno to its promise
	EndedBudget      Ended = "budget"      // its time was over
	EndedInterrupted Ended = "interrupted" // by a person or a fault: it says what was counted until then
)

// Result is what an experiment found out about dyno. One of Clones, Noise and Slicing is set.
type Result struct {
	Experiment string       `json:"experiment"` // power, noise or slicing
	Suite      string       `json:"suite"`      // lent its contract, cells and method
	Quick      bool         `json:"quick"`      // the suite in its quick form
	Seed       uint64       `json:"seed"`       // every random order follows from it
	Runs       []string     `json:"runs"`       // ids of the stored runs that were counted
	Dyno       string       `json:"dyno"`       // version of dyno
	Machine    dyno.Machine `json:"machine"`
	EndedAt    time.Time    `json:"ended_at"`
	Ended      Ended        `json:"ended"`

	Promises []dyno.PromisedRate `json:"promises"` // none of slicing, which estimates
	Clones   *dyno.CloneCheck    `json:"clones,omitempty"`
	Noise    *NoiseTally         `json:"noise,omitempty"`
	Slicing  *SlicingCheck       `json:"slicing,omitempty"`
}

// resultDocument is a result as JSON.
type resultDocument struct {
	Schema string `json:"schema"`
	Result
}

// WriteJSON writes the result, indented. The error is the writer's, or that of a figure that JSON cannot hold.
func (r Result) WriteJSON(w io.Writer) error {
	b, err := json.MarshalIndent(resultDocument{ResultSchema, r}, "", "  ")
	if err == nil {
		_, err = w.Write(append(b, '\n'))
	}
	if err != nil {
		return fmt.Errorf("write lab %s as JSON: %w", r.Experiment, err)
	}
	return nil
}
