package export

import (
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
	"golang.org/x/perf/benchfmt"

	"dyno"
	"dyno/hist"
	"dyno/internal/golden"
)

// smallRun is a run of two subjects, one of which went wrong once, in one cell and two blocks.
func smallRun() (dyno.Run, []dyno.Trial) {
	begin := time.Date(2026, 11, 21, 8, 48, 12, 345e6, time.UTC)
	run := dyno.Run{
		ID: "minecraft-20261121-084812", Dyno: "0.1.0", StartedAt: begin,
		Suite:   dyno.Suite{Name: "minecraft", Contract: "framed"},
		Machine: dyno.Machine{Arch: "amd64", CPUModel: "AMD EPYC 9B14", ClientCPUs: []int{0}},
		Subjects: []dyno.Subject{
			{Name: "framed-bun", Title: "Bun", Runtime: "bun", RuntimeVersion: "1.4.5"},
			{Name: "null", Title: "Null server", Ceiling: true},
		},
	}
	var trials []dyno.Trial
	for block := range 2 {
		for i, subject := range []string{"framed-bun", "null"} {
			t := dyno.Trial{
				TrialKey:  dyno.TrialKey{Block: block, Subject: subject, Cell: dyno.Cell{Workload: dyno.Workload{PayloadBytes: 64}, Load: dyno.Load{Connections: 4, Depth: 1}}},
				StartedAt: begin.Add(time.Duration(1+block) * time.Second), Latency: hist.New(),
				Server: dyno.ServerCost{StartUpNs: 21e6, PeakRSSBytes: 64 << 20, Threads: 4}, WarmUp: dyno.WarmUp{DurationNs: 6e8, Settled: true},
			}
			for round := range 2 {
				t.Slices = append(t.Slices, dyno.Slice{
					Round: round, Position: i, DurationNs: 190e6, Replies: int64(900+100*block+round) * 10, ServerCPUNs: 150e6, ServerReplies: 10_000,
					BytesRead: 720_000, ClientBusyNs: 90e6,
				})
			}
			for n := range 600 {
				t.Latency.Record(int64(20_000 + 100*n))
			}
			trials = append(trials, t)
		}
	}
	trials[0].Slices[1].Flag = "stolen CPU"
	trials[3].Void = "wrong reply, \"want\" 64 B"
	return run, trials
}

// hostileRun has names that would break lines, columns, folders and spreadsheets.
func hostileRun() (dyno.Run, []dyno.Trial) {
	run, trials := smallRun()
	evil := "../../=cmd|' /C calc'!A0,\"x\"\n\x1b[31mBenchmarkFake 1 1 ns/op"
	run.ID, run.Dyno, run.Suite.Name, run.Machine.CPUModel = "@"+evil, evil, evil, evil
	run.Subjects[0].Title, run.Subjects[0].Package = "=1+1", "\t=2"
	for i := range trials {
		if trials[i].Subject == "framed-bun" {
			trials[i].Subject = evil
		}
		trials[i].Cell.Workload = dyno.Workload{Name: "GET /id/:id?a=1 %"}
	}
	return run, trials
}

func TestGolden(t *testing.T) {
	run, trials := smallRun()
	hostile, hostileTrials := hostileRun()
	for name, write := range map[string]func(b *strings.Builder) error{
		"trials.csv":    func(b *strings.Builder) error { return Trials(b, run, trials) },
		"slices.csv":    func(b *strings.Builder) error { return Slices(b, run, trials) },
		"benchstat.txt": func(b *strings.Builder) error { return Benchstat(b, run, trials) },
		"log.hdr":       func(b *strings.Builder) error { return HDRLog(b, run, trials) },
		"hostile.csv":   func(b *strings.Builder) error { return Trials(b, hostile, hostileTrials) },
		"hostile.txt":   func(b *strings.Builder) error { return Benchstat(b, hostile, hostileTrials) },
		"nothing.csv":   func(b *strings.Builder) error { return Trials(b, run, nil) },
		"percentile.txt": func(b *strings.Builder) error {
			all, err := Distributions(trials)
			b.WriteString(all[0].Text)
			return err
		},
	} {
		var b strings.Builder
		if err := write(&b); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		golden.Check(t, name, b.String())
	}
}

func TestTablesHoldTheTrials(t *testing.T) {
	run, trials := smallRun()
	var b strings.Builder
	if err := Trials(&b, run, trials); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
	if err != nil || len(lines) != 1+len(trials) {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	at := func(line int, column string) string { return lines[line][slices.Index(lines[0], column)] }
	for i, trial := range trials {
		rate, err := strconv.ParseFloat(at(i+1, "rate_per_s"), 64)
		switch {
		case trial.Void != "" && at(i+1, "rate_per_s") == "" && at(i+1, "void") == trial.Void:
		case trial.Void != "" || err != nil || rate < trial.RatePerS()*(1-1e-8) || rate > trial.RatePerS()*(1+1e-8):
			t.Errorf("trial %d: rate %s, void %q; want %g, %q", i, at(i+1, "rate_per_s"), at(i+1, "void"), trial.RatePerS(), trial.Void)
		}
		if at(i+1, "latency_p99_9_ns") != "" {
			t.Error("600 replies tell no p99.9")
		}
	}
}

func TestFiguresKeepNineDigits(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 0.1234567891: "0.123456789", 1234567.891234: "1234567.89", 1e12: "1000000000000", 12345678912345: "12345678912345", 1.5e-9: "0.0000000015"} {
		if got := real(x); !strings.HasPrefix(got, want) || strings.Contains(got, "e") {
			t.Errorf("%g: %s, want %s", x, got, want)
		}
	}
}

