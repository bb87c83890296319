package capacity

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dyno"
	"dyno/internal/queueing"
	"dyno/stat"
)

// simulated is a server with one worker that takes exactly serviceS for each request, in virtual time:
// M/D/1 under Poisson arrivals.
type simulated struct {
	serviceS, limitS, windowS float64
	random                    *rand.Rand
	factor                    float64 // of the service time, by process
	spread                    float64 // of factor
	unableAbovePerS           float64
	began                     []int
	probes                    int
}

func (m *simulated) Begin(_ context.Context, search int) error {
	m.began = append(m.began, search)
	m.factor = math.Exp(m.spread * m.random.NormFloat64())
	return nil
}

func (m *simulated) Probe(_ context.Context, ratePerS float64, w Window) (dyno.CapacityProbe, error) {
	m.probes++
	windowS := m.windowS
	if w != Coarse { // as dyno capacity does
		windowS = min(max(windowS, 80*m.limitS, 15/0.01/ratePerS), 10*windowS)
	}
	if w == Confirm {
		windowS *= 3
	}
	settlingS := max(m.windowS/10, 10*m.limitS)
	var responses []float64
	var at, free float64
	service := m.serviceS * m.factor
	for {
		at += m.random.ExpFloat64() / ratePerS
		if at > windowS+settlingS {
			break
		}
		free = max(free, at) + service
		if at > settlingS {
			responses = append(responses, free-at)
		}
	}
	slices.Sort(responses)
	p := dyno.CapacityProbe{RatePerS: ratePerS, AnsweredPerS: float64(len(responses)) / windowS, ServerCPUShare: min(1, ratePerS*service)}
	if len(responses) == 0 {
		return p, nil
	}
	p99 := responses[len(responses)*99/100]
	p.P99Ns = int64(p99 * 1e9)
	p.P50Ns = int64(responses[len(responses)/2] * 1e9)
	p.Kept, p.Due = p99 < m.limitS, int64(len(responses))
	slow, _ := slices.BinarySearch(responses, m.limitS)
	p.Strain = float64(len(responses)-slow) / float64(len(responses)) / 0.01
	if m.unableAbovePerS > 0 && ratePerS > m.unableAbovePerS {
		p.Unable, p.Kept, p.Strain = "the client was busy", false, dyno.StrainMax
	}
	if !p.Kept {
		p.Broken = fmt.Sprintf("p99 was %g s", p99)
	}
	return p, nil
}

func newSimulated(seed uint64) *simulated {
	return &simulated{serviceS: 0.0005, limitS: 0.005, windowS: 3, factor: 1, random: rand.New(rand.NewPCG(seed, 1))}
}

func options(seed uint64) Options {
	return Options{Searches: 5, FirstPerS: 100, LeastPerS: 1, MostPerS: 1e6, Resolution: 0.02, Confirm: true, Seed: seed}
}

func find(t *testing.T, p Prober, o Options) *dyno.Capacity {
	t.Helper()
	var c dyno.Capacity
	if err := Find(t.Context(), p, o, &c, func(dyno.CapacityProbe) {}); err != nil {
		t.Fatal(err)
	}
	return &c
}

// With servers that are arithmetic the capacity is what queueing theory says, without bias, and the interval is
// honest: over many runs it holds the truth about as often as it says.
func TestCapacityOfMD1IsAsArithmeticSays(t *testing.T) {
	const runs = 40
	for _, server := range []struct{ serviceS, limitS float64 }{
		{0.0005, 0.005}, {0.001, 0.02}, {0.002, 0.05}, {0.01, 0.05}, // 1547/s to 56/s, busy for 56 to 91 %
	} {
		want := queueing.Capacity(server.serviceS, server.limitS, 0.99)
		held, far, logs := 0, 0, 0.0
		for seed := range uint64(runs) {
			m := newSimulated(seed)
			m.serviceS, m.limitS = server.serviceS, server.limitS
			c := find(t, m, options(seed))
			ratio := c.RatePerS.Value / want
			logs += math.Log(ratio)
			if math.Abs(ratio-1) > 0.05 {
				far++
			}
			if c.RatePerS.Low <= want && want <= c.RatePerS.High {
				held++
			}
			if c.Limit.LowerBound() {
				t.Errorf("%v, seed %d: limit %q", server, seed, c.Limit)
			}
			if c.Confirmation == nil || !c.Confirmation.Kept {
				t.Errorf("%v, seed %d: not confirmed", server, seed)
			}
		}
		t.Logf("%v, %.0f/s: mean %+.2f %%, %d of %d more than 5 %% off, %d intervals hold the truth", server, want, 100*math.Expm1(logs/runs), far, runs, held)
		if bias := math.Exp(logs / runs); math.Abs(bias-1) > 0.02 {
			t.Errorf("%v: %.4f of what arithmetic says on the average", server, bias)
		}
		if far > runs/20 {
			t.Errorf("%v: %d of %d are more than 5 %% off", server, far, runs)
		}
		if held < runs*8/10 {
			t.Errorf("%v: %d of %d intervals hold the truth", server, held, runs)
		}
	}
}

// Two looks at one subject, whose processes differ by 1 %, agree.
func TestSameSubjectTwiceGivesOverlappingIntervals(t *testing.T) {
	apart := 0
	const pairs = 30
	for seed := range uint64(pairs) {
		var c [2]*dyno.Capacity
		for i := range c {
			m := newSimulated(seed*2 + uint64(i))
			m.spread = 0.01
			c[i] = find(t, m, options(seed*2+uint64(i)))
		}
		if c[0].RatePerS.Low > c[1].RatePerS.High || c[1].RatePerS.Low > c[0].RatePerS.High {
			apart++
		}
	}
	if apart > 1 {
		t.Errorf("%d of %d pairs have intervals that do not overlap", apart, pairs)
	}
}

