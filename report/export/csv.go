package export

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"dyno"
	"dyno/hist"
	"dyno/report/internal/typeset"
)

// field is a column of a table and what stands in it.
type field[T any] struct {
	name  string // with its unit
	value func(T) string
}

// measured is a trial with what is known of its subject and its run.
type measured struct {
	dyno.Trial
	run     *dyno.Run
	subject dyno.Subject
}

// turn is a slice of a trial.
type turn struct {
	measured
	dyno.Slice
}

// Trials writes one line for each trial, in the order in which they were stored, with a head. What a trial does not
// know is empty: figures of void ones, and quantiles for which it had too few replies. The error is the writer's.
func Trials(w io.Writer, run dyno.Run, trials []dyno.Trial) error {
	return table(w, slices.Concat(keyFields, subjectFields, trialFields), allOf(run, trials))
}

// Slices writes one line for each slice of each trial. The error is the writer's.
func Slices(w io.Writer, run dyno.Run, trials []dyno.Trial) error {
	var turns []turn
	for _, m := range allOf(run, trials) {
		for _, s := range m.Trial.Slices {
			turns = append(turns, turn{m, s})
		}
	}
	var fields []field[turn]
	for _, f := range keyFields {
		fields = append(fields, field[turn]{f.name, func(t turn) string { return f.value(t.measured) }})
	}
	return table(w, append(fields, sliceFields...), turns)
}

func allOf(run dyno.Run, trials []dyno.Trial) []measured {
	subjects := byName(run)
	all := make([]measured, len(trials))
	for i, t := range trials {
		all[i] = measured{t, &run, subjects[t.Subject]}
	}
	return all
}

func table[T any](w io.Writer, fields []field[T], lines []T) error {
	out := csv.NewWriter(w)
	cells := make([]string, len(fields))
	for i, f := range fields {
		cells[i] = f.name
	}
	out.Write(cells) // the writer keeps its first error
	for _, l := range lines {
		for i, f := range fields {
			cells[i] = f.value(l)
		}
		out.Write(cells)
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("write the table: %w", err)
	}
	return nil
}

// keyFields say which trial it is. Blocks and rounds count from 0, as in JSON.
var keyFields = []field[measured]{
	{"run", func(m measured) string { return text(m.run.ID) }},
	{"block", func(m measured) string { return integer(m.Block) }},
	{"workload", func(m measured) string { return text(m.Cell.Workload.String()) }},
	{"payload_bytes", func(m measured) string { return whole(int64(m.Cell.Workload.PayloadBytes)) }},
	{"connections", func(m measured) string { return integer(m.Cell.Load.Connections) }},
	{"depth", func(m measured) string { return integer(m.Cell.Load.Depth) }},
	{"users", func(m measured) string { return whole(int64(m.Cell.Load.Users)) }},
	{"subject", func(m measured) string { return text(m.Subject) }},
}

var subjectFields = []field[measured]{
	{"title", func(m measured) string { return text(m.subject.Title) }},
	{"role", func(m measured) string { return role(m.subject) }},
	{"runtime", func(m measured) string { return text(m.subject.Runtime) }},
	{"runtime_version", func(m measured) string { return text(m.subject.RuntimeVersion) }},
	{"package", func(m measured) string { return text(m.subject.Package) }},
	{"package_version", func(m measured) string { return text(m.subject.PackageVersion) }},
}

var trialFields = []field[measured]{
	{"started_at", func(m measured) string { return moment(m.StartedAt) }},
	{"void", func(m measured) string { return text(m.Void) }},
	{"replies", counted(func(m measured) string { n, _ := countedReplies(m.Trial); return integer(n) })},
	{"counted_ns", counted(func(m measured) string { _, ns := countedReplies(m.Trial); return integer(ns) })},
	{"rate_per_s", counted(func(m measured) string { return real(m.RatePerS()) })},
	{"latency_mean_ns", figure(func(m measured) string { return mean(m.Latency) })},
	{"latency_p50_ns", figure(func(m measured) string { return told(m.Latency, 0.5) })},
	{"latency_p90_ns", figure(func(m measured) string { return told(m.Latency, 0.9) })},
	{"latency_p99_ns", figure(func(m measured) string { return told(m.Latency, 0.99) })},
	{"latency_p99_9_ns", figure(func(m measured) string { return told(m.Latency, 0.999) })},
	{"latency_max_ns", figure(func(m measured) string {
		if m.Latency == nil {
			return ""
		}
		return integer(m.Latency.MaxNs())
	})},
	{"server_cpu_ns_per_reply", counted(func(m measured) string { return real(m.ServerCPUNsPerReply()) })},
	{"peak_rss_bytes", figure(func(m measured) string { return whole(m.Server.PeakRSSBytes) })},
	{"start_up_ns", figure(func(m measured) string { return whole(m.Server.StartUpNs) })},
	{"threads", figure(func(m measured) string { return integer(m.Server.Threads) })},
	{"warm_up_ns", counted(func(m measured) string { return integer(m.WarmUp.DurationNs) })},
	{"settled", counted(func(m measured) string { return strconv.FormatBool(m.WarmUp.Settled) })},
	{"slices", func(m measured) string { return integer(len(m.Slices)) }},
	{"flagged_slices", func(m measured) string { return integer(flagged(m.Slices)) }},
	{"client_busy_share", counted(func(m measured) string { return real(m.ClientBusyShare()) })},
	{"client_gc_pause_ns", counted(func(m measured) string { return integer(m.Client.GCPauseNs) })},
	{"client_reconnects", counted(func(m measured) string { return integer(m.Client.Reconnects) })},
	{"involuntary_switches", counted(func(m measured) string { return integer(m.Noise.InvoluntarySwitches) })},
	{"capacity_per_s", figure(func(m measured) string {
		if m.Capacity == nil || m.Capacity.RatePerS.N == 0 {
			return ""
		}
		return real(m.Capacity.RatePerS.Value)
	})},
	{"users_completed", visited(func(m measured) string { return integer(m.Visits.Completed) })},
	{"users_failed", visited(func(m measured) string { return integer(m.Visits.Failed) })},
	{"session_mean_ns", visited(func(m measured) string { return mean(m.Session) })},
	{"first_byte_p50_ns", visited(func(m measured) string { return told(m.FirstByte, 0.5) })},
	{"first_byte_p99_ns", visited(func(m measured) string { return told(m.FirstByte, 0.99) })},
}

