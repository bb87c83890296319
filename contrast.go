package dyno

// Contrast is what two sides have in common and how they differ: two runs, two versions of a subject, two
// machines. A is the side to compare with, B the one that is judged.
type Contrast struct {
	A       Side     `json:"a"`
	B       Side     `json:"b"`
	Changes []Change `json:"changes"` // by measure, then by cell, then by subject
	// Missing says what only one side has, a line each.
	Missing []string `json:"missing,omitempty"`
	// Warnings say what else than the subjects differs, a line each.
	Warnings []string `json:"warnings,omitempty"`
}

// Side is one side of a contrast.
type Side struct {
	Run Run `json:"run"`
	// Subject narrows the side to one subject, which is compared with that of the other side whatever
	// they are called; empty for all, compared by name.
	Subject string `json:"subject,omitempty"`
}

// Measure is what is compared.
type Measure string

// The measures, in the order of reports. Each is a family of its own: the first is what most people ask for,
// and is not made weaker by what else is shown.
const (
	Throughput  Measure = "throughput"
	MeanTime    Measure = "mean"
	P50Time     Measure = "p50"
	P95Time     Measure = "p95"
	P99Time     Measure = "p99"
	SessionTime Measure = "session" // mean length of what a virtual user does, where there are any
	CPUCost     Measure = "cpu"
	PeakMemory  Measure = "rss"
	StartUp     Measure = "startup"
)

// Measures returns all measures in the order of reports.
func Measures() []Measure {
	return []Measure{Throughput, MeanTime, P50Time, P95Time, P99Time, SessionTime, CPUCost, PeakMemory, StartUp}
}

// MoreIsBetter reports whether a measure that grows is good news.
func (m Measure) MoreIsBetter() bool { return m == Throughput }

// The outcomes of a change, beside Tie and Undecided.
const (
	Better Outcome = "better"
	Worse  Outcome = "worse"
)

// Change is what became of one measure in one cell from A to B.
type Change struct {
	Measure  Measure `json:"measure"`
	Cell     Cell    `json:"cell"`
	SubjectA string  `json:"subject_a"`
	SubjectB string  `json:"subject_b"`

	ValueA Estimate `json:"value_a"` // in the unit of the measure: 1/s, ns, ns of CPU per reply, bytes
	ValueB Estimate `json:"value_b"`
	Ratio  Estimate `json:"ratio"` // B ÷ A; its N is the number of fresh processes of the side with fewer
	// Paired tells that both were measured in the same blocks: what the machine did meanwhile cancels out.
	Paired bool `json:"paired"`

	P       float64 `json:"p"`        // two-sided p-value of ratio = 1
	PFamily float64 `json:"p_family"` // P corrected for all changes of the measure
	Outcome Outcome `json:"outcome"`
	Reason  string  `json:"reason"`
}

// Share returns the change as a share of A, e.g. -0.05 for 5 % less.
func (c Change) Share() float64 { return c.Ratio.Value - 1 }
