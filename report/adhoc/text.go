package adhoc

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"dyno"
	"dyno/hist"
	"dyno/report/internal/typeset"
)

// Text writes the report for a person: the tables that autocannon's users know, what went wrong, and
// the instrument's account of itself. No line is wider than the options allow. The error is the
// writer's.
func Text(w io.Writer, r *dyno.LoadReport, o Options) error {
	p := newPage(o)
	p.head(r)
	p.latency(r)
	p.rates(r)
	p.summary(r)
	p.codes(r)
	p.errors(r)
	p.account(r)
	if o.Spectrum {
		if err := p.spectrum(r); err != nil {
			return err
		}
	}
	return write(w, p.out.String())
}

func (p *page) head(r *dyno.LoadReport) {
	title := r.Target
	if r.Options.Method != "" {
		title = r.Options.Method + " " + title
	}
	p.wrapped(bold, title, "")
	parts := setting(r)
	for i := range parts {
		parts[i] = strings.ReplaceAll(parts[i], " ", typeset.Unbreakable)
	}
	p.wrapped(dim, strings.Join(parts, " · "), "")
	if r.Partial != "" {
		p.wrapped(bold, "PARTIAL: "+r.Partial, "")
	}
}

// setting says how the load was made.
func setting(r *dyno.LoadReport) []string {
	o := r.Options
	parts := []string{o.Load.String()}
	if len(o.PayloadBytes) > 0 {
		sizes := make([]string, len(o.PayloadBytes))
		for i, n := range o.PayloadBytes {
			sizes[i] = typeset.Thousands(int64(n))
		}
		parts = append(parts, "payloads of "+strings.Join(sizes, ", ")+" B")
	}
	if o.CorpusRequests > 0 {
		parts = append(parts, typeset.Counted(o.CorpusRequests, "different request")+" in random order")
	}
	parts = append(parts, loopText(r))
	if o.Requests > 0 {
		parts = append(parts, typeset.Counted(int(o.Requests), termsOf(r).request))
	}
	if o.Duration > 0 {
		parts = append(parts, lastingText(o.Duration))
	}
	if o.WarmUp > 0 {
		parts = append(parts, "after a warm-up of "+lastingText(o.WarmUp))
	}
	return append(parts, fmt.Sprintf("seed %d", o.Seed))
}

func loopText(r *dyno.LoadReport) string {
	o := r.Options
	if !r.OpenLoop() {
		return "closed loop"
	}
	rate := rateText(o.RatePerS)
	if o.RampToPerS > 0 {
		rate += " to " + rateText(o.RampToPerS)
	}
	return fmt.Sprintf("open loop, %s %ss/s, %s arrivals", rate, termsOf(r).request, o.Arrivals)
}

// KindOfTime says what the latency of a report is.
func KindOfTime(r *dyno.LoadReport) string {
	if r.OpenLoop() {
		return "response time (open loop, from the due time)"
	}
	return "service time (closed loop)"
}

func (p *page) latency(r *dyno.LoadReport) {
	p.gap()
	t := table{{"Stat", "2.5 %", "50 %", "97.5 %", "99 %", "Avg", "Stdev", "Max"}}
	row := func(name string, h *hist.Histogram) {
		cells := []string{name}
		for _, ns := range []float64{
			quantile(h, .025), quantile(h, .5), quantile(h, .975), quantile(h, .99), h.MeanNs(), h.StdevNs(), float64(h.MaxNs()),
		} {
			if h.Count() == 0 {
				cells = append(cells, absent)
				continue
			}
			cells = append(cells, timeText(ns))
		}
		t = append(t, cells)
	}
	row("Latency", r.Latency)
	note := "Latency is " + KindOfTime(r)
	if r.Service != nil {
		row("Service", r.Service)
		note += "; Service is the part of it from the actual send"
	}
	p.table(t)
	p.wrapped(dim, note+".", "")
}

func quantile(h *hist.Histogram, q float64) float64 { return float64(h.QuantileNs(q)) }

