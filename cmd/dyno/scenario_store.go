package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"dyno"
	"dyno/host"
	"dyno/internal/words"
	"dyno/scenario"
	"dyno/store"
)

// scenarioRecord keeps what a script's repetitions did as the trials of a run, so that dyno list, report and compare
// know it like any other. A nil record keeps nothing.
type scenarioRecord struct {
	store  *store.Store
	run    dyno.Run
	server localServer
}

// record begins a run for p in the folder that --out names.
func (f *scenarioFlags) record(ctx context.Context, p *scenario.Program, t target, cpus []int) (*scenarioRecord, error) {
	if f.out == "" {
		return nil, nil
	}
	script, err := p.Script()
	if err != nil {
		return nil, usage(err)
	}
	results, err := store.Open(f.out)
	if err != nil {
		return nil, err
	}
	name := p.Target.Host
	j := job{
		runFlags: runFlags{seed: f.seed}, store: results,
		workbench: &workbench{placement: host.Placement{ClientCPUs: cpus}},
		suite: dyno.Suite{
			Name: "scenario-" + plainName(script.Name), Title: script.Name + " against " + p.Target.String(), Subjects: []string{name},
			Cells:   []dyno.Cell{{Workload: dyno.Workload{Name: script.Name}, Load: dyno.Load{Users: int(p.Users())}}},
			Scripts: []dyno.Script{script},
			Method:  dyno.Method{Blocks: f.repeat, Rounds: 1, Slice: time.Duration(p.DurationNs()), Continuous: true},
		},
	}
	run, err := j.enter(ctx, []dyno.Subject{{Name: name, Title: name}})
	if err != nil {
		_ = results.Close() // the error that matters is err
		return nil, err
	}
	return &scenarioRecord{store: results, run: run, server: serverOn(t)}, nil
}

// serverCPUNs is the CPU time that the server has used so far; 0 when it is not known or not asked for.
func (s *scenarioRecord) serverCPUNs() int64 {
	if s == nil {
		return 0
	}
	return s.server.cpuNs()
}

// plainName makes what can be a part of a run's id of a script's name.
func plainName(script string) string {
	name := strings.TrimSuffix(script, filepath.Ext(script))
	return strings.Map(func(r rune) rune {
		if r < 128 && strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_", r) {
			return r
		}
		return '-'
	}, name)
}

// keep stores a repetition of p. Users who failed void it.
func (s *scenarioRecord) keep(ctx context.Context, block int, p *scenario.Program, r *scenario.Report, times *scenario.Times, cpuNs int64) error {
	if s == nil {
		return nil
	}
	visits, replies := r.Visits(), int64(0)
	visits.Promises = p.Promises(r)
	for _, n := range visits.Codes {
		replies += n
	}
	t := dyno.Trial{
		TrialKey:  dyno.TrialKey{Block: block, Cell: s.run.Suite.Cells[0], Subject: s.run.Subjects[0].Name},
		StartedAt: r.StartedAt, Latency: times.Response, FirstByte: times.FirstByte, Session: times.Session, Visits: visits,
		WarmUp: dyno.WarmUp{Settled: true}, // there is none to settle in
		Client: dyno.ClientAccount{Sent: visits.Requests, Verified: replies},
		Errors: r.Errors(), Void: r.Partial,
		Slices: []dyno.Slice{{
			DurationNs: r.EndedAt.Sub(r.StartedAt).Nanoseconds(), Replies: replies, ServerReplies: replies, ServerCPUNs: cpuNs,
			BytesRead: r.BytesRead, ClientBusyNs: r.BusyNs / int64(max(r.EventLoops, 1)), Latency: times.Response.Bands(),
		}},
	}
	t.Server.PeakRSSBytes, t.Server.Threads = s.server.footprint()
	if t.Void == "" && (visits.Failed > 0 || len(t.Errors) > 0) {
		t.Void = fmt.Sprintf("%s failed, of %d: %s", words.Count(int(visits.Failed), "user"), visits.Created, firstError(r.Aggregate.Counters))
	}
	return s.store.AddTrials(ctx, s.run.ID, []dyno.Trial{t})
}

// end says how far the run got, and lets go of the folder.
func (s *scenarioRecord) end(ctx context.Context, complete bool) error {
	if s == nil {
		return nil
	}
	state := dyno.RunPartial
	if complete {
		state = dyno.RunComplete
	}
	return errors.Join(s.store.FinishRun(ctx, s.run.ID, state, time.Now()), s.store.Close())
}

// localServer is the processes of a server on this machine, as far as the kernel tells this user.
type localServer []int

// serverOn finds who listens where the target is; nobody when it is elsewhere.
func serverOn(t target) localServer {
	if !t.local() {
		return nil
	}
	owners, foreign, err := host.ListenerOwners(int(t.addr.Port()), allProcesses())
	if err != nil || foreign > 0 {
		return nil // its cost would be that of a part
	}
	return owners
}

// cpuNs is the CPU time of the server so far; 0 when it is not known.
func (s localServer) cpuNs() int64 {
	ns, err := host.TreeCPUTime(s)
	if err != nil {
		return 0
	}
	return ns
}

func (s localServer) footprint() (peakRSSBytes int64, threads int) {
	for _, pid := range s {
		if n, err := host.PeakRSSBytes(pid); err == nil {
			peakRSSBytes += n
		}
		if n, err := host.Threads(pid); err == nil {
			threads += n
		}
	}
	return peakRSSBytes, threads
}
