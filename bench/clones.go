package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"dyno"
	"dyno/contract/framed"
	"dyno/host"
	"dyno/lab"
	"dyno/load"
	"dyno/subject"
)

const (
	subjectsDir = "subjects" // in the folder that the bench is run from
	readyWithin = 20 * time.Second
	stopWithin  = 3 * time.Second
)

// cloned are the subjects that may serve, the first that can run here first. Bun comes first because
// a runtime that compiles as it runs is the harder case.
var cloned = []string{"framed-bun", "framed-go"}

// clones runs blocks of one server against itself, in the lab that measures for `dyno run`.
type clones struct {
	subject dyno.Subject
	method  dyno.Method
	engine  *load.Engine
	start   lab.Starter
}

// newClones finds the server and starts the engine on the client's CPU. Whoever calls closes it.
func newClones(ctx context.Context, b *bench) (*clones, error) {
	s, err := b.findSubject(ctx)
	if err != nil {
		return nil, err
	}
	// The lab runs in this process, so that its other threads must keep off the server's CPU.
	if err := host.PinProcess(b.placement.ClientCPUs); err != nil {
		return nil, err
	}
	engine, err := load.New(load.Options{
		Spin:     clientSpin,
		OnThread: func(int) error { return host.PinThread(b.placement.ClientCPUs) },
	})
	if err != nil {
		return nil, err
	}
	return &clones{subject: s, method: slicingMethod(b.quick), engine: engine, start: starter(b.placement)}, nil
}

// findSubject returns the first of the cloned subjects that can run here.
func (b *bench) findSubject(ctx context.Context) (dyno.Subject, error) {
	registry, err := subject.Load(subjectsDir)
	if err != nil {
		return dyno.Subject{}, fmt.Errorf("%w; run the bench in the root of dyno's checkout", err)
	}
	var reasons []string
	for _, name := range cloned {
		s, err := registry.Find(name)
		if err != nil {
			return dyno.Subject{}, err
		}
		if s = registry.Resolve(ctx, s); s.Unavailable == "" {
			return s, nil
		}
		reasons = append(reasons, name+": "+s.Unavailable)
		b.progress("slicing without %s: %s", name, s.Unavailable)
	}
	return dyno.Subject{}, errors.New(strings.Join(reasons, "; "))
}

// starter starts fresh processes on the servers' CPUs.
func starter(p host.Placement) lab.Starter {
	return lab.StartWith(subject.StartOptions{
		CPUs: p.ServerCPUs, ReadyWithin: readyWithin, StopWithin: stopWithin, Ping: framed.Contract{}.Ping,
	})
}

// slicingCell is one square of the minecraft suite's matrix.
var slicingCell = dyno.Cell{
	Workload: dyno.Workload{PayloadBytes: payloadBytes},
	Load:     dyno.Load{Connections: slicingConnections, Depth: 1},
}

// slicingMethod is that of the suites, but for the number of rounds.
func slicingMethod(quick bool) dyno.Method {
	m := dyno.Method{
		Blocks: 1, Rounds: 16, Slice: 125 * time.Millisecond, Skip: 10 * time.Millisecond,
		WarmUpMax: 3 * time.Second, ReplyWithin: 10 * time.Second,
	}
	if quick {
		m.Rounds, m.Slice = 8, 50*time.Millisecond
	}
	return m
}

// block measures one block of the two processes that start gives, in slices or in one continuous window
// each, and returns their trials.
func (c *clones) block(ctx context.Context, start lab.Starter, continuous bool, seed uint64) ([]dyno.Trial, error) {
	method := c.method
	method.Continuous = continuous
	one, other := c.subject, c.subject
	one.Name, other.Name = "clone-1", "clone-2"
	run := dyno.Run{
		Suite:    dyno.Suite{Name: "slicing", Contract: one.Contract, Cells: []dyno.Cell{slicingCell}, Method: method},
		Seed:     seed,
		Subjects: []dyno.Subject{one, other},
	}
	kept := &memory{}
	l := lab.Lab{
		Engine: c.engine, Contract: framed.Contract{}, Start: start, Store: kept,
		Show: func(dyno.Progress) {}, Now: time.Now,
	}
	err := l.Measure(ctx, run, map[dyno.TrialKey]bool{})
	return kept.trials, err
}

// memory is a store of trials that are used at once.
type memory struct{ trials []dyno.Trial }

func (m *memory) AddTrials(_ context.Context, _ string, trials []dyno.Trial) error {
	m.trials = append(m.trials, trials...)
	return nil
}

// pen keeps processes alive from block to block, where the lab would start fresh ones.
type pen struct {
	fresh lab.Starter
	alive map[string]lab.Process
}

func newPen(fresh lab.Starter) *pen { return &pen{fresh: fresh, alive: map[string]lab.Process{}} }

// start returns the subject's process, which is started when it is asked for first.
func (p *pen) start(ctx context.Context, s dyno.Subject) (lab.Process, error) {
	if kept, ok := p.alive[s.Name]; ok {
		return kept, nil
	}
	fresh, err := p.fresh(ctx, s)
	if err != nil {
		return nil, err
	}
	p.alive[s.Name] = penned{fresh}
	return p.alive[s.Name], nil
}

// stopAll stops them. A process that does not end in time is killed by its warden.
func (p *pen) stopAll() {
	for _, kept := range p.alive {
		_ = kept.(penned).Process.Stop(context.Background())
	}
}

// penned is a process that outlives its block.
type penned struct{ lab.Process }

func (penned) Stop(context.Context) error { return nil }
