package lab

import (
	"hash/fnv"
	"math/rand/v2"
	"time"

	"dyno"
)

// Plan says what is measured in which order. It is a pure function of the suite and the seed, so
// that an interrupted run continues exactly as it would have gone on.
type Plan struct {
	suite dyno.Suite
	seed  uint64
}

// NewPlan returns the plan of a suite under a seed.
func NewPlan(suite dyno.Suite, seed uint64) Plan { return Plan{suite, seed} }

// Cells returns the cells of a block in the order in which they are measured.
func (p Plan) Cells(block int) []dyno.Cell {
	cells := make([]dyno.Cell, len(p.suite.Cells))
	for i, k := range p.order("cells", block, 0, 0, len(cells)) {
		cells[i] = p.suite.Cells[k]
	}
	return cells
}

// Starts returns the order in which n subjects are started in a block, as indices.
func (p Plan) Starts(block, n int) []int { return p.order("starts", block, 0, 0, n) }

// Round returns the order in which n subjects are loaded in a round, as indices.
func (p Plan) Round(block int, cell dyno.Cell, round, n int) []int {
	return p.order(cell.String(), block, 1, round, n)
}

// TrafficSeed returns the seed of the payloads of a cell in a block; all subjects get the same.
func (p Plan) TrafficSeed(block int, cell dyno.Cell) uint64 {
	return p.source(cell.String(), block, 2, 0).Uint64()
}

// Rounds returns how many slices a trial has, and how long each is.
func (p Plan) Rounds() (rounds int, slice time.Duration) {
	return p.suite.Method.RoundsPlanned(), p.suite.Method.Window()
}

// Searches returns the order in which the capacities of n subjects are searched for in a block, as indices.
func (p Plan) Searches(block, n int) []int { return p.order("searches", block, 3, 0, n) }

// Trials returns how many trials the subjects make, the searches for their capacities included.
func (p Plan) Trials(subjects []dyno.Subject) int {
	return p.suite.Method.Blocks*len(p.suite.Cells)*len(subjects) + p.SearchTrials(subjects)
}

// SearchTrials returns how many searches for capacities the subjects make.
func (p Plan) SearchTrials(subjects []dyno.Subject) int {
	if p.suite.Capacity == nil {
		return 0
	}
	return p.suite.Capacity.Blocks * len(rankedOf(subjects))
}

func (p Plan) order(what string, block, kind, round, n int) []int {
	return p.source(what, block, kind, round).Perm(n)
}

// source returns a random source of its own for every decision, so that none depends on how many
// were made before it.
func (p Plan) source(what string, block, kind, round int) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(what))
	for _, n := range [...]int{block, kind, round} {
		h.Write([]byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)})
	}
	return rand.New(rand.NewPCG(p.seed, h.Sum64()))
}
