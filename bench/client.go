package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"time"

	"dyno"
	"dyno/contract/framed"
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
	Connections int
	Spin        time.Duration
	Duration    time.Duration
	Skip        time.Duration // head of Duration that the rate leaves out
}

// answer is what a client found. Errors is empty when every reply was right.
type answer struct {
	Verified int64 // whole payload compared, over the whole Duration and its drain
	RatePerS float64
	Errors   map[string]int64
	Fault    string
}

// clientMain carries out the order in args[0] (JSON) and prints the answer (JSON).
func clientMain(args []string, stdout, stderr io.Writer) int {
	var o order
	if len(args) != 1 || json.Unmarshal([]byte(args[0]), &o) != nil {
		fmt.Fprintf(stderr, "bench %s: no order; this command is for the bench itself\n", clientCommand)
		return exitUsage
	}
	a, err := o.carryOut(context.Background())
	if err == nil {
		err = json.NewEncoder(stdout).Encode(a)
	}
	if err != nil {
		fmt.Fprintln(stderr, err)
		return exitMissed
	}
	return 0
}

func (o order) carryOut(ctx context.Context) (answer, error) {
	sessions, err := framed.Contract{}.Traffic(dyno.Workload{PayloadBytes: payloadBytes}, 1, trafficSeed)
	if err != nil {
		return answer{}, err
	}
	// The process has one CPU only, so the loop needs no pinning of its own.
	engine, err := load.New(load.Options{Spin: o.Spin})
	if err != nil {
		return answer{}, err
	}
	defer engine.Close()
	client, err := engine.Open(ctx, load.Config{Addr: o.Addr, Connections: o.Connections, Depth: 1, NewSession: sessions})
	if err != nil {
		return answer{}, err
	}
	defer client.Close()
	r, err := client.Run(ctx, load.Window{Duration: o.Duration, Skip: o.Skip})
	if err != nil {
		return answer{}, err
	}
	return answer{Verified: r.Verified, RatePerS: r.RatePerS(), Errors: r.Errors(), Fault: r.FirstFault}, nil
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
