package store

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"dyno"
	"dyno/hist"
)

// column ties a column to the place in memory that it is written from and read into. One list
// serves both ways, so that they cannot drift apart.
type column struct {
	name  string
	field any // a pointer, or one of the wrappers below
}

func runColumns(r *dyno.Run) []column {
	s, m := &r.Suite, &r.Machine
	return []column{
		{"id", &r.ID},
		{"state", &r.State},
		{"started_at", moment{&r.StartedAt}},
		{"ended_at", moment{&r.EndedAt}},
		{"seed", decimal{&r.Seed}},
		{"dyno_version", &r.Dyno},

		{"suite", &s.Name},
		{"suite_title", &s.Title},
		{"contract", &s.Contract},
		{"quick", &s.Quick},
		{"suite_subjects", list{&s.Subjects}},
		{"versus_a", &s.Versus[0]},
		{"versus_b", &s.Versus[1]},
		{"cells", list{&s.Cells}},
		{"blocks", &s.Method.Blocks},
		{"rounds", &s.Method.Rounds},
		{"slice_ns", &s.Method.Slice},
		{"skip_ns", &s.Method.Skip},
		{"warm_up_max_ns", &s.Method.WarmUpMax},
		{"continuous", &s.Method.Continuous},
		{"reply_within_ns", &s.Method.ReplyWithin},
		{"precision", &s.Method.Precision},
		{"block_error", &s.Method.BlockError},
		{"poller", &s.Method.Poller},
		{"baselines", &s.Baselines},
		{"claims", list{&s.Claims}},
		{"capacity", list{&s.Capacity}},
		{"scripts", list{&s.Scripts}},

		{"hostname", &m.Hostname},
		{"os", &m.OS},
		{"kernel", &m.Kernel},
		{"arch", &m.Arch},
		{"cpu_model", &m.CPUModel},
		{"cpus", &m.CPUs},
		{"memory_bytes", &m.MemoryBytes},
		{"virtual", &m.Virtual},
		{"governor", &m.Governor},
		{"client_cpus", list{&m.ClientCPUs}},
		{"server_cpus", list{&m.ServerCPUs}},
		{"shared_cpus", &m.SharedCPUs},
		{"open_files_max", &m.OpenFilesMax},
		{"warnings", list{&m.Warnings}},
		{"go_version", &m.GoVersion},
		{"clock_source", &m.ClockSource},
		{"transparent_huge_pages", &m.TransparentHP},

		{"subjects", list{&r.Subjects}},
		{"gates", list{&r.Gates}},
	}
}

// trialColumns are all columns of a trial but its id and its run.
func trialColumns(t *dyno.Trial) []column {
	return []column{
		{"block", &t.Block},
		{"workload", &t.Cell.Workload.Name},
		{"payload_bytes", &t.Cell.Workload.PayloadBytes},
		{"connections", &t.Cell.Load.Connections},
		{"depth", &t.Cell.Load.Depth},
		{"users", &t.Cell.Load.Users},
		{"subject", &t.Subject},
		{"started_at", moment{&t.StartedAt}},
		{"void", &t.Void},
		{"stderr", list{&t.Stderr}},

		{"latency_hdr", histogram{&t.Latency}},
		{"first_byte_hdr", histogram{&t.FirstByte}},
		{"session_hdr", histogram{&t.Session}},

		{"warm_up_ns", &t.WarmUp.DurationNs},
		{"warm_up_replies", &t.WarmUp.Replies},
		{"settled", &t.WarmUp.Settled},
		{"warm_up_window_ns", &t.WarmUp.WindowNs},
		{"warm_up_rates", list{&t.WarmUp.RatesPerS}},
		{"noise", list{&t.Noise}},

		{"start_up_ns", &t.Server.StartUpNs},
		{"peak_rss_bytes", &t.Server.PeakRSSBytes},
		{"threads", &t.Server.Threads},

		{"sent", &t.Client.Sent},
		{"verified", &t.Client.Verified},
		{"client_gc_pauses", &t.Client.GCPauses},
		{"client_gc_ns", &t.Client.GCPauseNs},
		{"reconnects", &t.Client.Reconnects},
		{"client_poller", &t.Client.Poller},
		{"errors", list{&t.Errors}},
		{"work", list{&t.Work}},
		{"capacity", list{&t.Capacity}},
		{"visits", list{&t.Visits}},
	}
}

