package stat

import (
	"math"
	"math/rand/v2"
	"testing"

	"dyno"
)

// probesAt are probes of so many searches of a server whose mean strain is 1 at capacity and grows with the rate to
// the power of steepness; what one window sees is spread by noise.
func probesAt(capacity, steepness, noise float64, searches int, seed uint64) []dyno.CapacityProbe {
	random := rand.New(rand.NewPCG(seed, 5))
	probes := []dyno.CapacityProbe{{Search: 0, RatePerS: capacity / 4, Due: 100, Strain: dyno.StrainMax}} // of the approach, which does not count
	for search := range searches {
		for range 8 {
			rate := capacity * math.Exp(0.1*(random.Float64()-0.5))
			mean := math.Pow(rate/capacity, steepness)
			strain := mean * math.Exp(noise*random.NormFloat64()-noise*noise/2)
			probes = append(probes, dyno.CapacityProbe{Search: search + 1, RatePerS: rate, Due: 1000, Strain: min(strain, dyno.StrainMax), Kept: strain < 1})
		}
	}
	return probes
}

func TestCapacityOfFindsTheCrossing(t *testing.T) {
	for name, c := range map[string]struct{ capacity, steepness, noise, within float64 }{
		"without noise":          {4000, 25, 0, 0.001},
		"of a slow server":       {3, 25, 0, 0.001},
		"with noise":             {4000, 25, 0.7, 0.02},
		"a wall":                 {200_000, 2000, 0, 0.01},
		"hardly any slope":       {4000, 3, 0, 0.01},
		"bursts, mostly nothing": {4000, 25, 1.5, 0.04},
	} {
		t.Run(name, func(t *testing.T) {
			const runs = 50
			logs, held := 0.0, 0
			for seed := range uint64(runs) {
				e := CapacityOf(probesAt(c.capacity, c.steepness, c.noise, 5, seed))
				logs += math.Log(e.Value/c.capacity) / runs
				if e.N != 5 || !(e.Low <= e.Value && e.Value <= e.High) {
					t.Fatalf("%+v", e)
				}
				if e.Low <= c.capacity && c.capacity <= e.High {
					held++
				}
			}
			if math.Abs(logs) > c.within {
				t.Errorf("%+.2f %% off on the average", 100*math.Expm1(logs))
			}
			if held < runs*8/10 {
				t.Errorf("%d of %d intervals hold the truth", held, runs)
			}
		})
	}
}

func TestCapacityOfWithoutTwoSides(t *testing.T) {
	probe := func(search int, rate, strain float64) dyno.CapacityProbe {
		return dyno.CapacityProbe{Search: search, RatePerS: rate, Strain: strain, Due: 10}
	}
	for name, c := range map[string]struct {
		probes []dyno.CapacityProbe
		want   float64
		n      int
	}{
		"nothing":           {nil, 0, 0},
		"the approach":      {[]dyno.CapacityProbe{probe(0, 100, 2)}, 0, 0},
		"all kept":          {[]dyno.CapacityProbe{probe(1, 100, 0), probe(1, 200, 0.5)}, 200, 1},
		"all broken":        {[]dyno.CapacityProbe{probe(1, 100, 3), probe(1, 50, dyno.StrainMax)}, 50, 1},
		"one of two rates":  {[]dyno.CapacityProbe{probe(1, 100, 0), probe(1, 102, dyno.StrainMax), probe(2, 100, 0), probe(2, 102, dyno.StrainMax)}, 101, 2},
		"none at all":       {[]dyno.CapacityProbe{probe(1, 0, 0)}, 0, 0},
		"nothing was due":   {[]dyno.CapacityProbe{{Search: 1, RatePerS: 5, Strain: dyno.StrainMax}}, 5, 1},
		"of what is repeat": {[]dyno.CapacityProbe{{Search: 1, RatePerS: 5, Repeated: true}, probe(1, 7, 0)}, 7, 1},
	} {
		e := CapacityOf(c.probes)
		if math.Abs(e.Value-c.want) > 0.01*c.want || e.N != c.n || math.IsNaN(e.Low) || math.IsNaN(e.High) {
			t.Errorf("%s: %+v, want %g of %d", name, e, c.want, c.n)
		}
	}
}

// Whatever the probes are, the answer lies between their rates.
func FuzzCapacityOf(f *testing.F) {
	f.Add(uint64(1), 3, 0.5)
	f.Add(uint64(9), 40, 1e9)
	f.Fuzz(func(t *testing.T, seed uint64, n int, scale float64) {
		random := rand.New(rand.NewPCG(seed, 1))
		var probes []dyno.CapacityProbe
		low, high := math.Inf(1), 0.0
		for range min(max(n, 0), 60) {
			p := dyno.CapacityProbe{Search: 1 + random.IntN(3), RatePerS: math.Exp(20 * random.Float64()), Due: int64(random.IntN(1000)), Strain: math.Abs(scale) * random.Float64()}
			if math.IsNaN(p.Strain) || math.IsInf(p.Strain, 0) {
				p.Strain = 0
			}
			low, high = min(low, p.RatePerS), max(high, p.RatePerS)
			probes = append(probes, p)
		}
		e := CapacityOf(probes)
		if e.N > 0 && !(e.Value >= low*0.999 && e.Value <= high*1.001) {
			t.Fatalf("%+v of rates from %g to %g", e, low, high)
		}
	})
}
