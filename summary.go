package dyno

// Average sums up all workloads of one load. The seeds averaged rates arithmetically, which lets
// the cells with the largest rates speak for all; so the verdict is the geometric mean of ratios.
type Average struct {
	Load  Load      `json:"load"`
	Cells int       `json:"cells"` // averaged over
	Rows  []RateRow `json:"rows"`  // ranked subjects, in suite order
	// Comparisons hold the geometric mean over the cells of the rate ratios, paired by block.
	Comparisons []Comparison `json:"comparisons"`
	// RankedBy is ByCPU when it is so for any of the cells; CPUComparisons are made only then.
	RankedBy       Ranking      `json:"ranked_by"`
	CPUComparisons []Comparison `json:"cpu_comparisons,omitempty"`
}

// RateRow is the arithmetic mean of one subject's rates over the cells of an Average, over the
// blocks in which the subject has a valid trial in each of them.
type RateRow struct {
	Subject  string   `json:"subject"`
	Rank     int      `json:"rank"` // 1 + how many are better by verdict (Average.RankedBy)
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

// CPUShare says what part of a subject's CPU time per reply goes into the work that its baseline does
// without, over all workloads of one load.
type CPUShare struct {
	Subject   string `json:"subject"`
	Baseline  string `json:"baseline"`
	Load      Load   `json:"load"`
	Workloads int    `json:"workloads"` // the ratio is the geometric mean over these
	// Ratio is the baseline's CPU time per reply ÷ the subject's, paired by block.
	Ratio Estimate `json:"ratio"`
	// Low and High are the ends of the interval of the share that holds for all shares of the report
	// together.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Share is the part of the subject's CPU time, e.g. 0.04 for 4 %. It can be negative when noise exceeds it.
func (s CPUShare) Share() float64 { return 1 - s.Ratio.Value }

// Below reports whether the share is known to be smaller than limit. It is not decided while the interval
// holds the limit, or when there is none.
func (s CPUShare) Below(limit float64) (below, decided bool) {
	return s.High < limit, s.Ratio.Known() && (s.High < limit || s.Low >= limit)
}

// ClaimAnswer is what the trials say of a claim under one load, over all its workloads.
type ClaimAnswer struct {
	Claim
	Load  Load     `json:"load"`
	Found Estimate `json:"found"` // rate of A ÷ rate of B
	// Low and High are the ends of the interval that holds for all claims of the report together.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Holds reports whether the claim is true, give or take ClaimTolerance. It is not decided while the interval
// reaches over an end of what would still be true, or when there is none.
func (c ClaimAnswer) Holds() (holds, decided bool) {
	least, most := c.Ratio/ClaimTolerance, c.Ratio*ClaimTolerance
	if !c.Found.Known() {
		return false, false
	}
	inside := c.Low >= least && c.High <= most
	return inside, inside || c.High < least || c.Low > most
}
