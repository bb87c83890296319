package dyno

// Estimate is a figure with its doubt. A figure without N is never printed.
type Estimate struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`  // 95 % interval
	High  float64 `json:"high"` // Low and High are NaN-free; with N < 2 they are 0 and the interval is unknown
	N     int     `json:"n"`    // fresh processes
}

// Known reports whether the estimate has an interval (at least two fresh processes).
func (e Estimate) Known() bool { return e.N >= 2 }

// Outcome is what a comparison established.
type Outcome string

// The outcomes. A winner needs Faster against everyone.
const (
	Faster    Outcome = "faster"
	Slower    Outcome = "slower"
	Tie       Outcome = "tie"       // the whole interval lies within ±1 %
	Undecided Outcome = "undecided" // the evidence does not reach

	// Cheaper and Dearer are what comparisons of CPU cost establish.
	Cheaper Outcome = "cheaper"
	Dearer  Outcome = "dearer"
)

// Comparison is the verdict on two subjects in one cell: A's rate over B's, or B's CPU cost over A's, so that
// a ratio above 1 always speaks for A.
type Comparison struct {
	A       string   `json:"a"`
	B       string   `json:"b"`
	Ratio   Estimate `json:"ratio"`    // paired by block, rates by round as well
	P       float64  `json:"p"`        // two-sided p-value of ratio = 1
	PFamily float64  `json:"p_family"` // P corrected for all comparisons of the report
	Outcome Outcome  `json:"outcome"`
	Reason  string   `json:"reason"` // one line, true from either side, e.g. "±2.3 % after 6 blocks"
	// MoreBlocks would probably decide, if mean and spread stayed as they are; 0 when decided or unknown.
	MoreBlocks int `json:"more_blocks,omitempty"`
	// DroppedBlocks could not be paired: more than half of their rounds had a flagged slice.
	DroppedBlocks int `json:"dropped_blocks,omitempty"`
}

// Row is everything known about one subject in one cell.
type Row struct {
	Subject  string   `json:"subject"`
	Rank     int      `json:"rank,omitempty"` // 1 + how many are better by verdict (CellVerdict.RankedBy); 0 when not ranked
	RatePerS Estimate `json:"rate_per_s"`
	MeanNs   Estimate `json:"latency_mean_ns"`
	P50Ns    Estimate `json:"latency_p50_ns"`
	P99Ns    Estimate `json:"latency_p99_ns"`
	P999Ns   Estimate `json:"latency_p99_9_ns"`
	MaxNs    int64    `json:"latency_max_ns"` // largest seen in any trial; has no interval
	// FewestReplies has the trial with the fewest replies. High quantiles need many of them; one that has
	// too few in any trial is without N.
	FewestReplies int64     `json:"fewest_replies"`
	CPUNs         Estimate  `json:"server_cpu_ns_per_reply"`
	PeakRSS       Estimate  `json:"peak_rss_bytes"`
	StartUpNs     Estimate  `json:"start_up_ns"`
	BusyShare     float64   `json:"client_busy_share"`
	Pollers       []string  `json:"client_pollers,omitempty"` // of the valid trials, where it is known
	OfCeiling     float64   `json:"of_ceiling"`               // rate ÷ the null server's rate in the same cell; 0 when unknown
	ClientBound   bool      `json:"client_bound"`             // the figure is a lower bound
	NearCeiling   bool      `json:"near_ceiling"`             // more than half of the ceiling: the difference to others is damped
	Seen          Seen      `json:"seen"`
	Work          *WorkRow  `json:"work,omitempty"`   // where the subject kept the time of its own work
	Visits        *VisitRow `json:"visits,omitempty"` // where virtual users were the load
	// Trials by how they reached a steady state; the others were at their level from the start.
	WarmedUp   int      `json:"warmed_up"`
	SlowedDown int      `json:"slowed_down"`
	Unsettled  int      `json:"unsettled"` // never reached one
	Voids      []string `json:"voids,omitempty"`
	Flagged    int      `json:"flagged_slices"`
	Slices     int      `json:"slices"`
}

// VisitRow is how virtual users fared. Response times count from when a request was ready, connecting included, to the
// last byte of its reply.
type VisitRow struct {
	Sum          Visits   `json:"sum"` // over all valid trials
	RequestsPerS Estimate `json:"requests_per_s"`
	P95Ns        Estimate `json:"response_p95_ns"`
	SessionNs    Estimate `json:"session_mean_ns"`
	// What was seen over all valid trials together.
	FirstByteSeenNs Distribution `json:"first_byte_seen_ns"`
	ResponseSeenNs  Distribution `json:"response_seen_ns"`
	SessionSeenNs   Distribution `json:"session_seen_ns"`
}

// Seen describes what was measured, over all valid trials together, as load generators print it. It claims
// nothing about what another run would see, so no interval belongs to it.
type Seen struct {
	Replies   int64        `json:"replies"` // verified and counted
	BytesRead int64        `json:"bytes_read"`
	LatencyNs Distribution `json:"latency_ns"`
	RatePerS  Distribution `json:"rate_per_s"`  // over slices
	BytesPerS Distribution `json:"bytes_per_s"` // over slices, heads of replies included
}

// Distribution is the shape of a sample.
type Distribution struct {
	Min   float64 `json:"min"`
	P1    float64 `json:"p1"`
	P2_5  float64 `json:"p2_5"`
	P50   float64 `json:"p50"`
	P95   float64 `json:"p95"`
	P97_5 float64 `json:"p97_5"`
	P99   float64 `json:"p99"`
	Max   float64 `json:"max"`
	Mean  float64 `json:"mean"`
	SD    float64 `json:"sd"`
}

// WorkRow is what operations cost by the subject's own clock.
type WorkRow struct {
	NsPerOperation Estimate `json:"ns_per_operation"`
	BytesPerS      Estimate `json:"bytes_per_s"` // moved; without N where bytes mean nothing
	// OfCopy is the share of the bytes per second that the same subject reached in the same blocks when it
	// only copied such bytes; without N where no workload does that.
	OfCopy Estimate `json:"of_copy"`
	// AllocatedBytes and Allocations are per operation, over all trials; -1 where the runtime does not tell.
	AllocatedBytes float64 `json:"allocated_bytes_per_operation"`
	Allocations    float64 `json:"allocations_per_operation"`
}

// CellVerdict is the verdict on one cell.
type CellVerdict struct {
	Cell    Cell  `json:"cell"`
	Rows    []Row `json:"rows"`              // ranked subjects, in suite order
	Ceiling *Row  `json:"ceiling,omitempty"` // the null server
	// Baselines are servers without a part of their work; they are not ranked.
	Baselines []Row  `json:"baselines,omitempty"`
	Winner    string `json:"winner,omitempty"` // subject faster than every other; else empty
	// Outcome is Faster when there is a winner, else Tie when all best subjects tie, else Undecided.
	Outcome     Outcome      `json:"outcome"`
	Comparisons []Comparison `json:"comparisons"`
	// RankedBy says what the ranks are made by: server CPU where a rate says as much about the client as
	// about a subject. CPUComparisons are made only then.
	RankedBy       Ranking      `json:"ranked_by"`
	CPUComparisons []Comparison `json:"cpu_comparisons,omitempty"`
	// ByMeasure holds the comparisons of a cell whose load are virtual users, who set the rate themselves: there are
	// no Comparisons then. Each measure is a family of its own; Winner, Outcome and ranks are those of the first.
	ByMeasure []MeasureVerdict `json:"by_measure,omitempty"`
}

// MeasureVerdict compares all pairs of a cell by one measure.
type MeasureVerdict struct {
	Measure     Measure      `json:"measure"`
	Winner      string       `json:"winner,omitempty"` // better than every other; else empty
	Outcome     Outcome      `json:"outcome"`          // Faster when there is a winner, else Tie or Undecided
	Comparisons []Comparison `json:"comparisons"`      // ratios are B's figure ÷ A's: above 1 speaks for A
}

// Ranking is the figure that ranks are made by.
type Ranking string

// The rankings.
const (
	ByRate Ranking = "rate"
	ByCPU  Ranking = "server_cpu"   // some row is client-bound or near the ceiling
	ByTime Ranking = "response_p95" // virtual users are the load
)

// Verdict is everything that follows from the stored trials of a run.
type Verdict struct {
	Run      Run           `json:"run"`
	Cells    []CellVerdict `json:"cells"`
	Trials   int           `json:"trials"`  // stored
	Planned  int           `json:"planned"` // in the plan
	Voids    int           `json:"voids"`
	Compared int           `json:"compared"` // size of the family that p-values are corrected for
	Averages []Average     `json:"averages"` // one for each load with several cells
	Scalings []Scaling     `json:"scalings"` // from the load with the fewest connections
	Shares   []CPUShare    `json:"shares,omitempty"`
	Claims   []ClaimAnswer `json:"claims,omitempty"`
	Noise    RunNoise      `json:"noise"`
	// Capacity is what the searches for capacities established; nil where there were none.
	Capacity *CapacityVerdict `json:"capacity,omitempty"`
	// Clones is what became of the verdicts in an experiment with clones (dyno run --aa, dyno lab); else nil.
	Clones *CloneCheck `json:"clones,omitempty"`
	// VoidTrials are the trials that do not count, in the order of blocks and cells.
	VoidTrials []VoidTrial `json:"void_trials,omitempty"`
}

// RunNoise says what disturbed a run, by rules that never look at the outcome.
type RunNoise struct {
	Places      int `json:"places"`       // cells of blocks that were measured
	Disturbed   int `json:"disturbed"`    // of them, those with a flagged slice in most rounds
	ExtraRounds int `json:"extra_rounds"` // beyond those planned: because slices varied, or to make up for disturbed ones
	AtLimit     int `json:"at_limit"`     // places whose rounds went on to the limit and did not reach Method.BlockError before it
	// LoopSpread is how much longer a fixed piece of work took at the slowest than at the quickest, e.g.
	// 0.07; 0 when nobody timed it.
	LoopSpread     float64 `json:"loop_spread"`
	ThrottleEvents int64   `json:"throttle_events"` // of the CPUs in use, for heat
	Drifts         []Drift `json:"drifts,omitempty"`
	// Trends are changes within a trial, from its first slice to its last: a warm-up that was not over.
	Trends []Drift `json:"trends,omitempty"`
}

// Drift says how a subject's rate changed over a run, or over its trials. Ratios are paired within rounds, so that over
// a run does not move them.
// The intervals hold for all subjects of the run together with 95 %.
type Drift struct {
	Subject string   `json:"subject"`
	Ratio   Estimate `json:"ratio"` // rate in the last block or slice ÷ rate in the first, by a line through all; geometric mean over cells
}

// Found reports whether the rate is known to have changed by more than 1 %.
func (d Drift) Found() bool {
	return d.Ratio.Low > 1.01 || d.Ratio.High < 1/1.01
}

// VoidTrial says why a trial does not count.
type VoidTrial struct {
	TrialKey
	Reason string   `json:"reason"`
	Stderr []string `json:"stderr,omitempty"` // last lines of the subject's stderr
}

// Compare finds the comparison of a with b, turned so that A is a.
func (c CellVerdict) Compare(a, b string) (Comparison, bool) { return find(c.Comparisons, a, b) }

func find(comparisons []Comparison, a, b string) (Comparison, bool) {
	for _, x := range comparisons {
		if x.A == a && x.B == b {
			return x, true
		}
		if x.A == b && x.B == a {
			return x.Flip(), true
		}
	}
	return Comparison{}, false
}

// Flip returns the same verdict seen from B.
func (c Comparison) Flip() Comparison {
	c.A, c.B = c.B, c.A
	r := c.Ratio
	c.Ratio = Estimate{Value: inverse(r.Value), Low: inverse(r.High), High: inverse(r.Low), N: r.N}
	switch c.Outcome {
	case Faster:
		c.Outcome = Slower
	case Slower:
		c.Outcome = Faster
	case Cheaper:
		c.Outcome = Dearer
	case Dearer:
		c.Outcome = Cheaper
	}
	return c
}

func inverse(x float64) float64 {
	if x == 0 {
		return 0
	}
	return 1 / x
}
