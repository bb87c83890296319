package dyno

// Average sums up all workloads of one load. The seeds averaged rates arithmetically, which lets
// the cells with the largest rates speak for all; so the verdict is the geometric mean of ratios.
type Average struct {
	Load  Load      `json:"load"`
	Cells int       `json:"cells"` // averaged over
	Rows  []RateRow `json:"rows"`  // ranked subjects, in suite order
	// Comparisons hold the geometric mean over the cells of the rate ratios, paired by block.
	Comparisons []Comparison `json:"comparisons"`
}

// RateRow is the arithmetic mean of one subject's rates over the cells of an Average, over the
// blocks in which the subject has a valid trial in each of them.
type RateRow struct {
	Subject  string   `json:"subject"`
	Rank     int      `json:"rank"` // 1 + how many are faster by verdict
	RatePerS Estimate `json:"rate_per_s"`
	// CPUNs is the geometric mean over the cells of the server's CPU time per reply.
	CPUNs Estimate `json:"server_cpu_ns_per_reply"`
	// OfCeiling is the geometric mean over the cells of the rate ÷ the null server's; 0 when unknown.
	OfCeiling float64 `json:"of_ceiling"`
}

// Scaling says how one subject's rate grows with the number of connections.
type Scaling struct {
	Subject   string   `json:"subject"`
	From      Load     `json:"from"`
	To        Load     `json:"to"`
	Workloads int      `json:"workloads"` // the ratio is the geometric mean over these
	Ratio     Estimate `json:"ratio"`     // rate under To ÷ rate under From, paired by block
}

// Compare finds the comparison of x with y, turned so that A is x.
func (a Average) Compare(x, y string) (Comparison, bool) { return find(a.Comparisons, x, y) }

// Row finds the row of a subject.
func (a Average) Row(subject string) (RateRow, bool) {
	for _, r := range a.Rows {
		if r.Subject == subject {
			return r, true
		}
	}
	return RateRow{}, false
}
