package lab

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"dyno"
)

func cells(n int) []dyno.Cell {
	var cells []dyno.Cell
	for i := range n {
		cells = append(cells, dyno.Cell{Workload: dyno.Workload{PayloadBytes: 8 << i}, Load: dyno.Load{Connections: 1, Depth: 1}})
	}
	return cells
}

func testSuite(blocks, ncells, rounds int) dyno.Suite {
	return dyno.Suite{Name: "test", Contract: "framed", Cells: cells(ncells), Method: dyno.Method{
		Blocks: blocks, Rounds: rounds, Slice: 12 * time.Millisecond, Skip: 2 * time.Millisecond,
		WarmUpMax: 100 * time.Millisecond, ReplyWithin: 200 * time.Millisecond,
	}}
}

func TestPlanFollowsFromTheSeedAlone(t *testing.T) {
	suite := testSuite(4, 6, 3)
	describe := func(seed uint64) string {
		p := NewPlan(suite, seed)
		s := ""
		for block := range suite.Method.Blocks {
			s += fmt.Sprintln(p.Cells(block), p.Starts(block, 5))
			for _, c := range p.Cells(block) {
				for round := range suite.Method.Rounds {
					s += fmt.Sprintln(p.Round(block, c, round, 5), p.TrafficSeed(block, c))
				}
			}
		}
		return s
	}
	first := describe(7)
	if describe(7) != first {
		t.Error("one seed, two plans")
	}
	if describe(8) == first {
		t.Error("two seeds, one plan")
	}
}

func TestPlanMeasuresEveryCellOnceABlock(t *testing.T) {
	suite := testSuite(20, 5, 1)
	p := NewPlan(suite, 1)
	first := map[dyno.Cell]int{}
	for block := range suite.Method.Blocks {
		got := p.Cells(block)
		if len(got) != len(suite.Cells) {
			t.Fatalf("block %d has %d cells", block, len(got))
		}
		for _, c := range suite.Cells {
			if !slices.Contains(got, c) {
				t.Fatalf("block %d lacks %v", block, c)
			}
		}
		first[got[0]]++
	}
	if len(first) < 3 {
		t.Errorf("in 20 blocks only %d of 5 cells ever came first", len(first))
	}
}

// Each subject must come first about as often as any other: 600 rounds of 3 leave an expected 200
// with a standard deviation of 11.5.
func TestRoundOrdersAreBalanced(t *testing.T) {
	p := NewPlan(testSuite(1, 1, 1), 3)
	first := make([]int, 3)
	for round := range 600 {
		first[p.Round(0, cells(1)[0], round, 3)[0]]++
	}
	for i, n := range first {
		if n < 150 || n > 250 {
			t.Errorf("subject %d came first %d times of 600", i, n)
		}
	}
}

func TestContinuousIsOneLongSlice(t *testing.T) {
	suite := testSuite(1, 1, 8)
	suite.Method.Continuous = true
	if rounds, slice := NewPlan(suite, 1).Rounds(); rounds != 1 || slice != 96*time.Millisecond {
		t.Errorf("%d rounds of %v", rounds, slice)
	}
}

func TestSettled(t *testing.T) {
	for name, tc := range map[string]struct {
		rates []float64
		want  bool
	}{
		"nothing yet":        {nil, false},
		"too few":            {[]float64{100, 100, 100, 100, 100}, false},
		"flat":               {[]float64{100, 101, 99, 100, 100, 101}, true},
		"rising":             {[]float64{50, 60, 70, 80, 90, 100}, false},
		"falling":            {[]float64{100, 90, 80, 70, 60, 50}, false},
		"rose, then flat":    {[]float64{10, 50, 90, 100, 101, 99, 100, 101, 100}, true},
		"noisy without aim":  {[]float64{80, 120, 100, 118, 82, 101}, true},
		"stalled":            {[]float64{0, 0, 0, 0, 0, 0}, false},
		"a step of 10 %":     {[]float64{100, 100, 100, 110, 110, 110}, false},
		"a step of 2 % only": {[]float64{100, 100, 100, 102, 102, 102}, true},
	} {
		if got := settled(tc.rates); got != tc.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestFiveDigits(t *testing.T) {
	for x, want := range map[float64]float64{0: 0, -1: 0, 123456.789: 123460, 99999.7: 100000, 0.0123456: 0.012346, 7: 7} {
		if got := fiveDigits(x); math.Abs(got-want) > 1e-9*want {
			t.Errorf("%v becomes %v, want %v", x, got, want)
		}
	}
}