// sliceColumns are all columns of a slice but its id and its trial.
func sliceColumns(s *dyno.Slice) []column {
	return []column{
		{"round", &s.Round},
		{"position", &s.Position},
		{"duration_ns", &s.DurationNs},
		{"replies", &s.Replies},
		{"server_cpu_ns", &s.ServerCPUNs},
		{"server_replies", &s.ServerReplies},
		{"bytes_read", &s.BytesRead},
		{"client_busy_ns", &s.ClientBusyNs},
		{"rest_cpu_ns", &s.RestCPUNs},
		{"foreign_cpu_ns", &s.Disturbance.ForeignCPUNs},
		{"steal_ns", &s.Disturbance.StealNs},
		{"memory_stall_ns", &s.Disturbance.MemoryStallNs},
		{"flag", &s.Flag},
		{"latency_bands", bands{&s.Latency}},
	}
}

// names returns the columns' names for an SQL list.
func names(columns []column) string {
	all := make([]string, len(columns))
	for i, c := range columns {
		all[i] = c.name
	}
	return strings.Join(all, ", ")
}

// fields returns the columns' fields, as arguments of a statement or as targets of a scan.
func fields(columns []column) []any {
	all := make([]any, len(columns))
	for i, c := range columns {
		all[i] = c.field
	}
	return all
}

// placeholders returns n question marks for an SQL list.
func placeholders(n int) string { return strings.TrimSuffix(strings.Repeat("?, ", n), ", ") }

// timeLayout has a fixed width, so that text sorts as time does.
const timeLayout = "2006-01-02T15:04:05.000000000Z"

// moment keeps a time as UTC text, the zero time as NULL.
type moment struct{ t *time.Time }

func (m moment) Value() (driver.Value, error) {
	if m.t.IsZero() {
		return nil, nil
	}
	return m.t.UTC().Format(timeLayout), nil
}

func (m moment) Scan(v any) error {
	if v == nil {
		*m.t = time.Time{}
		return nil
	}
	s, err := asText(v)
	if err != nil {
		return err
	}
	*m.t, err = time.Parse(timeLayout, s)
	return err
}

// decimal keeps a number that may exceed SQLite's signed integers as text.
type decimal struct{ n *uint64 }

func (d decimal) Value() (driver.Value, error) { return strconv.FormatUint(*d.n, 10), nil }

func (d decimal) Scan(v any) error {
	s, err := asText(v)
	if err != nil {
		return err
	}
	*d.n, err = strconv.ParseUint(s, 10, 64)
	return err
}

// list keeps a slice or a map as JSON, nil as NULL. target is a pointer to it.
type list struct{ target any }

func (l list) Value() (driver.Value, error) {
	if reflect.ValueOf(l.target).Elem().IsZero() {
		return nil, nil
	}
	b, err := json.Marshal(l.target)
	return string(b), err
}

func (l list) Scan(v any) error {
	if v == nil {
		return nil
	}
	s, err := asText(v)
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(s), l.target)
}

// asText returns the text of a column that dyno writes as text; a person with the sqlite3 shell may
// have put anything there.
func asText(v any) (string, error) {
	s, ok := v.(string)
	if !ok {
		return "", fmt.Errorf("want text, found %T", v)
	}
	return s, nil
}

// histogram keeps a histogram in its HDR form, nil as NULL.
type histogram struct{ h **hist.Histogram }

func (h histogram) Value() (driver.Value, error) {
	if *h.h == nil {
		return nil, nil
	}
	return (*h.h).Encode()
}

func (h histogram) Scan(v any) error {
	if v == nil {
		*h.h = nil
		return nil
	}
	b, ok := v.([]byte)
	if !ok {
		return fmt.Errorf("a histogram is a %T, not a blob", v)
	}
	decoded, err := hist.Decode(b)
	*h.h = decoded
	return err
}

// bands keeps a coarse histogram in its encoded form, an empty one as NULL.
type bands struct{ b *hist.Bands }

func (b bands) Value() (driver.Value, error) {
	if encoded := b.b.Encode(); encoded != nil {
		return encoded, nil
	}
	return nil, nil
}

func (b bands) Scan(v any) error {
	if v == nil {
		*b.b = hist.Bands{}
		return nil
	}
	in, ok := v.([]byte)
	if !ok {
		return fmt.Errorf("latency_bands is a %T, not a blob", v)
	}
	decoded, err := hist.DecodeBands(in)
	*b.b = decoded
	return err
}
