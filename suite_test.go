package dyno

import (
	"slices"
	"testing"
)

func TestOnlyKeepsAPairToCompare(t *testing.T) {
	suite := Suite{Subjects: []string{"a", "b", "c"}, Versus: [2]string{"a", "b"}}
	for _, tc := range []struct {
		names []string
		want  [2]string
	}{
		{[]string{"a", "b", "c"}, [2]string{"a", "b"}},
		{[]string{"a", "b"}, [2]string{"a", "b"}},
		{[]string{"b", "c"}, [2]string{"b", "c"}},
		{[]string{"c"}, [2]string{}},
	} {
		got := suite.Only(tc.names)
		if got.Versus != tc.want || !slices.Equal(got.Subjects, tc.names) {
			t.Errorf("only %v: compares %v, want %v", tc.names, got.Versus, tc.want)
		}
	}
}

func TestMidMean(t *testing.T) {
	for _, tc := range []struct {
		xs   []float64
		want float64
	}{
		{nil, 0},
		{[]float64{7}, 7},
		{[]float64{1, 3}, 2},
		{[]float64{1000, 2, 3, 4, 5, 6, 7, 0}, 4.5},
		{[]float64{0, 10, 20}, 10},
		{[]float64{1, 1, 1, 100}, 1},
	} {
		if got := MidMean(tc.xs); got != tc.want {
			t.Errorf("MidMean(%v) = %v, want %v", tc.xs, got, tc.want)
		}
	}
}
