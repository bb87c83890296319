// Command codec prints what mpacket promises of its speed, each figure measured against its peer in one
// run and in turns: the Go package beside a plain copy and beside go-mc, the TypeScript twin beside
// protodef and minecraft-protocol on Node, Deno and Bun. Every ratio has its spread and its target
// beside it; a missed target is exit status 1.
//
// It is a module of its own, so that the peers are no dependencies of dyno. It opens no socket.
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
)

// Exit statuses. 0 means that everything was measured and every target met.
const (
	exitMissed      = 1 // a target was missed, or an item could not be measured
	exitUsage       = 2
	exitInterrupted = 130 // as shells report SIGINT
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == childCommand {
		os.Exit(childMain(os.Args[2:], os.Stdout, os.Stderr))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop) // the next signal ends the bench at once
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// item is something to measure that gives one table or more.
type item struct {
	name   string
	sides  func() ([][]string, []string, error) // argv and names of the sides' children
	tables func(all samples) []namedResult
}

// namedResult is one table with its name.
type namedResult struct {
	name   string
	result table.Result
}

var items = []item{
	{name: "go", sides: goSides, tables: goTables},
	{name: "node", sides: scriptSides("node"), tables: scriptTables("node")},
	{name: "deno", sides: scriptSides("deno"), tables: scriptTables("deno")},
	{name: "bun", sides: scriptSides("bun"), tables: scriptTables("bun")},
}

const usage = `go run . [flags], in bench/codec of dyno's checkout after npm ci there and in subjects (make bench-codec does all).
Measures what mpacket promises of its speed (about three minutes); exit status 1 when a target is missed.

go    the Go package beside a copy of the same bytes and beside go-mc
node, deno, bun   the TypeScript twin beside protodef and minecraft-protocol

`

const (
	judgedRounds = 7 // fresh processes of each side; with fewer the table is not judged
	quickRounds  = 2
)

// options are what the user asked for.
type options struct {
	items  []item
	rounds int
	quick  bool
}

// parse reads the command line. What -h prints is the error flag.ErrHelp.
func parse(args []string, stderr io.Writer) (options, error) {
	var names []string
	for _, it := range items {
		names = append(names, it.name)
	}
	flags := flag.NewFlagSet("codec", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	chosen := flags.String("items", strings.Join(names, ","), "what to measure")
	rounds := flags.Int("rounds", judgedRounds, "fresh processes of each side; fewer than the default are not judged")
	quick := flags.Bool("quick", false, "a short run that prints but does not judge")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprint(stderr, usage)
			flags.SetOutput(stderr)
			flags.PrintDefaults()
			return options{}, err
		}
		return options{}, fmt.Errorf("%w; see go run . -h", err)
	}
	switch {
	case flags.NArg() > 0:
		return options{}, fmt.Errorf("unknown argument %q; choose items with -items %s", flags.Arg(0), *chosen)
	case *rounds < 2 || *rounds > 1000:
		return options{}, fmt.Errorf("-rounds %d; one process has no spread, so it must lie between 2 and 1000", *rounds)
	}
	o := options{rounds: *rounds, quick: *quick}
	if *quick {
		o.rounds = quickRounds
	}
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

// run executes one command line and returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		fmt.Fprintf(stderr, "bench-codec: %v\n", err)
		return exitUsage
	}
	judged := !o.quick && o.rounds >= judgedRounds
	fmt.Fprintf(stdout, "dyno bench-codec: %d fresh processes of each side, in turns\n", o.rounds)
	var faults []string
	for _, it := range o.items {
		all, err := it.measure(ctx, o, stderr)
		if ctx.Err() != nil {
			fmt.Fprintln(stderr, "bench-codec: interrupted; run it again, nothing is kept")
			return exitInterrupted
		}
		if err != nil {
			table.WriteUnmeasured(stdout, it.name, err)
			faults = append(faults, fmt.Sprintf("%s: not measured: %v", it.name, err))
			continue
		}
		for _, named := range it.tables(all) {
			table.Write(stdout, named.name, named.result, judged)
			if judged {
				faults = append(faults, named.result.Missed(named.name)...)
			}
		}
	}
	for _, fault := range faults {
		fmt.Fprintf(stderr, "bench-codec: %s\n", fault)
	}
	if len(faults) > 0 {
		return exitMissed
	}
	return 0
}

// measure runs a fresh process of every side a round. The order of the sides alternates, so that none
// always goes first.
func (it item) measure(ctx context.Context, o options, stderr io.Writer) (samples, error) {
	argvs, names, err := it.sides()
	if err != nil {
		return nil, err
	}
	var all samples
	for round := range o.rounds {
		fmt.Fprintf(stderr, "bench-codec: %s, round %d of %d\n", it.name, round+1, o.rounds)
		s := sample{}
		for i := range argvs {
			side := i
			if round%2 == 1 {
				side = len(argvs) - 1 - i
			}
			timings, err := runChild(ctx, append(argvs[side], o.pace()...))
			if err != nil {
				return nil, err
			}
			s[names[side]] = timings
		}
		if err := s.agree(); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// pace returns the arguments that tell a child how many slices to take of each operation and how many
// milliseconds one lasts.
func (o options) pace() []string {
	if o.quick {
		return []string{"5", "2"}
	}
	return []string{"25", "2"}
}
