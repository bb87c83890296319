package stat

import (
	"math"
	"testing"

	"dyno"
)

// Values from the tables of R's binom.test.
func TestRatesHaveExactIntervals(t *testing.T) {
	for _, tt := range []struct {
		hits, of  int
		low, high float64
	}{
		{0, 10, 0, 0.3084971}, {10, 10, 0.6915029, 1}, {5, 10, 0.1870860, 0.8129140},
		{1, 100, 0.000253146, 0.0544594}, {0, 0, 0, 1},
	} {
		if r := RateOf(tt.hits, tt.of); math.Abs(r.Low-tt.low) > 1e-6 || math.Abs(r.High-tt.high) > 1e-6 {
			t.Errorf("%d of %d: %.7f to %.7f, want %.7f to %.7f", tt.hits, tt.of, r.Low, r.High, tt.low, tt.high)
		}
	}
}

func TestClonesAreCountedByTheirTruth(t *testing.T) {
	slow := dyno.Subject{Name: "go#slow1", CloneOf: "go", Slowdown: 0.1}
	subjects := []dyno.Subject{{Name: "go#1", CloneOf: "go"}, {Name: "go#2", CloneOf: "go"}, slow, {Name: "other"}}
	compare := func(a, b string, outcome dyno.Outcome) dyno.Comparison {
		return dyno.Comparison{A: a, B: b, Outcome: outcome, Ratio: dyno.Estimate{Value: 0.9, N: 3}}
	}
	comparisons := []dyno.Comparison{
		compare("go#1", "go#2", dyno.Faster),
		compare("go#2", "go#1", dyno.Undecided),
		compare("go#1", "go#slow1", dyno.Faster),
		compare("go#slow1", "go#1", dyno.Slower),
		compare("go#slow1", "go#2", dyno.Faster),
		compare("go#2", "go#slow1", dyno.Undecided),
		compare("go#1", "other", dyno.Faster), // whose truth nobody knows
	}
	bound := dyno.CellVerdict{Comparisons: comparisons[2:4], Rows: []dyno.Row{{ClientBound: true}}}
	users := dyno.CellVerdict{ByMeasure: []dyno.MeasureVerdict{
		{Measure: dyno.P95Time, Comparisons: []dyno.Comparison{compare("go#1", "go#2", dyno.Tie), compare("go#1", "go#slow1", dyno.Undecided)}},
		{Measure: dyno.CPUCost, Comparisons: []dyno.Comparison{compare("go#1", "go#2", dyno.Cheaper)}},
	}}
	v := dyno.Verdict{
		Run: dyno.Run{Subjects: subjects}, Compared: 6,
		Cells:    []dyno.CellVerdict{users, {Comparisons: comparisons[:3], CPUComparisons: []dyno.Comparison{compare("go#1", "go#2", dyno.Dearer)}}, bound},
		Averages: []dyno.Average{{Comparisons: comparisons[3:], CPUComparisons: []dyno.Comparison{compare("go#1", "go#slow1", dyno.Cheaper)}}},
	}
	got := clonesOf(v)
	want := dyno.CloneCheck{
		Equal: RateOf(1, 3), EqualCPU: RateOf(2, 2), Missed: RateOf(2, 4), Wrong: RateOf(1, 4),
		Slowdown: 0.1, Compared: 6, Reached: 1,
	}
	if math.Abs(got.Reached-want.Reached) > 1e-9 {
		t.Errorf("reached %v, want %v", got.Reached, want.Reached)
	}
	got.Reached = want.Reached
	if *got != want {
		t.Errorf("got  %+v\nwant %+v", *got, want)
	}
	if sum := SumClones(want, dyno.CloneCheck{Missed: RateOf(0, 4), Reached: 0.81}); math.Abs(sum.Reached-0.9) > 1e-9 || sum.Missed != RateOf(2, 8) || sum.Equal != want.Equal {
		t.Errorf("sum %+v", sum)
	}
	if clonesOf(dyno.Verdict{Run: dyno.Run{Subjects: subjects[3:]}}) != nil {
		t.Error("a run without clones has a check of clones")
	}
}
