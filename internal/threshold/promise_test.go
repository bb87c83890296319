package threshold

import (
	"strings"
	"testing"

	"dyno"
	"dyno/hist"
)

func TestPromises(t *testing.T) {
	for expression, kept := range map[string]bool{
		"p99<50ms": false, "p99<2s": true, "p99<=990ms": false, "max<=2s": true, "errors<1%": true, "errors<=8": true, "errors<8": false,
		"timeouts<4": false, "unsent<1%": true,
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
		"p99<0ms": "never be kept", "errors<0": "never be kept", "p101<5ms": "outside of p0 to p100", "p10<0s": "never be kept",
	} {
		if _, err := ParsePromise(expression); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", expression, err, want)
		}
	}
	promise, _ := ParsePromise("p99<50ms")
	if kept, _ := promise.Kept(&dyno.LoadReport{Latency: hist.New()}); kept {
		t.Error("a promise about nothing is kept")
	}
	failures, _ := ParsePromise("errors<1%")
	if promise.Quantile() != 0.99 || promise.LatencyLimit() != 50e6 || failures.LatencyLimit() != 0 {
		t.Error(promise.Quantile(), promise.LatencyLimit(), failures.LatencyLimit())
	}
}