func TestLimits(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*simulated, *Options)
		limit  dyno.CapacityLimit
		zero   bool
	}{
		"a promise that no rate keeps":      {func(m *simulated, _ *Options) { m.limitS = 0.0004 }, dyno.LimitPromise, true},
		"a server that is saturated":        {func(m *simulated, _ *Options) { m.limitS = 0.5 }, dyno.LimitServerCPU, false},
		"an instrument at its end":          {func(m *simulated, _ *Options) { m.unableAbovePerS = 1000 }, dyno.LimitInstrument, false},
		"a highest rate that is kept":       {func(_ *simulated, o *Options) { o.MostPerS = 500 }, dyno.LimitHighest, false},
		"a first rate that is far too high": {func(_ *simulated, o *Options) { o.FirstPerS = 50_000 }, dyno.LimitPromise, false},
	} {
		t.Run(name, func(t *testing.T) {
			m, o := newSimulated(7), options(7)
			tc.change(m, &o)
			c := find(t, m, o)
			if c.Limit != tc.limit || (c.RatePerS.Value == 0) != tc.zero {
				t.Errorf("limit %q at %g/s; want %q", c.Limit, c.RatePerS.Value, tc.limit)
			}
			if m.probes > 80 {
				t.Errorf("%d probes", m.probes)
			}
			if tc.zero {
				return
			}
			if want := []int{0, 1, 2, 3, 4, 5}; !slices.Equal(m.began, want) {
				t.Errorf("began searches %v", m.began)
			}
		})
	}
}

type failing struct {
	simulated *simulated
	after     int
	err       error
}

func (f *failing) Begin(ctx context.Context, n int) error { return f.simulated.Begin(ctx, n) }
func (f *failing) Probe(ctx context.Context, r float64, w Window) (dyno.CapacityProbe, error) {
	if f.after--; f.after < 0 {
		return dyno.CapacityProbe{}, f.err
	}
	return f.simulated.Probe(ctx, r, w)
}

// What was found until something failed is kept.
func TestAnErrorKeepsWhatIsKnown(t *testing.T) {
	broken := errors.New("the server is gone")
	var c dyno.Capacity
	err := Find(t.Context(), &failing{newSimulated(3), 22, broken}, options(3), &c, func(dyno.CapacityProbe) {})
	if !errors.Is(err, broken) || len(c.Probes) != 22 || c.RatePerS.N == 0 {
		t.Errorf("%v, %d probes, n = %d", err, len(c.Probes), c.RatePerS.N)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Find(ctx, newSimulated(3), options(3), &c, func(dyno.CapacityProbe) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestKnee(t *testing.T) {
	c := find(t, newSimulated(5), options(5))
	curve := c.Curve
	if !slices.IsSortedFunc(curve, func(a, b dyno.CapacityPoint) int { return int(a.RatePerS - b.RatePerS) }) {
		t.Error("the curve is not in order")
	}
	n := 0
	for _, p := range curve {
		n += p.Probes
	}
	knee := c.KneePerS
	if n != len(c.Probes) || knee < 100 || knee > c.RatePerS.Value {
		t.Errorf("%d of %d probes, knee at %g/s; capacity %g/s", n, len(c.Probes), knee, c.RatePerS.Value)
	}
	if _, ok := stat.Knee(nil); ok {
		t.Error("no curve has a knee")
	}
}

func TestOptionsAreChecked(t *testing.T) {
	if err := options(1).Valid(); err != nil {
		t.Error(err)
	}
	for _, change := range []func(*Options){
		func(o *Options) { o.Searches = 0 }, func(o *Options) { o.LeastPerS = 0 },
		func(o *Options) { o.MostPerS = 0.5 }, func(o *Options) { o.Resolution = 0 }, func(o *Options) { o.Resolution = math.NaN() },
	} {
		o := options(1)
		change(&o)
		if o.Valid() == nil {
			t.Errorf("%+v is taken", o)
		}
	}
}

// noisy disturbs every third probe.
type noisy struct {
	*simulated
	n int
}

func (m *noisy) Probe(ctx context.Context, ratePerS float64, w Window) (dyno.CapacityProbe, error) {
	p, err := m.simulated.Probe(ctx, ratePerS, w)
	if m.n++; m.n%3 == 0 {
		p.Kept, p.Strain, p.Noise, p.Broken = false, dyno.StrainMax, "late", "p99 was long"
	}
	return p, err
}

func TestDisturbedProbesAreRepeated(t *testing.T) {
	want := queueing.Capacity(0.0005, 0.005, 0.99)
	c := find(t, &noisy{simulated: newSimulated(11)}, options(11))
	if ratio := c.RatePerS.Value / want; math.Abs(ratio-1) > 0.05 {
		t.Errorf("%.4f of what arithmetic says", ratio)
	}
	always := newSimulated(12)
	c = find(t, &hopeless{always}, options(12))
	if c.RatePerS.Value != 0 || c.Limit != dyno.LimitInstrument || always.probes > 100 {
		t.Errorf("capacity %g/s, limit %q, %d probes", c.RatePerS.Value, c.Limit, always.probes)
	}
}

type hopeless struct{ *simulated }

func (m *hopeless) Probe(ctx context.Context, ratePerS float64, w Window) (dyno.CapacityProbe, error) {
	p, err := m.simulated.Probe(ctx, ratePerS, w)
	p.Kept, p.Strain, p.Noise, p.Broken = false, dyno.StrainMax, "late", "p99 was long"
	return p, err
}
