package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/netip"
	"runtime"
	"slices"
	"strings"
	"time"

	"dyno"
	"dyno/bench/internal/frame"
	"dyno/contract/framed"
	"dyno/contract/http1"
	"dyno/load"
)

// clientCommand makes this program a load client with nothing else in it: bench client ORDER.
const clientCommand = "client"

const (
	payloadBytes = 64
	clientSpin   = 200 * time.Microsecond // what dyno run uses
	trafficSeed  = 2                      // any; equal payloads for all
)

// order says what a client does. Its single event loop runs on the CPU that the process was given.
type order struct {
	Addr        netip.AddrPort
	HTTP        bool // GET / of the null HTTP server; else frames of payloadBytes
	Connections int
	Depth       int         // 0: 1
	Poller      load.Poller // "": auto
	Spin        time.Duration
	Duration    time.Duration
	Skip        time.Duration // head of Duration that the rate leaves out
	RatePerS    float64       // open loop; 0: closed loop
	Heap        bool          // measure the heap, which costs some collections
	Pairs       int           // of short windows on each poller in turns, instead of all that; 0: none
}

// answer is what a client found. Errors is empty when every reply was right.
type answer struct {
	Verified int64 // whole payload compared, over the whole Duration and its drain
	RatePerS float64
	Errors   map[string]int64
	Fault    string

	LagP50Ns, LagP99Ns int64   // of an open loop
	BusyShare          float64 // of the event loop
	HeapBytes          int64   // of the client with its connections open, sessions included
	SessionsHeapBytes  int64   // of the sessions alone
	Pollers            comparison
}

// clientMain carries out the order in args[0] (JSON) and prints the answer (JSON).
func clientMain(args []string, stdout, stderr io.Writer) int {
	var o order
	if len(args) != 1 || json.Unmarshal([]byte(args[0]), &o) != nil {
		fmt.Fprintf(stderr, "bench %s: no order; this command is for the bench itself\n", clientCommand)
		return frame.ExitUsage
	}
	a, err := o.carryOut(context.Background())
	if err == nil {
		err = json.NewEncoder(stdout).Encode(a)
	}
	if err != nil {
		fmt.Fprintln(stderr, err)
		return frame.ExitMissed
	}
	return 0
}

func (o order) carryOut(ctx context.Context) (a answer, err error) {
	if o.Pairs > 0 {
		a.Pollers, err = o.compare(ctx)
		a.Verified = a.Pollers.Verified
		return a, err
	}
	client, shut, err := o.open(ctx, o.Poller, &a)
	if err != nil {
		return a, err
	}
	defer shut()
	window := load.Window{Duration: o.Duration, Skip: o.Skip}
	if o.RatePerS > 0 {
		window.Schedule = load.Constant(o.RatePerS)
	}
	r, err := client.Run(ctx, window)
	if err != nil {
		return a, err
	}
	a.Verified, a.RatePerS, a.Errors, a.Fault = r.Verified, r.RatePerS(), r.Errors(), r.FirstFault
	a.BusyShare = r.BusyShare()
	if r.Lag != nil {
		a.LagP50Ns, a.LagP99Ns = r.Lag.QuantileNs(0.5), r.Lag.QuantileNs(0.99)
	}
	return a, nil
}

// open connects a client, notes what heap it takes, and returns how to end it.
func (o order) open(ctx context.Context, poller load.Poller, a *answer) (c *load.Client, shut func(), err error) {
	depth := max(o.Depth, 1)
	sessions, err := o.sessions(depth)
	if err != nil {
		return nil, nil, err
	}
	// The process has one CPU only, so the loop needs no pinning of its own.
	engine, err := load.New(load.Options{Spin: o.Spin, Poller: poller})
	if err != nil {
		return nil, nil, err
	}
	empty := o.heapBytes()
	made := make([]load.Session, o.Connections)
	for i := range made {
		made[i] = sessions(i)
	}
	a.SessionsHeapBytes = o.heapBytes() - empty
	client, err := engine.Open(ctx, load.Config{
		Addr: o.Addr, Connections: o.Connections, Depth: depth,
		NewSession: func(conn int) load.Session { return made[conn] },
	})
	if err != nil {
		engine.Close()
		return nil, nil, err
	}
	a.HeapBytes = o.heapBytes() - empty
	return client, func() { client.Close(); engine.Close() }, nil
}

// sessions returns what makes the traffic of each connection.
func (o order) sessions(depth int) (func(conn int) load.Session, error) {
	if !o.HTTP {
		return framed.Contract{}.Traffic(dyno.Workload{PayloadBytes: payloadBytes}, depth, trafficSeed)
	}
	request, err := http1.Request{Host: o.Addr.String()}.Bytes()
	if err != nil {
		return nil, err
	}
	corpus, err := http1.NewCorpus([]http1.Exchange{{Request: request, Want: http1.Want{Status: 200, Body: []byte("hi")}}})
	if err != nil {
		return nil, err
	}
	return func(conn int) load.Session { return corpus.Session(conn, depth, trafficSeed) }, nil
}

// heapBytes returns the bytes of live objects, 0 when nobody asks.
func (o order) heapBytes() int64 {
	if !o.Heap {
		return 0
	}
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// drive runs a client process of its own on the client's CPU. Any failed request is an error: a figure
// with failures in it compares nothing.
func (b *bench) drive(ctx context.Context, o order) (a answer, cpu time.Duration, err error) {
	text, err := json.Marshal(o)
	if err != nil {
		return a, 0, err
	}
	done, err := b.children.runToEnd(ctx, b.placement.ClientCPUs, o.Duration, self, clientCommand, string(text))
	if err != nil {
		return a, 0, fmt.Errorf("dyno's client: %w", err)
	}
	if err := json.Unmarshal(done.stdout, &a); err != nil {
		return a, 0, fmt.Errorf("dyno's client: its answer is no JSON: %w", err)
	}
	return a, done.cpu, a.check()
}

// check refuses an answer with anything but verified replies in it.
func (a answer) check() error {
	switch {
	case a.Fault != "":
		return fmt.Errorf("dyno's client: wrong reply: %s", a.Fault)
	case len(a.Errors) > 0:
		var kinds []string
		for _, kind := range slices.Sorted(maps.Keys(a.Errors)) {
			kinds = append(kinds, fmt.Sprintf("%d × %s", a.Errors[kind], kind))
		}
		return fmt.Errorf("dyno's client: %s; run the bench again on a quieter machine", strings.Join(kinds, ", "))
	case a.Verified == 0:
		return fmt.Errorf("dyno's client: no reply at all; run the bench again on a quieter machine")
	}
	return nil
}
