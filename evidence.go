package dyno

// Evidence is what single trials showed, for whoever wants to look behind a verdict. It decides nothing.
type Evidence struct {
	Cells []CellEvidence `json:"cells"`
}

// CellEvidence is the evidence of one cell, subjects in suite order, the ceiling and baselines included.
type CellEvidence struct {
	Cell     Cell              `json:"cell"`
	Subjects []SubjectEvidence `json:"subjects"`
}

// SubjectEvidence is what the processes of one subject did in one cell.
type SubjectEvidence struct {
	Subject string `json:"subject"`
	// LatencyNs are quantiles of the latency of all valid trials together, from the median to the largest.
	LatencyNs []QuantileNs   `json:"latency_quantiles_ns"`
	Trials    []TrialFigures `json:"trials"` // by block
}

// QuantileNs is one point of a distribution: Share of the values are at most Ns.
type QuantileNs struct {
	Share float64 `json:"share"` // 0 to 1
	Ns    int64   `json:"ns"`
}

// TrialFigures are the figures of one trial.
type TrialFigures struct {
	Block        int        `json:"block"`
	Void         string     `json:"void,omitempty"` // why it does not count; its figures are then zero
	RatePerS     float64    `json:"rate_per_s"`
	CPUNs        float64    `json:"server_cpu_ns_per_reply"`
	P50Ns        int64      `json:"latency_p50_ns"`
	P99Ns        int64      `json:"latency_p99_ns"` // 0 where the trial had too few replies to tell
	MaxNs        int64      `json:"latency_max_ns"`
	PeakRSSBytes int64      `json:"peak_rss_bytes"`
	StartUpNs    int64      `json:"start_up_ns"`
	WarmUpNs     int64      `json:"warm_up_ns"`
	Steadiness   Steadiness `json:"steadiness,omitempty"`
	BusyShare    float64    `json:"client_busy_share"`
	GCPauseNs    int64      `json:"client_gc_pause_ns"`
	Reconnects   int64      `json:"reconnects"`
	Poller       string     `json:"client_poller,omitempty"`
	Slices       []Slice    `json:"slices"`
}

// Find returns the evidence of a subject in a cell.
func (e Evidence) Find(cell Cell, subject string) (SubjectEvidence, bool) {
	for _, c := range e.Cells {
		if c.Cell != cell {
			continue
		}
		for _, s := range c.Subjects {
			if s.Subject == subject {
				return s, true
			}
		}
	}
	return SubjectEvidence{}, false
}
