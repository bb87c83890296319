package load

import (
	"math"
	"testing"
	"time"
)

func TestSchedulesAreAsArithmeticSays(t *testing.T) {
	const ms = time.Millisecond
	for _, tc := range []struct {
		name     string
		schedule Schedule
		i        int64
		due      time.Duration
	}{
		{"constant begins at once", Constant(100), 0, 0},
		{"constant, second", Constant(100), 1, 10 * ms},
		{"constant, an hour later", Constant(100), 360_000, time.Hour},
		{"constant, not a whole number of ns", Constant(3), 2, 666_666_667},
		{"ramp begins at once", Ramp(100, 300, 10*time.Second), 0, 0},
		{"ramp up, halfway in time: 100·5 + 20/2·25", Ramp(100, 300, 10*time.Second), 750, 5 * time.Second},
		{"ramp up, its end", Ramp(100, 300, 10*time.Second), 2000, 10 * time.Second},
		{"ramp up, after its end", Ramp(100, 300, 10*time.Second), 2300, 11 * time.Second},
		{"ramp from nothing: 100/2·t²", Ramp(0, 1000, 10*time.Second), 200, 2 * time.Second},
		{"ramp down", Ramp(300, 100, 10*time.Second), 1250, 5 * time.Second},
		{"flat ramp", Ramp(200, 200, time.Second), 100, 500 * ms},
	} {
		if due, ok := tc.schedule()(tc.i); !ok || due != tc.due {
			t.Errorf("%s: request %d is due at %v, %v; want %v", tc.name, tc.i, due, ok, tc.due)
		}
	}
	if due, ok := Ramp(100, 0, time.Second)()(50); ok {
		t.Errorf("a ramp down to 0 has a request beyond its end, at %v", due)
	}
}

func TestSchedulesWithoutAValidRateAreEmpty(t *testing.T) {
	for name, s := range map[string]Schedule{
		"zero": Constant(0), "negative": Constant(-1), "NaN": Constant(math.NaN()), "infinite": Constant(math.Inf(1)),
		"beyond the maximum": Constant(MaxRatePerS + 1), "Poisson, zero": Poisson(0, 1),
		"ramp, both zero": Ramp(0, 0, time.Second), "ramp, negative": Ramp(-1, 5, time.Second),
		"ramp, no time": Ramp(1, 2, 0), "ramp, NaN": Ramp(math.NaN(), 1, time.Second),
	} {
		if due, ok := s()(0); ok {
			t.Errorf("%s: the first request is due at %v", name, due)
		}
		if err := (&Window{Count: 1, Schedule: s}).check(); err == nil {
			t.Errorf("%s: a window takes it", name)
		}
	}
}

// A timeline is a pure function of the index: asked in any order, and in parts, it says the same.
func TestTimelinesAreFunctionsOfTheIndex(t *testing.T) {
	for name, s := range map[string]Schedule{
		"constant": Constant(12345), "Poisson": Poisson(5000, 7), "ramp": Ramp(10, 20_000, time.Second),
	} {
		const n = 2000
		want := make([]time.Duration, n)
		whole := s()
		for i := range want {
			want[i], _ = whole(int64(i))
			if i > 0 && want[i] < want[i-1] {
				t.Fatalf("%s: request %d is due before request %d", name, i, i-1)
			}
		}
		for part := range 3 { // three loops share it
			share := s()
			for i := part; i < n; i += 3 {
				if due, _ := share(int64(i)); due != want[i] {
					t.Fatalf("%s: loop %d has request %d at %v, want %v", name, part, i, due, want[i])
				}
			}
		}
		for i := n - 1; i >= 0; i -= 97 { // backwards, the same one twice
			for range 2 {
				if due, _ := whole(int64(i)); due != want[i] {
					t.Fatalf("%s: asked backwards, request %d is at %v, want %v", name, i, due, want[i])
				}
			}
		}
	}
	if a, b := second(Poisson(1000, 1)), second(Poisson(1000, 2)); a == b {
		t.Errorf("two seeds, one schedule: %v", a)
	}
}

func second(s Schedule) time.Duration { due, _ := s()(1); return due }

