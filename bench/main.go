// Command bench prints the ratios that dyno promises, each measured against its peer in one run and
// in turns: what the load engine costs beside wrk, what spinning brings, what slicing brings. Every
// ratio has its spread and its target beside it; a missed target is exit status 1.
//
// It never judges a short run (-quick), never compares absolute times of different runs, and sends
// traffic to 127.0.0.1 only.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"dyno/bench/internal/table"
	"dyno/host"
	"dyno/subject"
)

// Exit statuses, as those of dyno. 0 means that everything was measured and every target met.
const (
	exitMissed      = 1 // a target was missed, or an item could not be measured
	exitUsage       = 2
	exitInterrupted = 130 // as shells report SIGINT
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
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop) // the next signal ends the bench at once
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// item is one promise and how it is measured.
type item struct {
	name    string
	repeat  int  // repetitions; with fewer the item is not judged
	quick   int  // repetitions with -quick
	load    bool // of the load engine: only when asked for, as `make bench-load` does
	measure func(ctx context.Context, b *bench, repeat int) (table.Result, error)
}

var items = []item{
	{name: "client-cost", repeat: 5, quick: 2, measure: clientCost},
	{name: "spin", repeat: 5, quick: 2, measure: spinning},
	{name: "slicing", repeat: 8, quick: 2, measure: slicing},
	{name: "load-cost", repeat: 5, quick: 2, load: true, measure: loadCost},
	{name: "load-pollers", repeat: 2, quick: 1, load: true, measure: loadPollers},
	{name: "load-pacing", repeat: 5, quick: 2, load: true, measure: loadPacing},
	{name: "load-many", repeat: 3, quick: 2, load: true, measure: loadMany},
	{name: "load-held", repeat: 3, quick: 2, load: true, measure: loadHeld},
	{name: "scenario-same", repeat: 2, quick: 2, load: true, measure: scenarioSame},
	{name: "scenario-cost", repeat: 3, quick: 2, load: true, measure: scenarioCost},
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
scenario-same what dyno scenario and Artillery count in three examples
scenario-cost CPU a request and users let in: dyno scenario beside Artillery; memory of 20,000 users

The load and scenario items are measured only when -items names them; ` + "`make bench-load`" + ` and
` + "`make bench-scenario`" + ` prepare and run them.

`

// options are what the user asked for.
type options struct {
	items  []item
	repeat int // 0: what each item needs
	quick  bool
}

// parse reads the command line. What -h prints is the error flag.ErrHelp.
func parse(args []string, stderr io.Writer) (options, error) {
	var names, usual []string
	for _, it := range items {
		names = append(names, it.name)
		if !it.load {
			usual = append(usual, it.name)
		}
	}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	chosen := flags.String("items", strings.Join(usual, ","), "what to measure")
	repeat := flags.Int("repeat", 0, "repetitions of each item; 0 takes what each needs, fewer are not judged")
	quick := flags.Bool("quick", false, "a short run that prints but does not judge")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprint(stderr, usage)
			flags.SetOutput(stderr)
			flags.PrintDefaults()
			return options{}, err
		}
		return options{}, fmt.Errorf("%w; see go run ./bench -h", err)
	}
	switch {
	case flags.NArg() > 0:
		return options{}, fmt.Errorf("unknown argument %q; choose items with -items %s", flags.Arg(0), *chosen)
	case *repeat < 0 || *repeat == 1 || *repeat > 1000:
		return options{}, fmt.Errorf("-repeat %d; one run has no spread, so it must lie between 2 and 1000", *repeat)
	}
	o := options{repeat: *repeat, quick: *quick}
	for name := range strings.SplitSeq(*chosen, ",") {
		i := slices.Index(names, strings.TrimSpace(name))
		if i < 0 {
			return options{}, fmt.Errorf("-items: unknown item %q; choose among %s", name, strings.Join(names, ", "))
		}
		if !slices.ContainsFunc(o.items, func(it item) bool { return it.name == names[i] }) {
			o.items = append(o.items, items[i])
		}
	}
	return o, nil
}

// repetitions says how often an item is measured, and whether that is enough to judge it.
func (o options) repetitions(it item) (n int, judged bool) {
	switch {
	case o.repeat > 0:
		n = o.repeat
	case o.quick:
		n = it.quick
	default:
		n = it.repeat
	}
	return n, !o.quick && n >= it.repeat
}

// bench is this machine, prepared.
type bench struct {
	placement host.Placement
	children  *launcher
	quick     bool
	stderr    io.Writer
}

// progress says on standard error what is in work.
func (b *bench) progress(format string, args ...any) {
	fmt.Fprintf(b.stderr, "bench: "+format+"\n", args...)
}

// run executes one command line and returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		fmt.Fprintf(stderr, "bench: %v\n", err)
		return exitUsage
	}
	placement, err := twoCPUs()
	if err != nil {
		fmt.Fprintf(stderr, "bench: %v\n", err)
		return exitMissed
	}
	writeHead(stdout, placement)
	b := &bench{placement: placement, children: newLauncher(), quick: o.quick, stderr: stderr}
	var faults []string
	for _, it := range o.items {
		n, judged := o.repetitions(it)
		r, err := it.measure(ctx, b, n)
		if ctx.Err() != nil {
			fmt.Fprintln(stderr, "bench: interrupted; run it again, nothing is kept")
			return exitInterrupted
		}
		if err != nil {
			table.WriteUnmeasured(stdout, it.name, err)
			faults = append(faults, fmt.Sprintf("%s: not measured: %v", it.name, err))
			continue
		}
		table.Write(stdout, it.name, r, judged)
		if judged {
			faults = append(faults, r.Missed(it.name)...)
		}
	}
	for _, fault := range faults {
		fmt.Fprintf(stderr, "bench: %s\n", fault)
	}
	if len(faults) > 0 {
		return exitMissed
	}
	return 0
}

// twoCPUs places client and servers. On one CPU every figure would be client and server together.
func twoCPUs() (host.Placement, error) {
	p, err := host.Place()
	if err == nil && p.Shared {
		err = fmt.Errorf("client and server need a CPU each, and this process may use only CPU %v; widen it with taskset", p.ClientCPUs)
	}
	return p, err
}
