package scenario

import (
	"fmt"
	"math"
	"sync"

	"dyno/hist"
)

// Names of metrics, those of Artillery.
const (
	metricRequests     = "http.requests"
	metricResponses    = "http.responses"
	metricBytes        = "http.downloaded_bytes"
	metricRate         = "http.request_rate"
	metricResponseTime = "http.response_time" // to the first byte of the reply
	metricTotal        = "http.total"         // from when the request was ready, connecting included, to the last byte
	metricCreated      = "vusers.created"
	metricByName       = "vusers.created_by_name."
	metricCompleted    = "vusers.completed"
	metricFailed       = "vusers.failed"
	metricSkipped      = "vusers.skipped"
	metricSession      = "vusers.session_length"
	metricUnmet        = "plugins.expect.failed"
)

// codeNames are the counters of status codes, made once.
var codeNames = func() (names [1000]string) {
	for code := range names {
		names[code] = fmt.Sprintf("http.codes.%d", code)
	}
	return names
}()

// classNames are the histograms of response times by class of status.
var classNames = [6]string{2: metricResponseTime + ".2xx", 3: metricResponseTime + ".3xx", 4: metricResponseTime + ".4xx", 5: metricResponseTime + ".5xx"}

// periodMs is the width of the periods of a report, as Artillery has it. Periods begin at whole multiples
// of it in Unix time.
const periodMs = 10_000

// period is what one loop, or all of them together, recorded in one period.
type period struct {
	startMs  int64 // Unix time
	counters map[string]int64
	times    map[string]*hist.Histogram // in µs, to the histogram ns: so it holds what takes hours
	rates    map[string]*rate
	first    stamps
	last     stamps
}

// stamps are Unix times in ms; 0: none.
type stamps struct{ counter, histogram int64 }

// rate is how often something happened.
type rate struct{ count, firstMs, lastMs int64 }

func newPeriod(startMs int64) *period {
	return &period{startMs: startMs, counters: map[string]int64{}, times: map[string]*hist.Histogram{}, rates: map[string]*rate{}}
}

// metricsMax bounds how many metrics a script may make up.
const metricsMax = 2000

func (p *period) count(name string, n, nowMs int64) {
	if _, known := p.counters[name]; !known && len(p.counters) >= metricsMax {
		return
	}
	p.counters[name] += n
	if p.first.counter == 0 {
		p.first.counter = nowMs
	}
	p.last.counter = nowMs
}

func (p *period) time(name string, us float64, nowMs int64) {
	h := p.times[name]
	if h == nil {
		if len(p.times) >= metricsMax/10 {
			return
		}
		h = hist.New()
		p.times[name] = h
	}
	h.Record(int64(math.Round(us)))
	if p.first.histogram == 0 {
		p.first.histogram = nowMs
	}
	p.last.histogram = nowMs
}

func (p *period) event(name string, nowMs int64) {
	r := p.rates[name]
	if r == nil {
		r = &rate{firstMs: nowMs}
		p.rates[name] = r
	}
	r.count++
	r.lastMs = nowMs
}

// merge adds what another loop, or another period, recorded.
func (p *period) merge(other *period) {
	for name, n := range other.counters {
		p.counters[name] += n
	}
	for name, h := range other.times {
		if p.times[name] == nil {
			p.times[name] = hist.New()
		}
		p.times[name].Merge(h)
	}
	for name, r := range other.rates {
		if mine := p.rates[name]; mine != nil {
			mine.count += r.count
			mine.firstMs, mine.lastMs = min(mine.firstMs, r.firstMs), max(mine.lastMs, r.lastMs)
		} else {
			copied := *r
			p.rates[name] = &copied
		}
	}
	p.first.counter = earlier(p.first.counter, other.first.counter)
	p.first.histogram = earlier(p.first.histogram, other.first.histogram)
	p.last.counter = max(p.last.counter, other.last.counter)
	p.last.histogram = max(p.last.histogram, other.last.histogram)
}

// earlier is the smaller of two stamps that there are.
func earlier(a, b int64) int64 {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// collector gathers the periods of all loops. Only the summary of a period is kept.
type collector struct {
	mu    sync.Mutex
	loops int
	open  map[int64]*handedOver
	total *period
	done  []Period
	rates map[string]float64 // sum over the periods that are done
	each  func(Period)
}

type handedOver struct {
	period *period
	loops  int
}

func newCollector(loops int, each func(Period)) *collector {
	return &collector{loops: loops, open: map[int64]*handedOver{}, total: newPeriod(0), rates: map[string]float64{}, each: each}
}

// hand takes a loop's period. With the last loop's the period is complete.
func (c *collector) hand(p *period) {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := c.open[p.startMs]
	if h == nil {
		h = &handedOver{period: newPeriod(p.startMs)}
		c.open[p.startMs] = h
	}
	h.period.merge(p)
	if h.loops++; h.loops < c.loops {
		return
	}
	c.complete(h.period)
}

func (c *collector) complete(p *period) {
	delete(c.open, p.startMs)
	if len(p.counters)+len(p.times) == 0 {
		return
	}
	c.total.merge(p)
	summary := p.summary()
	for name, perS := range summary.Rates {
		c.rates[name] += perS
	}
	c.done = append(c.done, summary)
	if c.each != nil {
		c.each(summary)
	}
}