var sliceFields = []field[turn]{
	{"round", func(t turn) string { return integer(t.Round) }},
	{"position", func(t turn) string { return integer(t.Position) }},
	{"duration_ns", func(t turn) string { return integer(t.DurationNs) }},
	{"replies", func(t turn) string { return integer(t.Replies) }},
	{"rate_per_s", func(t turn) string { return real(t.Slice.RatePerS()) }},
	{"server_cpu_ns", func(t turn) string { return integer(t.ServerCPUNs) }},
	{"server_replies", func(t turn) string { return integer(t.ServerReplies) }},
	{"bytes_read", func(t turn) string { return integer(t.BytesRead) }},
	{"client_busy_ns", func(t turn) string { return integer(t.ClientBusyNs) }},
	{"rest_cpu_ns", func(t turn) string { return integer(t.RestCPUNs) }},
	{"foreign_cpu_ns", func(t turn) string { return integer(t.Disturbance.ForeignCPUNs) }},
	{"steal_ns", func(t turn) string { return integer(t.Disturbance.StealNs) }},
	{"memory_stall_ns", func(t turn) string { return integer(t.Disturbance.MemoryStallNs) }},
	{"flag", func(t turn) string { return text(t.Flag) }},
	{"void", func(t turn) string { return text(t.Void) }},
}

// figure leaves out what a void trial must not be taken for.
func figure(value func(measured) string) func(measured) string {
	return func(m measured) string {
		if m.Void != "" {
			return ""
		}
		return value(m)
	}
}

// counted leaves out, besides, what a search for a capacity has no slices for.
func counted(value func(measured) string) func(measured) string {
	return figure(func(m measured) string {
		if m.Capacity != nil {
			return ""
		}
		return value(m)
	})
}

// visited leaves out what only virtual users have.
func visited(value func(measured) string) func(measured) string {
	return figure(func(m measured) string {
		if m.Cell.Load.Users == 0 {
			return ""
		}
		return value(m)
	})
}

func mean(h *hist.Histogram) string {
	if h == nil || h.Count() == 0 {
		return ""
	}
	return real(h.MeanNs())
}

// told writes a quantile, if there were enough values to tell it.
func told(h *hist.Histogram, q float64) string {
	ns, enough := quantileNs(h, q)
	if !enough {
		return ""
	}
	return integer(ns)
}

func flagged(all []dyno.Slice) int {
	n := 0
	for _, s := range all {
		if s.Flag != "" {
			n++
		}
	}
	return n
}

// role says what part a subject takes in comparisons.
func role(s dyno.Subject) string {
	switch {
	case s.Ceiling:
		return "ceiling"
	case s.BaselineOf != "":
		return "baseline"
	}
	return "ranked"
}

func integer[N int | int64](n N) string { return strconv.FormatInt(int64(n), 10) }

// whole writes a count of which 0 means that it is not known.
func whole(n int64) string {
	if n == 0 {
		return ""
	}
	return integer(n)
}

// real writes a figure with nine significant digits, more than any measurement has, and without an exponent.
func real(x float64) string {
	digits := strconv.FormatFloat(x, 'g', 9, 64)
	if !strings.Contains(digits, "e") {
		return digits
	}
	return strconv.FormatFloat(x, 'f', max(0, 8-int(math.Floor(math.Log10(math.Abs(x))))), 64)
}

func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// text makes words from elsewhere fit for a spreadsheet, which would take what begins so for a formula.
func text(s string) string {
	s = typeset.Clean(s)
	if s != "" && strings.ContainsRune("=+-@", rune(s[0])) {
		return "'" + s
	}
	return s
}
