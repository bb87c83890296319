package stat

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The quantiles are those of printed tables.
func TestHalfWidthMatchesTables(t *testing.T) {
	for _, c := range []struct {
		n     int
		alpha float64
		want  float64
	}{
		{2, 0.05, 12.7062}, {2, 0.001, 636.619}, {3, 0.01, 9.92484}, {5, 0.05, 2.77645},
		{5, 0.001, 8.61030}, {11, 0.05, 2.22814}, {31, 0.05, 2.04227},
	} {
		got := fixedN.critical(c.n, c.alpha)
		if !near(got, c.want, c.want*1e-5) {
			t.Errorf("n %d, alpha %v: %v, want %v", c.n, c.alpha, got, c.want)
		}
		if p := (fit{n: c.n, se: 1, mean: -got}).p(); !near(p, c.alpha, c.alpha*1e-6) {
			t.Errorf("n %d: p of the limit is %v, want alpha %v", c.n, p, c.alpha)
		}
	}
}

// By hand: logs ln 100, ln 110, ln 121 have mean ln 110 and standard deviation ln 1.1 = 0.0953102;
// divided by √3 and times t(2, 97.5 %) = 4.302653 that is 0.236764.
func TestEstimateByHand(t *testing.T) {
	e := fixedN.estimate([]float64{121, 100, 110})
	if e.N != 3 || !near(e.Value, 110, 1e-9) ||
		!near(e.Low, 110*math.Exp(-0.236764), 1e-3) || !near(e.High, 110*math.Exp(0.236764), 1e-3) {
		t.Fatalf("got %+v", e)
	}
}

func TestEstimateOfFewOrOddValues(t *testing.T) {
	for _, c := range []struct {
		name   string
		values []float64
		n      int
		value  float64
	}{
		{"none", nil, 0, 0},
		{"one", []float64{7}, 1, 7},
		{"unknown values do not count", []float64{0, 7, math.NaN(), math.Inf(1), -3}, 1, 7},
		{"only unknown ones", []float64{0, math.NaN()}, 0, 0},
		{"identical", []float64{7, 7, 7}, 3, 7},
	} {
		e := fixedN.estimate(c.values)
		if e.N != c.n || !near(e.Value, c.value, 1e-9) {
			t.Errorf("%s: got %+v", c.name, e)
		}
		if c.n < 2 && (e.Low != 0 || e.High != 0 || e.Known()) {
			t.Errorf("%s: an interval from %d value: %+v", c.name, c.n, e)
		}
		if c.n >= 2 && !(e.Low <= e.Value && e.Value <= e.High) {
			t.Errorf("%s: the interval misses the value: %+v", c.name, e)
		}
	}
}

func TestIntervalCoversTheTruth(t *testing.T) {
	const truth, repetitions = 50_000.0, 2_000
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{2, 3, 5, 10} {
		covered := 0
		for range repetitions {
			values := make([]float64, n)
			for i := range values {
				values[i] = truth * math.Exp(0.1*rng.NormFloat64())
			}
			if e := fixedN.estimate(values); e.Low <= truth && truth <= e.High {
				covered++
			}
		}
		if share := float64(covered) / repetitions; share < 0.92 || share > 0.975 {
			t.Errorf("n %d: %.1f %% of the intervals cover the truth, want 92 to 97.5", n, share*100)
		}
	}
}

// By hand: sorted 0.005·4, 0.01·3, 0.03·2, 0.04·1, and never below the one before.
func TestHolmByHand(t *testing.T) {
	for _, c := range []struct{ ps, want []float64 }{
		{nil, []float64{}},
		{[]float64{0.2}, []float64{0.2}},
		{[]float64{0.01, 0.04, 0.03, 0.005}, []float64{0.03, 0.06, 0.06, 0.02}},
		{[]float64{0.5, 0.6, 1}, []float64{1, 1, 1}},
		{[]float64{0, 0, 1}, []float64{0, 0, 1}},
	} {
		got := Holm(c.ps)
		if !slices.EqualFunc(got, c.want, func(a, b float64) bool { return near(a, b, 1e-12) }) {
			t.Errorf("Holm(%v) = %v, want %v", c.ps, got, c.want)
		}
	}
}

func TestHolmLiesBetweenRawAndBonferroni(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for range 200 {
		ps := make([]float64, 1+rng.IntN(30))
		for i := range ps {
			ps[i] = math.Pow(rng.Float64(), 4)
		}
		for i, p := range Holm(ps) {
			if p < ps[i] || p > min(1, ps[i]*float64(len(ps)))+1e-12 {
				t.Fatalf("%v corrected to %v among %d", ps[i], p, len(ps))
			}
		}
	}
}
