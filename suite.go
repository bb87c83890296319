package dyno

import (
	"slices"
	"time"
)

// Suite says what to measure: which subjects, under which cells, by which method.
type Suite struct {
	Name     string   `json:"name"`     // file name without .yaml
	Title    string   `json:"title"`    // heading of the report
	Contract string   `json:"contract"` // every subject must keep it
	Subjects []string `json:"subjects"` // names, in table order
	// Baselines says that the subjects' baselines are measured beside them (Subject.BaselineOf).
	Baselines bool `json:"baselines,omitempty"`
	// Versus names the two subjects that the winner tables compare.
	Versus [2]string `json:"versus"`
	Claims []Claim   `json:"claims,omitempty"`
	Cells  []Cell    `json:"cells"`
	// Scripts are the scenarios that cells name as their workloads.
	Scripts []Script `json:"scripts,omitempty"`
	Method  Method   `json:"method"`
	Quick   bool     `json:"quick,omitempty"` // the suite in its quick form
	// Capacity says how capacities are searched for after the cells of a block; nil for not at all.
	Capacity *CapacityPlan `json:"capacity,omitempty"`
}

// AdHoc reports whether the suite is a script that was run against a server which was there already (dyno scenario): it
// keeps no contract, and all blocks share its process.
func (s Suite) AdHoc() bool { return s.Contract == "" && len(s.Scripts) > 0 }

// Script is an Artillery script as it was when the run began.
type Script struct {
	Name   string `json:"name"`   // of the file
	Path   string `json:"path"`   // on the machine that measured
	Digest string `json:"digest"` // of the script and of the files that it names (data, processor)
	Text   string `json:"text"`
}

// Method is how a suite is measured (docs/METHOD.md says why).
type Method struct {
	Blocks      int           `json:"blocks"`       // fresh processes of every subject
	Rounds      int           `json:"rounds"`       // slices of each subject in a cell of a block
	Slice       time.Duration `json:"slice_ns"`     // length of a slice, its skipped head included
	Skip        time.Duration `json:"skip_ns"`      // head of a slice that is not counted
	WarmUpMax   time.Duration `json:"warm_up_ns"`   // give up waiting for steady state after this
	Continuous  bool          `json:"continuous"`   // one window a trial instead of slices
	ReplyWithin time.Duration `json:"reply_within"` // a reply later than this is a timeout
	// Poller is what the client asks the kernel with: epoll, io_uring, or auto (also when empty) for the cheaper one
	// of each load.
	Poller string `json:"poller,omitempty"`

	// Precision, e.g. 0.01 for ±1 %, makes Blocks an upper limit: the run ends when every comparison is
	// decided or known this closely, and its intervals hold at every look. 0: intervals of a fixed n.
	Precision float64 `json:"precision,omitempty"`
	// BlockError, e.g. 0.01 for 1 %, lets the rounds of a cell in a block go on, up to RoundsMost, until the log ratio of
	// two subjects is known with this standard error, rounds being what varies. 0: as many as Rounds.
	BlockError float64 `json:"block_error,omitempty"`
}

// roundsGrowth is how many times as many rounds as planned a block may take for its BlockError. Ten make it known three
// times as closely; more of them are better spent on further blocks.
const roundsGrowth = 10

// RoundsPlanned returns how many slices a trial has when nothing is disturbed and nothing more is wanted. A continuous
// trial is one.
func (m Method) RoundsPlanned() int {
	if m.Continuous {
		return 1
	}
	return m.Rounds
}

// Window returns how long a slice is. That of a continuous trial is as long as all of them.
func (m Method) Window() time.Duration {
	if m.Continuous {
		return time.Duration(m.Rounds) * m.Slice
	}
	return m.Slice
}

// RoundsMost returns how many rounds a cell of a block may take when nothing is disturbed.
func (m Method) RoundsMost() int {
	if m.BlockError == 0 || m.Continuous {
		return m.RoundsPlanned()
	}
	return roundsGrowth * m.Rounds
}

// Claim is something that was published about two subjects, for a verdict to answer: the rate of A is
// Ratio times that of B, give or take ClaimTolerance.
type Claim struct {
	Said  string  `json:"said"` // e.g. "json ≈ 2× zod"
	A     string  `json:"a"`
	B     string  `json:"b"`
	Ratio float64 `json:"ratio"`
}

// ClaimTolerance is how far a ratio may lie from the claimed one and still be "about" it, as a factor.
const ClaimTolerance = 1.1

// Only returns the suite with no other subjects than names, in their order. When one of the two that
// the winner tables compare is gone, the first two that are left take their places.
func (s Suite) Only(names []string) Suite {
	s.Subjects = names
	s.Claims = slices.DeleteFunc(slices.Clone(s.Claims), func(c Claim) bool {
		return !slices.Contains(names, c.A) || !slices.Contains(names, c.B)
	})
	asked := s.Versus != [2]string{}
	if !asked || slices.Contains(names, s.Versus[0]) && slices.Contains(names, s.Versus[1]) {
		return s
	}
	s.Versus = [2]string{}
	if len(names) >= 2 {
		s.Versus = [2]string(names[:2])
	}
	return s
}
