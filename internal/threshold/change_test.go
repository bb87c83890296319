package threshold

import (
	"strings"
	"testing"

	"dyno"
)

func TestChangeLimits(t *testing.T) {
	for _, c := range []struct {
		expression            string
		ratio                 float64
		outcome               dyno.Outcome
		exceeded, established bool
	}{
		{"throughput<-5%", 0.9, dyno.Worse, true, true},
		{"throughput < -5 %", 0.96, dyno.Worse, false, true},
		{"throughput<-5%", 0.9, dyno.Undecided, true, false},
		{"throughput<-5%", 1.2, dyno.Better, false, false},
		{"P99>10%", 1.2, dyno.Worse, true, true},
		{"p99>10%", 1.05, dyno.Worse, false, true},
		{"cpu>+2.5%", 1.03, dyno.Tie, true, false},
		{"rss>0%", 1.001, dyno.Worse, true, true},
		{"throughput<0%", 0.99, dyno.Worse, true, true},
	} {
		limit, err := ParseChange(c.expression)
		if err != nil {
			t.Errorf("%s: %v", c.expression, err)
			continue
		}
		exceeded, established, seen := limit.Exceeded(dyno.Change{Measure: limit.Measure(), SubjectB: "b", Ratio: dyno.Estimate{Value: c.ratio}, Outcome: c.outcome})
		if exceeded != c.exceeded || established != c.established || !strings.Contains(seen, "%") {
			t.Errorf("%s at %g, %s: %v, %v, %s", c.expression, c.ratio, c.outcome, exceeded, established, seen)
		}
	}
}

func TestBadChangeLimits(t *testing.T) {
	for expression, want := range map[string]string{
		"": "no comparison", "throughput": "no comparison", "throughput=5%": "no comparison", "throughput<-5": "is not a change in percent",
		"throughput<five%": "is not a change in percent", "throughput<NaN%": "is not a change", "througput<-5%": `did you mean "throughput"?`,
		"errors>0%": "unknown measure", "p99>1ms": "is not a change in percent", "throughput<-100%": "nothing can exceed", "cpu>": "is not a change",
		"cpu>5%%": "is not a change", "cpu>=5%": "is not a change",
	} {
		if _, err := ParseChange(expression); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v; want %q", expression, err, want)
		}
	}
}

func FuzzParseChange(f *testing.F) {
	f.Add("throughput<-5%")
	f.Add("p99>1e3%")
	f.Fuzz(func(t *testing.T, expression string) {
		limit, err := ParseChange(expression)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Fatalf("more than a line: %q", err)
			}
			return
		}
		again, err := ParseChange(limit.String())
		if err != nil || again != limit {
			t.Fatalf("read again: %+v, %v", again, err)
		}
	})
}