// The distances of a Poisson schedule have mean and standard deviation 1/rate, and the share of them
// above x is exp(-rate·x). With 200,000 of them each is within 1.5 % (6 standard errors).
func TestPoissonDistancesAreExponential(t *testing.T) {
	const rate, n = 1000.0, 200_000
	timeline := Poisson(rate, 42)()
	var sum, squares, above, last float64
	for i := range int64(n) {
		due, _ := timeline(i)
		gap := due.Seconds() - last
		last = due.Seconds()
		sum += gap
		squares += gap * gap
		if gap > 2/rate {
			above++
		}
	}
	mean := sum / n
	for name, ratio := range map[string]float64{
		"mean":               mean * rate,
		"standard deviation": math.Sqrt(squares/n-mean*mean) * rate,
		"share above 2/rate": above / n / math.Exp(-2),
	} {
		if math.Abs(ratio-1) > 0.015 {
			t.Errorf("%s is %.4f of what it must be", name, ratio)
		}
	}
}

// A single server with service time S and Poisson arrivals at utilisation ρ keeps them waiting for
// ρS/2(1−ρ) in the mean. The schedule alone must show it, with a server that is arithmetic.
func TestPoissonArrivalsWaitAsMD1Says(t *testing.T) {
	const serviceS, n = 1e-3, 2_000_000
	for _, rho := range []float64{0.3, 0.5, 0.8} {
		waits := singleServer(Poisson(rho/serviceS, 3)(), n, time.Duration(serviceS*1e9))
		var sum float64
		for _, response := range waits {
			sum += response.Seconds() - serviceS
		}
		want := rho * serviceS / (2 * (1 - rho))
		if ratio := sum / n / want; math.Abs(ratio-1) > 0.03 {
			t.Errorf("ρ = %.1f: mean wait is %.3f of what M/D/1 says", rho, ratio)
		}
	}
}

// singleServer returns the response times of n scheduled requests at a server that needs exactly
// service for each and takes them one after the other.
func singleServer(timeline Timeline, n int, service time.Duration) []time.Duration {
	responses := make([]time.Duration, n)
	var free time.Duration
	for i := range responses {
		due, _ := timeline(int64(i))
		free = max(free, due) + service
		responses[i] = free - due
	}
	return responses
}

func TestSpectrumQuantiles(t *testing.T) {
	var s, earlier Spectrum
	if s.QuantileNs(0.5) != 0 || s.Count() != 0 {
		t.Error("an empty spectrum has values")
	}
	for i := range int64(1000) {
		if i == 500 {
			earlier = s
		}
		s.record((i + 1) * 100_000) // 0.1 to 100 ms
	}
	for _, q := range []float64{0.1, 0.5, 0.9, 0.99, 1} {
		if got, want := float64(s.QuantileNs(q)), q*1e8; math.Abs(got/want-1) > 0.07 {
			t.Errorf("quantile %v is %v ns, want %v", q, got, want)
		}
	}
	s.Sub(&earlier)
	if got := float64(s.QuantileNs(0.5)); s.Count() != 500 || math.Abs(got/75e6-1) > 0.07 {
		t.Errorf("second half: %d values, median %v ns, want 500 and 75e6", s.Count(), got)
	}
}

func TestSpectrumTakesEveryValue(t *testing.T) {
	for _, ns := range []int64{-5, 0, 1, 1023, 1024, 1<<36 - 1, 1 << 36, math.MaxInt64} {
		class := spectrumClass(ns)
		if class < 0 || class >= spectrumClasses {
			t.Fatalf("%d ns has class %d of %d", ns, class, spectrumClasses)
		}
		if low := spectrumFloorNs(class); float64(max(ns, 0)) < low {
			t.Errorf("%d ns has class %d, which begins at %v", ns, class, low)
		}
	}
	for class := range spectrumClasses - 1 {
		low, high := int64(spectrumFloorNs(class)), int64(spectrumFloorNs(class+1))
		if spectrumClass(low) != class || spectrumClass(high-1) != class {
			t.Fatalf("class %d is not %d to %d ns", class, low, high-1)
		}
	}
}
