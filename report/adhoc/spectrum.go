package adhoc

import (
	"fmt"
	"strings"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"dyno"
	"dyno/hist"
)

// ticksPerHalf is how many lines the spectrum has for each halving of the distance to 100 %.
const ticksPerHalf = 2

// spectrum adds the latency distribution as HDR tools print and plot it, in ms.
func (p *page) spectrum(r *dyno.LoadReport) error {
	of := []struct {
		name string
		h    *hist.Histogram
	}{{KindOfTime(r), r.Latency}, {"service time, from the actual send", r.Service}}
	for _, s := range of {
		if s.h == nil {
			continue
		}
		p.gap()
		p.wrapped(bold, "Latency spectrum: "+s.name+", in ms", "")
		if s.h.Count() == 0 {
			p.line("", "no reply was measured")
			continue
		}
		h, err := decode(s.h)
		if err != nil {
			return err
		}
		var text strings.Builder
		if _, err := h.PercentilesPrint(&text, ticksPerHalf, nsPerMs); err != nil {
			return fmt.Errorf("latency spectrum: %w", err)
		}
		p.out.WriteString(text.String())
	}
	return nil
}

// decode hands a histogram to the HDR library, for what only that can do.
func decode(h *hist.Histogram) (*hdr.Histogram, error) {
	b, err := h.Encode()
	if err != nil {
		return nil, err
	}
	return hdr.Decode(b)
}
