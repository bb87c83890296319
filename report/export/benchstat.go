package export

import (
	"fmt"
	"io"
	"runtime"
	"strings"

	"dyno"
	"dyno/report/internal/typeset"
)

// Benchstat writes one line of `go test -bench` for each valid trial, so that benchstat, to which a line is one
// sample, makes its own intervals: of the subjects of one run (-col /subject), or of two runs, a file each. Void
// trials are left out, because the form knows none. The error is the writer's.
func Benchstat(w io.Writer, run dyno.Run, trials []dyno.Trial) error {
	var b strings.Builder
	perReply := typeset.WordsOf(run.Suite.Contract).Reply
	fmt.Fprintf(&b, "# run %s by dyno %s\n", word(run.ID), word(run.Dyno))
	// Lines with a key tell tables apart, so what differs from run to run has none.
	fmt.Fprintf(&b, "goos: %s\ngoarch: %s\npkg: dyno/%s\ncpu: %s\n", runtime.GOOS, word(run.Machine.Arch), word(run.Suite.Name), typeset.Clean(run.Machine.CPUModel))
	fmt.Fprintf(&b, "Unit %ss/s better=higher\n", perReply)
	fmt.Fprintf(&b, "Unit capacity-%ss/s better=higher\n", perReply)
	for _, t := range trials {
		if c := t.Capacity; c != nil && t.Void == "" && c.RatePerS.N > 0 {
			fmt.Fprintf(&b, "%s %d %.6g capacity-%ss/s\n", benchmark(run, t), c.RatePerS.N, c.RatePerS.Value, perReply)
			continue
		}
		replies, _ := countedReplies(t)
		if t.Void != "" || replies == 0 {
			continue
		}
		fmt.Fprintf(&b, "%s %d %.6g %ss/s %.6g cpu-ns/%s", benchmark(run, t), replies, t.RatePerS(), perReply, t.ServerCPUNsPerReply(), perReply)
		for _, q := range []struct {
			share float64
			name  string
		}{{0.5, "p50"}, {0.99, "p99"}} {
			if ns, told := quantileNs(t.Latency, q.share); told {
				fmt.Fprintf(&b, " %d %s-ns", ns, q.name)
			}
		}
		fmt.Fprintf(&b, " %d peak-RSS-B %d start-up-ns\n", t.Server.PeakRSSBytes, t.Server.StartUpNs)
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write the benchmark lines: %w", err)
	}
	return nil
}

// benchmark names a trial with keys that benchstat can sort by. The number at its end, Go's number of CPUs, is that
// of the client: without one, a subject called node-24 would lose its end.
func benchmark(run dyno.Run, t dyno.Trial) string {
	name := word(run.Suite.Name)
	l := t.Cell.Load
	load := fmt.Sprintf("connections=%d/depth=%d", l.Connections, l.Depth)
	switch {
	case l.Users > 0:
		load = fmt.Sprintf("users=%d", l.Users)
	case l.Depth == 0:
		load = fmt.Sprintf("loop=open/connections=%d", l.Connections)
	}
	return fmt.Sprintf("Benchmark%s/workload=%s/%s/subject=%s-%d",
		strings.ToUpper(name[:1])+name[1:], word(t.Cell.Workload.String()), load, word(t.Subject), max(1, len(run.Machine.ClientCPUs)))
}

// word keeps a name from breaking the line or looking like a key of it.
func word(s string) string {
	s = strings.NewReplacer(" ", "_", typeset.Unbreakable, "_", "%", "%25", "/", "%2F", "=", "%3D").Replace(typeset.Clean(s))
	if s == "" {
		return "_"
	}
	return s
}
