package scenario

import (
	"encoding/json"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"dyno"
	"dyno/hist"
)

// Report is what a run came to, in the shape of Artillery's report file.
type Report struct {
	Aggregate    Period   `json:"aggregate"`
	Intermediate []Period `json:"intermediate"`

	StartedAt  time.Time `json:"-"`
	EndedAt    time.Time `json:"-"`
	BusyShare  float64   `json:"-"` // of the time in which the event loops did not wait, 0 to 1
	BusyNs     int64     `json:"-"` // time in which they did not, summed over loops
	BytesRead  int64     `json:"-"` // by the sockets
	BytesSent  int64     `json:"-"`
	Partial    string    `json:"-"` // why the run ended early; "" when it did not
	EventLoops int       `json:"-"`

	total *period // what Aggregate is the summary of
	parts int     // runs that it sums up
}

// Period is the metrics of 10 s, or of the whole run. Times are Unix times in ms, values of times are ms.
type Period struct {
	Counters         map[string]int64   `json:"counters"`
	Rates            map[string]float64 `json:"rates"` // per second
	FirstCounterAt   int64              `json:"firstCounterAt,omitempty"`
	FirstHistogramAt int64              `json:"firstHistogramAt,omitempty"`
	LastCounterAt    int64              `json:"lastCounterAt,omitempty"`
	LastHistogramAt  int64              `json:"lastHistogramAt,omitempty"`
	FirstMetricAt    int64              `json:"firstMetricAt,omitempty"`
	LastMetricAt     int64              `json:"lastMetricAt,omitempty"`
	Period           int64              `json:"period"`
	Summaries        map[string]Summary `json:"summaries"`
	Histograms       map[string]Summary `json:"histograms"`
}

// Summary is a distribution, in ms.
type Summary struct {
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
	Count  int64   `json:"count"`
	Mean   float64 `json:"mean"`
	P50    float64 `json:"p50"`
	Median float64 `json:"median"`
	P75    float64 `json:"p75"`
	P90    float64 `json:"p90"`
	P95    float64 `json:"p95"`
	P99    float64 `json:"p99"`
	P999   float64 `json:"p999"`
}

// summarize reads a histogram that counts µs.
func summarize(h *hist.Histogram) Summary {
	ms := func(us float64) float64 { return math.Round(us) / 1e3 }
	quantile := func(q float64) float64 { return ms(float64(h.QuantileNs(q))) }
	return Summary{
		Min: ms(float64(h.MinNs())), Max: ms(float64(h.MaxNs())), Count: h.Count(), Mean: ms(h.MeanNs()),
		P50: quantile(.5), Median: quantile(.5), P75: quantile(.75), P90: quantile(.9), P95: quantile(.95),
		P99: quantile(.99), P999: quantile(.999),
	}
}

// summary makes plain data of a period.
func (p *period) summary() Period {
	s := Period{
		Counters: p.counters, Rates: map[string]float64{}, Period: p.startMs, Summaries: map[string]Summary{},
		FirstCounterAt: p.first.counter, FirstHistogramAt: p.first.histogram,
		LastCounterAt: p.last.counter, LastHistogramAt: p.last.histogram,
		FirstMetricAt: earlier(p.first.counter, p.first.histogram), LastMetricAt: max(p.last.counter, p.last.histogram),
	}
	for name, h := range p.times {
		s.Summaries[name] = summarize(h)
	}
	s.Histograms = s.Summaries
	for name, r := range p.rates {
		s.Rates[name] = math.Round(float64(r.count) / (float64(max(r.lastMs-r.firstMs, 1000)) / 1000))
	}
	return s
}

// report sums up. The rate of a run is the mean of those of its periods, as Artillery has it.
func (c *collector) report(runners []*runner) *Report {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, startMs := range slices.Sorted(maps.Keys(c.open)) {
		c.complete(c.open[startMs].period) // a loop that had nothing to do ended earlier
	}
	slices.SortFunc(c.done, func(a, b Period) int { return int(a.Period - b.Period) })
	report := &Report{Aggregate: c.total.summary(), Intermediate: c.done, EventLoops: len(runners), total: c.total, parts: 1}
	for name, sum := range c.rates {
		report.Aggregate.Rates[name] = math.Round(sum / float64(max(len(c.done), 1)))
	}
	if n := len(c.done); n > 0 {
		report.Aggregate.Period = c.done[n-1].Period
	}
	var busyNs, wholeNs int64
	for _, r := range runners {
		report.BytesRead += r.loop.BytesRead
		report.BytesSent += r.loop.BytesSent
		wholeNs += r.endNs - r.startNs
		busyNs += r.endNs - r.startNs - r.loop.IdleNs()
	}
	if wholeNs > 0 {
		report.BusyNs = busyNs
		report.BusyShare = float64(busyNs) / float64(wholeNs)
	}
	return report
}

// Add lets the Aggregate of r cover what other's users did as well, those of another stretch of the same script. Its
// rates are the means of those of the stretches, because other things may have been done between them.
func (r *Report) Add(other *Report) {
	rates := maps.Clone(r.Aggregate.Rates)
	r.total.merge(other.total)
	r.Aggregate = r.total.summary()
	for name := range r.Aggregate.Rates {
		sum := rates[name]*float64(r.parts) + other.Aggregate.Rates[name]*float64(other.parts)
		r.Aggregate.Rates[name] = sum / float64(r.parts+other.parts)
	}
	r.parts += other.parts
}

// Visits counts what the users did.
func (r *Report) Visits() dyno.Visits {
	c := r.Aggregate.Counters
	v := dyno.Visits{
		Created: c[metricCreated], Completed: c[metricCompleted], Failed: c[metricFailed], Skipped: c[metricSkipped],
		Requests: c[metricRequests], BodyBytes: c[metricBytes], Codes: map[int]int64{},
	}
	for code, name := range codeNames {
		if n := c[name]; n > 0 {
			v.Codes[code] = n
		}
	}
	return v
}

// Errors returns the failures of users by their names, unmet expectations included; nil when there was none.
func (r *Report) Errors() map[string]int64 {
	var found map[string]int64
	for counter, n := range r.Aggregate.Counters {
		name, isError := strings.CutPrefix(counter, "errors.")
		if counter == metricUnmet {
			name, isError = "expectation not met", true
		}
		if isError && n > 0 {
			if found == nil {
				found = map[string]int64{}
			}
			found[name] += n
		}
	}
	return found
}

// WriteJSON writes the report as Artillery's -o does.
func (r *Report) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(r)
}
