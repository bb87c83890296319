package stat

import (
	"slices"
	"testing"

	"dyno"
)

func estimate(value, share float64, n int) dyno.Estimate {
	return dyno.Estimate{Value: value, Low: value / (1 + share), High: value * (1 + share), N: n}
}

func TestLowest(t *testing.T) {
	for _, c := range []struct {
		name string
		of   []dyno.Estimate
		want []int
	}{
		{"none", nil, nil},
		{"one alone", []dyno.Estimate{estimate(9, 0.01, 5)}, []int{0}},
		{"clear", []dyno.Estimate{estimate(9, 0.01, 5), estimate(3, 0.01, 5), estimate(5, 0.01, 5)}, []int{1}},
		{"overlapping", []dyno.Estimate{estimate(9, 0.01, 5), estimate(3, 0.1, 5), estimate(3.2, 0.1, 5)}, []int{1, 2}},
		{"apart alone, not together", []dyno.Estimate{estimate(100, 0.02, 5), estimate(105, 0.02, 5), estimate(500, 0.02, 5)}, []int{0, 1}},
		{"without an interval", []dyno.Estimate{{Value: 9, N: 1}, estimate(3, 0.01, 5)}, []int{0, 1}},
		{"without a value", []dyno.Estimate{{}, estimate(3, 0.01, 5)}, []int{1}},
	} {
		if got := Lowest(dyno.Method{}, c.of); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestLowestOfARunThatLooks(t *testing.T) {
	looked := dyno.Method{Precision: 0.01}
	for n, want := range map[int][]int{2: {0, 1}, 12: {0}} {
		if got := Lowest(looked, []dyno.Estimate{estimate(3, 0.01, n), estimate(5, 0.01, n)}); !slices.Equal(got, want) {
			t.Errorf("%d processes: %v, want %v: two say nothing when all looks count", n, got, want)
		}
	}
}
