// Command bench prints the ratios that dyno promises, each measured against its peer in one run and
// in turns: what the load engine costs beside wrk, what spinning brings, what slicing brings. Every
// ratio has its spread and its target beside it; a missed target is exit status 1.
//
// It never judges a short run (-quick), never compares absolute times of different runs, and sends
// traffic to 127.0.0.1 only.
package main

import (
	"fmt"
	"io"
	"os"

	"dyno/bench/internal/frame"
	"dyno/host"
	"dyno/subject"
)

func main() {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case subject.WardenCommand:
			os.Exit(subject.WardenMain(os.Args[2:]))
		case serverCommand:
			os.Exit(serverMain(os.Args[2:], os.Stdout, os.Stderr))
		case clientCommand:
			os.Exit(clientMain(os.Args[2:], os.Stdout, os.Stderr))
		}
	}
	program.Main()
}

var program = frame.Bench[*bench]{Name: "bench", Start: "go run ./bench", About: usage, Items: items, Prepare: prepare}

// The items about load and scenarios are measured only when asked for, as `make bench-load` does.
var items = []frame.Item[*bench]{
	{Name: "client-cost", Repeat: 5, Quick: 2, Measure: frame.One("client-cost", clientCost)},
	{Name: "spin", Repeat: 5, Quick: 2, Measure: frame.One("spin", spinning)},
	{Name: "slicing", Repeat: 8, Quick: 2, Measure: frame.One("slicing", slicing)},
	{Name: "load-cost", Repeat: 5, Quick: 2, Asked: true, Measure: frame.One("load-cost", loadCost)},
	{Name: "load-pollers", Repeat: 2, Quick: 1, Asked: true, Measure: frame.One("load-pollers", loadPollers)},
	{Name: "load-pacing", Repeat: 5, Quick: 2, Asked: true, Measure: frame.One("load-pacing", loadPacing)},
	{Name: "load-many", Repeat: 3, Quick: 2, Asked: true, Measure: frame.One("load-many", loadMany)},
	{Name: "load-held", Repeat: 3, Quick: 2, Asked: true, Measure: frame.One("load-held", loadHeld)},
	{Name: "scenario-same", Repeat: 2, Quick: 2, Asked: true, Measure: frame.One("scenario-same", scenarioSame)},
	{Name: "scenario-cost", Repeat: 3, Quick: 2, Asked: true, Measure: frame.One("scenario-cost", scenarioCost)},
	{Name: "capacity", Repeat: 3, Quick: 2, Asked: true, Measure: frame.One("capacity", capacityTruth)},
}

const usage = `go run ./bench [flags], in the root of dyno's checkout, on an otherwise idle machine with two CPUs.
Measures the ratios that dyno promises (about eight minutes); exit status 1 when a target is missed.

client-cost  CPU time a request: dyno's client against wrk (apt-get install wrk)
spin         pace of one connection: polling against sleeping
slicing      error of a ratio: interleaved slices against sequential windows
load-cost    CPU time a reply and pace: dyno beside a bare C loop, wrk, h2load and autocannon
load-pollers cost a reply of io_uring and of epoll, by connections, depth and waiting
load-pacing  how late an open loop of 50,000 requests/s sends, with and without spinning
load-many    load-cost with 10,000 connections
load-held    memory of 50,000 connections while some of them are used
scenario-same what dyno scenario and Artillery count in four scripts
scenario-cost CPU a request and users let in: dyno scenario beside Artillery; memory of 20,000 users
capacity     what dyno capacity finds of a server whose capacity is known by arithmetic

The load, scenario and capacity items are measured only when -items names them; ` + "`make bench-load`" + `,
` + "`make bench-scenario`" + ` and ` + "`make bench-capacity`" + ` prepare and run them.

`

// bench is this machine, prepared.
type bench struct {
	placement host.Placement
	children  *launcher
	quick     bool
	stderr    io.Writer
}

func prepare(quick bool, stdout, stderr io.Writer) (*bench, error) {
	placement, err := twoCPUs()
	if err != nil {
		return nil, err
	}
	writeHead(stdout, placement)
	return &bench{placement: placement, children: newLauncher(), quick: quick, stderr: stderr}, nil
}

// progress says on standard error what is in work.
func (b *bench) progress(format string, args ...any) {
	fmt.Fprintf(b.stderr, "bench: "+format+"\n", args...)
}

// twoCPUs places client and servers. On one CPU every figure would be client and server together.
func twoCPUs() (host.Placement, error) {
	p, err := host.Place()
	if err == nil && p.Shared {
		err = fmt.Errorf("client and server need a CPU each, and this process may use only CPU %v; widen it with taskset", p.ClientCPUs)
	}
	return p, err
}
