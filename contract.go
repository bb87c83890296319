package dyno

// Case is one promise of a contract, as the gate checks it.
type Case struct {
	Name    string `json:"name"`    // short and stable, e.g. "split-frame"
	Promise string `json:"promise"` // one sentence: what a conforming server does
}

// CaseResult is what one subject did in one case.
type CaseResult struct {
	Case       string `json:"case"`
	OK         bool   `json:"ok"`
	Reason     string `json:"reason,omitempty"` // why it failed: expected against seen, one line
	DurationNs int64  `json:"duration_ns"`      // 0 when the case was not run
}

// GateResult is the outcome of the whole gate for one subject.
type GateResult struct {
	Subject  string       `json:"subject"`
	Contract string       `json:"contract"`
	Cases    []CaseResult `json:"cases"`
	// Fault is why the gate could not be run at all (the server did not start …).
	Fault string `json:"fault,omitempty"`
	// Stderr holds the last lines that the subject wrote to its standard error.
	Stderr []string `json:"stderr,omitempty"`
}

// OK reports whether the subject kept every promise.
func (g GateResult) OK() bool {
	_, failed := g.FirstFailure()
	return g.Fault == "" && len(g.Cases) > 0 && !failed
}

// FirstFailure returns the first broken case, if any.
func (g GateResult) FirstFailure() (CaseResult, bool) {
	for _, c := range g.Cases {
		if !c.OK {
			return c, true
		}
	}
	return CaseResult{}, false
}