// TestBenchstatReadsTheLines reads what was written with the reader of benchstat itself.
func TestBenchstatReadsTheLines(t *testing.T) {
	for name, of := range map[string]func() (dyno.Run, []dyno.Trial){"small": smallRun, "hostile": hostileRun} {
		run, trials := of()
		var b strings.Builder
		if err := Benchstat(&b, run, trials); err != nil {
			t.Fatal(err)
		}
		read := 0
		for r := benchfmt.NewReader(strings.NewReader(b.String()), name); r.Scan(); {
			switch x := r.Result().(type) {
			case *benchfmt.SyntaxError:
				t.Errorf("%s: %v in\n%s", name, x, b.String())
			case *benchfmt.Result:
				rate, ok := x.Value("packets/s")
				if want := trials[read].RatePerS(); !ok || rate < want*0.99999 || rate > want*1.00001 {
					t.Errorf("%s, line %d: %g packets/s, want %g", name, read, rate, want)
				}
				if _, ok := x.Value("p50-sec"); !ok {
					t.Errorf("%s: no p50 in seconds: %v", name, x.Values)
				}
				if _, parts := x.Name.Parts(); len(parts) != 5 { // four keys and the number of CPUs
					t.Errorf("%s: %d parts in %s", name, len(parts), x.Name)
				}
				read++
			}
		}
		if read != 3 {
			t.Errorf("%s: %d lines were read, want one for each of 3 valid trials", name, read)
		}
	}
}

// TestHDRToolsReadTheLog reads what was written with the HDR library's reader.
func TestHDRToolsReadTheLog(t *testing.T) {
	run, trials := smallRun()
	slices.Reverse(trials)
	var b strings.Builder
	if err := HDRLog(&b, run, trials); err != nil {
		t.Fatal(err)
	}
	r := hdr.NewHistogramLogReader(strings.NewReader(b.String()))
	var starts []int64
	for {
		h, err := r.NextIntervalHistogram()
		if err != nil {
			t.Fatal(err)
		}
		if h == nil {
			break
		}
		starts = append(starts, h.StartTimeMs())
		if h.TotalCount() != 600 || h.Max() < 79_900 || h.Max() > 80_000 {
			t.Errorf("%d values up to %d", h.TotalCount(), h.Max())
		}
		if !strings.HasSuffix(h.Tag(), "-64_B-c4-d1") {
			t.Errorf("tag %q", h.Tag())
		}
	}
	if len(starts) != 3 || !slices.IsSorted(starts) {
		t.Errorf("intervals begin at %v", starts)
	}
}

// TestUsersAndCapacitiesHaveFiguresOfTheirOwn: neither has a rate that says what it says of a closed loop.
func TestUsersAndCapacitiesHaveFiguresOfTheirOwn(t *testing.T) {
	run, trials := smallRun()
	trials = trials[:2]
	trials[0].Cell.Load = dyno.Load{Users: 20}
	trials[0].Visits = dyno.Visits{Created: 20, Completed: 19, Failed: 1, Requests: 60}
	trials[0].Session, trials[0].FirstByte = hist.New(), hist.New()
	trials[0].Session.Record(5e6)
	trials[0].FirstByte.Record(1e6)
	trials[1].Cell.Load, trials[1].Slices = dyno.Load{}, nil
	trials[1].Capacity = &dyno.Capacity{RatePerS: dyno.Estimate{Value: 12_345, N: 3}}
	var b strings.Builder
	if err := errors.Join(Trials(&b, run, trials), Benchstat(&b, run, trials), HDRLog(&b, run, trials)); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "others.txt", b.String())
}

func TestFileNames(t *testing.T) {
	for _, c := range []struct {
		want  string
		parts []string
	}{
		{"framed-bun-64_B", []string{"framed-bun", "64 B"}},
		{"_..__..__etc_passwd", []string{"../\x00../\u202eetc/passwd"}},
		{"_", nil},
		{"_-rf", []string{"-rf"}},
		{"GET__id", []string{"GET /id"}},
	} {
		if got := FileName(c.parts...); got != c.want {
			t.Errorf("%q: %q, want %q", c.parts, got, c.want)
		}
	}
	if n := len(FileName(strings.Repeat("x", 400))); n != fileNameMax {
		t.Errorf("%d characters", n)
	}
	_, trials := hostileRun()
	trials[1].Subject = trials[0].Subject + "\x00" // the same file name as another subject's
	all, err := Distributions(trials)
	if err != nil || len(all) != 2 {
		t.Fatalf("%d distributions, %v", len(all), err)
	}
	names := map[string]bool{}
	for _, d := range all {
		names[d.Name] = true
	}
	if len(names) != len(all) {
		t.Errorf("two files have one name: %v", names)
	}
}

type fullDisk struct{}

var errFull = errors.New("no space left on device")

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestAWriterThatFailsIsReported(t *testing.T) {
	run, trials := smallRun()
	for i, err := range []error{Trials(fullDisk{}, run, trials), Slices(fullDisk{}, run, trials), Benchstat(fullDisk{}, run, trials), HDRLog(fullDisk{}, run, trials)} {
		if !errors.Is(err, errFull) || strings.Contains(fmt.Sprint(err), "\n") {
			t.Errorf("%d: %v", i, err)
		}
	}
}
