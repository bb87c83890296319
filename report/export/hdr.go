package export

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"dyno"
	"dyno/hist"
	"dyno/report/internal/typeset"
)

const nsPerMs = 1e6

// HDRLog writes one line for each valid trial in the log form of HDR histograms, version 1.3: when the trial began,
// how long its slices were together, its longest latency in ms and all its latencies, in ns, tagged with subject and
// cell. The error is the writer's, or that of a histogram that cannot be encoded.
func HDRLog(w io.Writer, run dyno.Run, trials []dyno.Trial) error {
	log := hdr.NewHistogramLogWriter(w)
	start := run.StartedAt.Truncate(time.Second).UnixMilli() // the log tells it in seconds
	write := func() error {
		for _, step := range []func() error{
			log.OutputLogFormatVersion,
			func() error {
				return log.OutputComment("[run " + typeset.Clean(run.ID) + " by dyno " + typeset.Clean(run.Dyno) + "; latencies in ns]")
			},
			func() error { return log.OutputStartTime(start) },
			log.OutputLegend,
		} {
			if err := step(); err != nil {
				return err
			}
		}
		log.SetBaseTime(start)
		for _, t := range inTime(trials) {
			if err := logTrial(log, t); err != nil {
				return err
			}
		}
		return nil
	}
	if err := write(); err != nil {
		return fmt.Errorf("write the HDR log: %w", err)
	}
	return nil
}

// inTime returns the valid trials with latencies as they began: readers of a log count on that.
func inTime(trials []dyno.Trial) []dyno.Trial {
	var all []dyno.Trial
	for _, t := range trials {
		if t.Void == "" && t.Latency != nil && t.Latency.Count() > 0 {
			all = append(all, t)
		}
	}
	slices.SortStableFunc(all, func(a, b dyno.Trial) int { return a.StartedAt.Compare(b.StartedAt) })
	return all
}

func logTrial(log *hdr.HistogramLogWriter, t dyno.Trial) error {
	h, err := library(t.Latency)
	if err != nil {
		return err
	}
	_, countedNs := countedReplies(t)
	start := t.StartedAt.UnixMilli()
	h.SetTag(name(t.Cell, t.Subject))
	h.SetStartTimeMs(start)
	h.SetEndTimeMs(start + int64(math.Round(float64(countedNs)/nsPerMs)))
	return log.OutputIntervalHistogram(h)
}

// ticksPerHalf is how many lines a distribution has for each halving of the distance to 100 %.
const ticksPerHalf = 5

// Distribution is what one subject's latencies in one cell were.
type Distribution struct {
	Name string // safe as a file name, and different from all others
	Text string // percentiles in ms as HDR tools print and plot them
}

// Distributions returns the latencies of each subject in each cell, all its valid trials together, by name. The
// error is that of a histogram that cannot be encoded.
func Distributions(trials []dyno.Trial) ([]Distribution, error) {
	type place struct {
		cell    dyno.Cell
		subject string
	}
	var order []place
	together := map[place]*hist.Histogram{}
	for _, t := range trials {
		if t.Void != "" || t.Latency == nil || t.Latency.Count() == 0 {
			continue
		}
		p := place{t.Cell, t.Subject}
		if together[p] == nil {
			order, together[p] = append(order, p), hist.New()
		}
		together[p].Merge(t.Latency)
	}
	var all []Distribution
	var names FileNames
	for _, p := range order {
		h, err := library(together[p])
		if err != nil {
			return nil, err
		}
		var text strings.Builder
		if _, err := h.PercentilesPrint(&text, ticksPerHalf, nsPerMs); err != nil {
			return nil, fmt.Errorf("percentiles of %s, %s: %w", p.subject, p.cell, err)
		}
		all = append(all, Distribution{names.Next(name(p.cell, p.subject)), text.String()})
	}
	slices.SortFunc(all, func(a, b Distribution) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// name tells the latencies of a subject in a cell from all others, e.g. "framed-bun-64_B-c32-d16".
func name(cell dyno.Cell, subject string) string {
	load := fmt.Sprintf("c%d-d%d", cell.Load.Connections, cell.Load.Depth)
	if cell.Load.Users > 0 {
		load = fmt.Sprintf("u%d", cell.Load.Users)
	}
	return FileName(subject, cell.Workload.String(), load)
}

// library hands a histogram to the HDR library, for what only that can do.
func library(h *hist.Histogram) (*hdr.Histogram, error) {
	b, err := h.Encode()
	if err != nil {
		return nil, err
	}
	return hdr.Decode(b)
}
