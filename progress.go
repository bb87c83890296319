package dyno

import "time"

// Phase is what a run is busy with.
type Phase string

// The phases, in the order in which a run meets them.
const (
	PhaseInstall Phase = "install"
	PhaseGate    Phase = "gate"
	PhaseStart   Phase = "start"
	PhaseWarmUp  Phase = "warm-up"
	PhaseMeasure Phase = "measure"
	PhaseSearch  Phase = "search" // for a capacity
	PhaseDone    Phase = "done"
)

// Progress is one moment of a run, as plain data for whoever shows it. Every Progress is complete
// in itself, so that a display may skip any of them except those with a Note or with CellDone.
type Progress struct {
	Phase Phase  `json:"phase"`
	RunID string `json:"run_id"`

	Cell    Cell   `json:"cell"`    // in work; zero outside of blocks
	Block   int    `json:"block"`   // in work, from 0
	Blocks  int    `json:"blocks"`  // in the plan; 0 when unknown
	Round   int    `json:"round"`   // in work, from 0
	Rounds  int    `json:"rounds"`  // of the cell
	Subject string `json:"subject"` // title of the subject in work; empty when there is none

	TrialsDone    int           `json:"trials_done"` // stored, those before a resume included
	TrialsPlanned int           `json:"trials_planned"`
	Elapsed       time.Duration `json:"elapsed_ns"` // since this execution began
	Left          time.Duration `json:"left_ns"`    // estimate; 0 when unknown

	Figures []Figure `json:"figures,omitempty"` // of the cell in work, in suite order
	// CellDone says that Figures are final: the cell is measured in this block, and stored.
	CellDone bool `json:"cell_done,omitempty"`
	// Note is an event that deserves a line of its own: a void trial, a failed gate, a warning.
	Note string `json:"note,omitempty"`
}

// Figure is the latest known about one subject in the cell in work. It has no interval and is for
// watching only: reports come from verdicts.
type Figure struct {
	Subject       string  `json:"subject"`    // title
	RatePerS      float64 `json:"rate_per_s"` // 0 when not measured yet
	P99Ns         int64   `json:"p99_ns"`
	CPUNsPerReply float64 `json:"server_cpu_ns_per_reply"`
	Void          string  `json:"void,omitempty"` // why the trial does not count
}