func (p *page) rates(r *dyno.LoadReport) {
	p.gap()
	t := table{{"Stat", "1 %", "2.5 %", "50 %", "97.5 %", "Avg", "Stdev", "Min"}}
	row := func(name string, s dyno.Samples, text func(float64) string) {
		cells := []string{name}
		for _, x := range []float64{
			s.Quantile(.01), s.Quantile(.025), s.Quantile(.5), s.Quantile(.975), s.Mean(), s.Stdev(), s.Min(),
		} {
			if s.N() == 0 {
				cells = append(cells, absent)
				continue
			}
			cells = append(cells, text(x))
		}
		t = append(t, cells)
	}
	row(termsOf(r).label, r.Rates(), rateText)
	row("Bytes/Sec", r.BytesRates(), bytesText)
	p.table(t)
	switch n := r.Rates().N(); n {
	case 0:
		p.wrapped(dim, "No samples: the load did not last a whole second.", "")
	default:
		p.wrapped(dim, fmt.Sprintf("Sampled once a second, %s; only verified replies count.", typeset.Counted(n, "sample")), "")
	}
}

func (p *page) summary(r *dyno.LoadReport) {
	p.gap()
	w := termsOf(r)
	p.wrapped("", fmt.Sprintf("%s in %s, %s sent, %s read", typeset.Counted(int(r.Due()), w.request),
		timeText(float64(r.DurationNs)), bytesText(float64(r.Counts.BytesSent)), bytesText(float64(r.Counts.BytesRead))), "")
	bound := ""
	if r.ClientBound() {
		bound = ", a lower bound (client-bound)"
	}
	p.wrapped(bold, fmt.Sprintf("%s verified %s%s", rateText(r.RatePerS()), w.perS, bound), "")
}

func (p *page) codes(r *dyno.LoadReport) {
	if len(r.Codes) == 0 {
		return
	}
	var parts []string
	for _, code := range slices.Sorted(maps.Keys(r.Codes)) {
		parts = append(parts, fmt.Sprintf("%d"+typeset.Unbreakable+"×"+typeset.Unbreakable+"%s", code, typeset.Thousands(r.Codes[code])))
	}
	text := "Codes: " + strings.Join(parts, ", ")
	if non2xx := r.Replies() - r.Class(2); non2xx > 0 {
		text += fmt.Sprintf(" (%s 2xx, %s non-2xx)", typeset.Thousands(r.Class(2)), typeset.Thousands(non2xx))
	}
	p.wrapped("", text, "       ")
}

// causes says what a kind of failure means.
var causes = map[string]string{
	"connect-refused": "nobody listens there",
	"connect-timeout": "no answer to the handshake in time",
	"connect-failed":  "the connection could not be opened",
	"reset":           "the server reset the connection",
	"eof":             "the server closed the connection while it owed replies",
	"timeout":         "no reply in time; the age enters the latency",
	"malformed":       "the reply was wrong or broken, and the stream could not be followed any more",
	"unasked":         "bytes came that no request asked for",
	"io-error":        "reading or writing failed",
	"tls":             "the TLS session failed",
	"wrong":           "a whole reply, but not the one that was owed",
	"in-flight":       "unanswered when the load was stopped",
	"dropped":         "due when the queue of waiting requests was full",
}

func (p *page) errors(r *dyno.LoadReport) {
	if len(r.Errors) == 0 {
		return
	}
	p.gap()
	head := fmt.Sprintf("%s of %s got no right reply (%s)", typeset.Thousands(r.Failed()),
		typeset.Counted(int(r.Due()), termsOf(r).request), percentText(share(r.Failed(), r.Due())))
	if r.Failed() == 0 {
		head = fmt.Sprintf("Connections failed, and no %s was lost with them", termsOf(r).request)
	}
	p.wrapped(bold, head, "")
	names := slices.SortedFunc(maps.Keys(r.Errors), func(a, b string) int {
		if r.Errors[a] != r.Errors[b] {
			return int(r.Errors[b] - r.Errors[a])
		}
		return strings.Compare(a, b)
	})
	var pairs [][2]string
	for _, name := range names {
		text := typeset.Thousands(r.Errors[name])
		if cause := causes[name]; cause != "" {
			text += ": " + cause
		}
		if name == "wrong" && r.Protocol == "http" && r.Options.CorpusRequests == 0 && r.Options.ExpectStatus == 0 && !r.Options.ExpectBody {
			text += " (its status is not 2xx)"
		}
		pairs = append(pairs, [2]string{name, text})
	}
	p.pairs(pairs)
	if r.FirstFault != "" {
		p.wrapped(dim, "first wrong reply: "+r.FirstFault, "  ")
	}
}

func share(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
