package threshold

import (
	"math"
	"strings"
	"testing"
	"time"

	"dyno"
	"dyno/hist"
)

func TestPromises(t *testing.T) {
	for expression, kept := range map[string]bool{
		"p99<50ms": false, "p99<2s": true, "p99<=990ms": false, "max<=2s": true, "errors<1%": true, "errors<=8": true, "errors<8": false,
		"timeouts<4": false, "unsent<1%": true, "errors<100%": true, "errors<=0": false, "errors<=100%": true,
	} {
		promise, err := ParsePromise(expression)
		if err != nil {
			t.Errorf("%s: %v", expression, err)
			continue
		}
		if got, seen := promise.Kept(report()); got != kept {
			t.Errorf("%s: %v, %s; want %v", expression, got, seen, kept)
		}
	}
	for expression, want := range map[string]string{
		"p99>50ms": "promises that something is bad", "throughput<5": "promises a rate", "errors>=1": "is bad", "p99": "no comparison",
		"p99<0ms": "use > or <= with 0", "errors<0": "use > or <= with 0", "p101<5ms": "outside of p0 to p100", "p10<0s": "ever below 0",
		"errors<200%": "beyond all requests; write it like errors<1%", "errors<=100.1%": "beyond all requests", "unsent<1e9%": "beyond all requests",
	} {
		if _, err := ParsePromise(expression); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", expression, err, want)
		}
	}
	promise, _ := ParsePromise("p99<50ms")
	all, err := ParsePromises([]string{"errors<1%", "p99<50ms", "max<2s", "p90<80ms", "p100<3s"})
	if err != nil {
		t.Fatal(err)
	}
	if shortest, longest := Limits(all); shortest != 50*time.Millisecond || longest != 3*time.Second {
		t.Error(shortest, longest)
	}
	if shortest, longest := Limits(all[:1]); shortest != 0 || longest != 0 {
		t.Error(shortest, longest)
	}
	if share := SlowShare(all); math.Abs(share-0.01) > 1e-12 || SlowShare(all[:1]) != 0 {
		t.Error(share)
	}
	if _, err := ParsePromises([]string{"p99<50ms", "p99>50ms"}); err == nil {
		t.Error("a promise of something bad is taken")
	}
	if kept, _ := promise.Kept(&dyno.LoadReport{Latency: hist.New()}); kept {
		t.Error("a promise about nothing is kept")
	}
	failures, _ := ParsePromise("errors<1%")
	if promise.Quantile() != 0.99 || promise.LatencyLimit() != 50e6 || failures.LatencyLimit() != 0 {
		t.Error(promise.Quantile(), promise.LatencyLimit(), failures.LatencyLimit())
	}
}

func TestStrain(t *testing.T) {
	r := report()
	for expression, want := range map[string]float64{
		"p50<2s": 0, "p99<2s": 0, "max<4s": float64(r.Latency.MaxNs()) / 4e9, "errors<1%": 100 * float64(r.Faults()) / float64(r.Due()),
		"errors<=8": float64(r.Faults()) / 8, "errors<=0": math.Inf(1), "non2xx<=6": 0.5,
		"p50<1ns": 2, "p99<1ns": 100, "p100<2s": float64(r.Latency.MaxNs()) / 2e9,
	} {
		promise, err := ParsePromise(expression)
		if err != nil {
			t.Fatal(err)
		}
		got := promise.Strain(r)
		if math.Abs(got-want) > 1e-9 && got != want {
			t.Errorf("%s: %g, want %g", expression, got, want)
		}
		// A promise that was kept is not strained beyond its limit, but for the rounding of a quantile's rank.
		if kept, _ := promise.Kept(r); kept != (got <= 1) {
			t.Errorf("%s: kept %v at a strain of %g", expression, kept, got)
		}
	}
	promise, _ := ParsePromise("p99<50ms")
	if got := promise.Strain(&dyno.LoadReport{Latency: hist.New()}); !math.IsInf(got, 1) {
		t.Errorf("a promise about nothing: %g", got)
	}
}
